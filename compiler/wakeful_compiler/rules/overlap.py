"""Which rules can act on one row at the same time: pairs that nothing in their matches keeps apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from ..predicates import Read
from .domains import Values, disjoint
from .effects import Actor
from .facts import Facts
from .stretches import single_places

_FEW = 8
"""Rules among which all pairs are looked at: parting them would cost more."""


def exclude_each_other(here: Facts, there: Facts) -> bool:
    """Whether no row has what both ask for."""
    if here.impossible or there.impossible:
        return True
    fewer, more = sorted((here.presence, there.presence), key=len)
    if any(more.get(component, needed) is not needed for component, needed in fewer.items()):
        return True
    if len(here.values) > len(there.values):
        here, there = there, here
    return any(read in there.values and disjoint(values, there.values[read]) for read, values in here.values.items())


def single_values(facts: Facts) -> dict[Read, Any]:
    """The properties that have one value, and no other, wherever the rule acts."""
    found: dict[Read, Any] = {}
    for read, values in facts.values.items():
        place = _single(values)
        if place is not None:
            found[read] = place
    return found


def _single(values: Values) -> Any:
    if values.missing or len(values.axes) != 1:
        return None
    [(axis, stretches)] = values.axes.items()
    places = single_places(stretches, axis.scale) if axis.key == "value" else None
    return places[0] if places is not None and len(places) == 1 else None


def telling(singles: Sequence[Mapping[Read, Any]]) -> list[Any]:
    """For each rule, its value of the property that parts the most of them; None where it has no single one."""
    counted = Counter(read for single in singles for read in single)
    if not counted:
        return [None] * len(singles)
    [(best, _)] = counted.most_common(1)
    return [single.get(best) for single in singles]


def meeting(indices: Sequence[int], actors: Sequence[Actor]) -> Iterator[tuple[int, int]]:
    """The pairs of these rules that can act on one row, the lesser index first.

    A property on which most have a value of their own parts them, so that a long ladder costs no square.
    """
    if len(indices) <= _FEW:
        yield from _apart(combinations(indices, 2), actors)
        return
    marks = telling([single_values(actors[index].facts) for index in indices])
    groups: dict[Any, list[int]] = {}
    wild: list[int] = []
    for index, mark in zip(indices, marks, strict=True):
        (wild if mark is None else groups.setdefault(mark, [])).append(index)
    for group in groups.values():
        yield from _apart(combinations(group, 2), actors)
        yield from _apart(product(wild, group), actors)
    yield from _apart(combinations(wild, 2), actors)


def _apart(pairs: Iterator[tuple[int, int]], actors: Sequence[Actor]) -> Iterator[tuple[int, int]]:
    for one, other in pairs:
        if not exclude_each_other(actors[one].facts, actors[other].facts):
            yield (one, other) if one < other else (other, one)
