"""All rules of a vocabulary: compiled, judged together, and put in the one order in which they run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from types import MappingProxyType

from wakeful_grammar.problems import Problem, Span, problem_at

from ..nearby import did_you_mean
from ..predicates import Read
from ..vocab.model import Declarations
from .compile import compile_rule
from .effects import Actor, Effects, actor_of, changes_anything, feeds_itself, writes_that_are_read
from .facts import Clause
from .graph import Arrows, circles_of, members_of, shortest_circle
from .model import CompiledRule, RuleProblem
from .order import arrange

_LONGEST_CIRCLE = 12
"""Rules that a message about a circle shows."""

_MOST_REASONS = 4
"""Steps of a circle that a hint explains."""

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RuleEdges:
    """The relations that order the rules, each as (first, second) by name: what `explain` prints."""

    enables: tuple[Edge, ...] = ()
    before: tuple[Edge, ...] = ()
    feeds: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The state rules in their order, and by what they read.

    `by_read` gives, for a component's presence (property None) or a property, the positions in `ordered` of
    the rules that depend on it.
    """

    ordered: tuple[CompiledRule, ...] = ()
    by_read: Mapping[Read, tuple[int, ...]] = field(default_factory=dict, compare=False)
    relations: Relations = field(default=Relations(), compare=False, repr=False)

    @property
    def edges(self) -> RuleEdges:
        """What orders the rules, pair by pair; written out when it is asked for."""
        return self.relations.edges()

    def candidates(self, changes: Iterable[Read]) -> list[int]:
        """The positions, ascending, of the rules that read something among these changes."""
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
    # By name, so that no message and no order depends on how the file is arranged.
    for name in sorted(declarations.rules):
        compiled, found = compile_rule(declarations.rules[name], declarations.components, zone)
        problems += found
        if compiled is not None:
            rules.append(compiled)
    judge = _Judge(declarations, rules)
    order = judge.order()
    problems += judge.problems
    ordered = tuple(rules[index] for index in order)
    relations = Relations(tuple(judge.names), judge.enables, judge.before, judge.feeds)
    return RuleSet(ordered, _by_read(ordered), relations), problems


def _by_read(ordered: Sequence[CompiledRule]) -> Mapping[Read, tuple[int, ...]]:
    positions: dict[Read, list[int]] = {}
    for position, rule in enumerate(ordered):
        for read in rule.reads:
            positions.setdefault(read, []).append(position)
    return MappingProxyType({read: tuple(found) for read, found in positions.items()})


