"""Predicate plans: what a query or a rule's match asks of one row, typed and ready to be emitted.

A plan is a tree of frozen nodes over properties of the vocabulary.  Every test is *false on a missing value*;
`!=` and `!` are :class:`Not` around the positive form, so each emitter needs one rule for absence and the three
evaluators cannot part ways over it (the design's sections 2 and 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from wakeful_grammar.node import node

from .vocab.model import Property

if TYPE_CHECKING:
    from .times import TimeOperand

Constant = str | int | float | bool
Ordering = Literal["=", "<", "<=", ">", ">="]
Edge = Literal["start", "end", "now"]


@node
class TimeBound:
    """One edge of a time operand, or `now` itself: an instant once `now` and the zone are known."""

    operand: TimeOperand | None
    edge: Edge


Bound = Constant | TimeBound


@node
class Always:
    """A clause whose answer is known at compile time."""

    answer: bool


@node
class HasComponent:
    """The component is there."""

    component: str


@node
class HasValue:
    """The property is there and not null."""

    property: Property


@node
class Comparison:
    """The property has a value and it compares so with the bound."""

    property: Property
    operator: Ordering
    bound: Bound


@node
class Member:
    """The property has a value and it is one of these."""

    property: Property
    values: tuple[Constant, ...]


@node
class Contains:
    """The property is a text whose case-folded form holds this case-folded needle."""

    property: Property
    needle: str


@node
class PropertyComparison:
    """Two properties, both there, compare so."""

    property: Property
    operator: Ordering
    other: Property


@node
class AllOf:
    terms: tuple[Predicate, ...]


@node
class AnyOf:
    terms: tuple[Predicate, ...]


@node
class Not:
    term: Predicate


Leaf = Always | HasComponent | HasValue | Comparison | Member | Contains | PropertyComparison
Predicate = Leaf | AllOf | AnyOf | Not

ALWAYS = Always(True)
NEVER = Always(False)


def all_of(terms: list[Predicate]) -> Predicate:
    """The conjunction, flattened and without what is always true."""
    if len(terms) == 1:
        return terms[0]
    flat: dict[Predicate, None] = {}
    for term in terms:
        if term == NEVER:
            return NEVER
        flat.update(dict.fromkeys(term.terms if isinstance(term, AllOf) else (term,)))
    flat.pop(ALWAYS, None)
    if not flat:
        return ALWAYS
    return next(iter(flat)) if len(flat) == 1 else AllOf(tuple(flat))


def any_of(terms: list[Predicate]) -> Predicate:
    """The disjunction, flattened and without what is never true."""
    if len(terms) == 1:
        return terms[0]
    flat: dict[Predicate, None] = {}
    for term in terms:
        if term == ALWAYS:
            return ALWAYS
        flat.update(dict.fromkeys(term.terms if isinstance(term, AnyOf) else (term,)))
    flat.pop(NEVER, None)
    if not flat:
        return NEVER
    return next(iter(flat)) if len(flat) == 1 else AnyOf(tuple(flat))


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


def leaf_properties(leaf: Leaf) -> tuple[Property, ...]:
    """The properties that a leaf looks at."""
    match leaf:
        case Always() | HasComponent():
            return ()
        case PropertyComparison(left, _, right):
            return (left, right)
        case HasValue(prop) | Comparison(prop) | Member(prop) | Contains(prop):
            return (prop,)


Read = tuple[str, str | None]


def property_reads(prop: Property) -> tuple[Read, ...]:
    """What reading a property depends on: itself and the references that lead to it."""
    return tuple((each.component, each.name) for each in (*prop.via, prop))


def leaf_reads(leaf: Leaf) -> tuple[Read, ...]:
    """The (component, property) pairs that one leaf depends on; property None for presence alone."""
    if isinstance(leaf, HasComponent):
        return ((leaf.component, None),)
    return tuple(read for prop in leaf_properties(leaf) for read in property_reads(prop))


def reads(predicate: Predicate) -> frozenset[Read]:
    """All that a plan depends on, at component and property grain."""
    return frozenset(read for leaf in leaves(predicate) for read in leaf_reads(leaf))


# --- places -------------------------------------------------------------------------------------

Place = tuple[tuple[Property, ...], str]
"""A component as a plan meets it: the references followed from the judged row, then the component's name."""


def property_places(prop: Property) -> tuple[Place, ...]:
    """The components that stand between the judged row and a property, each after the one that leads to it."""
    hops = tuple((prop.via[:depth], hop.component) for depth, hop in enumerate(prop.via))
    return (*hops, (prop.via, prop.component))


def leaf_places(leaf: Leaf) -> tuple[Place, ...]:
    """The components that a leaf looks at, in the same order."""
    if isinstance(leaf, HasComponent):
        return (((), leaf.component),)
    return tuple(place for prop in leaf_properties(leaf) for place in property_places(prop))


def implied_places(predicate: Predicate) -> frozenset[Place]:
    """The components that are surely there for every matching row: an emitter may join instead of outer-join."""
    match predicate:
        case AllOf(terms):
            return frozenset().union(*(implied_places(term) for term in terms))
        case AnyOf(terms):
            first, *rest = (implied_places(term) for term in terms)
            return first.intersection(*rest)
        case Not():
            return frozenset()
        case _:
            return frozenset(leaf_places(predicate))


def hops(predicate: Predicate) -> bool:
    """Whether a plan reads through references, and so needs more than the judged row."""
    return any(prop.via for leaf in leaves(predicate) for prop in leaf_properties(leaf))


def time_bounds(predicate: Predicate) -> tuple[TimeBound, ...]:
    """The bounds that need `now` or a zone, each once, in order of appearance."""
    found: dict[TimeBound, None] = {}
    for leaf in leaves(predicate):
        if isinstance(leaf, Comparison) and isinstance(leaf.bound, TimeBound):
            found.setdefault(leaf.bound)
    return tuple(found)
