"""Vocabularies for the tests of rules: components and matches in a few words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC
from types import MappingProxyType

from wakeful_compiler.rules.model import CompiledRule, RuleProblem
from wakeful_compiler.rules.ruleset import RuleSet, compile_rules
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Component, Declarations, Kind, Property, Rule
from wakeful_grammar.rule import parse_rule

Kinds = Mapping[str, Kind | Property]
Before = Mapping[str, Sequence[str]]

NONE: Before = MappingProxyType({})


def component(name: str, kinds: Kinds) -> Component:
    """A component with these properties."""
    properties = {key: kind if isinstance(kind, Property) else Property(name, key, kind) for key, kind in kinds.items()}
    return Component(name, properties)


def declared(
    components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE, refusing: Collection[str] = ()
) -> Declarations:
    """The declarations of these components and rules, each given as its match; those named in `refusing` refuse."""
    return Declarations(
        {**builtin_components(), **{name: component(name, kinds) for name, kinds in components.items()}},
        {
            name: Rule(
                name,
                match,
                parse_rule(match),
                tuple(before.get(name, ())),
                refuse="no" if name in refusing else None,
            )
            for name, match in rules.items()
        },
    )


def judged(
    components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE, refusing: Collection[str] = ()
) -> tuple[RuleSet, list[RuleProblem]]:
    """The rule set and its problems."""
    return compile_rules(declared(components, rules, before, refusing), UTC)


def clean(
    components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE, refusing: Collection[str] = ()
) -> RuleSet:
    """The rule set of rules of which nothing at all is said."""
    ruleset, problems = judged(components, rules, before, refusing)
    assert problems == [], problems
    return ruleset


def accepted(components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE) -> RuleSet:
    """The rule set of rules without an error; warnings may be given."""
    ruleset, problems = judged(components, rules, before)
    assert errors(problems) == [], problems
    return ruleset


def refused(
    components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE, refusing: Collection[str] = ()
) -> RuleProblem:
    """The one error of these rules, or where there is none the one warning."""
    _, problems = judged(components, rules, before, refusing)
    (problem,) = errors(problems) or problems
    return problem


def errors(problems: Sequence[RuleProblem]) -> list[RuleProblem]:
    return [told for told in problems if told.problem.severity == "error"]


def codes(
    components: Mapping[str, Kinds], rules: Mapping[str, str], before: Before = NONE, refusing: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Every problem of these rules, as rule and code, ascending."""
    return sorted((told.rule, told.problem.code) for told in judged(components, rules, before, refusing)[1])


def only_rule(components: Mapping[str, Kinds], match: str) -> CompiledRule:
    """The one rule with this match."""
    (rule,) = accepted(components, {"it": match}).ordered
    return rule


def names(ruleset: RuleSet) -> list[str]:
    return [rule.name for rule in ruleset.ordered]
