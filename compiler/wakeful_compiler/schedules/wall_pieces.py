"""A zone's wall clock cut into pieces of constant offset.

The zone rule reads: every matching wall time is one occurrence; one that does not exist moves forward by the
gap; one that happens twice happens at the first.  All of it is `instant = wall - offset(wall)`, where the
offset is the one that `fold=0` names.  That offset is constant on stretches of wall time, the pieces.  Within
a piece instants rise with wall times; only at a gap do two pieces reach the same instants, and there
occurrences merge.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from wakeful_grammar.node import node

from ..zones import zone

EARLIEST = datetime(MINYEAR, 1, 1, tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

_DAY, _STRIDE = timedelta(days=1), timedelta(days=3)
_SECOND = timedelta(seconds=1)


@node
class Piece:
    """Wall times from `start` to before `end`, on which the zone is `offset` ahead of UTC.

    `first` and `last` are their instants: from `first` to before `last`.  Every instant of a later piece is
    at or after `later`, every instant of an earlier one before `earlier`.  Wall times are written as if they
    were UTC; beyond the years 1 to 9999 everything is cut off.
    """

    start: datetime
    end: datetime
    offset: timedelta
    first: datetime
    last: datetime
    earlier: datetime
    later: datetime


def instant_of(wall: datetime, offset: timedelta) -> datetime | None:
    """The instant of a wall time, or None outside the years 1 to 9999."""
    try:
        return wall - offset
    except OverflowError:
        return None


def clamped(moment: datetime, shift: timedelta) -> datetime:
    """A moment moved, or the nearest end of the years 1 to 9999."""
    try:
        return moment + shift
    except OverflowError:
        return LATEST if shift > timedelta(0) else EARLIEST


@lru_cache(maxsize=2048)
def pieces_of_year(name: str, year: int) -> tuple[Piece, ...]:
    """The pieces of one year of a zone's wall time, in order, without holes."""
    tz = zone(name)

    def offset_at(wall: datetime) -> timedelta:
        offset = tz.utcoffset(wall.replace(tzinfo=None))
        assert offset is not None
        return offset

    year_start = datetime(year, 1, 1, tzinfo=UTC)
    year_end = datetime(year + 1, 1, 1, tzinfo=UTC) if year < MAXYEAR else LATEST
    # Neighbours two days off still count at the year's edges: no offset changes by more than a day.
    wall = clamped(year_start, -2 * _DAY)
    stop = clamped(year_end, 2 * _DAY).replace(microsecond=0)
    # A stride of three days finds every change: the shortest piece in tzdata lasts a week, and a test watches that.
    cuts = [(EARLIEST, offset_at(wall))]
    while wall < stop:
        ahead = min(clamped(wall, _STRIDE), stop)
        if offset_at(ahead) != cuts[-1][1]:
            cuts.append(_change(offset_at, wall, ahead))
        wall = ahead
    cuts.append((LATEST, cuts[-1][1]))

    pieces = []
    for number, ((start, offset), (end, after)) in enumerate(pairwise(cuts)):
        if end <= year_start or start >= year_end:
            continue
        before = cuts[number - 1][1] if number else offset
        start_in, end_in = max(start, year_start), min(end, year_end)
        last = clamped(end_in, -offset)
        first = clamped(start_in, -offset)
        pieces.append(
            Piece(
                start_in, end_in, offset, first, last,
                max(first, clamped(start, -before)) if start > EARLIEST else first,
                min(last, clamped(end, -after)) if end < LATEST else last,
            )
        )  # fmt: skip
    return tuple(pieces)


def _change(offset_at: Callable[[datetime], timedelta], low: datetime, high: datetime) -> tuple[datetime, timedelta]:
    """The first second of (low, high] with the offset of `high`, and that offset."""
    after = offset_at(high)
    while high - low > _SECOND:
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        if offset_at(middle) == after:
            high = middle
        else:
            low = middle
    return high, after
