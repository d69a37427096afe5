"""The tree of schedules: cron fields as both dialects share them, and elapsed times.

A field is read by itself and remembered, because real expressions are made of few different fields.  Spans
inside a field therefore count from the field's own beginning; :class:`Cron` says where each field begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .problems import Span

NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Star:
    """A bare `*`: no restriction."""

    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Values:
    """`n`, `a-b`, `a-b/s` or `*/s`: every `step`-th value from `low` to `high`, both included.

    Weekdays count from Sunday, 0, whatever the dialect writes; 7 is Sunday as well and only ends a range.
    """

    low: int
    high: int
    step: int = 1
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LastDay:
    """`L` or `L-n`: the day `back` days before the last of the month; a month without it is passed over."""

    back: int = 0
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LastWorkday:
    """`LW`: the last of Monday to Friday in the month."""

    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NearestWorkday:
    """`dW`: the one of Monday to Friday nearest to `day` in the month; a month without it is passed over."""

    day: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LastWeekday:
    """`FRIL` or `dL`: the last such weekday (Sunday 0) of the month."""

    weekday: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """`MON#2` or `d#k`: the k-th such weekday (Sunday 0) of the month; passed over where there is none."""

    weekday: int
    nth: int
    span: Span = field(default=NOWHERE, compare=False)


Item = Star | Values | LastDay | LastWorkday | NearestWorkday | LastWeekday | NthWeekday


@dataclass(frozen=True, slots=True)
class Field:
    """One cron field: `restricted` unless it is a lone `*`, `numbered` when it writes weekdays as numbers."""

    text: str
    items: tuple[Item, ...]
    restricted: bool
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Zone:
    """The zone at the end of an expression, as written; whether it exists is the compiler's to say."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Cron:
    """Five fields and where each begins; `name` when it was written as one, such as `@daily`."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    zone: Zone | None = None
    name: str | None = None
    starts: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Duration:
    """An elapsed time in whole seconds."""

    seconds: int
    span: Span = field(default=NOWHERE, compare=False)
