"""What a worker may answer, and what becomes of it as the value of a result."""

from __future__ import annotations

import json
from typing import Any

from wakeful_compiler.json_values import BadPart, canonical_json, spelled_path

ANSWER_LIMIT = 64 * 1024
"""Bytes that an answer may have, as JSON."""


class Failed(Exception):
    """A call that did not end well; the text is what is kept of it."""


def late(seconds: float) -> Failed:
    """The failure of a call that took longer than it may."""
    return Failed(f"no answer within {seconds:g} s")


def too_large(size: int) -> Failed:
    """The failure of an answer of so many bytes."""
    return Failed(
        f"the answer has {size:,} bytes; the limit is {ANSWER_LIMIT:,} (64 KiB): store it, and answer its eid"
    )


def result_value(answer: object) -> dict[str, Any] | None:
    """`result.value` for an answer: an object as it is, nothing for None, `{"value": …}` for other JSON.

    Raises :class:`Failed` for what is no JSON, or more than :data:`ANSWER_LIMIT` bytes.
    """
    try:
        value = canonical_json(answer)
    except BadPart as bad:
        raise Failed(f"the answer{spelled_path(bad.path)} {bad.message}") from None
    if value is None:
        return None
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    if size > ANSWER_LIMIT:
        raise too_large(size)
    return value if isinstance(value, dict) else {"value": value}


def read_answer(body: bytes, content_type: str) -> dict[str, Any] | None:
    """`result.value` for the body of an HTTP answer: JSON is read, other text is `{"text": …}`, no body is nothing.

    Raises :class:`Failed` for a body that calls itself JSON and is not, and for what is not text.
    """
    if not body.strip():
        return None
    says_json = "json" in content_type.lower()
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise Failed("the answer is neither JSON nor text in UTF-8") from None
    try:
        answer = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        if says_json:
            raise Failed("the answer calls itself JSON, and cannot be read as JSON") from None
        return result_value({"text": text})
    return result_value(answer)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
