"""What rules do to each other's matches: which feed themselves, which enable which (the design's section 4).

Every answer errs to one side only: what is reported as impossible is impossible on every row.
"""

from __future__ import annotations

from collections.abc import Sequence

from wakeful_grammar.node import node

from ..predicates import (
    AnyOf,
    Bound,
    Comparison,
    HasComponent,
    Member,
    Not,
    Predicate,
    PropertyComparison,
    Read,
    hops,
    negated,
)
from .domains import Values, disjoint, is_just
from .facts import Clause, Facts, Written, can_be_true, may_fail, truth
from .model import CompiledRule
from .written import CLEARED, Copied, WrittenValue


@node
class Actor:
    """A rule as this analysis sees it: what holds where it acts, and what it then writes."""

    name: str
    facts: Facts
    written: Written
    added: frozenset[str]
    removed: frozenset[str] = frozenset()
    deletes: bool = False

    def after(self, read: Read) -> WrittenValue | None:
        """What the property holds once the actor has written; None where it is as it was."""
        return CLEARED if read[0] in self.removed else self.written.get(read)


def actor_of(rule: CompiledRule) -> Actor:
    """The actor that a compiled rule is."""
    return Actor(rule.name, rule.facts, rule.written, rule.added, rule.removed, rule.deletes)


def feeds_itself(actor: Actor) -> bool:
    """Whether the match may still hold once the rule's own writes are made."""
    if actor.facts.impossible or actor.deletes:
        return False
    return all(may_hold_after(clause, actor) for clause in actor.facts.clauses)


def changes_anything(actor: Actor) -> bool:
    """Whether the rule's writes change some row that it matches."""
    if actor.deletes or any(actor.facts.presence.get(component) is not True for component in actor.added):
        return True
    if any(actor.facts.presence.get(component) is not False for component in actor.removed):
        return True
    return any(not _stands(actor.facts.of(read), read, value) for read, value in actor.written.items())


def _stands(values: Values, read: Read, value: WrittenValue) -> bool:
    """Whether a property that can hold these values surely holds `value` already."""
    if value is CLEARED:
        return not values.present
    if isinstance(value, Copied):
        return value.plain and value.own == read
    return is_just(values, value)


def turns(actor: Actor, clause: Clause) -> bool:
    """Whether the actor's writes, on a row that it matches, can turn the clause from false to true.

    One that deletes the row turns nothing there: a row under `+tombstone` matches no further rule.
    """
    if actor.facts.impossible or actor.deletes:
        return False
    match clause.test:
        case HasComponent(component):
            return component in actor.added and may_fail(clause, actor.facts)
        case Not(HasComponent(component)):
            return component in actor.removed and may_fail(clause, actor.facts)
        case _:
            touched = any(actor.after(read) is not None for read in clause.about)
            return touched and may_hold_after(clause, actor) and may_fail(clause, actor.facts)


def may_hold_after(clause: Clause, actor: Actor) -> bool:
    """Whether the clause may be true after the actor's writes, for all that one can tell from its match.

    A clause that they do not touch counts as one that may.
    """
    test = clause.test
    match test:
        case HasComponent(component):
            return component not in actor.removed
        case Not(HasComponent(component)):
            return component not in actor.added
        case PropertyComparison() | Not(PropertyComparison()) if not hops(test):
            return can_be_true(test, actor.after, actor.facts)
        case _:
            value = actor.after(clause.only) if clause.only is not None else None
            return value is None or truth(test, value) is not False


def may_fail_after(clause: Clause, actor: Actor) -> bool:
    """Whether the actor's writes may leave false a clause that held before them."""
    test = clause.test
    match test:
        case HasComponent(component):
            return component in actor.removed
        case Not(HasComponent(component)):
            return component in actor.added
        case PropertyComparison() | Not(PropertyComparison()) if not hops(test):
            touched = any(actor.after(read) is not None for read in clause.about)
            return touched and can_be_true(negated(test), actor.after, actor.facts)
        case _:
            value = actor.after(clause.only) if clause.only is not None else None
            return value is not None and truth(test, value) is not True


