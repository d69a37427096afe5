"""Time in the analysis of rules: where bounds lie, what of two instants comes first, what a mark may write.

One `now` rules a whole stage, so that moments counted from it compare with each other exactly: `1-hour-ago`
is before `now` whenever it is asked.  What is fixed on the calendar compares with its like.  A stretch that
moves with `now` (`today`, `last-week`) compares with itself, and with moments as far as it surely lies on one
side of them; everything else is unknown.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC, datetime, timedelta
from math import inf

from wakeful_grammar.node import node
from wakeful_grammar.nodes import Scalar
from wakeful_grammar.time_operand import DayWord, Now, Offset, Period, Stamp, TimeNode, Unit

from ..instants import EXAMPLE, BadInstant, format_instant, parse_instant
from ..operand_errors import BadOperand, quoted
from ..predicates import Bound, Constant, Ordering, TimeBound
from ..time_tests import time_operand
from ..values import BadValue, admit
from ..vocab.model import Property
from .stretches import Axis

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_LENGTHS: dict[Unit, int] = {
    "second": _SECOND,
    "minute": 60 * _SECOND,
    "hour": 3_600 * _SECOND,
    "day": _DAY,
    "week": 7 * _DAY,
}
_MONTH_DAYS: dict[Unit, tuple[int, int]] = {"month": (28, 31), "year": (365, 366)}
# A step by the calendar ends on a wall time, which changes of clocks and date lines move by a day or two.
_CLOCK_CHANGES = 2

_CALENDAR = Axis("calendar", "integer")
_ELAPSED = Axis("elapsed", "dense")


@node
class Point:
    """Where an instant lies: its place among its like, and how far from `now` it is at least and at most.

    All three are microseconds, but for the ends of a moving stretch, whose places are 0 and 1.
    """

    axis: Axis
    place: int
    least: float = -inf
    most: float = inf


def place_in_time(bound: Bound) -> Point:
    """The point that a canonical instant or a time bound names."""
    if not isinstance(bound, TimeBound):
        assert isinstance(bound, str)
        return Point(_CALENDAR, (parse_instant(bound) - _EPOCH) // _MICROSECOND)
    if bound.operand is None or bound.edge == "now":
        return _elapsed(0)
    node = bound.operand.node
    if isinstance(node, Now):
        return _elapsed(0)
    if isinstance(node, Offset):
        return _offset(node)
    return _edge(node, at_end=bound.edge == "end")


def _elapsed(distance: int) -> Point:
    return Point(_ELAPSED, distance, distance, distance)


def _offset(node: Offset) -> Point:
    if node.count == 0:
        return _elapsed(0)
    length = _LENGTHS.get(node.unit)
    if length is not None:
        return _elapsed(node.direction * node.count * length)
    shortest, longest = _MONTH_DAYS[node.unit]
    near = (shortest * node.count - _CLOCK_CHANGES) * _DAY
    far = (longest * node.count + _CLOCK_CHANGES) * _DAY
    axis = Axis((node.direction, node.unit, node.count), "dense")
    return Point(axis, 0, near, far) if node.direction > 0 else Point(axis, 0, -far, -near)


def _edge(node: TimeNode, *, at_end: bool) -> Point:
    """One end of a stretch that moves with `now`; both ends lie on an axis of their own."""
    key: Hashable = node
    axis, place = Axis(key, "dense"), int(at_end)
    if isinstance(node, Period) and node.unit in ("minute", "hour"):
        length = _LENGTHS[node.unit]
        most = (node.which + place) * length
        return Point(axis, place, most - length + 1, most)
    # The day, week, month or year that holds now has begun.  When it ends is not said: where clocks went back
    # just after midnight, a day's last hour came after the next one's first minute.
    begun = isinstance(node, DayWord | Period) and node.which + place <= 0
    return Point(axis, place, -inf, 0 if begun else inf)


def compare(left: Point, ordering: Ordering, right: Point) -> bool | None:
    """Whether two instants compare so; None where that depends on the day."""
    if left.axis == right.axis:
        outcomes = {(left.place > right.place) - (left.place < right.place)}
    else:
        possible = {
            -1: left.least < right.most,
            0: left.least <= right.most and right.least <= left.most,
            1: left.most > right.least,
        }
        outcomes = {outcome for outcome, may_be in possible.items() if may_be}
    wanted = {"=": {0}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}[ordering]
    if outcomes <= wanted:
        return True
    return None if outcomes & wanted else False


def written_moment(prop: Property, scalar: Scalar) -> Constant | TimeBound:
    """What a mark writes into a date-time property: an instant as canonical text, or a moment from `now`.

    Raises :class:`BadOperand` for a stretch of time, a stamp without a zone, and what is no time at all.
    """
    node, operand = time_operand(scalar)
    if isinstance(node, Now | Offset):
        return TimeBound(operand, "start")
    shown = quoted(scalar.text)
    hint = f"write an instant, `+{prop.path}={EXAMPLE}`, or a moment: `now`, `in-3-days`, `2-days-ago`"
    if not isinstance(node, Stamp) or (node.offset is not None and node.second is None):
        raise BadOperand(scalar.span, f"{shown} is a stretch of time; `{prop.path}` takes one moment", hint)
    try:
        value = admit(prop)(format_instant(parse_instant(scalar.text.replace(" ", "T"))))
    except BadInstant as error:
        raise BadOperand(scalar.span, f"`{prop.path}` {error} (given: {shown})", hint) from None
    except BadValue as error:
        raise BadOperand(scalar.span, str(error), "write a value that the vocabulary takes") from None
    assert isinstance(value, str)
    return value
