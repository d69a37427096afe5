"""Entity ids: fresh ones are UUIDv7 from the injected clock and random source, derived ones UUIDv5."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from wakeful_compiler.texts import shown

RandomBytes = Callable[[int], bytes]

NAMESPACE = uuid.UUID("6f6d1c5e-6a0a-5d5e-9f5b-3a6f1d3c9b11")
"""The UUIDv5 namespace of every derived id (its recipes are in spec/runtime.md)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
MAX_EID = 200


def fresh_eid(now: datetime, random_bytes: RandomBytes) -> str:
    """A UUIDv7 (RFC 9562): 48 bits of milliseconds, 12 of the fraction below, 62 random."""
    since = now - _EPOCH
    micros = max(0, (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
    millis, rest = divmod(micros, 1000)
    value = (millis & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76 | (rest * 4096 // 1000) << 64 | 0b10 << 62
    value |= int.from_bytes(random_bytes(8), "big") & ((1 << 62) - 1)
    return str(uuid.UUID(int=value))


def derived_eid(kind: str, *parts: str) -> str:
    """The UUIDv5 (RFC 9562) of a recipe: the kind and its parts as a JSON-free, unambiguous text."""
    # Written out, because a tick derives ids by the thousand and `uuid.uuid5` takes four times as long.
    name = "\x1f".join((kind, *parts))
    text = hashlib.sha1(NAMESPACE.bytes + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:32]}"


def tool_eid(command: str) -> str:
    """The eid of the row that stands for a command of the vocabulary."""
    return derived_eid("tool", command)


def eid_problem(eid: object) -> str | None:
    """Why a value cannot be an eid, or None."""
    if not isinstance(eid, str):
        return f"an eid is a text, not {shown(eid)}"
    if not eid:
        return "an eid cannot be empty"
    if len(eid) > MAX_EID:
        return f"an eid has at most {MAX_EID} characters; this one has {len(eid)}"
    if _CONTROL.search(eid):
        return "an eid cannot hold control characters or lone surrogates"
    return None
