"""How one value is read from a bundle in memory: by its property's type, or as missing.

"In memory, a value of the wrong type counts as missing" (the design's section 2): each reader answers the
value in comparable form, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from ..instants import BadInstant, as_instant, parse_instant
from ..vocab.model import Kind


def read_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def read_number(value: object) -> int | float | None:
    return value if type(value) is int or type(value) is float else None


def read_integer(value: object) -> int | None:
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def read_boolean(value: object) -> bool | None:
    return value if value is True or value is False else None


def read_object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def read_array(value: object) -> list[Any] | None:
    return value if isinstance(value, list) else None


def read_instant(value: object) -> datetime | None:
    """The instant that a canonical text, any RFC 3339 text with a zone, or an aware datetime names."""
    if isinstance(value, str):
        # The canonical form by its shape, the rest by the strict parser: fromisoformat alone takes too much.
        if len(value) == 20 and value[19] == "Z" and value[10] == "T" and value[4] == "-" and value[13] == ":":
            try:
                return datetime.fromisoformat(value)
            except ValueError:
                return None
        try:
            return parse_instant(value)
        except BadInstant:
            return None
    if isinstance(value, datetime):
        try:
            return as_instant(value)
        except BadInstant:
            return None
    return None


READERS: Mapping[Kind, Callable[[object], Any]] = MappingProxyType(
    {
        "string": read_text,
        "reference": read_text,
        "number": read_number,
        "integer": read_integer,
        "boolean": read_boolean,
        "object": read_object,
        "array": read_array,
        "instant": read_instant,
    }
)
