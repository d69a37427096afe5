"""Bounds that stand still, written out: what time has nothing to do with needs none of the machinery of time."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from ..instants import format_instant
from ..predicates import AllOf, AnyOf, Comparison, Not, Predicate, TimeBound

_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def settled(test: Predicate, zone: tzinfo) -> Predicate:
    """The test with every bound that does not move with `now` written out as its instant."""
    match test:
        case Not(term):
            return Not(settled(term, zone))
        case AllOf(terms):
            return AllOf(tuple(settled(term, zone) for term in terms))
        case AnyOf(terms):
            return AnyOf(tuple(settled(term, zone) for term in terms))
        case Comparison(prop, ordering, TimeBound(operand, edge)) if operand is not None and operand.constant:
            start, end = operand.edges(_ANY_TIME, zone)
            return Comparison(prop, ordering, format_instant(end if edge == "end" else start))
        case _:
            return test