class Effects:
    """The relation *enables* over a set of rules, found by looking only where a write meets a clause."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = actors
        self._adding: dict[str, list[int]] = {}
        self._removing: dict[str, list[int]] = {}
        self._writing: dict[Read, list[int]] = {}
        self._copying: dict[Read, list[int]] = {}
        self._by_value: dict[Read, dict[WrittenValue, list[int]]] = {}
        self._turned: dict[tuple[int, Read], bool] = {}
        for index, actor in enumerate(actors):
            for component in actor.added:
                self._adding.setdefault(component, []).append(index)
            for component in actor.removed:
                self._removing.setdefault(component, []).append(index)
            for read, value in actor.written.items():
                self._writing.setdefault(read, []).append(index)
                if isinstance(value, Copied):
                    self._copying.setdefault(read, []).append(index)
                else:
                    self._by_value.setdefault(read, {}).setdefault(value, []).append(index)

    def enabling(self) -> list[dict[int, Clause]]:
        """For each rule, by position, the rules it enables, each with the clause that it can turn true."""
        found: list[dict[int, Clause]] = [{} for _ in self.actors]
        for second, actor in enumerate(self.actors):
            for clause in actor.facts.clauses:
                for first in self._writers(clause):
                    if (
                        first != second
                        and second not in found[first]
                        and turns(self.actors[first], clause)
                        and not self._exclude(first, second)
                    ):
                        found[first][second] = clause
        return found

    def enables(self, first: int, second: int) -> bool:
        """Whether the one rule enables the other."""
        actor, clauses = self.actors[first], self.actors[second].facts.clauses
        return any(turns(actor, clause) for clause in clauses) and not self._exclude(first, second)

    def _writers(self, clause: Clause) -> Sequence[int]:
        """The rules whose writes may turn the clause; of a plain `=`, those that write that value or a copy."""
        match clause.test:
            case HasComponent(component):
                return self._adding.get(component, ())
            case Not(HasComponent(component)):
                return self._removing.get(component, ())
            case _:
                pass
        only = clause.only
        if only is None:
            return sorted({index for read in clause.about for index in self._touching(read)})
        values = _only_values(clause.test)
        if values is None:
            return self._touching(only)
        by_value = self._by_value.get(only, {})
        found = {index for value in values for index in by_value.get(value, ())}
        return sorted(found.union(self._copying.get(only, ())))

    def _touching(self, read: Read) -> Sequence[int]:
        """The rules that write the property or take its component away."""
        writing, removing = self._writing.get(read, ()), self._removing.get(read[0])
        return writing if removing is None else sorted({*writing, *removing})

    def _exclude(self, first: int, second: int) -> bool:
        """Whether the two contradict each other where no rule can turn the second's clause true."""
        here, there = self.actors[first].facts, self.actors[second].facts
        if there.torn:
            return True
        for clause in there.clauses:
            match clause.test:
                case HasComponent(component):
                    wanted = True
                case Not(HasComponent(component)):
                    wanted = False
                case _:
                    continue
            if here.presence.get(component) is (not wanted) and not self._can_turn(second, (component, None), clause):
                return True
        return any(
            not self._can_turn(second, read, there.together[read]) and disjoint(here.of(read), there.values[read])
            for read in there.together
        )

    def _can_turn(self, owner: int, read: Read, clause: Clause) -> bool:
        """Whether some rule can turn true what the owner asks of one component or of one property."""
        key = (owner, read)
        if key not in self._turned:
            self._turned[key] = any(turns(self.actors[index], clause) for index in self._writers(clause))
        return self._turned[key]


def _only_values(test: Predicate) -> tuple[Bound, ...] | None:
    """The constants that alone make a test true, where it is a plain equality; None for any other test."""
    match test:
        case Comparison(prop, "=", bound) if prop.kind != "instant":
            return (bound,)
        case Member(_, values):
            return values
        case AnyOf(terms):
            found: list[Bound] = []
            for term in terms:
                accepted = _only_values(term)
                if accepted is None:
                    return None
                found.extend(accepted)
            return tuple(found)
        case _:
            return None


def writes_that_are_read(rules: Sequence[CompiledRule]) -> list[set[int]]:
    """For each rule, by position, the other rules that read something it writes."""
    readers: dict[Read, list[int]] = {}
    for index, rule in enumerate(rules):
        for read in rule.reads:
            readers.setdefault(read, []).append(index)
    found: list[set[int]] = []
    for index, rule in enumerate(rules):
        followers: set[int] = set()
        for read in rule.writes_set:
            followers.update(readers.get(read, ()))
        followers.discard(index)
        found.append(followers)
    return found
