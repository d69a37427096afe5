"""What rules do to each other's matches: which feed themselves, which enable which (the design's section 4).

Every answer errs to one side only: what is reported as impossible is impossible on every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
)
from .domains import disjoint, is_just
from .facts import Clause, Facts, Written, can_be_true, may_fail, truth
from .model import CompiledRule


@dataclass(frozen=True, slots=True)
class Actor:
    """A rule as this analysis sees it: what holds where it acts, and what it then writes."""

    name: str
    facts: Facts
    written: Written
    added: frozenset[str]


def actor_of(rule: CompiledRule) -> Actor:
    """The actor that a compiled rule is."""
    return Actor(rule.name, rule.facts, rule.written, frozenset(write.component for write in rule.writes))


def feeds_itself(actor: Actor) -> bool:
    """Whether the match may still hold once the rule's own writes are made."""
    if actor.facts.impossible:
        return False
    return all(_may_hold_after(clause, actor) for clause in actor.facts.clauses)


def changes_anything(actor: Actor) -> bool:
    """Whether the rule's writes change some row that it matches."""
    if any(actor.facts.presence.get(component) is not True for component in actor.added):
        return True
    return any(not is_just(actor.facts.of(read), value) for read, value in actor.written.items())


def turns(actor: Actor, clause: Clause) -> bool:
    """Whether the actor's writes, on a row that it matches, can turn the clause from false to true."""
    if actor.facts.impossible:
        return False
    match clause.test:
        case HasComponent(component):
            return component in actor.added and may_fail(clause, actor.facts)
        case Not(HasComponent()):
            return False
        case _:
            touched = any(read in actor.written for read in clause.about)
            return touched and _may_hold_after(clause, actor) and may_fail(clause, actor.facts)


def _may_hold_after(clause: Clause, actor: Actor) -> bool:
    """Whether the clause may be true after the actor's writes, for all that one can tell from its match."""
    test = clause.test
    inner = test.term if isinstance(test, Not) else test
    match inner:
        case HasComponent(component):
            return not (isinstance(test, Not) and component in actor.added)
        case PropertyComparison():
            return can_be_true(test, actor.written, actor.facts)
        case _:
            only = clause.only
            if only is None or only not in actor.written:
                return True
            return truth(test, actor.written[only]) is not False


class Effects:
    """The relation *enables* over a set of rules, found by looking only where a write meets a clause."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = actors
        self._adding: dict[str, list[int]] = {}
        self._writing: dict[Read, list[int]] = {}
        self._by_value: dict[Read, dict[Bound, list[int]]] = {}
        self._turned: dict[tuple[int, Read], bool] = {}
        for index, actor in enumerate(actors):
            for component in actor.added:
                self._adding.setdefault(component, []).append(index)
            for read, value in actor.written.items():
                self._writing.setdefault(read, []).append(index)
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
        """The rules whose writes may turn the clause; of a plain `=`, only those that write that value."""
        match clause.test:
            case HasComponent(component):
                return self._adding.get(component, ())
            case Not(HasComponent()):
                return ()
            case _:
                pass
        only = clause.only
        if only is None:
            return sorted({index for read in clause.about for index in self._writing.get(read, ())})
        values = _only_values(clause.test)
        if values is None:
            return self._writing.get(only, ())
        by_value = self._by_value.get(only, {})
        return sorted({index for value in values for index in by_value.get(value, ())})

    def _exclude(self, first: int, second: int) -> bool:
        """Whether the two contradict each other where no rule can turn the second's clause true."""
        here, there = self.actors[first].facts, self.actors[second].facts
        if there.torn:
            return True
        for clause in there.clauses:
            match clause.test:
                case HasComponent(component):
                    if here.presence.get(component) is False and not self._can_appear(second, clause):
                        return True
                case Not(HasComponent(component)):
                    if here.presence.get(component) is True:
                        return True
                case _:
                    pass
        return any(
            not self._can_be_turned(second, read) and disjoint(here.of(read), there.values[read])
            for read in there.together
        )

    def _can_appear(self, owner: int, clause: Clause) -> bool:
        assert isinstance(clause.test, HasComponent)
        key = (owner, (clause.test.component, None))
        if key not in self._turned:
            self._turned[key] = any(turns(self.actors[index], clause) for index in self._writers(clause))
        return self._turned[key]

    def _can_be_turned(self, owner: int, read: Read) -> bool:
        """Whether some rule can turn true all that the owner asks of one property."""
        key = (owner, read)
        if key not in self._turned:
            together = self.actors[owner].facts.together[read]
            self._turned[key] = any(turns(self.actors[index], together) for index in self._writers(together))
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
