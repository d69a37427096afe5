"""The one pass of state rules over a row (the design's section 4).

The compiler has put the rules in an order in which one pass is the fixpoint; so a pass keeps the set of rules
whose reads have changed, takes the first of them, and never turns back.
"""

from __future__ import annotations

from collections.abc import Iterable

from wakeful_compiler.emit.readers import Matches
from wakeful_compiler.predicates import Read
from wakeful_compiler.rules.model import CompiledRule
from wakeful_compiler.rules.ruleset import RuleSet

from .occasions import Occasions
from .refuserules import Refusals
from .rows import Row
from .ruleacts import Blanks, Required, RuleAct, Surroundings, constant_targets


class RulePass:
    """A vocabulary's rules, ready to run over rows.

    `occasions` and `refusals` are the rules that ask for the own write's occasions, and those that refuse; both
    None where a vocabulary has none, which then pays nothing for them.  `plain` tells that it has no other rules
    than state rules, none of which deletes.
    """

    def __init__(self, rules: RuleSet, blanks: Blanks, required: Required):
        self._rules: tuple[CompiledRule, ...] = rules.ordered
        self._matches: list[Matches | None] = [None] * len(rules.ordered)
        self._acts = [RuleAct(rule, blanks, required) for rule in rules.ordered]
        # A set of rules is the bits of an int: the lowest bit is the rule that comes first.
        self._readers: dict[Read, int] = {
            read: sum(1 << position for position in positions) for read, positions in rules.by_read.items()
        }
        self.occasions = Occasions(rules.occasions, blanks, required) if rules.occasions else None
        self.refusals = Refusals(rules.refusals) if rules.refusals else None
        self.reads_fired = any(part is not None and part.reads_fired for part in (self.occasions, self.refusals))
        """Whether a rule asks what `fired` was before a firing."""
        self.plain = not (rules.occasions or rules.refusals or any(act.deletes for act in self._acts))
        self.beyond = sorted({component for rule in rules.all for component in rule.beyond})
        """The components that rules read through references."""
        self.targets = sorted({eid for rule in rules.all for eid in constant_targets(rule)})
        """The eids that rules name as constants: a stage looks them up all at once before the rules run."""
        self._closures: dict[frozenset[str], tuple[frozenset[str], frozenset[str]]] = {}

    def run(self, row: Row, stage: Surroundings) -> None:
        """Let every state rule act that the row's changes set off, in the one order, each at most once.

        A row that a rule puts under `+tombstone` matches no further one; deleting it is the stage's business.
        """
        pending = self._bits(row.changes)
        self._settle(row)
        while pending:
            lowest = pending & -pending
            pending ^= lowest
            position = lowest.bit_length() - 1
            if not self._judge(position, row, stage):
                continue
            act = self._acts[position]
            if act.asks:
                act.ask(act.arguments(row, stage), row, stage)
            act.write(act.output(row, stage), row)
            if row.doomed:
                return
            if row.changes:
                woken = self._bits(row.changes)
                self._settle(row)
                # The order makes this so; an assertion watches the theorem.
                assert not woken & (lowest - 1) or self._still(woken & (lowest - 1), row, stage), (
                    f"rule {self._rules[position].name} re-enabled a rule that stands before it"
                )
                pending |= woken & -(lowest << 1)

    def _settle(self, row: Row) -> None:
        """The row's changes are dealt with, but for the rules that refuse: those look when all else is done."""
        if self.refusals is not None:
            self.refusals.note(row)
        row.changes.clear()

    def _still(self, earlier: int, row: Row, stage: Surroundings) -> bool:
        return not any(self._judge(position, row, stage) for position in positions_of(earlier))

    def _judge(self, position: int, row: Row, stage: Surroundings) -> bool:
        matches = self._matches[position]
        if matches is None:
            matches = self._matches[position] = self._rules[position].matches
        return matches(row.bundle, stage.now)

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
        judged: list[CompiledRule] = []
        if self.occasions is not None:
            judged += self.occasions.set_off_by(changed)
        seen = {*changed, *(write.component for rule in judged for write in rule.writes)}
        queue, reached = list(seen), 0
        while queue:
            fresh = by_component.get(queue.pop(), 0) & ~reached
            reached |= fresh
            for position in positions_of(fresh):
                for write in self._rules[position].writes:
                    if write.component not in seen:
                        seen.add(write.component)
                        queue.append(write.component)
        judged += [self._rules[position] for position in positions_of(reached)]
        if self.refusals is not None:
            judged += self.refusals.set_off_by(changed, seen)
        values, presence = set[str](), set[str]()
        for rule in judged:
            values |= {component for component, name in rule.reads if name is not None}
            values |= {write.component for write in rule.writes}
            presence |= rule.components
        return frozenset(values - {"entity"}), frozenset(presence - values - {"entity"})


def positions_of(bits: int) -> Iterable[int]:
    """The positions of a set of rules, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
