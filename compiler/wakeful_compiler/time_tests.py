"""Comparisons of a date-time property with moments and stretches (the design's section 3).

On a stretch [S, E): `<` before S, `<=` before E, `>` at or after E, `>=` at or after S, `=` inside.  On a
moment: plain comparison, but `=N-unit-ago` is [M, now) and `=in-N-unit` is [now, M).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from wakeful_grammar.nodes import Range, Scalar
from wakeful_grammar.problems import QueryError
from wakeful_grammar.time_operand import Offset, TimeNode, parse_time

from .operand_errors import BadOperand, backwards
from .predicates import Comparison, Ordering, Predicate, TimeBound, all_of
from .times import TimeOperand, lower_time
from .vocab.model import Property

_SAMPLES = tuple(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=19 * step, hours=7 * step) for step in range(20))


def time_operand(scalar: Scalar) -> tuple[TimeNode, TimeOperand]:
    """The moment or stretch that an operand names.  Raises BadOperand with the nearest reading."""
    try:
        return reading(scalar.text)
    except QueryError as error:
        problem = error.problems[0]
        raise BadOperand(scalar.span, problem.message, problem.hint, problem.code) from None


@lru_cache(maxsize=1_000)
def reading(text: str) -> tuple[TimeNode, TimeOperand]:
    """The reading of a text, wherever it stands: a few phrases are written over and over."""
    node = parse_time(text)
    return node, lower_time(node)


def time_test(prop: Property, operator: Ordering, scalar: Scalar) -> Predicate:
    """One comparison with a moment or a stretch."""
    node, operand = time_operand(scalar)
    start, end = TimeBound(operand, "start"), TimeBound(operand, "end")
    if isinstance(node, Offset) and operator == "=":
        now = TimeBound(None, "now")
        first, last = (start, now) if node.direction < 0 else (now, start)
        return all_of([Comparison(prop, ">=", first), Comparison(prop, "<", last)])
    if operand.is_moment:
        return Comparison(prop, operator, start)
    match operator:
        case "<":
            return Comparison(prop, "<", start)
        case "<=":
            return Comparison(prop, "<", end)
        case ">":
            return Comparison(prop, ">=", end)
        case ">=":
            return Comparison(prop, ">=", start)
        case "=":
            return all_of([Comparison(prop, ">=", start), Comparison(prop, "<", end)])


def time_range(prop: Property, item: Range) -> Predicate:
    """`lo..hi` from lo's start to before hi's end, `lo...hi` to before hi's start; a moment's end is itself, in."""
    _, low = time_operand(item.low)
    _, high = time_operand(item.high)
    if _runs_backwards(low, high, UTC):
        raise backwards(prop, item)
    upper: Predicate
    if item.open_end:
        upper = Comparison(prop, "<", TimeBound(high, "start"))
    elif high.is_moment:
        upper = Comparison(prop, "<=", TimeBound(high, "start"))
    else:
        upper = Comparison(prop, "<", TimeBound(high, "end"))
    return all_of([Comparison(prop, ">=", TimeBound(low, "start")), upper])


def _runs_backwards(low: TimeOperand, high: TimeOperand, zone: tzinfo) -> bool:
    """Whether the low end lies above the high one at whatever `now`: looked at over a year of them."""
    if low.constant and high.constant:
        return low.edges(_SAMPLES[0], zone)[0] > high.edges(_SAMPLES[0], zone)[0]
    if low.constant or high.constant:
        return False
    return all(low.edges(now, zone)[0] > high.edges(now, zone)[0] for now in _SAMPLES)
