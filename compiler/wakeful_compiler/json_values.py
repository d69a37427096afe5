"""Values of objects and arrays: JSON and nothing else, in canonical form."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from .texts import TEXT_LIMIT, bad_text, shown

INTEGER_LEAST, INTEGER_MOST = -(2**63), 2**63 - 1
EXACT = 2**53
"""Below this every integral double is one integer, and is written as that."""
DEPTH_LIMIT = 32
"""Levels in which an object or a list may nest."""


class BadPart(Exception):
    """A part of a value that is no JSON or is not kept; `path` leads to it, innermost step first."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.path: list[str | int] = []


class TooLarge(BadPart):
    """A part that lies too deep, or a value that has too many bytes."""


def canonical_json(value: object) -> Any:
    """A copy of a JSON value with its numbers in canonical form.

    Raises :class:`BadPart` for a value or key that JSON does not have, a text or number that the store does
    not keep, more than :data:`DEPTH_LIMIT` levels, more than :data:`TEXT_LIMIT` bytes.
    """
    copying = _Copying()
    copy = copying.copy(value, DEPTH_LIMIT)
    # Nothing takes more than thirteen bytes for each that was counted (a number of 25 digits counts two).
    if (TEXT_LIMIT - copying.left) * 13 < TEXT_LIMIT:
        return copy
    size = len(json.dumps(copy, ensure_ascii=False, separators=(",", ":")).encode())
    if size > TEXT_LIMIT:
        raise TooLarge(f"has {size:,} bytes as JSON; the limit is {TEXT_LIMIT:,} (1 MiB)")
    return copy


class _Copying:
    """One copy under way; `left` keeps a value that repeats its parts from growing without end."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = TEXT_LIMIT + 1

    def copy(self, value: object, levels: int) -> Any:
        # Written out, a value takes at least this, one separator included.
        self.left -= 2
        if self.left < 0:
            raise TooLarge(f"has more than {TEXT_LIMIT:,} bytes as JSON; that is the limit (1 MiB)")
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            self.left -= len(value)
            complaint = bad_text(value)
            if complaint is not None:
                raise BadPart(complaint)
            return str.__str__(value)
        if isinstance(value, int):
            if INTEGER_LEAST <= value <= INTEGER_MOST:
                return int(value)
            raise BadPart(f"lies between -2^63 and 2^63 - 1: {shown(value)} does not")
        if isinstance(value, float):
            if value - value != 0:
                raise BadPart(f"is a finite number: {value!r} is not")
            return int(value) if -EXACT < value < EXACT and value.is_integer() else float(value)
        if isinstance(value, (dict, list)):
            if levels == 0:
                raise TooLarge(f"lies deeper than {DEPTH_LIMIT} levels, which is the limit")
            return self._members(value, levels - 1)
        if isinstance(value, datetime):
            raise BadPart("is a JSON value: a datetime is none; write its RFC 3339 text")
        raise BadPart(f"is a JSON value: {shown(value)} is none{_HINTS.get(type(value).__name__, '')}")

    def _members(self, value: dict[Any, Any] | list[Any], levels: int) -> Any:
        if isinstance(value, list):
            return [self._member(index, member, levels) for index, member in enumerate(value)]
        named: dict[str, Any] = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise BadPart(f"has the key {shown(key)}: the keys of an object are strings")
            complaint = bad_text(key)
            if complaint is not None:
                raise BadPart(f"has a key that {complaint}")
            self.left -= len(key)
            named[str.__str__(key)] = self._member(key, member, levels)
        return named

    def _member(self, key: str | int, value: object, levels: int) -> Any:
        try:
            return self.copy(value, levels)
        except BadPart as bad:
            # The path is put together on the way out, so that good values pay nothing for it.
            bad.path.append(key)
            raise


_HINTS = {
    "tuple": "; write a list",
    "set": "; write a list",
    "frozenset": "; write a list",
    "bytes": "; write text",
}


def spelled_path(path: list[str | int]) -> str:
    """The path of a part inside a value: `.b[2]`, innermost last, with odd keys quoted and long ones cut."""
    spelled = ""
    for key in reversed(path):
        if isinstance(key, int):
            spelled += f"[{key}]"
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,39}", key):
            spelled += f".{key}"
        else:
            spelled += f"[{shown(key)}]"
    return spelled
