"""One rule, from its syntax tree to what the store runs: names and types resolved, every problem found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo

from wakeful_grammar.nodes import Absent, Compare, Gate, Occasion, Present, PropertyOperand
from wakeful_grammar.problems import Problem, Span, problem_at

from ..predicates import HasComponent, Predicate, Read, all_of, negated
from ..resolve import QueryResolver
from ..vocab.model import Component, Rule
from .facts import Clause, clause_of, facts_of
from .marks import MarkReader
from .model import CompiledRule, Emitted, RuleProblem
from .moments import settled

_Written = Present | Absent | Compare


def compile_rule(
    rule: Rule, components: Mapping[str, Component], zone: tzinfo
) -> tuple[CompiledRule | None, list[RuleProblem]]:
    """The rule, or None where it has an error, and every problem of its match (the design's section 4).

    Whether it feeds itself, and what it does beside other rules, is judged later, rule set by rule set.
    """
    tree = rule.tree
    resolver = QueryResolver(tree.text, components)
    clauses: list[Clause] = []
    tests: list[Predicate] = []
    reads: set[Read] = set()
    for node in tree.clauses:
        if _hops(node):
            resolver.report(
                node.span,
                "rule-hop",
                f"`{_text(tree.text, node.span)}` reads through a reference; a rule judges one row by itself",
                "keep what the rule needs on the row, and test it there",
            )
            continue
        before = len(resolver.problems)
        test = resolver.lower(node, tree.clauses)
        if len(resolver.problems) == before:
            tests.append(test)
            clauses.append(clause_of(settled(test, zone), node.span, _text(tree.text, node.span)))
            reads |= _reads(resolver, node, tree.clauses)
    marks = MarkReader(tree, resolver.names, zone)
    marks.read()
    if not tree.clauses and not any(isinstance(mark, Gate | Occasion) for mark in tree.marks):
        resolver.report(
            Span(0, len(tree.text)),
            "rule-without-clause",
            "this rule has no clause: it would act on every row",
            "say which rows it is for, for example `.component`",
        )
    if resolver.problems:
        return None, [_about_match(rule, problem) for problem in resolver.problems]
    for name, gate in marks.gates.items():
        tests.append(negated(HasComponent(name)))
        clauses.append(clause_of(tests[-1], gate.span, f"+!{name}"))
        reads.add((name, None))
    facts = facts_of(clauses)
    where: Predicate = all_of(tests)
    written: set[Read] = set()
    for write in marks.writes:
        written.add((write.component, None))
        if write.property is not None:
            written.add((write.component, write.property.name))
    compiled = CompiledRule(
        rule.name,
        where,
        tuple(marks.writes),
        frozenset(reads),
        frozenset(written),
        frozenset(component for component, _ in reads | written),
        rule.before,
        rule.description,
        tree.text,
        facts,
        Emitted(where, zone),
    )
    return compiled, _warnings(compiled)


def _warnings(rule: CompiledRule) -> list[RuleProblem]:
    if not rule.facts.impossible:
        return []
    problem = problem_at(
        rule.match,
        Span(0, len(rule.match)),
        "rule-never-matches",
        f"the rule `{rule.name}` never acts: {rule.facts.impossible}",
        "take out one of the clauses that exclude each other",
        severity="warning",
    )
    return [_about_match(rule, problem)]


def _about_match(rule: Rule | CompiledRule, problem: Problem) -> RuleProblem:
    return RuleProblem(rule.name, problem, "match", problem.span)


def _text(text: str, span: Span) -> str:
    shown = text[span.start : span.end]
    return shown if len(shown) <= 60 else shown[:57] + "…"


def _hops(node: _Written) -> bool:
    paths = [node.path]
    if isinstance(node, Compare):
        paths += [item.path for item in node.items if isinstance(item, PropertyOperand)]
    return any(len(path.parts) > 2 for path in paths)


def _reads(resolver: QueryResolver, node: _Written, beside: tuple[_Written, ...]) -> set[Read]:
    """What a clause reads, however its test was simplified: a property with its component's presence."""
    if isinstance(node, Present | Absent):
        component, *rest = node.path.parts
        return {(component, None), *((component, name) for name in rest)}
    prop = resolver.names.compared(node, [clause.path for clause in beside])
    assert prop is not None, "the clause was lowered without a problem"
    found: set[Read] = {(prop.component, None), (prop.component, prop.name)}
    for item in node.items:
        if isinstance(item, PropertyOperand):
            component, name = item.path.parts
            found |= {(component, None), (component, name)}
    return found
