"""What running a command may change, read off its template (the design's section 4, the call graph).

Everything errs to one side: what is not listed as changed stays as it is, whatever the arguments are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wakeful_grammar.node import field, node

from ..predicates import Constant, Read
from ..templates.holes import holes, is_alias, only_hole, plain
from ..values import BadValue, admit
from ..vocab.model import Command, Component, Property

_EID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")


@node
class Change:
    """What one write does to one row: components added and taken away, properties written.

    `changes` are all that may differ afterwards, `added` the components that may be new, `there` those that are there
    then, `removed` those that are not; `values` are the constants known to stand then, None for a property that has no
    value.  A `fresh` row has nothing but what is written here.
    """

    changes: frozenset[Read]
    added: frozenset[str] = frozenset()
    there: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    values: Mapping[Read, Constant | None] = field(default_factory=dict, compare=False)
    fresh: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for changes that are alike."""
        values = frozenset((read, type(value), value) for read, value in self.values.items())
        return self.changes, self.added, self.there, self.removed, values, self.fresh


@node
class Effects:
    """What a command's own write may do: `changes` row by row, `deletes`, and the commands that it calls by name.

    `calls_any` tells that it calls one that is known only when it runs.
    """

    changes: tuple[Change, ...] = ()
    deletes: bool = False
    calls: frozenset[str] = frozenset()
    calls_any: bool = False


def effects_of(command: Command, components: Mapping[str, Component], commands: Mapping[str, Command]) -> Effects:
    """The effects of a command; a query and a worker write nothing of their own."""
    if command.does != "apply":
        return Effects()
    reading = _Reading(command, components, commands)
    for bundle in reading.bundles:
        reading.bundle(bundle)
    return Effects(tuple(reading.changes), reading.deletes, frozenset(reading.calls), reading.calls_any)


def called_by(text: str, commands: Iterable[str]) -> str | None:
    """The command that a text in `call.to` names, "*" where it may be any, None where it is none of this file."""
    if text in commands:
        return text
    # What looks like an eid may be that of a command.
    return "*" if _EID.fullmatch(text) else None


def deletion_changes(references: Iterable[Property]) -> Iterator[Change]:
    """What may become of rows that refer to one that is deleted."""
    for prop in references:
        if prop.death == "detach":
            read = (prop.component, prop.name)
            yield Change(frozenset({read}), values={read: None})
        elif prop.death == "release":
            yield Change(
                frozenset({(prop.component, None), (prop.component, prop.name)}), removed=frozenset({prop.component})
            )


class _Reading:
    def __init__(self, command: Command, components: Mapping[str, Component], commands: Mapping[str, Command]) -> None:
        self._inputs, self._components, self._commands = command.inputs, components, commands
        self.bundles = command.template if isinstance(command.template, list) else [command.template]
        self._eids = Counter(self._eids_in(self.bundles))
        self.changes: list[Change] = []
        self.deletes = self.calls_any = False
        self.calls: set[str] = set()

    def _eids_in(self, bundles: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        for bundle in bundles:
            yield (bundle.get("entity") or {}).get("eid", "")
            for name, written in bundle.items():
                component = self._components.get(name)
                if component is not None and written is not None and name != "entity":
                    nested = [
                        value
                        for key, value in written.items()
                        if isinstance(value, Mapping)
                        and (prop := component.properties.get(key)) is not None
                        and prop.kind == "reference"
                    ]
                    yield from self._eids_in(nested)

    def _is_fresh(self, bundle: Mapping[str, Any]) -> bool:
        """Whether the bundle alone makes its entity: it names none, or an alias that no other bundle has."""
        eid = (bundle.get("entity") or {}).get("eid")
        return eid is None or (is_alias(eid, self._inputs) and self._eids[eid] == 1)

    def bundle(self, bundle: Mapping[str, Any]) -> None:
        if "tombstone" in bundle or "tombstone" in (bundle.get("entity") or {}):
            self.deletes = True
        changes: set[Read] = set()
        added: set[str] = set()
        there: set[str] = set()
        removed: set[str] = set()
        values: dict[Read, Constant | None] = {}
        for name, written in bundle.items():
            component = self._components.get(name)
            if component is None or name == "entity":
                continue
            if written is None:
                removed.add(name)
                changes |= {(name, None), *((name, key) for key in component.properties)}
                continue
            there.add(name)
            if all(written.get(key) is not None for key in component.required):
                # Without what it requires, a component can only be patched where it is.
                changes.add((name, None))
                added.add(name)
            for key, value in written.items():
                prop = component.properties.get(key)
                if prop is not None:  # one that is declared and cannot be used has had its problem reported
                    changes.add((name, key))
                    self._value(prop, value, values)
        fresh = self._is_fresh(bundle)
        self.changes.append(
            Change(frozenset(changes), frozenset(added), frozenset(there), frozenset(removed), values, fresh)
        )

    def _value(self, prop: Property, value: Any, values: dict[Read, Constant | None]) -> None:
        read = (prop.component, prop.name)
        if prop.path == "call.to":
            self._call(value)
        if value is None:
            values[read] = None
        elif prop.kind == "reference" and isinstance(value, Mapping):
            self.bundle(value)
        elif prop.kind in ("string", "number", "integer", "boolean"):
            if isinstance(value, str):
                if holes(value):
                    return
                value = plain(value)
            try:
                known = admit(prop)(value)
            except BadValue:
                return
            assert isinstance(known, str | int | float)
            values[read] = known

    def _call(self, value: Any) -> None:
        if not isinstance(value, str):
            return
        if holes(value):
            name = only_hole(value)
            listed = self._inputs[name].schema.get("enum") if name is not None else None
            named = [called_by(str(each), self._commands) for each in listed] if listed else ["*"]
        else:
            named = [called_by(plain(value), self._commands)]
        self.calls_any = self.calls_any or "*" in named
        self.calls.update(name for name in named if name is not None and name != "*")
