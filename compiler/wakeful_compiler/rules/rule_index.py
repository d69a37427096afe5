"""Which rules a write may set off: rules by what they read, ask for and exclude, as sets of bits.

Everything errs to one side: a rule that is left out is surely not set off.  A set of rules is the bits of an int, so
that a thousand rules beside a thousand writes cost little.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import or_
from typing import Any

from ..commands.effects import Change
from ..predicates import Comparison, Constant, Read, TimeBound
from .facts import ALWAYS_THERE, Clause, truth
from .model import CompiledRule, OccasionTest


class Trigger:
    """One write as a whole, the changes of its rows side by side; `occasions` where it is the own write of a stage."""

    __slots__ = ("_changing", "_leaving", "_removing", "all", "changes", "occasions")

    def __init__(self, changes: Iterable[Change], *, occasions: bool = True) -> None:
        self.changes = tuple({change.key: change for change in changes}.values())
        self.occasions = occasions
        self.all: frozenset[Read] = frozenset().union(*(change.changes for change in self.changes))
        # What only one change does is certain of its row, whichever rows are one.
        self._changing = Counter(read for change in self.changes for read in change.changes)
        self._leaving = Counter(name for change in self.changes for name in change.there)
        self._removing = Counter(name for change in self.changes for name in change.removed)

    def alone(self, read: Read) -> bool:
        """Whether one change alone touches this."""
        return self._changing[read] == 1

    def removes(self, name: str) -> bool:
        """Whether some change takes the component away."""
        return self._removing[name] > 0

    def leaves(self, name: str) -> bool:
        """Whether some change leaves the component there."""
        return self._leaving[name] > 0


class RuleIndex:
    """Rules by what sets them off, each a bit: state rules by what they read, the others by their occasions."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self.rules = rules
        self._reads: dict[Read, int] = {}
        self._occasions: dict[tuple[OccasionTest, ...], int] = {}
        self._needs: dict[str, dict[str, int]] = {}
        self._present: dict[str, int] = {}
        self._absent: dict[str, int] = {}
        self._equal: dict[Read, int] = {}
        self._equal_to: dict[tuple[Read, object], int] = {}
        self._bounds: dict[Read, Bounds] = {}
        self._compared: dict[Read, list[tuple[int, Clause]]] = {}
        self._failing: dict[tuple[Read, type, Constant], int] = {}
        for position, rule in enumerate(rules):
            self._add(rule, 1 << position)

    def _add(self, rule: CompiledRule, bit: int) -> None:
        if rule.facts.impossible:
            return
        if rule.kind == "state":
            for read in rule.reads:
                self._reads[read] = self._reads.get(read, 0) | bit
        if rule.occasions:
            self._occasions[rule.occasions] = self._occasions.get(rule.occasions, 0) | bit
        for component, there in rule.facts.presence.items():
            known = self._present if there else self._absent
            known[component] = known.get(component, 0) | bit
        for (component, name), values in rule.facts.values.items():
            if name is not None and not values.missing:
                needs = self._needs.setdefault(component, {})
                needs[name] = needs.get(name, 0) | bit
        for clause in rule.facts.clauses:
            self._compare(clause, bit)

    def _compare(self, clause: Clause, bit: int) -> None:
        read = clause.only
        if read is None or read[1] is None:
            return
        match clause.test:
            case Comparison(prop, "=", bound) if prop.kind != "instant":
                self._equal[read] = self._equal.get(read, 0) | bit
                self._equal_to[read, bound] = self._equal_to.get((read, bound), 0) | bit
            case Comparison(prop, ordering, bound) if prop.kind != "instant" and not isinstance(bound, TimeBound):
                self._bounds.setdefault(read, Bounds()).add(ordering, bound, bit)
            case _:
                self._compared.setdefault(read, []).append((bit, clause))

    def readers(self, reads: Iterable[Read]) -> int:
        """The state rules that read one of these."""
        bits = 0
        for read in reads:
            bits |= self._reads.get(read, 0)
        return bits

    def set_off_by(self, trigger: Trigger, among: int) -> int:
        """The rules among these that the write may set off, for all that is known of the rows it leaves."""
        found = 0
        for change in trigger.changes:
            found |= self._by(change, trigger, among & ~found)
        return found

    def _by(self, change: Change, trigger: Trigger, among: int) -> int:
        hit = self._state(change, trigger) & among
        if trigger.occasions:
            hit |= self._on_occasion(change, trigger) & among
        for name in change.there:
            if hit and not trigger.removes(name):
                hit &= ~self._absent.get(name, 0)
        for name in change.removed:
            if hit and not trigger.leaves(name):
                hit &= ~self._present.get(name, 0)
        if hit and change.fresh:
            hit &= ~self._more_than(change)
        for read, value in change.values.items():
            if hit and trigger.alone(read):
                hit &= ~self._failed_by(read, value)
        return hit

    def _failed_by(self, read: Read, value: Constant | None) -> int:
        """The rules of which some clause is surely false once the property holds this, None for no value."""
        component, name = read
        if value is None:
            return self._needs.get(component, {}).get(name or "", 0)
        key = (read, type(value), value)
        found = self._failing.get(key)
        if found is None:
            found = self._equal.get(read, 0) & ~self._equal_to.get((read, value), 0)
            if read in self._bounds:
                found |= self._bounds[read].failed_by(value)
            for bit, clause in self._compared.get(read, ()):
                if not found & bit and truth(clause.test, value) is False:
                    found |= bit
            self._failing[key] = found
        return found

    def _more_than(self, change: Change) -> int:
        """The rules that ask for more than a fresh row has."""
        bits = 0
        for name, asking in self._present.items():
            if name not in change.there and name not in ALWAYS_THERE:
                bits |= asking
        for component in change.there:
            for name, needing in self._needs.get(component, {}).items():
                if (component, name) not in change.changes:
                    bits |= needing
        return bits

    def _state(self, change: Change, trigger: Trigger) -> int:
        hit = 0
        for read in change.changes:
            bits = self._reads.get(read, 0)
            if bits and read[1] is None and read[0] in change.added:
                # Where it is new, what nobody writes has no value: a rule that needs one finds none.
                for name, needing in self._needs.get(read[0], {}).items():
                    if (read[0], name) not in trigger.all:
                        bits &= ~needing
            hit |= bits
        return hit

    def _on_occasion(self, change: Change, trigger: Trigger) -> int:
        hit = 0
        for tests, bits in self._occasions.items():
            if any(_meets(change, test) for test in tests) and all(
                any(_meets(other, test) for other in trigger.changes) for test in tests
            ):
                hit |= bits
        return hit


