"""Sets of places on one ordered axis, as the cuts where the set begins and ends.

A cut `(place, 0)` lies just before a place and `(place, 1)` just after it, so that every comparison with a
bound is a set with one cut or two, and meeting, joining and turning inside out are one merge.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from math import ceil, floor, inf, nextafter
from sys import float_info
from typing import Any, Literal

from wakeful_grammar.node import node

from ..numbers import INTEGER_MAX, INTEGER_MIN
from ..predicates import Ordering

Scale = Literal["text", "integer", "number", "boolean", "dense"]
Cut = tuple[Any, int]


@node
class Axis:
    """What places are compared with each other: `key` tells axes apart, `scale` which places exist on it."""

    key: Hashable
    scale: Scale


@node
class Stretches:
    """The set: whether it holds what lies left of every cut, and the cuts, ascending, where that changes."""

    inside: bool
    cuts: tuple[Cut, ...]

    def __contains__(self, place: object) -> bool:
        return self.inside != bool(bisect_right(self.cuts, (place, 0)) % 2)

    def complement(self) -> Stretches:
        return Stretches(not self.inside, self.cuts)


EVERYWHERE = Stretches(True, ())


def compared(operator: Ordering, place: Any) -> Stretches:
    """The places that compare so with `place`."""
    before, after = (place, 0), (place, 1)
    match operator:
        case "<":
            return Stretches(True, (before,))
        case "<=":
            return Stretches(True, (after,))
        case ">":
            return Stretches(False, (after,))
        case ">=":
            return Stretches(False, (before,))
        case "=":
            return Stretches(False, (before, after))


def among(places: tuple[Any, ...]) -> Stretches:
    """Exactly these places."""
    return Stretches(False, tuple((place, side) for place in sorted(set(places)) for side in (0, 1)))


def meet(left: Stretches, right: Stretches) -> Stretches:
    """What lies in both."""
    return _merge(left, right, both=True)


def join(left: Stretches, right: Stretches) -> Stretches:
    """What lies in either."""
    return _merge(left, right, both=False)


def _merge(left: Stretches, right: Stretches, *, both: bool) -> Stretches:
    in_left, in_right = left.inside, right.inside
    inside = begins = (in_left and in_right) if both else (in_left or in_right)
    cuts: list[Cut] = []
    here, there = 0, 0
    while here < len(left.cuts) or there < len(right.cuts):
        if there == len(right.cuts) or (here < len(left.cuts) and left.cuts[here] <= right.cuts[there]):
            cut = left.cuts[here]
        else:
            cut = right.cuts[there]
        if here < len(left.cuts) and left.cuts[here] == cut:
            in_left, here = not in_left, here + 1
        if there < len(right.cuts) and right.cuts[there] == cut:
            in_right, there = not in_right, there + 1
        now = (in_left and in_right) if both else (in_left or in_right)
        if now != inside:
            inside = now
            cuts.append(cut)
    return Stretches(begins, tuple(cuts))


def overlap(left: Stretches, right: Stretches, scale: Scale) -> bool:
    """Whether some place that exists on such an axis lies in both; stops at the first."""
    here, there = _regions(left), _regions(right)
    mine, other = next(here, None), next(there, None)
    while mine is not None and other is not None:
        low = mine[0] if other[0] is None else other[0] if mine[0] is None else max(mine[0], other[0])
        high = mine[1] if other[1] is None else other[1] if mine[1] is None else min(mine[1], other[1])
        if (low is None or high is None or low < high) and _reaches(low, high, scale):
            return True
        if high is None:
            return False
        if mine[1] == high:
            mine = next(here, None)
        else:
            other = next(there, None)
    return False


def is_empty(stretches: Stretches, scale: Scale) -> bool:
    """Whether no place that exists on such an axis lies in the set."""
    return not any(_reaches(low, high, scale) for low, high in _regions(stretches))


def single_places(stretches: Stretches, scale: Scale) -> list[Any] | None:
    """The places of the set where each region holds one; None where a region may hold more."""
    places: list[Any] = []
    for low, high in _regions(stretches):
        if not _reaches(low, high, scale):
            continue
        first = _first(low, scale)
        if first is None or _reaches((first, 1), high, scale):
            return None
        places.append(first)
    return places


def _regions(stretches: Stretches) -> Iterator[tuple[Cut | None, Cut | None]]:
    cuts: list[Cut | None] = [*stretches.cuts]
    if stretches.inside:
        cuts.insert(0, None)
    if len(cuts) % 2:
        cuts.append(None)
    for index in range(0, len(cuts), 2):
        yield cuts[index], cuts[index + 1]


def _reaches(low: Cut | None, high: Cut | None, scale: Scale) -> bool:
    """Whether a place lies between two cuts."""
    if scale == "dense":
        return low is None or high is None or low < high
    first = _first(low, scale)
    if first is None:
        return False
    return high is None or (first, 0) < high


def _first(low: Cut | None, scale: Scale) -> Any:
    """The least place at or above a cut, or None where there is none, as often on a dense axis."""
    match scale:
        case "text":
            # NUL is no character of a kept text, so the text that follows t directly is t and U+0001.
            return "" if low is None else low[0] if low[1] == 0 else low[0] + "\x01"
        case "integer":
            place = INTEGER_MIN if low is None else max(INTEGER_MIN, _above(low))
            return place if place <= INTEGER_MAX else None
        case "boolean":
            place = 0 if low is None else max(0, _above(low))
            return place if place <= 1 else None
        case "number":
            if low is None:
                return -float_info.max
            double = float(low[0]) if low[1] == 0 else nextafter(float(low[0]), inf)
            return double if double <= float_info.max else None
        case "dense":
            return low[0] if low is not None and low[1] == 0 else None


def _above(low: Cut) -> int:
    """The least integer at or above a cut."""
    place: int | float = low[0]
    return floor(place) + 1 if low[1] else ceil(place)
