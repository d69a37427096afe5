"""The rules of one kind beside each other: which feed themselves, circles, `before`, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wakeful_grammar.problems import Problem, Span, problem_at

from ..nearby import did_you_mean
from ..vocab.model import Declarations
from .effects import Actor, Effects, actor_of, changes_anything, feeds_itself, writes_that_are_read
from .facts import Clause
from .graph import circles_of, longest_ways, members_of, shortest_circle
from .model import RULE_KINDS, CompiledRule, RuleKind, RuleProblem
from .order import arrange

_LONGEST_CIRCLE = 12
"""Rules that a message about a circle shows."""

_MOST_REASONS = 4
"""Steps of a circle that a hint explains."""

_WHEN: Mapping[RuleKind, str] = {
    "occasion": "acts on an occasion, before all state rules",
    "state": "is a state rule, and runs after those that act on occasions and before those that refuse",
    "refuse": "refuses, and is judged when all other rules are done",
}


class Judge:
    """Rules of one kind by position, in the order of their names, and what is wrong between them.

    `kinds` has every rule of the file; only state rules enable each other.
    """

    def __init__(
        self,
        declarations: Declarations,
        rules: Sequence[CompiledRule],
        kinds: Mapping[str, RuleKind],
        *,
        enabling: bool,
    ) -> None:
        self.declarations, self.rules, self.kinds, self.enabling = declarations, rules, kinds, enabling
        self.names = [rule.name for rule in rules]
        self.positions = {name: index for index, name in enumerate(self.names)}
        self.taken = {*declarations.components, *declarations.rules}
        self.problems: list[RuleProblem] = []
        self.effects = Effects([actor_of(rule) for rule in rules])
        self.enables: list[dict[int, Clause]] = self.effects.enabling() if enabling else [{} for _ in rules]
        self.before: list[dict[int, int]] = [self._before(rule) for rule in rules]
        self.feeds: list[set[int]] = writes_that_are_read(rules) if enabling else [set() for _ in rules]

    def order(self) -> list[int]:
        """The order, after every problem between the rules has been found."""
        for rule, actor in zip(self.rules, self.effects.actors, strict=True):
            self._effect(rule, actor)
        circles = circles_of(self.enables)
        self._enabling_circles(circles)
        self._before_circles(circles)
        return arrange(self.names, self.enables, self.before, self.feeds)

    def arrows(self) -> list[set[int]]:
        """For each rule, the rules that must come after it: those it enables, and those its `before` names."""
        return [{*self.enables[node], *self.before[node]} for node in range(len(self.rules))]

    def declared_before(self) -> list[tuple[str, str]]:
        """The pairs of names that `before` declares."""
        return [(self.names[node], self.names[other]) for node in range(len(self.rules)) for other in self.before[node]]

    # --- one rule -------------------------------------------------------------------------------

    def _before(self, rule: CompiledRule) -> dict[int, int]:
        """The rules that this one must run before, each with its place in the list."""
        named: dict[int, int] = {}
        for place, other in enumerate(rule.before):
            position = self.positions.get(other)
            if position is not None:
                named.setdefault(position, place)
            elif other in self.kinds:
                self._across(rule, place, other)
            else:
                self._report(
                    rule,
                    f"before/{place}",
                    "unknown-rule",
                    f"`{rule.name}` runs before `{other}`, which is no rule",
                    did_you_mean(other, self.declarations.rules) or "name a rule of this vocabulary",
                )
        return named

    def _across(self, rule: CompiledRule, place: int, other: str) -> None:
        """A `before` to a rule of another kind: needless, or against the order in which a stage runs the kinds."""
        mine, its = self.kinds[rule.name], self.kinds[other]
        if RULE_KINDS.index(mine) <= RULE_KINDS.index(its):
            return
        self._report(
            rule,
            f"before/{place}",
            "rule-before-order",
            f"`{rule.name}` is to run before `{other}`, but `{other}` {_WHEN[its]}",
            f"take `{other}` out of the `before` of `{rule.name}`",
        )

    def _effect(self, rule: CompiledRule, actor: Actor) -> None:
        if rule.kind == "refuse" or actor.facts.impossible:
            return
        idle = rule.call is None and not changes_anything(actor)
        if idle and (rule.kind == "occasion" or feeds_itself(actor)):
            self._report(
                rule,
                "match",
                "rule-without-effect",
                f"the rule `{rule.name}` changes nothing: it writes what its match already asks for",
                "write something else, or ask for something else",
                span=Span(0, len(rule.match)),
            )
        elif rule.kind == "state" and feeds_itself(actor):
            from .mends import gate_for, mends_of_feeding

            gate = gate_for(rule)
            what = "its match still holds once it has written"
            if rule.call is not None:
                what = f"its match still holds once it has asked for `{rule.call.command}`"
            self._report(
                rule,
                "match",
                "rule-feeds-itself",
                f"the rule `{rule.name}` feeds itself: {what}",
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

    # --- chains ---------------------------------------------------------------------------------

    def chains(self) -> list[RuleProblem]:
        """The warnings about rules that one firing runs through, though each asks for a firing of its own."""
        from .warnings import chain_warning, waits_for_a_firing

        waiting = [waits_for_a_firing(rule) for rule in self.rules]
        circles = circles_of(self.enables)
        arrows = [
            sorted(other for other in self.enables[node] if waiting[node] and waiting[other]
                   and circles[node] != circles[other])
            for node in range(len(self.rules))
        ]  # fmt: skip
        return [chain_warning([self.rules[node] for node in way]) for way in longest_ways(arrows)]

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
