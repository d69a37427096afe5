"""Text: what of it the store keeps, what counts as a URI, and how a message shows a value."""

from __future__ import annotations

import json
import re
from functools import cache

TEXT_LIMIT = 1024 * 1024
"""Bytes of UTF-8 that a text, or an object or list as JSON, may have."""
PATTERN_TEXT_LIMIT = 10_000
"""Characters that a text may have whose property has a `pattern`."""


def bad_text(value: str) -> str | None:
    """Why the store keeps no such text (a NUL, a lone surrogate, its length), or None."""
    if "\0" in value:
        return "holds a NUL character, which is not kept: take it out"
    size = len(value)
    if not value.isascii():
        try:
            size = len(value.encode())
        except UnicodeEncodeError as error:
            found = ord(value[error.start])
            return f"holds half of a surrogate pair (U+{found:04X}), which is no character: take it out"
    if size > TEXT_LIMIT:
        return f"has {size:,} bytes; the limit of a text is {TEXT_LIMIT:,} (1 MiB)"
    return None


def is_uri(text: str) -> bool:
    """Whether the text is an absolute URI (RFC 3986): a scheme, a colon, and only the characters of a URI."""
    return _uri().fullmatch(text) is not None


@cache
def _uri() -> re.Pattern[str]:
    return re.compile(
        r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})+"
        r"(?:#(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
    )


def shown(value: object, width: int = 40) -> str:
    """A value as a message shows it, with the name of its type where that says more."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = json.dumps(value[:width], ensure_ascii=not value[:width].isprintable())
        return text if len(value) <= width else text[:-1] + '…"'
    if isinstance(value, int):
        return str(value) if abs(value) < 10**25 else "an integer of more than 25 digits"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return "an object"
    return "an array" if isinstance(value, list) else f"a Python {type(value).__name__}"