class Bounds:
    """Ordered comparisons of one property with constants, by rule: which of them a value fails is looked up."""

    __slots__ = ("_added", "_sorted")

    def __init__(self) -> None:
        self._added: dict[str, list[tuple[Any, int]]] = {}
        self._sorted: dict[str, tuple[list[Any], list[int]]] = {}

    def add(self, ordering: str, bound: Constant, bit: int) -> None:
        self._added.setdefault(ordering, []).append((bound, bit))

    def failed_by(self, value: Any) -> int:
        failed = 0
        for ordering in self._added:
            bounds, masks = self._masks(ordering)
            # Of `<` the least bounds fail first, of `>` the greatest: the masks are summed from that side.
            place = {
                "<": bisect_right(bounds, value),
                "<=": bisect_left(bounds, value),
                ">": bisect_left(bounds, value),
                ">=": bisect_right(bounds, value),
            }[ordering]
            failed |= masks[place]
        return failed

    def _masks(self, ordering: str) -> tuple[list[Any], list[int]]:
        found = self._sorted.get(ordering)
        if found is None:
            added = sorted(self._added[ordering])
            bits = [bit for _, bit in added]
            if ordering in ("<", "<="):
                masks = list(accumulate(bits, or_, initial=0))
            else:
                masks = list(accumulate(reversed(bits), or_, initial=0))[::-1]
            found = self._sorted[ordering] = ([bound for bound, _ in added], masks)
        return found


def _meets(change: Change, test: OccasionTest) -> bool:
    """Whether the change may be the occasion; a firing is none that a write can be."""
    if test.firing:
        return False
    if test.name is not None:
        return (test.component, test.name) in change.changes
    return test.component in (change.removed if test.removed else change.added)


def positions_of(bits: int) -> Iterator[int]:
    """The positions of a set of rules, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
