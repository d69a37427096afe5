"""The graph of who sets off whom through commands, which must have no circle (the design's section 4).

Rules ask for commands; a command's own write, and the rows that the store keeps of its run, set off rules; what a rule
writes sets off state rules.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..commands.effects import Change, Effects, called_by, deletion_changes, effects_of
from ..vocab.model import Declarations
from .effects import actor_of, turns
from .graph import circles_of, members_of, shortest_circle
from .model import CompiledRule
from .rule_index import RuleIndex, Trigger, positions_of
from .written import Cleared, Copied

if TYPE_CHECKING:
    from .ruleset import RuleSet

Edge = tuple[str, str]
ANY_COMMAND = "*"

_KEPT: Mapping[str, tuple[str, ...]] = {
    "call": ("to", "args", "source", "due"),
    "execution": ("state", "at", "error"),
    "result": ("call", "value", "ms"),
}


def _kept(component: str) -> Change:
    reads = {(component, None), *((component, name) for name in _KEPT[component])}
    return Change(frozenset(reads), frozenset({component}), frozenset({component}))


ASKED = Trigger((_kept("call"),))
"""The row of a call, which whoever asks for a command writes."""
RECORDED = Trigger((_kept("execution"), _kept("result")), occasions=False)
"""What the store writes of a call that has run: it sets off state rules, and is no occasion."""


@dataclass(frozen=True, slots=True)
class CallEdges:
    """The edges through commands, by name: who asks for which command, and which rules a command sets off.

    `*` stands for every command.
    """

    asks: tuple[Edge, ...] = ()
    sets_off: tuple[Edge, ...] = ()


class CallGraph:
    """Nodes by position: the rules, the commands by name, and three that stand between.

    One leads to every command, one from every command to the rules that the rows of its call set off, and one from
    whatever deletes to the rules of the holders.  `enables` has the rules that each of the first rules, those of
    state, enables.
    """

    def __init__(
        self,
        declarations: Declarations,
        state: Sequence[CompiledRule],
        occasions: Sequence[CompiledRule],
        enables: Sequence[Collection[int]],
    ) -> None:
        self.rules = [*state, *occasions]
        self.commands = sorted(declarations.commands)
        self.names = [*(rule.name for rule in self.rules), *self.commands]
        self.every, self.recorded, self.deleting = range(len(self.names), len(self.names) + 3)
        self._declarations, self._states, self._enables = declarations, len(state), enables
        self._index = RuleIndex(self.rules)
        self._position = {name: len(self.rules) + place for place, name in enumerate(self.commands)}
        self._effects: dict[int, Effects] = {}
        self._set_off: dict[object, int] = {}
        references = [
            prop for each in declarations.components.values() for prop in each.properties.values() if prop.ref
        ]
        self._deletions = tuple(deletion_changes(references))

    def is_rule(self, node: int) -> bool:
        return node < len(self.rules)

    def is_command(self, node: int) -> bool:
        return len(self.rules) <= node < len(self.names)

    # --- edges ----------------------------------------------------------------------------------

    def asked_by(self, position: int) -> set[int]:
        """The commands that a rule asks for, by its `call` or by a mark that writes `call.to`."""
        rule = self.rules[position]
        names = [] if rule.call is None else [rule.call.command]
        for write in rule.writes:
            if write.property is None or write.property.path != "call.to" or isinstance(write.value, Cleared):
                continue
            text = write.value
            named = ANY_COMMAND if isinstance(text, Copied) else called_by(str(text), self._declarations.commands)
            names += [] if named is None else [named]
        return {self.every if name == ANY_COMMAND else self._position[name] for name in names}

    def called_by(self, node: int) -> set[int]:
        """The commands that a command calls by the text of its template."""
        effects = self.effects(node)
        called = {self._position[name] for name in effects.calls}
        return called | {self.every} if effects.calls_any else called

    def effects(self, node: int) -> Effects:
        """What the own write of a command may do."""
        found = self._effects.get(node)
        if found is None:
            commands = self._declarations.commands
            command = commands[self.names[node]]
            found = self._effects[node] = effects_of(command, self._declarations.components, commands)
        return found

    def set_off_by(self, node: int, among: int) -> int:
        """The rules among these that a command's own write may set off, as bits."""
        effects = self.effects(node)
        changes = effects.changes + (self._deletions if effects.deletes else ())
        key = (among, *(change.key for change in changes))
        found = self._set_off.get(key)
        if found is None:
            found = self._set_off[key] = self._index.set_off_by(Trigger(changes), among)
        return found

    def _by_rule(self, position: int, among: int) -> set[int]:
        """The state rules among these that a rule's writes set off, and the node of deletions."""
        rule = self.rules[position]
        followers = {self.deleting} if rule.deletes else set[int]()
        if position < self._states:
            return followers | {other for other in self._enables[position] if among >> other & 1}
        actor = actor_of(rule)
        for other in positions_of(self._index.readers(rule.writes_set) & among):
            if any(turns(actor, clause) for clause in self.rules[other].facts.clauses):
                followers.add(other)
        return followers

    # --- the whole ------------------------------------------------------------------------------

    def circles(self) -> list[list[int]]:
        """A shortest circle of each set of nodes that run in circles through a command.

        It begins with a rule that asks for a command where there is one.
        The nodes that stand between are in it too.
        """
        asked: list[set[int]] = [self.asked_by(position) for position in range(len(self.rules))]
        calling = [node for node in range(len(self.rules), len(self.names)) if self.called_by(node)]
        if not any(asked) and not calling:
            return []
        arrows = self._arrows(asked)
        component = circles_of(arrows)
        found: list[list[int]] = []
        for members in members_of(component).values():
            commands = [node for node in members if self.is_command(node)]
            if not commands or (len(members) == 1 and commands[0] not in arrows[commands[0]]):
                continue
            circle = shortest_circle(arrows, commands[0])
            first = next((place for place, node in enumerate(circle) if self.is_rule(node) and asked[node]), 0)
            found.append(circle[first:] + circle[:first])
        return found

    def _arrows(self, asked: Sequence[set[int]]) -> list[set[int]]:
        """The arrows that can be part of a circle: of rules, only those that lead to a command."""
        leading = self._leading(asked)
        arrows: list[set[int]] = [set() for _ in range(len(self.names) + 3)]
        for position in range(len(self.rules)):
            if asked[position] or leading >> position & 1:
                arrows[position] = asked[position] | self._by_rule(position, leading)
        commands = range(len(self.rules), len(self.names))
        reached = {node for node in commands if self.called_by(node)}.union(*asked)
        waiting = list(reached)
        while waiting:
            node = waiting.pop()
            called = set(commands)
            if node != self.every:
                called = self.called_by(node)
                arrows[node] = called | {self.recorded} | set(positions_of(self.set_off_by(node, leading)))
            else:
                arrows[node] = called
            waiting += called - reached
            reached |= called
        for between, trigger in (
            (self.recorded, RECORDED),
            (self.recorded, ASKED),
            (self.deleting, Trigger(self._deletions, occasions=False)),
        ):
            arrows[between] |= set(positions_of(self._index.set_off_by(trigger, leading)))
        return arrows

    def _leading(self, asked: Sequence[set[int]]) -> int:
        """The rules that ask for a command, or set off rules that do, as bits."""
        back: list[list[int]] = [[] for _ in self.rules]
        for first in range(self._states):
            for second in self._enables[first]:
                back[second].append(first)
        leading = self._closed(0, [position for position in range(len(self.rules)) if asked[position]], back)
        states = (1 << self._states) - 1
        holders = Trigger(self._deletions, occasions=False)
        deletes = bool(self._index.set_off_by(holders, leading & states))
        if deletes:
            deleting = [position for position in range(self._states) if self.rules[position].deletes]
            leading = self._closed(leading, deleting, back)
        for position in range(self._states, len(self.rules)):
            followers = self._by_rule(position, leading & states)
            if followers - {self.deleting} or (deletes and followers):
                leading |= 1 << position
        return leading

    @staticmethod
    def _closed(found: int, waiting: list[int], back: Sequence[Sequence[int]]) -> int:
        while waiting:
            position = waiting.pop()
            if not found >> position & 1:
                found |= 1 << position
                waiting += back[position]
        return found

    def edges(self) -> CallEdges:
        """Every edge through a command, by name."""
        asks = [(node, other) for node in range(len(self.rules)) for other in sorted(self.asked_by(node))]
        whole = (1 << len(self.rules)) - 1
        sets_off: list[Edge] = []
        for node in range(len(self.rules), len(self.names)):
            asks += [(node, other) for other in sorted(self.called_by(node))]
            sets_off += [(self.names[node], self.names[rule]) for rule in positions_of(self.set_off_by(node, whole))]
        if self.commands:
            by_any = self._index.set_off_by(ASKED, whole) | self._index.set_off_by(RECORDED, whole)
            sets_off += [(ANY_COMMAND, self.names[rule]) for rule in positions_of(by_any)]
        return CallEdges(tuple((self.names[node], self._named(other)) for node, other in asks), tuple(sorted(sets_off)))

    def _named(self, node: int) -> str:
        return ANY_COMMAND if node == self.every else self.names[node]


def call_edges(declarations: Declarations, rules: RuleSet) -> CallEdges:
    """The edges through commands of a vocabulary that has been checked."""
    if not declarations.commands:
        return CallEdges()
    return CallGraph(declarations, rules.ordered, rules.occasions, ()).edges()
