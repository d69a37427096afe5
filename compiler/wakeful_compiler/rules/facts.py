"""What is known of the rows that a rule matches, and what its writes make of them.

A :class:`Clause` is one written clause (or the half of a `+!` that tests): each is about one component's
presence, about one property, or compares two.  :class:`Facts` is what all clauses of a rule say together,
component by component and property by property.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from wakeful_grammar.node import field, node
from wakeful_grammar.problems import Span

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
    Read,
    hops,
    leaf_properties,
    leaf_reads,
    leaves,
)
from ..vocab.model import Property
from .domains import ANY, MISSING, Values, both, disjoint, values_where
from .written import CLEARED, Copied, WrittenValue

ALWAYS_THERE = ("entity", "created")
"""Components that every row has."""

Truth = bool | None
"""True, False, or None for what may be either."""

Written = Mapping[Read, WrittenValue]
"""The values that a rule writes, by component and property."""

After = Callable[[Read], WrittenValue | None]
"""What a property holds once a rule has written, CLEARED with its component too; None where it is untouched."""


@node
class Clause:
    """One clause of a match: its test, what the test reads, and where and how it was written.

    `only` is the component or the property that it is about when it is about one alone; `holds` and `fails`
    are then the values of that property for which it may be true, and false.
    """

    test: Predicate
    about: frozenset[Read]
    only: Read | None
    span: Span
    text: str
    holds: Values = field(compare=False, repr=False)
    fails: Values = field(compare=False, repr=False)


def clause_of(test: Predicate, span: Span, text: str) -> Clause:
    """The clause that a test makes."""
    about = frozenset(read for leaf in leaves(test) for read in leaf_reads(leaf))
    # What lies behind a reference is another row's, whatever it is called.
    only = next(iter(about)) if len(about) == 1 and not hops(test) else None
    return Clause(test, about, only, span, text, values_where(test, True), values_where(test, False))


@node
class Facts:
    """What the clauses of one match say of every row that it matches.

    `presence` names the components that are surely there or surely absent, `values` what a property can hold,
    `together` each property's own clauses taken as one.  `impossible` says why no row can match, or is empty;
    `torn` tells that one component is asked for and refused.
    """

    clauses: tuple[Clause, ...]
    holding: frozenset[Hashable]
    presence: Mapping[str, bool]
    values: Mapping[Read, Values]
    together: Mapping[Read, Clause]
    torn: bool = False
    impossible: str = ""

    def of(self, prop: Read) -> Values:
        """What the property can hold on a matching row."""
        if self.presence.get(prop[0]) is False:
            return MISSING
        return self.values.get(prop, ANY)


def facts_of(clauses: Sequence[Clause]) -> Facts:
    """What these clauses say together."""
    presence: dict[str, bool] = dict.fromkeys(ALWAYS_THERE, True)
    tests: dict[Read, list[Clause]] = {}
    impossible, torn = "", False
    for clause in clauses:
        match clause.test:
            case HasComponent(component):
                needed = True
            case Not(HasComponent(component)):
                needed = False
            case Always(answer):
                if not answer:
                    impossible = impossible or f"`{clause.text}` is never true"
                continue
            case _:
                if clause.only is not None:
                    tests.setdefault(clause.only, []).append(clause)
                continue
        if presence.setdefault(component, needed) != needed:
            torn = torn or component not in ALWAYS_THERE
            impossible = impossible or _asks_for_both(component, component)
    values: dict[Read, Values] = {}
    for read, parts in tests.items():
        found = ANY
        for part in parts:
            found = both(found, part.holds)
        values[read] = found
        if found.empty:
            impossible = impossible or f"no value of `{read[0]}.{read[1]}` satisfies all that it asks of it"
        if not found.missing and presence.setdefault(read[0], True) is False:
            impossible = impossible or _asks_for_both(read[0], f"{read[0]}.{read[1]}")
    for clause in clauses:
        # A comparison of two properties holds only where both are there.
        if isinstance(clause.test, PropertyComparison):
            for prop in leaf_properties(clause.test):
                first = prop.via[0] if prop.via else prop
                if presence.setdefault(first.component, True) is False:
                    impossible = impossible or _asks_for_both(first.component, first.path)
    return Facts(
        tuple(clauses),
        frozenset(_shape(clause.test) for clause in clauses),
        presence,
        values,
        {read: _together(parts) for read, parts in tests.items()},
        torn,
        impossible,
    )


def _shape(test: Predicate) -> Hashable:
    """The test without the order of what is listed in it: equal shapes are one test."""
    match test:
        case AllOf(terms) | AnyOf(terms):
            return type(test), frozenset(_shape(term) for term in terms)
        case Not(term):
            return Not, _shape(term)
        case _:
            return test


def _asks_for_both(component: str, there: str) -> str:
    if component in ALWAYS_THERE:
        return f"`{component}` is on every row"
    return f"it asks that `{there}` be there and `{component}` absent"


def _together(clauses: Sequence[Clause]) -> Clause:
    if len(clauses) == 1:
        return clauses[0]
    text = ", ".join(clause.text for clause in clauses)
    return clause_of(AllOf(tuple(clause.test for clause in clauses)), clauses[0].span, text)


# --- a test, once values are written --------------------------------------------------------------


def truth(test: Predicate, value: WrittenValue) -> Truth:
    """What a test of one property answers once the property holds `value`.

    A copy has some value, and nothing more is known of it.
    """
    match test:
        case Not(term):
            answer = truth(term, value)
            return None if answer is None else not answer
        case AllOf(terms) | AnyOf(terms):
            deciding = isinstance(test, AnyOf)
            open_question = False
            for term in terms:
                answer = truth(term, value)
                if answer is deciding:
                    return deciding
                open_question = open_question or answer is None
            return None if open_question else not deciding
        case Always(answer):
            return answer
        case HasComponent() | PropertyComparison():
            return None
        case _:
            pass
    if value is CLEARED:
        return False
    if isinstance(test, HasValue):
        return True
    if isinstance(value, Copied):
        return None
    match test:
        case Comparison(prop, ordering, bound):
            return _compares(prop, value, ordering, bound)
        case Member(_, values):
            return value in values
        case Contains(_, needle):
            return isinstance(value, str) and needle in value.casefold()


def _compares(prop: Property, value: Bound, ordering: Ordering, bound: Bound) -> Truth:
    if prop.kind == "instant":
        from .moments import compare, place_in_time

        return compare(place_in_time(value), ordering, place_in_time(bound))
    return _ORDERINGS[ordering](value, bound)


_ORDERINGS: Mapping[Ordering, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TURNED: Mapping[Ordering, Ordering] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def can_be_true(test: Predicate, after: After, facts: Facts) -> bool:
    """Whether a comparison of two properties may hold once a rule has written, on a row that `facts` describe."""
    wanted, inner = (False, test.term) if isinstance(test, Not) else (True, test)
    assert isinstance(inner, PropertyComparison)
    left = (inner.property.component, inner.property.name)
    right = (inner.other.component, inner.other.name)
    mine, other = after(left), after(right)
    if mine is None and other is None:
        return True
    if any(value is CLEARED or (value is None and not facts.of(read).present)
           for read, value in ((left, mine), (right, other))):  # fmt: skip
        return not wanted
    if _copies_of_one(left, mine, right, other):
        return _EQUAL[inner.operator] is wanted
    if isinstance(mine, Copied) or isinstance(other, Copied):
        return True
    assert mine is not CLEARED and other is not CLEARED
    if mine is not None and other is not None:
        answer = _compares(inner.property, mine, inner.operator, other)
        return answer is None or answer is wanted
    if mine is not None:
        unwritten, one_sided = right, Comparison(inner.other, _TURNED[inner.operator], mine)
    else:
        assert other is not None
        unwritten, one_sided = left, Comparison(inner.property, inner.operator, other)
    return not disjoint(facts.of(unwritten), values_where(one_sided, wanted))


def _copies_of_one(left: Read, mine: WrittenValue | None, right: Read, other: WrittenValue | None) -> bool:
    """Whether both sides surely hold one value: a plain copy beside its source, or two copies of one source."""
    if isinstance(mine, Copied) and isinstance(other, Copied):
        return mine == other
    if isinstance(mine, Copied):
        return mine.plain and other is None and mine.own == right
    return isinstance(other, Copied) and other.plain and mine is None and other.own == left


_EQUAL: Mapping[Ordering, bool] = {"=": True, "<": False, "<=": True, ">": False, ">=": True}


def may_fail(clause: Clause, facts: Facts) -> bool:
    """Whether a row that `facts` describe may fail the clause."""
    if _shape(clause.test) in facts.holding:
        return False
    match clause.test:
        case HasComponent(component):
            return facts.presence.get(component) is not True
        case Not(HasComponent(component)):
            return facts.presence.get(component) is not False
        case _:
            return clause.only is None or not disjoint(facts.of(clause.only), clause.fails)
