"""One rule, from its syntax tree to what the store runs: names and types resolved, every problem found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING

from wakeful_grammar.nodes import Absent, Compare, Occasion, Present, PropertyOperand
from wakeful_grammar.problems import Problem, Span, problem_at

from ..outside import never_equal
from ..predicates import ALWAYS, HasComponent, HasValue, Predicate, Read, all_of, leaf_reads, leaves, negated
from ..resolve import QueryResolver, naming_paths
from ..vocab.model import Component, Property, Rule
from .facts import Clause, clause_of, facts_of
from .mark_values import hop_of_a_state_rule
from .marks import MarkReader
from .model import CompiledRule, Emitted, OccasionTest, RuleKind, RuleProblem
from .occasions import OccasionReader, never_at_once
from .settling import settled

if TYPE_CHECKING:
    from ..commands import CompiledCommand
    from .calls import CompiledCall

_Written = Present | Absent | Compare


def compile_rule(
    rule: Rule,
    components: Mapping[str, Component],
    zone: tzinfo,
    commands: Mapping[str, CompiledCommand] = MappingProxyType({}),
) -> tuple[CompiledRule | None, list[RuleProblem]]:
    """The rule, or None where it has an error, and every problem of its match (the design's section 4).

    Whether it feeds itself, and what it does beside other rules, is judged later, rule set by rule set.
    """
    compiler = _Compiler(rule, components, zone, commands)
    compiled = compiler.compile()
    problems = [_about_match(rule, problem) for problem in compiler.resolver.problems] + compiler.about_call
    return compiled, problems + (_warnings(compiled) if compiled is not None else [])


def kind_of(rule: Rule) -> RuleKind:
    """What kind of rule it is: one that refuses, one that acts on occasions, or a state rule."""
    if rule.refuse is not None:
        return "refuse"
    return "occasion" if any(isinstance(mark, Occasion) for mark in rule.tree.marks) else "state"


class _Compiler:
    """One rule on its way: clauses, what they test and what they read."""

    def __init__(
        self,
        rule: Rule,
        components: Mapping[str, Component],
        zone: tzinfo,
        commands: Mapping[str, CompiledCommand],
    ) -> None:
        self.rule, self.tree, self.zone, self.commands = rule, rule.tree, zone, commands
        self.kind = kind_of(rule)
        self._on_occasion = any(isinstance(mark, Occasion) for mark in rule.tree.marks)
        self.resolver = QueryResolver(rule.tree.text, components)
        self.marks = MarkReader(rule.tree, self.resolver.names, zone)
        self.occasions = OccasionReader(self.resolver, zone, self.marks.name_span)
        self.clauses: list[Clause] = []
        self.tests: list[Predicate] = []
        self.reads: set[Read] = set()
        self.beyond: set[str] = set()
        self.call: CompiledCall | None = None
        self.about_call: list[RuleProblem] = []

    def compile(self) -> CompiledRule | None:
        asked = [mark for mark in self.tree.marks if isinstance(mark, Occasion)]
        beside = (*self.tree.clauses, *(mark.clause for mark in asked))
        for node in self.tree.clauses:
            self._clause(node, beside)
        for mark in asked:
            if not self._refuse_hops(mark.clause, mark.span):
                self.occasions.read(mark, self._text(mark.span))
        if self.kind == "refuse":
            self.marks.refuse_writes()
        else:
            self.marks.read(calls=self.rule.call is not None)
        if self.rule.call is not None:
            self._call(self.rule.call)
        self._implied()
        if not self.clauses and not asked and not self.resolver.problems:
            self.resolver.report(
                Span(0, len(self.tree.text)),
                "rule-without-clause",
                "this rule has no clause: it would act on every row",
                "say which rows it is for, for example `.component`",
            )
        return None if self.resolver.problems or self.about_call else self._compiled()

    def _call(self, name: str) -> None:
        from .calls import CallReader

        reader = CallReader(self.rule, self.commands[name], self.resolver.components, self.zone, self._on_occasion)
        self.call, self.about_call = reader.read(), reader.problems
        # Like any copy, one that an argument is asks that its source be there.
        self.marks.copies += [(copy, Span(0, len(self.tree.text))) for copy in reader.copies]

    def _compiled(self) -> CompiledRule:
        written: set[Read] = set()
        for write in self.marks.writes:
            if write.property is not None:
                written.add((write.component, write.property.name))
                continue
            written.add((write.component, None))
            if write.removes:
                owner = self.resolver.components[write.component]
                written |= {(write.component, name) for name in owner.properties}
        occasions, compared = tuple(self.occasions.tests), self.occasions.compared
        tests = self.tests
        own: Predicate = ALWAYS
        if self.kind == "refuse":
            own = all_of(compared)
        elif compared:
            # Judged on what the own write left, as all the rest of the match is.
            tests = [*tests, *compared]
        where = all_of(tests)
        reads = self.reads
        for test in occasions:
            reads |= {(test.component, None), test.read}
        for predicate in compared:
            reads |= {read for leaf in leaves(predicate) for read in leaf_reads(leaf)}
        return CompiledRule(
            self.rule.name,
            self.kind,
            where,
            tuple(self.marks.writes),
            frozenset(reads),
            frozenset(written),
            frozenset(component for component, _ in reads | written),
            self.rule.before,
            self.rule.description,
            self.tree.text,
            facts_of([*self.clauses, *self.occasions.clauses]),
            Emitted(where, self.zone),
            occasions,
            self.marks.deletes is not None,
            self.rule.refuse,
            frozenset(self.marks.gates),
            frozenset(self.beyond),
            own,
            None if own is ALWAYS else Emitted(own, self.zone),
            self.call,
        )

    # --- clauses --------------------------------------------------------------------------------

    def _clause(self, node: _Written, beside: tuple[_Written, ...]) -> None:
        if self._refuse_hops(node, node.span):
            return
        before = len(self.resolver.problems)
        test = self.resolver.lower(node, beside)
        if len(self.resolver.problems) == before:
            self.tests.append(test)
            self.clauses.append(clause_of(settled(test, self.zone), node.span, self._text(node.span)))
            self._note_reads(node, beside)

    def _implied(self) -> None:
        """What marks ask of the row: absence by a gate, presence by `*` and by a copy."""
        for name, span in self.marks.gates.items():
            self._ask(negated(HasComponent(name)), span, f"+!{name}")
            self.reads.add((name, None))
        for name, span in self.marks.held.items():
            self._ask(HasComponent(name), span, f".{name}")
            self.reads.add((name, None))
        for copy, span in self.marks.copies:
            self._ask(HasValue(copy.source), span, f".{copy.source.path}")
            self._read(copy.source)

    def _ask(self, test: Predicate, span: Span, text: str) -> None:
        self.tests.append(test)
        self.clauses.append(clause_of(test, span, text))

    def _refuse_hops(self, node: _Written, span: Span) -> bool:
        if self._on_occasion or not _hops(node):
            return False
        self.resolver.report(span, "rule-hop", *hop_of_a_state_rule(self._text(span)))
        return True

    def _text(self, span: Span) -> str:
        shown = self.tree.text[span.start : span.end]
        return shown if len(shown) <= 60 else shown[:57] + "…"

    def _read(self, prop: Property) -> None:
        """A property is read, with its component's presence; what lies behind a reference is another row's."""
        for each in (*prop.via, prop):
            self.reads |= {(each.component, None), (each.component, each.name)}
        self.beyond |= {each.component for each in (*prop.via, prop)[1:]}

    def _note_reads(self, node: _Written, beside: tuple[_Written, ...]) -> None:
        """What a clause reads, however its test was simplified."""
        names = self.resolver.names
        if not isinstance(node, Compare):
            if len(node.path.parts) == 1:
                self.reads.add((node.path.parts[0], None))
                return
            found = [names.reached(node.path)]
        else:
            operands = [item.path for item in node.items if isinstance(item, PropertyOperand)]
            found = [names.compared(node, naming_paths(beside)), *map(names.reached, operands)]
        for prop in found:
            assert prop is not None, "the clause was lowered without a problem"
            self._read(prop)


def _warnings(rule: CompiledRule) -> list[RuleProblem]:
    stranger = never_at_once(rule.occasions)
    if stranger is not None:
        return [_never(rule, _no_firing(stranger), f"write `{_plain(stranger)}` to ask for what is there")]
    if rule.facts.impossible:
        return [_never(rule, rule.facts.impossible, "take out one of the clauses that exclude each other")]
    hint = "write a value that the property can have, or add this one to its schema"
    reasons = ((clause, never_equal(clause.test)) for clause in rule.facts.clauses)
    return [_never(rule, reason, hint, clause.span) for clause, reason in reasons if reason is not None]


def _never(rule: CompiledRule, reason: str, hint: str, span: Span | None = None) -> RuleProblem:
    does = "refuses" if rule.kind == "refuse" else "acts"
    problem = problem_at(
        rule.match,
        span or Span(0, len(rule.match)),
        "rule-never-matches",
        f"the rule `{rule.name}` never {does}: {reason}",
        hint,
        severity="warning",
    )
    return _about_match(rule, problem)


def _no_firing(test: OccasionTest) -> str:
    return f"a firing writes `fired` and moves `wake.at` alone, which `{test.text}` is no part of"


def _plain(test: OccasionTest) -> str:
    return f"{'!' if test.removed else '.'}{test.text.lstrip('^!')}"


def _about_match(rule: Rule | CompiledRule, problem: Problem) -> RuleProblem:
    return RuleProblem(rule.name, problem, "match", problem.span)


def _hops(node: _Written) -> bool:
    paths = [node.path]
    if isinstance(node, Compare):
        paths += [item.path for item in node.items if isinstance(item, PropertyOperand)]
    return any(len(path.parts) > 2 for path in paths)
