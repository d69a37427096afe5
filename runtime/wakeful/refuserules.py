"""Rules that refuse: judged when the other rules of a stage are done, a match turns the whole stage down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wakeful_compiler.predicates import Read
from wakeful_compiler.rules.model import CompiledRule
from wakeful_grammar.problems import Problem

from .errors import Refused
from .occasions import Firing, Triggers, reads_fired
from .refusals import problem
from .rows import Row
from .ruleacts import Surroundings


class Refusals:
    """The rules of a vocabulary that refuse, in their order; a set of them is the bits of `row.refusing`."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._rules = rules
        self._triggers = Triggers(rules)
        self._readers: dict[Read, int] = {}
        for position, rule in enumerate(rules):
            if not rule.occasions:
                for read in rule.reads:
                    self._readers[read] = self._readers.get(read, 0) | 1 << position
        self.reads_fired = reads_fired(rules)

    def note(self, row: Row) -> None:
        """Remember which rules read something among the row's changes."""
        for change in row.changes:
            row.refusing |= self._readers.get(change, 0)

    def note_occasions(self, row: Row, stage: Surroundings, firing: Firing | None) -> None:
        """Remember the rules whose occasion the own write was, as long as the row is as that left it."""
        for position in self._triggers.met(row, firing):
            emitted = self._rules[position].occasion_emitted
            if emitted is None or emitted.function()(row.bundle, stage.now, stage.lookup):
                row.refusing |= 1 << position

    def judge(self, rows: Iterable[Row], stage: Surroundings) -> None:
        """Raise Refused, with every text that applies, where a rule matches one of these rows."""
        found: list[Problem] = []
        for row in rows:
            if row.refusing and not row.deleted:
                for position, rule in enumerate(self._rules):
                    if row.refusing >> position & 1 and rule.matches(row.bundle, stage.now, stage.lookup):
                        found.append(problem("rule-refused", f"{rule.refuse} (rule `{rule.name}`, {row.eid})"))
            row.refusing = 0
        if found:
            raise Refused(found)

    def set_off_by(self, own: Iterable[str], changed: Iterable[str]) -> list[CompiledRule]:
        """The rules to judge when an own write touches `own`, and it and other rules change `changed`."""
        touched = set(changed)
        asked = set(self._triggers.about(own))
        return [
            rule
            for position, rule in enumerate(self._rules)
            if position in asked or (not rule.occasions and any(component in touched for component, _ in rule.reads))
        ]
