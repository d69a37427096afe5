"""Predicate plans: what a query or a rule's match asks of one row, typed and ready to be emitted.

A plan is a tree of frozen nodes over properties of the vocabulary.  Every test is *false on a missing value*;
`!=` and `!` are :class:`Not` around the positive form, so each emitter needs one rule for absence and the three
evaluators cannot part ways over it (the design's sections 2 and 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .vocab.model import Property

if TYPE_CHECKING:
    from .times import TimeOperand

Constant = str | int | float | bool
Ordering = Literal["=", "<", "<=", ">", ">="]
Edge = Literal["start", "end", "now"]


@dataclass(frozen=True, slots=True)
class TimeBound:
    """One edge of a time operand, or `now` itself: an instant once `now` and the zone are known."""

    operand: TimeOperand | None
    edge: Edge


Bound = Constant | TimeBound


@dataclass(frozen=True, slots=True)
class Always:
    """A clause whose answer is known at compile time."""

    answer: bool


@dataclass(frozen=True, slots=True)
class HasComponent:
    """The component is there."""

    component: str


@dataclass(frozen=True, slots=True)
class HasValue:
    """The property is there and not null."""

    property: Property


@dataclass(frozen=True, slots=True)
class Comparison:
    """The property has a value and it compares so with the bound."""

    property: Property
    operator: Ordering
    bound: Bound


@dataclass(frozen=True, slots=True)
class Member:
    """The property has a value and it is one of these."""

    property: Property
    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Contains:
    """The property is a text whose case-folded form holds this case-folded needle."""

    property: Property
    needle: str


@dataclass(frozen=True, slots=True)
class PropertyComparison:
    """Two properties of one row, both there, compare so."""

    property: Property
    operator: Ordering
    other: Property


@dataclass(frozen=True, slots=True)
class AllOf:
    terms: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    terms: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    term: Predicate


Leaf = Always | HasComponent | HasValue | Comparison | Member | Contains | PropertyComparison
Predicate = Leaf | AllOf | AnyOf | Not

ALWAYS = Always(True)
NEVER = Always(False)


def all_of(terms: list[Predicate]) -> Predicate:
    """The conjunction, flattened and without what is always true."""
    flat: list[Predicate] = []
    for term in terms:
        if term == NEVER:
            return NEVER
        for part in term.terms if isinstance(term, AllOf) else (term,):
            if part != ALWAYS and part not in flat:
                flat.append(part)
    if not flat:
        return ALWAYS
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(terms: list[Predicate]) -> Predicate:
    """The disjunction, flattened and without what is never true."""
    flat: list[Predicate] = []
    for term in terms:
        if term == ALWAYS:
            return ALWAYS
        for part in term.terms if isinstance(term, AnyOf) else (term,):
            if part != NEVER and part not in flat:
                flat.append(part)
    if not flat:
        return NEVER
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def negated(term: Predicate) -> Predicate:
    """The complement: exactly the rows on which `term` is false."""
    if isinstance(term, Always):
        return Always(not term.answer)
    return term.term if isinstance(term, Not) else Not(term)


def leaves(predicate: Predicate) -> Iterator[Leaf]:
    """Every leaf of a plan, left to right."""
    stack = [predicate]
    while stack:
        node = stack.pop()
        if isinstance(node, AllOf | AnyOf):
            stack.extend(reversed(node.terms))
        elif isinstance(node, Not):
            stack.append(node.term)
        else:
            yield node


Read = tuple[str, str | None]


def leaf_reads(leaf: Leaf) -> tuple[Read, ...]:
    """The (component, property) pairs that one leaf depends on; property None for presence alone."""
    match leaf:
        case Always():
            return ()
        case HasComponent(component):
            return ((component, None),)
        case PropertyComparison(left, _, right):
            return ((left.component, left.name), (right.component, right.name))
        case HasValue(prop) | Comparison(prop) | Member(prop) | Contains(prop):
            return ((prop.component, prop.name),)


def reads(predicate: Predicate) -> frozenset[Read]:
    """All that a plan depends on, at component and property grain."""
    return frozenset(read for leaf in leaves(predicate) for read in leaf_reads(leaf))


def implied_components(predicate: Predicate) -> frozenset[str]:
    """The components that every matching row surely carries: an emitter may join instead of outer-join."""
    match predicate:
        case HasComponent(component):
            return frozenset((component,))
        case PropertyComparison(left, _, right):
            return frozenset((left.component, right.component))
        case HasValue(prop) | Comparison(prop) | Member(prop) | Contains(prop):
            return frozenset((prop.component,))
        case AllOf(terms):
            return frozenset().union(*(implied_components(term) for term in terms))
        case AnyOf(terms):
            first, *rest = (implied_components(term) for term in terms)
            return first.intersection(*rest)
        case Always() | Not():
            return frozenset()


def time_bounds(predicate: Predicate) -> tuple[TimeBound, ...]:
    """The bounds that need `now` or a zone, each once, in order of appearance."""
    found: dict[TimeBound, None] = {}
    for leaf in leaves(predicate):
        if isinstance(leaf, Comparison) and isinstance(leaf.bound, TimeBound):
            found.setdefault(leaf.bound)
    return tuple(found)
