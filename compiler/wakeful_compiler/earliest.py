"""When a plan's answer on an unchanged row may next turn from false to true (the design's section 3, "Behaviour").

Time moves leaves alone, so a row begins to match at an instant at which one of its leaves turns: where a bound that
moves forwards passes a stored value, or where a bound that moves in steps takes one.  What is told here errs towards
too early, never towards too late.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from wakeful_grammar.time_operand import Clock, DayWord, Now, Offset, Period, TimeNode, Unit

from .movement import moves
from .predicates import (
    ALWAYS,
    AllOf,
    AnyOf,
    Comparison,
    Not,
    Ordering,
    Predicate,
    TimeBound,
    all_of,
    any_of,
    negated,
)
from .times import EARLIEST, LATEST, lower_time
from .vocab.model import Property

_MICROSECOND = timedelta(microseconds=1)
_TODAY = lower_time(DayWord(0))
_HORIZON = 400
"""The days in which a zone's next clock change is looked for; where there is none, their end is as good."""


@dataclass(frozen=True, slots=True)
class Rise:
    """A leaf that turns true on a row once its bound has come to the row's value, or, where `beyond`, has passed it."""

    property: Property
    bound: TimeBound
    beyond: bool

    def pending(self) -> Comparison:
        """What holds of the rows on which it has yet to happen."""
        operator: Ordering = ">=" if self.beyond else ">"
        return Comparison(self.property, operator, self.bound)

    def instant(self, value: datetime, zone: tzinfo) -> datetime | None:
        """An instant before which it cannot happen on a row with this value; None where it never does."""
        node = None if self.bound.operand is None or self.bound.edge == "now" else self.bound.operand.node
        if node is None or isinstance(node, Now):
            found = value
        else:
            assert isinstance(node, Offset)
            # The way back: `value` is what lies `count` units behind or before the instant that is sought.
            back = Offset(node.count, node.unit, 1 if node.direction < 0 else -1)
            found = lower_time(back).edges(value, zone)[0]
            if found in (EARLIEST, LATEST):
                return None  # the bound itself is held at an end of the calendar
            if node.unit in ("month", "year"):
                # Clocks may have been changed between the two, by a day at the most.
                return found if zone is UTC else found - timedelta(hours=25)
        try:
            return found + _MICROSECOND if self.beyond else found
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What time can do to a plan: leaves that rise by the values of rows, and bounds that step whatever they are.

    `relaxed` holds of every row that can match at some time: the plan with each moving leaf at its best.
    """

    rises: tuple[Rise, ...]
    steps: tuple[TimeNode, ...]
    relaxed: Predicate

    def step(self, now: datetime, zone: tzinfo) -> datetime | None:
        """The next instant after `now` at which a bound may step; None where none ever does."""
        found = [instant for node in self.steps if (instant := _step(node, now, zone)) is not None]
        return min(found, default=None)


def outlook(predicate: Predicate) -> Outlook:
    """The outlook of a plan."""
    rises: dict[Rise, None] = {}
    steps: dict[TimeNode, None] = {}
    relaxed = _walk(predicate, True, rises, steps)
    return Outlook(tuple(rises), tuple(steps), relaxed)


def _walk(node: Predicate, positive: bool, rises: dict[Rise, None], steps: dict[TimeNode, None]) -> Predicate:
    match node:
        case AllOf(terms):
            return all_of([_walk(term, positive, rises, steps) for term in terms])
        case AnyOf(terms):
            return any_of([_walk(term, positive, rises, steps) for term in terms])
        case Not(term):
            return negated(_walk(term, not positive, rises, steps))
        case Comparison(prop, operator, TimeBound() as bound) if moves(bound):
            _moving(prop, operator, bound, positive, rises, steps)
            return ALWAYS if positive else negated(ALWAYS)
        case _:
            return node


def _moving(
    prop: Property,
    operator: Ordering,
    bound: TimeBound,
    positive: bool,
    rises: dict[Rise, None],
    steps: dict[TimeNode, None],
) -> None:
    node = None if bound.operand is None or bound.edge == "now" else bound.operand.node
    if isinstance(node, DayWord | Clock | Period):
        steps.setdefault(node)
        return
    if isinstance(node, Offset) and node.unit in ("month", "year"):
        steps.setdefault(node)  # a clock that is set back takes the bound back with it
    match operator:
        case "=":
            rises.setdefault(Rise(prop, bound, not positive))
        case "<" | "<=" if positive:
            rises.setdefault(Rise(prop, bound, operator == "<"))
        case ">" | ">=" if not positive:
            rises.setdefault(Rise(prop, bound, operator == ">="))


def _step(node: TimeNode, now: datetime, zone: tzinfo) -> datetime | None:
    shift = _next_shift(now, zone)
    if isinstance(node, Offset):
        return shift
    unit = _TODAY if isinstance(node, DayWord | Clock) else lower_time(Period(0, _unit(node)))
    end = max(unit.edges(now, zone)[1], now)
    return end if shift is None else min(end, shift)


def _unit(node: TimeNode) -> Unit:
    assert isinstance(node, Period)
    return node.unit


def _next_shift(now: datetime, zone: tzinfo) -> datetime | None:
    """An instant after `now` and not behind the zone's next clock change; None for a zone without any."""
    if zone is UTC:
        return None
    day = timedelta(days=1)
    low, offset = now, _offset(now, zone)
    for _ in range(_HORIZON):
        high = low + day if low < LATEST - day else LATEST
        if _offset(high, zone) != offset:
            break
        if high >= LATEST:
            return None
        low = high
    else:
        return low
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if _offset(middle, zone) == offset:
            low = middle
        else:
            high = middle
    return max(low, now)


def _offset(instant: datetime, zone: tzinfo) -> timedelta | None:
    try:
        return instant.astimezone(zone).utcoffset()
    except OverflowError:
        return None
