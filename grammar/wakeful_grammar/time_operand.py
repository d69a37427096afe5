"""Time operands: the text of a value to a moment or a stretch of time (section 3 of the language).

Only a property whose type is date-time has its operands read so; the compiler asks for it and lowers the
node in `times.py`.  Nothing here knows what time it is, or in which zone.
"""

from __future__ import annotations

from typing import Literal

from .mistaken import shown
from .node import field, node
from .nodes import NOWHERE
from .problems import Problem, QueryError, Span, problem_at

Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]
UNITS: tuple[Unit, ...] = ("second", "minute", "hour", "day", "week", "month", "year")
Which = Literal[-1, 0, 1]

MAX_DIGITS = 12
"""Digits that a count may have; a trillion of any unit leaves the calendar anyway."""

EXAMPLES = "`2026-09-20`, `2026-09-20T09:00:00Z`, `today`, `9:30am`, `1-hour-ago`, `in-5-minutes`"


# --- moments --------------------------------------------------------------------------------------


@node
class Now:
    """`now`."""

    span: Span = field(default=NOWHERE, compare=False)


@node
class Offset:
    """`N-unit-ago` (`direction` -1), `in-N-unit` and `N-unit-from-now` (`direction` 1)."""

    count: int
    unit: Unit
    direction: Literal[-1, 1]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Stamp:
    """`YYYY-MM-DDTHH:MM[:SS[.f]][Z|±HH:MM]`.

    `second` is None where only the minute was written, `microsecond` where no fraction was, and `offset`,
    minutes east of UTC, where no zone was.  A stamp with a fraction, or with seconds and a zone, is a moment;
    any other is a stretch as wide as its last part.
    """

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int | None = None
    microsecond: int | None = None
    offset: int | None = None
    span: Span = field(default=NOWHERE, compare=False)


# --- stretches ------------------------------------------------------------------------------------


@node
class DayWord:
    """`yesterday` (-1), `today` (0), `tomorrow` (1)."""

    which: Which
    span: Span = field(default=NOWHERE, compare=False)


@node
class Period:
    """`last-unit` (-1), `this-unit` (0), `next-unit` (1)."""

    which: Which
    unit: Unit
    span: Span = field(default=NOWHERE, compare=False)


@node
class Date:
    """`YYYY-MM-DD`."""

    year: int
    month: int
    day: int
    span: Span = field(default=NOWHERE, compare=False)


@node
class Clock:
    """A clock time of yesterday (-1), today (0) or tomorrow (1); `width` is what it covers from there."""

    hour: int
    minute: int
    width: Literal["hour", "minute"]
    which: Which = 0
    span: Span = field(default=NOWHERE, compare=False)


TimeNode = Now | Offset | Stamp | DayWord | Period | Date | Clock


def parse_time(text: str, span: Span = NOWHERE, source: str | None = None) -> TimeNode:
    """The moment or stretch that a value's text, without its quotes, names.

    `span` is where the value stands in `source`, the whole query; without a `source` the problem's line and
    column are those of `span` on one line.  Raises :class:`QueryError` with the one code `type-operand`; its
    hint gives the nearest reading where there is one.
    """
    from .time_reading import NotATime, read_time

    try:
        return read_time(text, span)
    except NotATime as reason:
        raise QueryError([_problem(text, span, str(reason), source)]) from None


def _problem(text: str, span: Span, reason: str, source: str | None) -> Problem:
    from .time_nearest import ahead_too, nearest_reading

    nearest = nearest_reading(text)
    hint = f"a time looks like {EXAMPLES}"
    if nearest:
        ahead = ahead_too(text)
        hint = f"did you mean `{nearest}`{f', or `{ahead}` for what lies ahead' if ahead else ''}? A{hint[1:]}"
    message = f"{shown(text) if text else 'the empty text'} {reason}"
    if source is not None:
        return problem_at(source, span, "type-operand", message, hint)
    return Problem("type-operand", message, hint, span, 1, span.start + 1, 1, span.end + 1)
