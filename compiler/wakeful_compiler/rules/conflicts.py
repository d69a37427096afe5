"""Rules that write against each other on one row: an error on one occasion, a warning among state rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from wakeful_grammar.problems import Span, problem_at

from ..predicates import Read
from ..vocab.model import Property
from .effects import Actor, may_fail_after, may_hold_after
from .graph import Arrows
from .model import CompiledRule, RuleProblem
from .occasions import in_a_firing, only_in_a_firing
from .order import followers_of
from .overlap import exclude_each_other, meeting, single_values, telling
from .written import Cleared, Copied, WrittenValue, shown

_MOST_STEPS = 200_000
"""Steps that the search for a way between two rules takes in all, before it takes them for ordered."""

_MANY = 4
"""Pairs for each rule above which it pays to part them before they are looked at."""


def conflicts(rules: Sequence[CompiledRule], actors: Sequence[Actor], before: Arrows) -> list[RuleProblem]:
    """`rule-conflict`: two rules on one occasion that write two values, or write and remove, in no declared order."""
    problems: list[RuleProblem] = []
    told: set[int] = set()
    for first, second, what in _clashes(rules, actors):
        if first in told or _never_one_stage(rules[first], rules[second]):
            continue
        if _leads(before, first, second) or _leads(before, second, first):
            continue
        told.add(first)
        rule, other = rules[first], rules[second]
        problem = problem_at(
            rule.match,
            Span(0, len(rule.match)),
            "rule-conflict",
            f"`{rule.name}` and `{other.name}` can act on one row at once, and {what}",
            f'say which goes first, so that the later one wins: `"before": ["{other.name}"]` in `{rule.name}`; '
            "or let their matches exclude each other",
        )
        problems.append(RuleProblem(rule.name, problem, "match", problem.span))
    return problems


def _never_one_stage(one: CompiledRule, other: CompiledRule) -> bool:
    """Whether one asks for a firing and the other for what no firing does."""
    pairs = ((one, other), (other, one))
    return any(only_in_a_firing(a.occasions) and not all(map(in_a_firing, b.occasions)) for a, b in pairs)


def _leads(arrows: Arrows, start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for following in arrows[waiting.pop()]:
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


# --- what two rules write -------------------------------------------------------------------------


def _clashes(rules: Sequence[CompiledRule], actors: Sequence[Actor]) -> Iterator[tuple[int, int, str]]:
    """The pairs that can meet and write against each other, with what they do."""
    writing: dict[Read, list[int]] = {}
    touching: dict[str, list[int]] = {}
    properties: dict[Read, Property] = {}
    for index, rule in enumerate(rules):
        for write in rule.writes:
            if write.property is not None:
                read: Read = (write.component, write.property.name)
                writing.setdefault(read, []).append(index)
                properties[read] = write.property
        for component in {write.component for write in rule.writes}:
            touching.setdefault(component, []).append(index)
    for read, writers in writing.items():
        if len({actors[index].written[read] for index in writers}) < 2:
            continue
        for first, second in meeting(writers, actors):
            values = actors[first].written[read], actors[second].written[read]
            if not _same(properties[read], *values):
                yield first, second, f"write {shown(values[0])} and {shown(values[1])} into `{properties[read].path}`"
    for component, both in touching.items():
        removing = [component in actors[index].removed for index in both]
        if any(removing) and not all(removing):
            for first, second in meeting(both, actors):
                if (component in actors[first].removed) is not (component in actors[second].removed):
                    yield first, second, f"one takes `{component}` away while the other writes it"


def _same(prop: Property, one: WrittenValue, other: WrittenValue) -> bool:
    """Whether the two are surely one value, taken on the same row at the same time."""
    from .moments import compare, place_in_time

    if one == other:
        return True
    if isinstance(one, Cleared | Copied) or isinstance(other, Cleared | Copied) or prop.kind != "instant":
        return False
    return compare(place_in_time(one), "=", place_in_time(other)) is True


# --- state rules that only their names order ------------------------------------------------------


def decided_by_name(
    rules: Sequence[CompiledRule], actors: Sequence[Actor], declared: Arrows, feeds: Arrows, order: Sequence[int]
) -> list[RuleProblem]:
    """`rule-order-decides`: two state rules whose outcome depends on which goes first, which only names say.

    `declared` are the arrows that must hold, `feeds` those from a writer to a reader.
    """
    ways = _Ways(followers_of(declared, [()] * len(rules), feeds), order)
    told: set[int] = set()
    problems: list[RuleProblem] = []
    for one, other in _candidates(rules, actors, feeds):
        first, second = (one, other) if ways.position[one] < ways.position[other] else (other, one)
        if first in told or not _order_matters(actors[first], actors[second]) or ways.leads(first, second):
            continue
        told.add(first)
        rule, later = rules[first], rules[second]
        problem = problem_at(
            rule.match,
            Span(0, len(rule.match)),
            "rule-order-decides",
            f"only their names say that `{rule.name}` runs before `{later.name}`, and on a row that both match "
            "it decides what is written",
            f'say it, `"before": ["{later.name}"]` in `{rule.name}`, or let their matches exclude each other',
            severity="warning",
        )
        problems.append(RuleProblem(rule.name, problem, "match", problem.span))
    return problems


def _candidates(rules: Sequence[CompiledRule], actors: Sequence[Actor], feeds: Arrows) -> Iterator[tuple[int, int]]:
    """Pairs that can meet, where both write one thing differently, or each writes what the other reads."""
    seen: set[tuple[int, int]] = set()
    for first, second, _ in _clashes(rules, actors):
        if (first, second) not in seen:
            seen.add((first, second))
            yield first, second
    mutual = [
        (first, second)
        for first, followers in enumerate(feeds)
        for second in followers
        if first < second and first in feeds[second] and (first, second) not in seen
    ]
    if len(mutual) > _MANY * len(rules):
        marks = telling([single_values(actor.facts) for actor in actors])
        mutual = [(a, b) for a, b in mutual if marks[a] is None or marks[b] is None or marks[a] == marks[b]]
    for first, second in mutual:
        if not exclude_each_other(actors[first].facts, actors[second].facts):
            yield first, second


Outcome = frozenset[tuple[Read, object]]


def _order_matters(one: Actor, other: Actor) -> bool:
    """Whether the two leave, on a row that both match, one thing in one order and another in the other."""
    if one.deletes or other.deletes:
        return False
    return not _outcomes(one, other) & _outcomes(other, one)


def _outcomes(first: Actor, second: Actor) -> set[Outcome]:
    """What may be written in this order: by both, or by the first alone where it ends the second's match."""
    clauses = second.facts.clauses
    found: set[Outcome] = set()
    if any(may_fail_after(clause, first) for clause in clauses):
        found.add(_outcome(first))
    if all(may_hold_after(clause, first) for clause in clauses):
        found.add(_outcome(first, second))
    return found


def _outcome(*actors: Actor) -> Outcome:
    left: dict[Read, object] = {}
    for actor in actors:
        for component in actor.removed:
            left = {read: value for read, value in left.items() if read[0] != component}
            left[component, None] = False
        for component in actor.added:
            left[component, None] = True
        left.update(actor.written)
    return frozenset(left.items())


class _Ways:
    """Ways from rule to rule along the arrows that order them."""

    def __init__(self, arrows: Sequence[Collection[int]], order: Sequence[int]) -> None:
        self.arrows = arrows
        self.position: Mapping[int, int] = {node: place for place, node in enumerate(order)}
        self._steps = 0

    def leads(self, start: int, goal: int) -> bool:
        """Whether a way leads from the one to the other, or the search has taken too long to tell."""
        last = self.position[goal]
        seen, waiting = {start}, [start]
        while waiting:
            for following in self.arrows[waiting.pop()]:
                self._steps += 1
                if following == goal or self._steps > _MOST_STEPS:
                    return True
                if following not in seen and self.position[following] < last:
                    seen.add(following)
                    waiting.append(following)
        return False
