"""The tree of schedules: cron fields as both dialects share them, and elapsed times.

A field is read by itself and remembered, because real expressions are made of few different fields.  Spans
inside a field therefore count from the field's own beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from .node import field, node
from .problems import Span

if TYPE_CHECKING:
    from .cron_days import SpecialDay

NOWHERE = Span(0, 0)


@node
class Star:
    """A bare `*`: no restriction."""

    span: Span = field(default=NOWHERE, compare=False)


@node
class Values:
    """`n`, `a-b`, `a-b/s` or `*/s`: every `step`-th value from `low` to `high`, both included.

    Weekdays count from Sunday, 0, whatever the dialect writes; 7 is Sunday as well and only ends a range.
    """

    low: int
    high: int
    step: int = 1
    span: Span = field(default=NOWHERE, compare=False)


Item = Union["Star", "Values", "SpecialDay"]


@node
class Field:
    """One cron field: `restricted` unless it is a lone `*`, `numbered` when it writes weekdays as numbers."""

    text: str
    items: tuple[Item, ...]
    restricted: bool
    numbered: bool = False

    def __hash__(self) -> int:
        # Fields are keys of caches that every compilation asks, and to hash the items would cost more than they save.
        return hash(self.text)


@node
class Zone:
    """The zone at the end of an expression, as written; whether it exists is the compiler's to say."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@node
class Cron:
    """Five fields, in a zone if one was written; a name such as `@daily` becomes its fields."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    zone: Zone | None = None


@node
class Duration:
    """An elapsed time in whole seconds."""

    seconds: int
    span: Span = field(default=NOWHERE, compare=False)
