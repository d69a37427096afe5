"""Workers: the code outside the store that a command may name, called after the commit that made a call due.

For an app that is called over HTTP: :func:`verify` checks that a call comes from a store that knows the secret, and
the names of the headers are :data:`CALL_HEADER`, :data:`SOURCE_HEADER`, :data:`AT_HEADER` and
:data:`SIGNATURE_HEADER`.  For a function registered with `store.worker`: :class:`Call` is what it is told of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .registry import Call as Call
    from .signature import AT_HEADER as AT_HEADER
    from .signature import CALL_HEADER as CALL_HEADER
    from .signature import SIGNATURE_HEADER as SIGNATURE_HEADER
    from .signature import SOURCE_HEADER as SOURCE_HEADER
    from .signature import BadSignature as BadSignature
    from .signature import sign as sign
    from .signature import verify as verify

_HOMES = {
    "AT_HEADER": "signature",
    "BadSignature": "signature",
    "CALL_HEADER": "signature",
    "Call": "registry",
    "SIGNATURE_HEADER": "signature",
    "SOURCE_HEADER": "signature",
    "sign": "signature",
    "verify": "signature",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'wakeful.workers' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return list(_HOMES)
