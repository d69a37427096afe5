"""Rules on occasions: what the own write of a stage did, judged once, then all written (the design's section 4).

Matches and copies of all of them are taken from the state that the own write left, on every row; only then is
anything written, rule by rule in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wakeful_compiler.emit.readers import Matches
from wakeful_compiler.predicates import Read
from wakeful_compiler.rules.model import CompiledRule, OccasionTest

from .rows import Row, Values, same
from .ruleacts import Arguments, Blanks, Output, Required, RuleAct, Surroundings

_MOST_KNOWN = 1_000


class Occasions:
    """The rules of a vocabulary that ask for occasions, in their order."""

    def __init__(self, rules: Sequence[CompiledRule], blanks: Blanks, required: Required) -> None:
        self._rules = rules
        self._matches: list[Matches | None] = [None] * len(rules)
        self._acts = [RuleAct(rule, blanks, required) for rule in rules]
        self._triggers = Triggers(rules)
        self.reads_fired = reads_fired(rules)
        """Whether what `fired` was before must be known."""

    def run(self, rows: Iterable[Row], stage: Surroundings, firing: Firing | None = None) -> None:
        """Judge every rule on these rows, whose changes are those of the own write; then write."""
        found: list[tuple[int, Row, Output, Arguments | None]] = []
        for row in rows:
            for position in self._triggers.met(row, firing):
                if self._judge(position, row, stage):
                    act = self._acts[position]
                    found.append((position, row, act.output(row, stage), act.arguments(row, stage)))
        if len(found) > 1:
            # Sorted by rule alone: the rows of one rule stay in their order.
            found.sort(key=lambda item: item[0])
        removed: set[tuple[int, str]] = set()
        for position, row, output, arguments in found:
            if row.doomed:
                continue
            if removed:
                output = {name: values for name, values in output.items() if (row.num, name) not in removed}
            self._acts[position].write(output, row)
            self._acts[position].ask(arguments, row, stage)
            if self._acts[position].removes:
                removed.update((row.num, name) for name, values in output.items() if values is None)

    def _judge(self, position: int, row: Row, stage: Surroundings) -> bool:
        matches = self._matches[position]
        if matches is None:
            matches = self._matches[position] = self._rules[position].matches
        return matches(row.bundle, stage.now, stage.lookup)

    def set_off_by(self, components: Iterable[str]) -> list[CompiledRule]:
        """The rules for which an own write that touches these components may be an occasion."""
        return [self._rules[position] for position in self._triggers.about(components)]


class Firing:
    """The firing that an own write is: whose, and that row's `fired` as it was before (None where there was none)."""

    __slots__ = ("fired_before", "row")

    def __init__(self, row: Row, fired_before: Values | None) -> None:
        self.row, self.fired_before = row, fired_before


def reads_fired(rules: Iterable[CompiledRule]) -> bool:
    """Whether one of these asks how `fired` differs from before."""
    return any(test.component == "fired" and test.name is not None for rule in rules for test in rule.occasions)


class Triggers:
    """Which rules of a list have all their occasions in what an own write did to a row."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._occasions: list[tuple[OccasionTest, ...]] = [rule.occasions for rule in rules]
        # One occasion of a rule is enough to look it up by; the others are asked then.
        self._by_read: dict[Read, list[int]] = {}
        for position, occasions in enumerate(self._occasions):
            if occasions:
                self._by_read.setdefault(occasions[0].read, []).append(position)
        self._known: dict[tuple[bool, tuple[Read, ...]], list[int]] = {}

    def met(self, row: Row, firing: Firing | None) -> list[int]:
        """The positions, ascending, of the rules whose every occasion this is; a deleted row has none."""
        if row.deleted or not row.changes:
            return []
        if firing is not None and firing.row is not row:
            firing = None  # the call that a firing writes does not fire itself
        return [
            position
            for position in self._candidates(row, firing is not None)
            if all(_met(test, row, firing) for test in self._occasions[position])
        ]

    def _candidates(self, row: Row, firing: bool) -> list[int]:
        """The rules of which one occasion may be among the row's changes; firings by the hundred change alike."""
        key = (firing, tuple(row.changes))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            reads = {*row.changes, ("fired", None)} if firing else {*row.changes}
            found = sorted({position for read in reads for position in self._by_read.get(read, ())})
            self._known[key] = found
        return found

    def about(self, components: Iterable[str]) -> list[int]:
        """The positions of the rules that a change of these components may set off."""
        named = set(components)
        return [
            position
            for position, occasions in enumerate(self._occasions)
            if any(test.component in named for test in occasions)
        ]


def _met(test: OccasionTest, row: Row, firing: Firing | None) -> bool:
    """Whether the own write did this to the row, from before its first change to now."""
    component = test.component
    if test.firing:
        return firing is not None
    if component not in row.before:
        return False
    before = row.before[component]
    if component == "fired" and firing is not None:
        before = firing.fired_before
    after = row.bundle.get(component)
    if test.name is None:
        return (before is not None and after is None) if test.removed else (before is None and after is not None)
    was = before[test.name] if before is not None else None
    now = after[test.name] if after is not None else None
    return not same(was, now)
