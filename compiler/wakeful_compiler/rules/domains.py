"""What values one property can have on the rows where a test holds, or where it fails.

The answer is a :class:`Values`: missing or not, and a set of places on each axis that tests compare along.
Everything that compares with constants lies on one axis and is exact, as are finite sets under `~=`.  Tests
along different axes (a stretch of the calendar beside a moment, two different `~=`) are joined loosely: the
set then holds more than it must, never less, so that whatever is found impossible really is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from wakeful_grammar.node import field, node

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
)
from ..vocab.model import Property
from .stretches import (
    EVERYWHERE,
    Axis,
    Scale,
    Stretches,
    among,
    compared,
    is_empty,
    join,
    meet,
    overlap,
    single_places,
)


@node
class Values:
    """A set of values of one property.

    `missing` tells whether the property may have none, `present` whether it may have any; on every axis that
    is named, its place lies in the stretches.
    """

    missing: bool
    present: bool
    axes: Mapping[Axis, Stretches] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return not self.missing and not self.present


ANY = Values(True, True)
MISSING = Values(True, False)
SOME = Values(False, True)
NONE = Values(False, False)

_SCALES: Mapping[str, Scale] = {
    "string": "text",
    "reference": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def values_where(test: Predicate, wanted: bool) -> Values:
    """The values of the one property that `test` is about for which its answer may be `wanted`."""
    match test:
        case Not(term):
            return values_where(term, not wanted)
        case AllOf(terms) | AnyOf(terms):
            parts = [values_where(term, wanted) for term in terms]
            return all_together(parts) if isinstance(test, AllOf) == wanted else any_of_them(parts)
        case Always(answer):
            return ANY if answer == wanted else NONE
        case HasValue():
            return SOME if wanted else MISSING
        case Comparison(prop, operator, bound):
            axis, stretches = _along(prop, operator, bound)
        case Member(prop, values):
            axis, stretches = value_axis(prop), among(tuple(_place(value) for value in values))
        case Contains(_, needle):
            axis, stretches = Axis(("holds", needle), "boolean"), compared("=", 1)
        case HasComponent() | PropertyComparison():
            return ANY
    found = Values(not wanted, True, {axis: stretches if wanted else stretches.complement()})
    return found if _possible(found.axes) else Values(not wanted, False)


def value_axis(prop: Property) -> Axis:
    """The axis along which the constants of a property are compared."""
    return Axis("value", _SCALES[prop.kind])


def _along(prop: Property, operator: Ordering, bound: Bound) -> tuple[Axis, Stretches]:
    if prop.kind == "instant":
        from .moments import place_in_time

        point = place_in_time(bound)
        return point.axis, compared(operator, point.place)
    assert isinstance(bound, str | int | float)
    return value_axis(prop), compared(operator, _place(bound))


def _place(value: str | int | float) -> Any:
    return int(value) if isinstance(value, bool) else value


def is_just(values: Values, value: Bound) -> bool:
    """Whether the set surely holds nothing but this one value, a constant that is no instant."""
    if values.missing or isinstance(value, TimeBound):
        return False
    places = [single_places(stretches, axis.scale) for axis, stretches in values.axes.items() if axis.key == "value"]
    return places == [[_place(value)]]


def both(left: Values, right: Values) -> Values:
    """The values in both sets."""
    missing = left.missing and right.missing
    if not (left.present and right.present):
        return MISSING if missing else NONE
    if not left.axes or not right.axes:
        return Values(missing, True, left.axes or right.axes)
    axes = dict(left.axes)
    for axis, stretches in right.axes.items():
        mine = axes.get(axis)
        axes[axis] = stretches if mine is None else meet(mine, stretches)
    return Values(missing, True, axes) if _possible(axes) else (MISSING if missing else NONE)


def disjoint(left: Values, right: Values) -> bool:
    """Whether no value, and not its absence, is in both sets."""
    if left.missing and right.missing:
        return False
    if not (left.present and right.present):
        return True
    if len(left.axes) == len(right.axes) == 1:
        [(axis, mine)] = left.axes.items()
        other = right.axes.get(axis)
        if other is not None and axis.key == "value":
            return not overlap(mine, other, axis.scale)
    return both(left, right).empty


def either(left: Values, right: Values) -> Values:
    """The values in one set or the other; along several axes, perhaps more."""
    missing = left.missing or right.missing
    if not left.present or not right.present:
        source = left if left.present else right
        return Values(missing, source.present, source.axes)
    axes = {
        axis: joined
        for axis in left.axes.keys() & right.axes.keys()
        if (joined := join(left.axes[axis], right.axes[axis])) != EVERYWHERE
    }
    return Values(missing, True, axes)


def all_together(parts: list[Values]) -> Values:
    """The values in every one of these sets."""
    return reduce(both, parts, ANY)


def any_of_them(parts: list[Values]) -> Values:
    """The values in any of these sets, joined in pairs so that a thousand of them take no thousand passes."""
    while len(parts) > 1:
        parts = [either(*parts[index : index + 2]) if index + 1 < len(parts) else parts[index]
                 for index in range(0, len(parts), 2)]  # fmt: skip
    return parts[0] if parts else NONE


def _possible(axes: Mapping[Axis, Stretches]) -> bool:
    """Whether some value lies on its stretches of every axis."""
    if any(is_empty(stretches, axis.scale) for axis, stretches in axes.items()):
        return False
    needles = {
        axis.key[1]: 1 in stretches
        for axis, stretches in axes.items()
        if isinstance(axis.key, tuple) and axis.key[0] == "holds" and (0 in stretches) != (1 in stretches)
    }
    if not needles:
        return True
    held = [needle for needle, holds in needles.items() if holds]
    if any(not holds and any(needle in other for other in [*held, ""]) for needle, holds in needles.items()):
        return False
    text = Axis("value", "text")
    places = single_places(axes[text], "text") if text in axes else None
    if places is None:
        return True
    folded = [place.casefold() for place in places]
    return any(all((needle in place) == holds for needle, holds in needles.items()) for place in folded)