class _Judge:
    """Rules by position, in the order of their names, and what is wrong between them."""

    def __init__(self, declarations: Declarations, rules: Sequence[CompiledRule]) -> None:
        self.declarations, self.rules = declarations, rules
        self.names = [rule.name for rule in rules]
        self.positions = {name: index for index, name in enumerate(self.names)}
        self.taken = {*declarations.components, *declarations.rules}
        self.problems: list[RuleProblem] = []
        self.effects = Effects([actor_of(rule) for rule in rules])
        self.enables: list[dict[int, Clause]] = self.effects.enabling()
        self.before: list[dict[int, int]] = [self._before(rule) for rule in rules]
        self.feeds = writes_that_are_read(rules)

    def order(self) -> list[int]:
        """The order, after every problem between the rules has been found."""
        for rule, actor in zip(self.rules, self.effects.actors, strict=True):
            self._feeding(rule, actor)
        circles = circles_of(self.enables)
        self._enabling_circles(circles)
        self._before_circles(circles)
        return arrange(self.names, self.enables, self.before, self.feeds)

    # --- one rule -------------------------------------------------------------------------------

    def _before(self, rule: CompiledRule) -> dict[int, int]:
        """The rules that this one must run before, each with its place in the list."""
        named: dict[int, int] = {}
        for place, other in enumerate(rule.before):
            position = self.positions.get(other)
            if position is not None:
                named.setdefault(position, place)
            elif other not in self.declarations.rules:
                self._report(
                    rule,
                    f"before/{place}",
                    "unknown-rule",
                    f"`{rule.name}` runs before `{other}`, which is no rule",
                    did_you_mean(other, self.declarations.rules) or "name a rule of this vocabulary",
                )
        return named

    def _feeding(self, rule: CompiledRule, actor: Actor) -> None:
        if not feeds_itself(actor):
            return
        if not changes_anything(actor):
            self._report(
                rule,
                "match",
                "rule-without-effect",
                f"the rule `{rule.name}` changes nothing: it writes what its match already asks for",
                "write something else, or ask for something else",
                span=Span(0, len(rule.match)),
            )
            return
        from .mends import gate_for, mends_of_feeding

        gate = gate_for(rule)
        self._report(
            rule,
            "match",
            "rule-feeds-itself",
            f"the rule `{rule.name}` feeds itself: its match still holds once it has written",
            mends_of_feeding(rule, self.taken),
            span=Span(0, len(rule.match)),
            fix=f"{rule.match}, +!{gate}" if gate is not None else None,
        )

    def _report(
        self,
        rule: CompiledRule,
        place: str,
        code: str,
        message: str,
        hint: str,
        *,
        span: Span | None = None,
        fix: str | None = None,
    ) -> None:
        problem = Problem(code, message, hint)
        if span is not None:
            problem = problem_at(rule.match, span, code, message, hint, fix=fix)
        self.problems.append(RuleProblem(rule.name, problem, place, span))

    # --- circles --------------------------------------------------------------------------------

    def _enabling_circles(self, circles: Sequence[int]) -> None:
        for members in members_of(circles).values():
            if len(members) < 2:
                continue
            circle = shortest_circle(self.enables, members[0])
            steps = [*range(1, len(circle)), 0][:_MOST_REASONS]
            reasons = ", ".join(self._reason(circle[place - 1], circle[place]) for place in steps)
            from .mends import mend_of_circle

            mend = mend_of_circle(self.rules, self.effects, circle, self.taken)
            self._report(
                self.rules[circle[0]],
                "match",
                "rule-cycle",
                f"these rules set each other off in a circle: `{self._shown(circle)}`",
                f"{reasons}; {mend}",
                span=self.enables[circle[-1]][circle[0]].span,
            )

    def _before_circles(self, circles: Sequence[int]) -> None:
        """`before` against *enables*, or in a circle; circles of *enables* alone are told already."""
        nodes = range(len(self.rules))
        arrows = [
            {*(other for other in self.enables[node] if circles[other] != circles[node]), *self.before[node]}
            for node in nodes
        ]
        together = circles_of(arrows)
        inside = [(node, other) for node in nodes for other in self.before[node] if together[node] == together[other]]
        told: set[int] = set()
        # A `before` that stands directly against *enables* is the one to name, of all in its circle.
        for node, other in sorted(inside, key=lambda pair: (pair[0] not in self.enables[pair[1]], pair)):
            if together[node] not in told:
                told.add(together[node])
                self._against(node, other, arrows)

    def _against(self, node: int, other: int, arrows: Sequence[set[int]]) -> None:
        """Reports the `before` that leads from one rule to the other, and from there back in a circle."""
        rule, name = self.rules[node], self.names[other]
        # Straight to the other rule first, so that the circle shown goes through this very `before`.
        way = shortest_circle([{other} if index == node else ahead for index, ahead in enumerate(arrows)], node)
        back = zip(way[1:], [*way, node][2:], strict=True)
        enabling = [(first, second) for first, second in back if second in self.enables[first]]
        message = f"`before` runs in a circle: `{self._shown(way)}`"
        if node == other:
            message = f"`{rule.name}` is to run before itself, which is a circle"
        elif node in self.enables[other]:
            message = f"`{rule.name}` is to run before `{name}`, but `{name}` enables it and so goes first"
        steps = [self._reason(first, second) for first, second in enabling[:_MOST_REASONS]]
        hint = "; ".join([*steps, f"take `{name}` out of the `before` of `{rule.name}`"])
        self._report(rule, f"before/{self.before[node][other]}", "rule-before-order", message, hint)

    def _reason(self, first: int, second: int) -> str:
        clause = self.enables[first][second]
        return f"`{self.names[first]}` can make `{clause.text}` true for `{self.names[second]}`"

    def _shown(self, circle: Sequence[int]) -> str:
        names = [self.names[node] for node in circle]
        if len(names) > _LONGEST_CIRCLE:
            names = [*names[:_LONGEST_CIRCLE], "…"]
        return " -> ".join([*names, self.names[circle[0]]])
