"""The one pass of state rules over a row (the design's section 4).

The compiler has put the rules in an order in which one pass is the fixpoint; so a pass keeps the set of rules
whose reads have changed, takes the first of them, and never turns back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from wakeful_compiler.emit.python import Matches
from wakeful_compiler.predicates import Read, TimeBound
from wakeful_compiler.rules.model import CompiledRule
from wakeful_compiler.rules.ruleset import RuleSet

from .refusals import refuse
from .rows import Row

_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)

Blanks = Mapping[str, Mapping[str, Any]]


class RulePass:
    """A vocabulary's rules, ready to run over rows."""

    def __init__(
        self, rules: RuleSet, blanks: Mapping[str, Mapping[str, Any]], required: Mapping[str, tuple[str, ...]]
    ):
        self._rules: tuple[CompiledRule, ...] = rules.ordered
        self._matches: list[Matches | None] = [None] * len(rules.ordered)
        self._blanks, self._required = blanks, required
        # What a rule writes, once and for all where no moment is in it.
        self._outputs: list[Mapping[str, Mapping[str, Any]] | None] = [
            None if any(isinstance(write.value, TimeBound) for write in rule.writes) else rule.output(_ANY_TIME)
            for rule in rules.ordered
        ]
        self._references: list[list[tuple[str, str]]] = [
            [
                (write.property.path, str(write.value))
                for write in rule.writes
                if write.property is not None and write.property.kind == "reference"
            ]
            for rule in rules.ordered
        ]
        self.targets = sorted({eid for references in self._references for _, eid in references})
        """The eids that rules write as references: a stage looks them up before the rules run."""
        # A set of rules is the bits of an int: the lowest bit is the rule that comes first.
        self._readers: dict[Read, int] = {
            read: sum(1 << position for position in positions) for read, positions in rules.by_read.items()
        }
        self._closures: dict[frozenset[str], tuple[frozenset[str], frozenset[str]]] = {}

    def run(self, row: Row, now: datetime, is_live: Callable[[str], bool]) -> None:
        """Let every rule act that the row's changes set off, in the one order, each at most once.

        `is_live` tells of the eids among `targets` whether they are there to be referred to.  Raises Refused.
        """
        pending = self._bits(row.changes)
        row.changes.clear()
        while pending:
            lowest = pending & -pending
            pending ^= lowest
            position = lowest.bit_length() - 1
            if not self._judge(position, row, now):
                continue
            self._act(position, row, now, is_live)
            if row.changes:
                woken = self._bits(row.changes)
                row.changes.clear()
                # The order makes this so; an assertion watches the theorem.
                assert not woken & (lowest - 1) or self._still(woken & (lowest - 1), row, now), (
                    f"rule {self._rules[position].name} re-enabled a rule that stands before it"
                )
                pending |= woken & -(lowest << 1)

    def _still(self, earlier: int, row: Row, now: datetime) -> bool:
        return not any(self._judge(position, row, now) for position in _positions(earlier))

    def _judge(self, position: int, row: Row, now: datetime) -> bool:
        matches = self._matches[position]
        if matches is None:
            matches = self._matches[position] = self._rules[position].matches
        return matches(row.bundle, now)

    def _act(self, position: int, row: Row, now: datetime, is_live: Callable[[str], bool]) -> None:
        for path, eid in self._references[position]:
            if not is_live(eid):
                raise refuse(
                    "unknown-entity",
                    f"rule `{self._rules[position].name}` refers in `{path}` of {row.eid} to {eid}, which is not there",
                    "write that entity first",
                )
        output = self._outputs[position]
        if output is None:
            output = self._output(self._rules[position], row, now)
        for component, values in output.items():
            if component in self._required and component not in row.bundle:
                self._check_required(self._rules[position], row, component, values)
            row.put(component, values, self._blanks[component])

    def _output(self, rule: CompiledRule, row: Row, now: datetime) -> Mapping[str, Mapping[str, Any]]:
        try:
            return rule.output(now)
        except OverflowError:
            raise refuse(
                "limit-instant",
                f"rule `{rule.name}` writes to {row.eid} an instant outside the years 0001 to 9999",
            ) from None

    def _check_required(self, rule: CompiledRule, row: Row, component: str, values: Mapping[str, Any]) -> None:
        missing = [name for name in self._required[component] if name not in values]
        if missing:
            names = ", ".join(f"`{component}.{name}`" for name in missing)
            raise refuse(
                "vocab-required",
                f"rule `{rule.name}` adds `{component}` to {row.eid} without {names}, which the vocabulary requires",
                f"let the rule write it: `+{component}.{missing[0]}=…`",
            )

    def _bits(self, changes: Iterable[Read]) -> int:
        readers = self._readers
        bits = 0
        for change in changes:
            bits |= readers.get(change, 0)
        return bits

    def closure(self, components: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        """What a change of these components can make the pass look at.

        The first set are the components whose values a rule may read or write, the second those of which only
        the presence is asked.
        """
        key = frozenset(components)
        found = self._closures.get(key)
        if found is None:
            found = self._closures[key] = self._close(key)
        return found

    def _close(self, changed: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        by_component: dict[str, int] = {}
        for (component, _), bits in self._readers.items():
            by_component[component] = by_component.get(component, 0) | bits
        seen, queue, reached = set(changed), list(changed), 0
        while queue:
            fresh = by_component.get(queue.pop(), 0) & ~reached
            reached |= fresh
            for position in _positions(fresh):
                for write in self._rules[position].writes:
                    if write.component not in seen:
                        seen.add(write.component)
                        queue.append(write.component)
        values, presence = set[str](), set[str]()
        for position in _positions(reached):
            rule = self._rules[position]
            values |= {component for component, name in rule.reads if name is not None}
            values |= {write.component for write in rule.writes}
            presence |= rule.components
        return frozenset(values - {"entity"}), frozenset(presence - values - {"entity"})


def _positions(bits: int) -> Iterable[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
