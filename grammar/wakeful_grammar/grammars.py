"""The text of the grammars that lie beside this module."""

from __future__ import annotations

from pkgutil import get_data


def grammar(*names: str) -> str:
    """The grammar files of these names, one behind the other."""
    return "\n".join(_text(f"{name}.lark") for name in names)


def _text(file: str) -> str:
    data = get_data(__name__, file)
    assert data is not None, "every loader of packages reads files"
    return data.decode()
