"""Time operands, lowered: from a node to the instants it stands for, given `now` and a zone.

A moment has two equal edges; a stretch is [start, end).  Both come in UTC and stay inside the years 0001 to
9999: what would lie outside is moved to the edge of the calendar, which compares the same as the true instant
with everything that can be stored.

Walls become instants by the zone rule that schedules have: a wall time that does not exist moves forward by
the gap, one that happens twice is the first.  Days and longer stretches have wall edges; hours, minutes and
seconds are elapsed time, so that `9am` is one hour long on every day of the year.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import assert_never

from wakeful_grammar.node import node
from wakeful_grammar.time_operand import Clock, Date, DayWord, Now, Offset, Period, Stamp, TimeNode, Unit

from .instants import as_instant

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

_LAST_ORDINAL = date.max.toordinal()
_SECONDS: dict[Unit, int] = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}

Edges = tuple[datetime, datetime]


@node
class TimeOperand:
    """One time operand, ready to be asked for its edges.

    `is_moment`: one instant, else a stretch.  `constant`: its edges do not depend on `now` (they may on the
    zone).  `relative`: a moment counted from `now`, for which `=` means the time between the two.
    """

    node: TimeNode
    is_moment: bool
    constant: bool
    relative: bool

    def edges(self, now: datetime, zone: tzinfo) -> Edges:
        """[start, end) in UTC, equal for a moment; `now` is any aware datetime."""
        return _edges(self.node, as_instant(now), zone)


def lower_time(node: TimeNode) -> TimeOperand:
    """The operand of a node that `wakeful_grammar.time_operand.parse_time` gave."""
    exact = isinstance(node, Stamp) and (
        node.microsecond is not None or (node.second is not None and node.offset is not None)
    )
    return TimeOperand(
        node,
        is_moment=exact or isinstance(node, Now | Offset),
        constant=isinstance(node, Stamp | Date),
        relative=isinstance(node, Offset),
    )


def _edges(node: TimeNode, now: datetime, zone: tzinfo) -> Edges:
    match node:
        case Now():
            return now, now
        case Offset(count, unit, direction):
            moment = _step(now, count * direction, unit, zone)
            return moment, moment
        case Stamp():
            return _stamp(node, zone)
        case DayWord(which):
            return _days(_wall(now, zone).toordinal() + which, 1, zone)
        case Date(year, month, day):
            return _days(date(year, month, day).toordinal(), 1, zone)
        case Clock(hour, minute, width, which):
            ordinal = _wall(now, zone).toordinal() + which
            if not 1 <= ordinal <= _LAST_ORDINAL:
                edge = _midnight(ordinal, zone)
                return edge, edge
            start = _instant(datetime.fromordinal(ordinal).replace(hour=hour, minute=minute), zone)
            return start, _later(start, _SECONDS[width])
        case Period(which, unit):
            return _period(now, which, unit, zone)
    assert_never(node)


def _stamp(node: Stamp, zone: tzinfo) -> Edges:
    if node.offset is not None:
        zone = timezone(timedelta(minutes=node.offset))
    wall = datetime(node.year, node.month, node.day, node.hour, node.minute, node.second or 0, node.microsecond or 0)
    start = _instant(wall, zone)
    if node.microsecond is not None or (node.second is not None and node.offset is not None):
        return start, start
    return start, _later(start, 60 if node.second is None else 1)


def _period(now: datetime, which: int, unit: Unit, zone: tzinfo) -> Edges:
    wall = _wall(now, zone)
    if unit == "minute" or unit == "hour":
        # Counted in the offset that holds now, so that the hours of a night when clocks change stay apart.
        length = _SECONDS[unit]
        into = timedelta(seconds=(wall.minute * 60 + wall.second) % length, microseconds=wall.microsecond)
        start = _later(_earlier(now, into), which * length)
        return start, _later(start, length)
    if unit == "month" or unit == "year":
        months = 1 if unit == "month" else 12
        first = wall.year * 12 + (wall.month - 1 if unit == "month" else 0) + which * months
        return _between(_first_of_month(first), _first_of_month(first + months), zone)
    length = 7 if unit == "week" else 1
    first = wall.toordinal() - (wall.weekday() if unit == "week" else 0) + which * length
    return _days(first, length, zone)


def _days(ordinal: int, count: int, zone: tzinfo) -> Edges:
    return _between(ordinal, ordinal + count, zone)


def _between(first: int, last: int, zone: tzinfo) -> Edges:
    start = _midnight(first, zone)
    return start, max(start, _midnight(last, zone))


def _step(now: datetime, count: int, unit: Unit, zone: tzinfo) -> datetime:
    if unit in _SECONDS:
        return _later(now, count * _SECONDS[unit])
    if count == 0:
        return now
    wall = _wall(now, zone)
    index = wall.year * 12 + wall.month - 1 + count * (12 if unit == "year" else 1)
    first = _first_of_month(index)
    if not 1 <= first <= _LAST_ORDINAL:
        return _midnight(first, zone)
    length = _first_of_month(index + 1) - first
    day = datetime.fromordinal(first + min(wall.day, length) - 1)
    return _instant(datetime.combine(day, wall.time()), zone)


def _first_of_month(index: int) -> int:
    """The ordinal of the first day of a month counted from year 0; off the calendar, the day beside it."""
    year, month = divmod(index, 12)
    if year < 1:
        return 0
    return _LAST_ORDINAL + 1 if year > 9999 else date(year, month + 1, 1).toordinal()


def _midnight(ordinal: int, zone: tzinfo) -> datetime:
    if ordinal < 1:
        return EARLIEST
    return LATEST if ordinal > _LAST_ORDINAL else _instant(datetime.fromordinal(ordinal), zone)


def _instant(wall: datetime, zone: tzinfo) -> datetime:
    """The instant of a wall time by the zone rule.

    With fold=0 zoneinfo answers a wall time inside a gap with the offset before it, which is the move
    forward, and one that happens twice with the first.
    """
    try:
        return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    except OverflowError:
        return EARLIEST if wall.year == 1 else LATEST


def _wall(now: datetime, zone: tzinfo) -> datetime:
    try:
        return now.astimezone(zone).replace(tzinfo=None, fold=0)
    except OverflowError:
        return datetime.min if now.year == 1 else datetime.max


def _later(start: datetime, seconds: int) -> datetime:
    try:
        return start + timedelta(seconds=seconds)
    except OverflowError:
        return LATEST if seconds > 0 else EARLIEST


def _earlier(start: datetime, by: timedelta) -> datetime:
    try:
        return start - by
    except OverflowError:
        return EARLIEST
