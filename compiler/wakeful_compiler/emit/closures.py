"""A predicate plan as closures over its parts: made in a few microseconds, asked for about one a row.

Each value is read by its type, whatever the row holds, so this is also what the written-out function of
`python.py` hands an odd row to.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from ..bounds import Bounds
from ..predicates import (
    AllOf,
    Always,
    AnyOf,
    Bound,
    Comparison,
    Contains,
    HasComponent,
    HasValue,
    Member,
    Not,
    Ordering,
    Predicate,
    PropertyComparison,
    TimeBound,
    hops,
)
from ..vocab.model import Property
from .readers import Lookup, Matches, lookup_needed, value_of

Instants = tuple[datetime, ...]
Test = Callable[[Any, Instants, Lookup | None], bool]
"""Whether a row passes; the instants are those of the plan's time bounds."""

_COMPARE: Mapping[Ordering, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)


def emit_closures(predicate: Predicate, bounds: Bounds) -> Matches:
    """`matches(row, now=None, lookup=None) -> bool` of a plan; `bounds` gives its time bounds for a `now`.

    A plan that has time bounds raises when `now` is missing, one that reads through references when `lookup` is.
    """
    if hops(predicate):
        return _looking_up(_test(_own_first(predicate), bounds), bounds)
    test = _test(predicate, bounds)
    if not bounds.needed:
        return lambda row, now=None, lookup=None: test(row, (), None)
    return lambda row, now=None, lookup=None: test(row, bounds(now), None)


def _looking_up(test: Test, bounds: Bounds) -> Matches:
    def matches(row: Mapping[str, Any], now: datetime | None = None, lookup: Lookup | None = None) -> bool:
        if lookup is None:
            lookup_needed()
        # A row that several clauses read is looked up once.
        return test(row, bounds(now) if bounds.needed else (), cache(lookup))

    return matches


def _own_first(predicate: Predicate) -> Predicate:
    """Looking another row up may cost a read: what the row itself can answer is asked first."""
    return AllOf(tuple(sorted(predicate.terms, key=hops))) if isinstance(predicate, AllOf) else predicate


def _test(node: Predicate, bounds: Bounds) -> Test:
    match node:
        case Always(answer):
            return lambda row, instants, lookup: answer
        case HasComponent(component):
            return lambda row, instants, lookup: row.get(component) is not None
        case HasValue(prop):
            value = value_of(prop)
            return lambda row, instants, lookup: value(row, lookup) is not None
        case Comparison(prop, ordering, bound):
            return _comparison(prop, ordering, bound, bounds)
        case Member(prop, values):
            value, listed = value_of(prop), frozenset(values)
            return lambda row, instants, lookup: value(row, lookup) in listed
        case Contains(prop, needle):
            value = value_of(prop)
            return lambda row, instants, lookup: (
                (found := value(row, lookup)) is not None and needle in found.casefold()
            )
        case PropertyComparison(prop, ordering, other):
            return _property_comparison(prop, ordering, other)
        case Not(term):
            test = _test(term, bounds)
            return lambda row, instants, lookup: not test(row, instants, lookup)
        case AllOf(terms):
            tests = [_test(term, bounds) for term in terms]
            return lambda row, instants, lookup: all(test(row, instants, lookup) for test in tests)
        case AnyOf(terms):
            tests = [_test(term, bounds) for term in terms]
            return lambda row, instants, lookup: any(test(row, instants, lookup) for test in tests)


def _comparison(prop: Property, ordering: Ordering, bound: Bound, bounds: Bounds) -> Test:
    value, compare = value_of(prop), _COMPARE[ordering]
    if isinstance(bound, TimeBound):
        place = bounds.places[bound]
        return lambda row, instants, lookup: (
            (found := value(row, lookup)) is not None and compare(found, instants[place])
        )
    return lambda row, instants, lookup: (found := value(row, lookup)) is not None and compare(found, bound)


def _property_comparison(prop: Property, ordering: Ordering, other: Property) -> Test:
    left, right, compare = value_of(prop), value_of(other), _COMPARE[ordering]

    def test(row: Any, instants: Instants, lookup: Lookup | None) -> bool:
        one, two = left(row, lookup), right(row, lookup)
        return one is not None and two is not None and compare(one, two)

    return test
