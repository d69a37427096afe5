"""The analysis of rules against brute force over every row of a small world.

On this world the analysis must be exact: every text, integer and boolean that its clauses can tell apart has
a row.  Where two properties are compared it may see more than there is, never less.  So it may with `~=`
beside an ordering, and with times, which `test_effects.py` and `test_moments.py` look at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.rules import (
    PAIRED,
    Row,
    Rule,
    World,
    changes,
    conflict,
    has_circle,
    one_pass,
    one_stage,
    patched,
    reachable,
    rows,
)
from rules.declared import Kinds, judged, names
from rules.strategies import mixed_rule_sets, paired_rule_sets, rule_sets, rule_sets_with_before
from wakeful_compiler.rules.model import RuleProblem
from wakeful_compiler.rules.ruleset import RuleSet

KINDS: dict[str, Kinds] = {
    "a": {"v": "string"},
    "b": {"n": "integer"},
    "c": {"f": "boolean"},
    "d": {"m": "integer"},
}
ROWS = list(rows())
NOW = datetime(2026, 9, 20, tzinfo=UTC)
MANY = settings(max_examples=max(200, settings().max_examples))


def judge(rules: Sequence[Rule]) -> tuple[RuleSet, list[RuleProblem]]:
    return judged(KINDS, {rule.name: rule.text for rule in rules}, {rule.name: rule.before for rule in rules})


def told(problems: Sequence[RuleProblem], code: str) -> set[str]:
    return {problem.rule for problem in problems if problem.problem.code == code}


@MANY
@given(rule_sets(most=3))
def test_each_rule_alone(rules: list[Rule]) -> None:
    ruleset, problems = judge(rules)
    world = World(rules)
    feeding = {name for name in world.rules if world.feeds_itself(name)}
    idle = {name for name in feeding if not world.changes_something(name)}
    assert told(problems, "rule-feeds-itself") == feeding - idle
    assert told(problems, "rule-without-effect") == idle
    assert told(problems, "rule-never-matches") == {name for name in world.rules if not world.matched[name]}
    for rule in ruleset.ordered:
        assert [row for row in ROWS if rule.matches(row)] == world.matched[rule.name]
        assert rule.reads == world.rules[rule.name].reads
        assert rule.writes_set == world.rules[rule.name].writes


@MANY
@given(rule_sets())
def test_what_enables_what(rules: list[Rule]) -> None:
    ruleset, problems = judge(rules)
    world = World(rules)
    enables = world.enables()
    assert set(ruleset.edges.enables) == enables
    assert bool(told(problems, "rule-cycle")) == has_circle(set(world.rules), enables)


@MANY
@given(rule_sets_with_before(), st.randoms(use_true_random=False))
def test_the_order(rules: list[Rule], shuffled: random.Random) -> None:
    ruleset, problems = judge(rules)
    again = list(rules)
    shuffled.shuffle(again)
    other, same = judge(again)
    assert names(other) == names(ruleset)
    assert same == problems
    assert other.edges == ruleset.edges
    world = World(rules)
    enables, before = world.enables(), world.before()
    circle = has_circle(set(world.rules), enables | before)
    assert circle == bool(told(problems, "rule-cycle") or told(problems, "rule-before-order"))
    if not circle:
        assert names(ruleset) == world.order()


def acceptable(rules: list[Rule]) -> tuple[RuleSet, list[Rule]]:
    """What is left of the rules, in their order, once those that have an error are taken out, one by one."""
    while True:
        ruleset, problems = judge(rules)
        wrong = next((told.rule for told in problems if told.problem.severity == "error"), None)
        if wrong is None:
            by_name = {rule.name: rule for rule in rules}
            return ruleset, [by_name[rule.name] for rule in ruleset.all]
        rules = [rule for rule in rules if rule.name != wrong]


@MANY
@given(paired_rule_sets())
def test_with_two_properties_compared_nothing_is_overlooked(rules: list[Rule]) -> None:
    ruleset, problems = judge(rules)
    world = World(rules, PAIRED)
    feeding = {name for name in world.rules if world.feeds_itself(name)}
    assert feeding <= told(problems, "rule-feeds-itself") | told(problems, "rule-without-effect")
    assert not told(problems, "rule-without-effect") & {name for name in feeding if world.changes_something(name)}
    assert all(not world.matched[name] for name in told(problems, "rule-never-matches"))
    assert world.enables() <= set(ruleset.edges.enables)
    _, ordered = acceptable(rules)
    for row in world.rows:
        at_rest = one_pass(ordered, row)
        assert not [rule.name for rule in ordered if rule.matches(at_rest)]


@MANY
@given(rule_sets(most=5))
def test_one_pass_in_the_order_is_the_fixpoint(rules: list[Rule]) -> None:
    _, ordered = acceptable(rules)
    for row in ROWS:
        settled = one_pass(ordered, row)
        assert not [rule.name for rule in ordered if rule.matches(settled)]


def staged(ruleset: RuleSet, before: Row, after: Row) -> Row | None:
    """One stage on one row: only rules that read what has changed so far are judged, each at its place."""
    touched = changes(before, after)
    for position, rule in enumerate(ruleset.ordered):
        if position in ruleset.candidates(touched) and rule.matches(after):
            if rule.deletes:
                return None
            written = patched(after, rule.output(NOW, after))
            touched |= changes(after, written)
            after = written
    return after


@given(rule_sets(), st.lists(st.tuples(st.sampled_from(ROWS), st.sampled_from(ROWS)), min_size=20, max_size=40))
def test_judging_what_reads_the_changes_is_judging_everything(rules: list[Rule], writes: list[tuple[Row, Row]]) -> None:
    ruleset, ordered = acceptable(rules)
    for start, own_write in writes:
        # From a row at rest, as every earlier stage left it.
        at_rest = one_pass(ordered, start)
        if at_rest is not None:
            assert staged(ruleset, at_rest, own_write) == one_pass(ordered, own_write)


# --- occasions ------------------------------------------------------------------------------------


def ways(rules: Sequence[Rule]) -> set[tuple[str, str]]:
    return reachable({rule.name for rule in rules}, {(rule.name, other) for rule in rules for other in rule.before})


def conflicting(rules: Sequence[Rule], *, loosely: bool) -> set[str]:
    """The lesser names of pairs that conflict and that no `before` orders."""
    declared = ways(rules)
    return {
        one.name
        for one in rules
        for other in rules
        if one.name < other.name
        and not {(one.name, other.name), (other.name, one.name)} & declared
        and conflict(one, other, loosely=loosely)
    }


@given(mixed_rule_sets())
def test_what_conflicts_on_one_occasion(rules: list[Rule]) -> None:
    _, problems = judge(rules)
    usable = [rule for rule in rules if rule.occasions]
    conflicts = told(problems, "rule-conflict")
    assert conflicting(usable, loosely=False) <= conflicts <= conflicting(usable, loosely=True)


def some_orders(rules: list[Rule], names: list[str]) -> list[list[Rule]]:
    """Every order of these rules that their `before`s allow."""
    declared = ways(rules)
    by_name = {rule.name: rule for rule in rules}
    return [
        [by_name[name] for name in order]
        for order in permutations(names)
        if not any((later, earlier) in declared for earlier, later in combinations(order, 2))
    ]


@given(mixed_rule_sets(), st.lists(st.tuples(st.sampled_from(ROWS), st.sampled_from(ROWS)), min_size=20, max_size=40))
def test_on_one_occasion_no_order_but_the_declared_one_counts(rules: list[Rule], writes: list[tuple[Row, Row]]) -> None:
    rules = acceptable(rules)[1]
    ruleset, problems = judge(rules)
    assert not [told for told in problems if told.problem.severity == "error"]
    by_name = {rule.name: rule for rule in rules}
    state = [by_name[name] for name in names(ruleset)]
    asking = [rule.name for rule in ruleset.occasions]
    orders = some_orders([by_name[name] for name in asking], asking)
    assert [rule.name for rule in orders[0]] or not asking
    for before, after in writes:
        ends = [one_stage(order, state, before, after) for order in orders]
        assert all(end == ends[0] for end in ends)
