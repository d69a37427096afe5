"""All rules of a vocabulary: compiled, judged together, and put in the one order in which they run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING

from wakeful_grammar.node import field, node

from ..predicates import Read
from ..vocab.model import Declarations
from .compile import compile_rule, kind_of
from .graph import Arrows
from .judge import Judge
from .model import RULE_KINDS, CompiledRule, RuleProblem
from .warnings import rearming, warnings_of

if TYPE_CHECKING:
    from ..commands import CompiledCommand

Edge = tuple[str, str]


@node
class RuleEdges:
    """The relations that order the rules, each as (first, second) by name: what `explain` prints."""

    enables: tuple[Edge, ...] = ()
    before: tuple[Edge, ...] = ()
    feeds: tuple[Edge, ...] = ()


@node
class Relations:
    """The same relations as arrows between positions in `names`, which is ascending."""

    names: tuple[str, ...] = ()
    enables: Arrows = ()
    before: Arrows = ()
    feeds: Arrows = ()

    def edges(self) -> RuleEdges:
        return RuleEdges(*(self._named(arrows) for arrows in (self.enables, self.before, self.feeds)))

    def _named(self, arrows: Arrows) -> tuple[Edge, ...]:
        return tuple(
            (self.names[first], self.names[second])
            for first, followers in enumerate(arrows)
            for second in sorted(followers)
        )


@node
class RuleSet:
    """The rules in the order in which a stage runs them: on occasions, of state, and those that refuse.

    `ordered` are the state rules.  `by_read` gives, for a component's presence (property None) or a property, the
    positions in `ordered` of the rules that depend on it.
    """

    ordered: tuple[CompiledRule, ...] = ()
    by_read: Mapping[Read, tuple[int, ...]] = field(default_factory=dict, compare=False)
    relations: Relations = field(default=Relations(), compare=False, repr=False)
    occasions: tuple[CompiledRule, ...] = ()
    refusals: tuple[CompiledRule, ...] = ()
    declared_before: tuple[Edge, ...] = field(default=(), compare=False, repr=False)

    @property
    def all(self) -> tuple[CompiledRule, ...]:
        """Every rule, in the order in which a stage comes to it."""
        return self.occasions + self.ordered + self.refusals

    @property
    def edges(self) -> RuleEdges:
        """What orders the rules, pair by pair; written out when it is asked for."""
        edges = self.relations.edges()
        return RuleEdges(edges.enables, (*self.declared_before, *edges.before), edges.feeds)

    def candidates(self, changes: Iterable[Read]) -> list[int]:
        """The positions, ascending, of the state rules that read something among these changes."""
        found: set[int] = set()
        for change in changes:
            found.update(self.by_read.get(change, ()))
        return sorted(found)


def compile_rules(declarations: Declarations, zone: tzinfo) -> tuple[RuleSet, list[RuleProblem]]:
    """The rule set and every problem of it: of each rule alone, and of all together.

    With a problem of severity `error` the set is only good for showing; rules that could not be compiled are
    left out of it, so that one mistake is told once.
    """
    problems: list[RuleProblem] = []
    rules: list[CompiledRule] = []
    commands: Mapping[str, CompiledCommand] = {}
    if declarations.commands:
        from ..commands import CompiledCommands

        commands = CompiledCommands(declarations.commands, declarations.components, zone)
    # By name, so that no message and no order depends on how the file is arranged.
    for name in sorted(declarations.rules):
        compiled, found = compile_rule(declarations.rules[name], declarations.components, zone, commands)
        problems += found
        if compiled is not None:
            rules.append(compiled)
    kinds = {name: kind_of(rule) for name, rule in declarations.rules.items()}
    judges = [
        Judge(declarations, [rule for rule in rules if rule.kind == kind], kinds, enabling=kind == "state")
        for kind in RULE_KINDS
    ]
    orders = [judge.order() for judge in judges]
    occasions, state, refusals = judges
    for judge in judges:
        problems += judge.problems
    if len(rules) > 1:
        from .conflicts import conflicts, decided_by_name

        problems += conflicts(occasions.rules, occasions.effects.actors, occasions.before)
        problems += decided_by_name(state.rules, state.effects.actors, state.arrows(), state.feeds, orders[1])
    wrong = {found.rule for found in problems if found.problem.severity == "error"}
    for rule in rules:
        problems += rearming(rule)
        if rule.name not in wrong:
            problems += warnings_of(rule)
    problems += state.chains()
    if declarations.commands:
        from .call_circles import call_circles
        from .call_graph import CallGraph

        problems += call_circles(CallGraph(declarations, state.rules, occasions.rules, state.enables))
    before = [pair for judge in (occasions, refusals) for pair in judge.declared_before()]
    ordered = _arranged(state, orders[1])
    relations = Relations(tuple(state.names), state.enables, state.before, state.feeds)
    return RuleSet(
        ordered,
        _by_read(ordered),
        relations,
        _arranged(occasions, orders[0]),
        _arranged(refusals, orders[2]),
        tuple(before),
    ), problems


def _arranged(judge: Judge, order: Sequence[int]) -> tuple[CompiledRule, ...]:
    return tuple(judge.rules[index] for index in order)


def _by_read(ordered: Sequence[CompiledRule]) -> Mapping[Read, tuple[int, ...]]:
    positions: dict[Read, list[int]] = {}
    for position, rule in enumerate(ordered):
        for read in rule.reads:
            positions.setdefault(read, []).append(position)
    return MappingProxyType({read: tuple(found) for read, found in positions.items()})
