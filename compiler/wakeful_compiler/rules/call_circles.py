"""Circles through commands, told with a way out: `rule-call-cycle` (the design's section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wakeful_grammar.problems import Problem, Span, problem_at

from ..predicates import Read
from .call_graph import ASKED, RECORDED, CallGraph
from .mends import occasions_of
from .model import CompiledRule, OccasionTest, RuleProblem
from .rule_index import RuleIndex, Trigger

_LONGEST = 12
_MOST_REASONS = 4


def call_circles(graph: CallGraph) -> list[RuleProblem]:
    """The circles in which rules and commands would set each other off without end."""
    return [_told(graph, circle) for circle in graph.circles()]


def _told(graph: CallGraph, circle: Sequence[int]) -> RuleProblem:
    steps = _steps(graph, circle)
    names = [graph.names[first] for first, _, _ in steps]
    shown = " -> ".join([*(names if len(names) <= _LONGEST else [*names[:_LONGEST], "…"]), names[0]])
    message = f"these rules and commands set each other off in a circle: `{shown}`"
    if len(names) == 1:
        message = f"the command `{names[0]}` calls itself: `{shown}`"
    elif not any(graph.is_rule(node) for node in circle):
        message = f"these commands call each other in a circle: `{shown}`"
    reasons = [_reason(graph, *step) for step in steps[:_MOST_REASONS]]
    hint = ", ".join(reasons) + "; " + _mend(graph, steps)
    asking = next((first for first, _, _ in steps if graph.is_rule(first) and graph.asked_by(first)), None)
    if asking is None:
        return RuleProblem(names[0], Problem("rule-call-cycle", message, hint), "apply")
    rule = graph.rules[asking]
    if rule.call is not None:
        return RuleProblem(rule.name, Problem("rule-call-cycle", message, hint), "call")
    span = Span(0, len(rule.match))
    return RuleProblem(rule.name, problem_at(rule.match, span, "rule-call-cycle", message, hint), "match", span)


Step = tuple[int, int | None, int]
"""From a rule or command to the next, over the node that stands between where there is one."""


def _steps(graph: CallGraph, circle: Sequence[int]) -> list[Step]:
    shown = [place for place, node in enumerate(circle) if node < len(graph.names)]
    steps: list[Step] = []
    for index, place in enumerate(shown):
        following = shown[(index + 1) % len(shown)]
        between = (place + 1) % len(circle)
        steps.append((circle[place], None if between == following else circle[between], circle[following]))
    return steps


def _reason(graph: CallGraph, first: int, between: int | None, second: int) -> str:
    here, there = graph.names[first], graph.names[second]
    if between == graph.every:
        return f"`{here}` calls a command that is known only when it runs, which may be `{there}`"
    if graph.is_command(second):
        return f"`{here}` {'asks for' if graph.is_rule(first) else 'calls'} `{there}`"
    if between == graph.recorded:
        read = _read(graph.rules[second], ASKED.all | RECORDED.all)
        return f"each call of `{here}` is kept in `{_spelled(read)}`, which sets `{there}` off"
    read = _read(graph.rules[second], _own(graph, first))
    if read is None or between == graph.deleting:
        return f"what `{here}` deletes is taken out of the rows that refer to it, which sets `{there}` off"
    return f"`{here}` writes `{_spelled(read)}`, which sets `{there}` off"


def _own(graph: CallGraph, node: int) -> frozenset[Read]:
    """What a rule or a command may write, deletions apart."""
    return graph.rules[node].writes_set if graph.is_rule(node) else Trigger(graph.effects(node).changes).all


def _read(rule: CompiledRule, changes: frozenset[Read]) -> Read | None:
    """One of the things changed that the rule asks for, a property rather than a presence."""
    asked: frozenset[Read] = frozenset(test.read for test in rule.occasions) if rule.occasions else rule.reads
    return min(asked & changes, key=lambda read: (read[1] is None, read[0], read[1] or ""), default=None)


def _spelled(read: Read | None) -> str:
    assert read is not None
    return read[0] if read[1] is None else f"{read[0]}.{read[1]}"


# --- a way out ------------------------------------------------------------------------------------


def _mend(graph: CallGraph, steps: Sequence[Step]) -> str:
    for first, between, second in steps:
        if graph.is_command(first) and graph.is_rule(second):
            text = _occasion(graph, first, between, graph.rules[second])
            if text is not None:
                return f"add `{text}` to `{graph.names[second]}`, so that it acts on that write alone"
    for first, between, second in steps:
        here, there = graph.names[first], graph.names[second]
        if between == graph.recorded:
            return f"no rule that asks for a command can be set off by calls: let `{there}` write what it has seen"
        if graph.is_command(first) and graph.is_rule(second) and _read(graph.rules[second], _own(graph, first)):
            return f"let `{here}` write into a component that `{there}` does not ask for"
    if any(between == graph.every for _, between, _ in steps):
        return "name the command in `call.to`, or list those that it may be in the `enum` of its input"
    if all(graph.is_command(node) for node, _, _ in steps):
        return "take one of these calls out; what is to run again and again is a call with a `wake` that has an `every`"
    return "take one of these steps out"


def _occasion(graph: CallGraph, command: int, between: int | None, rule: CompiledRule) -> str | None:
    """An occasion that keeps the command from setting the rule off and still lets others do so."""
    if rule.occasions:
        return None
    triggers = [ASKED] if between == graph.recorded else [Trigger(graph.effects(command).changes), ASKED]
    for text, test in occasions_of(rule):
        acting = replace(rule, kind="occasion", occasions=(test,))
        index = RuleIndex([acting])
        if not any(index.set_off_by(trigger, 1) for trigger in triggers) and not _never(test):
            return text
    return None


def _never(test: OccasionTest) -> bool:
    """Whether nobody's own write is this occasion, but for hands that write the store's accounts."""
    return test.component in ("execution", "result", "refusal")
