"""`^`: what a rule asks of the own write of a stage, read against the vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from wakeful_grammar.nodes import Absent, Compare, Occasion, Path
from wakeful_grammar.problems import Span

from ..predicates import ALWAYS, HasComponent, Predicate, negated
from ..resolve import QueryResolver
from ..vocab.builtin import STAMPED
from .facts import Clause, clause_of
from .model import OccasionTest
from .settling import settled

FIRED = "fired"
"""The component that a firing stamps."""

_IN_A_FIRING = frozenset({(FIRED, None), (FIRED, "at"), (FIRED, "due"), ("wake", "at")})


class OccasionReader:
    """Reads the occasions of one rule.

    `tests` are what each asks of the own write, `clauses` what holds of the row where it is met, and `compared`
    the comparisons among them.
    """

    def __init__(self, resolver: QueryResolver, zone: tzinfo, name_span: Callable[[Span, str, int], Span]) -> None:
        self.resolver, self.zone, self._name_span = resolver, zone, name_span
        self.tests: list[OccasionTest] = []
        self.clauses: list[Clause] = []
        self.compared: list[Predicate] = []
        self._stamped: set[str] = set()

    def read(self, mark: Occasion, text: str) -> None:
        """One `^` of the rule; what is wrong is reported."""
        clause = mark.clause
        removed = isinstance(clause, Absent)
        name, *rest = clause.path.parts
        path = Path(clause.path.parts, self._name_span(mark.span, clause.path.text, 2 if removed else 1))
        names = self.resolver.names
        component = names.component(path)
        if component is None:
            return
        if name in STAMPED:
            self._stamp(name, mark.span)
            return
        prop = names.property(component, path) if rest else None
        if rest and prop is None:
            return
        firing = name == FIRED and not rest and not removed
        test = OccasionTest(name, prop.name if prop else None, removed, firing, mark.span, text)
        if test not in self.tests:
            self.tests.append(test)
        if prop is None:
            there: Predicate = HasComponent(name)
            self.clauses.append(clause_of(negated(there) if removed else there, mark.span, text))
        elif isinstance(clause, Compare):
            before = len(self.resolver.problems)
            predicate = self.resolver.lower(clause, (clause,))
            if len(self.resolver.problems) == before:
                self.compared.append(predicate)
                self.clauses.append(clause_of(settled(predicate, self.zone), mark.span, text))
        else:
            # It differs, which says nothing of what it is now.
            self.clauses.append(clause_of(ALWAYS, mark.span, text))

    def _stamp(self, name: str, span: Span) -> None:
        if name in self._stamped:
            return
        self._stamped.add(name)
        self.resolver.report(
            span,
            "rule-writes-stamp",
            f"`{name}` is stamped by the store, and is never what a write is about",
            "name a component of your own that the write adds or changes",
        )


def in_a_firing(test: OccasionTest) -> bool:
    """Whether a firing can be this occasion: its own write is `fired` and the moved `wake.at`."""
    return not test.removed and test.read in _IN_A_FIRING


def only_in_a_firing(tests: tuple[OccasionTest, ...]) -> bool:
    return any(test.firing for test in tests)


def never_at_once(tests: tuple[OccasionTest, ...]) -> OccasionTest | None:
    """The occasion among these that no firing is, where another asks for a firing; None where all can be met."""
    if not only_in_a_firing(tests):
        return None
    return next((test for test in tests if not in_a_firing(test)), None)
