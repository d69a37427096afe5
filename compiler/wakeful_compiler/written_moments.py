"""Moments as values: `now`, `in-5-minutes`, `2-days-ago` where a date-time is written (the design's section 3)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from .instants import format_instant

_LIKELY = re.compile(r"now|in[-_ ].*|.*[-_ ](?:ago|now)", re.ASCII | re.IGNORECASE)
_DATED = re.compile(r"[0-9]{4}-")
_SOME_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def is_moment(text: str) -> bool:
    """Whether a text where a date-time is given is a moment counted from now, as `in-3-days` is."""
    from wakeful_grammar.problems import QueryError
    from wakeful_grammar.time_operand import Now, Offset, parse_time

    if len(text) > 64 or not _LIKELY.fullmatch(text):
        return False
    try:
        return isinstance(parse_time(text), Now | Offset)
    except QueryError:
        return False


def read_moment(text: str, now: datetime, zone: tzinfo) -> str | None:
    """The canonical instant of a moment counted from `now`, or None for any other text.

    A moment outside the years 0001 to 9999 is none.
    """
    if not is_moment(text):
        return None
    from wakeful_grammar.time_operand import parse_time

    from .times import EARLIEST, LATEST, lower_time

    instant = lower_time(parse_time(text)).edges(now, zone)[0]
    return None if instant in (EARLIEST, LATEST) else format_instant(instant)


def moment_hint(given: str) -> str:
    """What may stand for an instant beside an RFC 3339 text, and the moment that `given` may have meant."""
    if _DATED.match(given):
        return ""
    from wakeful_grammar.time_nearest import nearest_reading

    near = nearest_reading(given)
    meant = f"did you mean `{near}`? " if near and read_moment(near, _SOME_NOW, UTC) else ""
    return f"{meant}{'A' if meant else 'a'} moment may stand here too: `now`, `in-5-minutes`, `2-days-ago`"
