"""Deploying a vocabulary: what is added, kept, dropped and renamed, and what is refused.

What the file no longer names is kept while any row holds it, and dropped when it is empty; a retype is refused
while any row holds a value.  A refused deploy changes nothing (the design's 10-language, "Evolution at deploy").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from wakeful_compiler.emit.names import column, folded, table
from wakeful_compiler.errors import VocabError
from wakeful_compiler.instants import format_instant
from wakeful_compiler.values import BadValue, admit
from wakeful_compiler.vocab.model import Component, Property
from wakeful_compiler.vocabulary import Vocab, load
from wakeful_grammar.problems import Problem

from .engines.records import ComponentTable
from .engines.schema import (
    add_property,
    create_component,
    create_index,
    drop_component,
    drop_index,
    drop_property,
    index_name,
)
from .engines.transaction import Transaction
from .errors import Refused
from .plans import Plans
from .refusals import problem, refuse
from .reports import DeployReport

Document = dict[str, Any]


class Deployment:
    """One deploy under one transaction: from the plans that stand to those of a new vocabulary."""

    def __init__(self, plans: Plans, document: Document, vocab: Vocab, transaction: Transaction, now: datetime) -> None:
        self.old, self.new = plans.components, vocab.components
        self.plans, self.vocab = plans, vocab
        self.transaction, self.now = transaction, now
        self.effective = deepcopy(document)
        self.added: list[str] = []
        self.kept: list[str] = []
        self.dropped: list[str] = []
        self.renamed: list[str] = []
        self.moved_properties: dict[tuple[str, str], str] = {}
        """The new names of renamed properties, by the new name of their component and their own old name."""
        self.notes: list[str] = []
        self._problems: list[Problem] = []

    def run(self, old_document: Document) -> tuple[DeployReport, Vocab]:
        """Move the tables; the report, and the vocabulary as the store has it now, what is kept included.

        Raises Refused, and then the transaction must not be committed.
        """
        definitions: Document = self.effective.setdefault("$defs", {})
        old_definitions: Mapping[str, Any] = old_document.get("$defs", {})
        self._rename_components()
        for name, component in self.old.items():
            if component.builtin:
                continue
            new = self.new.get(name)
            if new is not None:
                self._component(component, new, definitions, old_definitions)
            elif name not in self._moved_away:
                self._departed(component, definitions, old_definitions)
        for name, component in self.new.items():
            if name not in self.old and name not in self._moved_here:
                create_component(self.transaction, component)
                self.added.append(name)
        if self._problems:
            raise Refused(self._problems)
        effective = self.vocab
        if self.kept:
            self._release_references(definitions)
            effective = self._load_effective()
        version = self.plans.version + 1
        self.transaction.execute(
            "INSERT INTO vocabulary VALUES (?, ?, ?)",
            (version, json.dumps(self.effective), format_instant(self.now)),
        )
        self.transaction.execute("UPDATE meta SET value = ? WHERE key = 'vocabulary'", (version,))
        report = DeployReport(
            sorted(self.added),
            sorted(self.kept),
            sorted(self.dropped),
            sorted(self.renamed),
            self.notes,
            version,
        )
        return report, effective

    @property
    def moved_components(self) -> dict[str, str]:
        """The new names of renamed components by the old ones."""
        return {was: name for name, was in self._moved_here.items()}

    def _load_effective(self) -> Vocab:
        """The file's vocabulary with what is kept; both together may break what the file alone does not."""
        try:
            return load(self.effective)
        except VocabError as error:
            reasons = "; ".join(str(found) for found in error.problems)
            raise refuse(
                "vocab-kept",
                f"the file does not fit what stored rows still hold ({', '.join(sorted(self.kept))}): {reasons}",
                "clear what is kept first, or name it in the file",
            ) from None

    def _release_references(self, definitions: Document) -> None:
        """A kept reference to a component that is gone refers to any entity from now on."""
        for definition in definitions.values():
            for schema in definition.get("properties", {}).values():
                if schema.get("ref") not in (None, "entity", *self.new, *definitions):
                    schema["ref"] = "entity"

    # --- components -----------------------------------------------------------------------------

    def _rename_components(self) -> None:
        self._moved_away: set[str] = set()
        self._moved_here: dict[str, str] = {}
        for name, component in self.new.items():
            was = component.was
            if was is None or name in self.old or was not in self.old or was in self.new or was in self._moved_away:
                continue
            old = self.old[was]
            self._moved_away.add(was)
            self._moved_here[name] = was
            for prop in old.properties.values():
                drop_index(self.transaction, prop)
            self.transaction.execute(f"ALTER TABLE {table(was)} RENAME TO {table(name)}")
            self._rename_in_has(was, name)
            self.renamed.append(f"{was} -> {name}")
            moved = Component(
                name,
                {
                    key: Property(name, key, prop.kind, prop.nullable, prop.schema, prop.ref, prop.death, prop.index)
                    for key, prop in old.properties.items()
                },
            )
            for prop in moved.properties.values():
                create_index(self.transaction, prop)
            self.old = {**self.old, name: moved}

    def _drop_was(self, named: Document, kept: str, prefix: str) -> None:
        """A `was` that came too late: both names are in use, so nothing was renamed."""
        for name, definition in named.items():
            if isinstance(definition, dict) and definition.get("was") == kept:
                del definition["was"]
                self.notes.append(f"`{prefix}{name}` exists already: nothing was renamed, and `{prefix}{kept}` is kept")

    def _rename_in_has(self, was: str, name: str) -> None:
        carrying = self.transaction.fetch(f"SELECT e.num, e.has FROM entity e JOIN {table(name)} t ON t.num = e.num")
        moved = []
        for num, has in carrying:
            names = [name if part == was else part for part in has.split(" ")]
            moved.append((" ".join(sorted(names)), num))
        self.transaction.executemany("UPDATE entity SET has = ? WHERE num = ?", moved)

    def _departed(self, component: Component, definitions: Document, old: Mapping[str, Any]) -> None:
        rows = self.transaction.value(f"SELECT count(*) FROM {table(component.name)}")
        if rows:
            self.kept.append(component.name)
            if component.name in definitions:
                self._problems.append(
                    problem(
                        "vocab-kept-name",
                        f"`{component.name}` cannot become a rule while {rows} rows hold the component of that name",
                        "give the rule another name, or remove the component from those rows first",
                    )
                )
                return
            self._drop_was(definitions, component.name, "")
            definitions[component.name] = _without_was(old[component.name])
        else:
            drop_component(self.transaction, component)
            self.dropped.append(component.name)

    # --- properties -----------------------------------------------------------------------------

    def _component(
        self, old: Component, new: Component, definitions: Document, old_definitions: Mapping[str, Any]
    ) -> None:
        name = old.name
        sources = old_definitions.get(self._moved_here.get(name, name), {}).get("properties", {})
        renamed = self._rename_properties(old, new)
        for key, prop in old.properties.items():
            if key in renamed.values():
                continue
            if key in new.properties:
                self._changed(prop, new.properties[key])
            elif self._holding(prop):
                self.kept.append(prop.path)
                target: Document = definitions[name].setdefault("properties", {})
                self._drop_was(target, key, f"{name}.")
                # A `was` that points here has found its property in use under the old name: both live on.
                target[key] = _without_was(sources.get(key, {"type": "string"}))
            else:
                drop_property(self.transaction, prop)
                self.dropped.append(prop.path)
        for key, prop in new.properties.items():
            if key in renamed:
                self._changed(_named(old.properties[renamed[key]], key), prop)
            elif key not in old.properties:
                add_property(self.transaction, prop)
                self.added.append(prop.path)

    def _rename_properties(self, old: Component, new: Component) -> dict[str, str]:
        renamed: dict[str, str] = {}
        for key, prop in new.properties.items():
            was = prop.was
            if was is None or key in old.properties or was not in old.properties or was in new.properties:
                continue
            if was in renamed.values():
                continue
            before = old.properties[was]
            drop_index(self.transaction, before)
            names = [(column(old.name, was), column(old.name, key))]
            if before.kind == "string":
                names.append((folded(was), folded(key)))
            for left, right in names:
                self.transaction.execute(f"ALTER TABLE {table(old.name)} RENAME COLUMN {left} TO {right}")
            create_index(self.transaction, _named(before, key))
            renamed[key] = was
            self.moved_properties[old.name, was] = key
            self.renamed.append(f"{old.name}.{was} -> {old.name}.{key}")
        return renamed

    def _holding(self, prop: Property) -> int:
        name = column(prop.component, prop.name)
        found = self.transaction.value(f"SELECT count(*) FROM {table(prop.component)} WHERE {name} IS NOT NULL")
        assert isinstance(found, int)
        return found

    def _changed(self, old: Property, new: Property) -> None:
        if old.kind != new.kind:
            self._retype(old, new)
        elif index_name(old) and (old.index, old.ref) != (new.index, new.ref):
            drop_index(self.transaction, old)
            create_index(self.transaction, new)
        if dict(old.schema) != dict(new.schema):
            self._count_unsatisfied(new)

    def _retype(self, old: Property, new: Property) -> None:
        rows = self._holding(old)
        if not rows:
            drop_property(self.transaction, old)
            add_property(self.transaction, new)
        elif (old.kind, new.kind) == ("integer", "number"):
            name = column(old.component, old.name)
            odd = self.transaction.value(
                f"SELECT count(*) FROM {table(old.component)} WHERE CAST(CAST({name} AS REAL) AS INTEGER) <> {name}"
            )
            if odd:
                self._problems.append(
                    problem(
                        "vocab-retype",
                        f"`{new.path}` cannot turn into a number while {odd} "
                        f"{'row holds' if odd == 1 else 'rows hold'} an integer that no double can hold",
                        "integers beyond 2^53 are not all doubles: change those values first",
                    )
                )
                return
            drop_index(self.transaction, old)
            run = self.transaction.execute
            run(f"ALTER TABLE {table(old.component)} RENAME COLUMN {name} TO x_{old.name}")
            add_property(self.transaction, new)
            run(f"UPDATE {table(old.component)} SET {name} = CAST(x_{old.name} AS REAL)")
            run(f"ALTER TABLE {table(old.component)} DROP COLUMN x_{old.name}")
        else:
            self._problems.append(
                problem(
                    "vocab-retype",
                    f"`{new.path}` cannot turn from {old.kind} into {new.kind} while {rows} "
                    f"{'row holds' if rows == 1 else 'rows hold'} a value",
                    f"add a property with a new name and move the values, or clear `{new.path}` first",
                )
            )

    def _count_unsatisfied(self, prop: Property) -> None:
        """A tightened schema never breaks a stored row; the report says how many no longer satisfy it."""
        if self._problems:
            return
        check = admit(prop)
        reader = ComponentTable(Component(prop.component, {prop.name: prop}))
        nums = [row[0] for row in self.transaction.fetch(f"SELECT num FROM {table(prop.component)}")]
        bad = 0
        for values in reader.load(self.transaction, nums).values():
            value = values[prop.name]
            if value is None:
                continue
            try:
                check(value)
            except BadValue:
                bad += 1
        if bad:
            self.notes.append(
                f"{bad} stored {'row' if bad == 1 else 'rows'} of `{prop.path}` no longer satisfy its schema"
            )


def _without_was(definition: Mapping[str, Any]) -> Document:
    """A kept definition: where it came from is history, and its name may stand in the file again."""
    kept = {key: value for key, value in definition.items() if key != "was"}
    if isinstance(kept.get("properties"), Mapping):
        kept["properties"] = {name: _without_was(schema) for name, schema in kept["properties"].items()}
    return kept


def _named(prop: Property, name: str) -> Property:
    return Property(
        prop.component,
        name,
        prop.kind,
        prop.nullable,
        prop.schema,
        prop.ref,
        prop.death,
        prop.index,
        prop.was,
    )
