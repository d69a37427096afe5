"""Rows of component tables to values of bundles and back, a set at a time.

Values are the canonical ones of a bundle: instants as RFC 3339 text, references as eids, JSON as objects.
Tables keep instants as fixed-width text and references as nums; the change of clothes happens here alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from wakeful_compiler.emit.names import column, folded, readable, table
from wakeful_compiler.instants import canonical_to_stored, stored_to_canonical
from wakeful_compiler.vocab.model import Component, Property

from .transaction import Transaction

Values = dict[str, Any]
NumOf = Callable[[str], int]


def _number(value: float) -> int | float:
    # "Integral doubles below 2^53 are written as integers."
    return int(value) if value.is_integer() and -(2**53) < value < 2**53 else value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# A batch writes and reads the same instant many times over.
_to_stored = lru_cache(maxsize=4096)(canonical_to_stored)
_from_stored = lru_cache(maxsize=4096)(stored_to_canonical)

_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "number": _number,
    "boolean": bool,
    "object": json.loads,
    "array": json.loads,
    "instant": _from_stored,
}

_ENCODERS: Mapping[str, Callable[[Any], Any]] = {
    "number": float,
    "boolean": int,
    "object": _json,
    "array": _json,
    "instant": _to_stored,
}


def fold(text: str) -> str | None:
    """What a text column keeps beside the text for `~=`: its case-folded form, or None where that is the same."""
    folded_text = text.casefold()
    return None if folded_text == text else folded_text


class ComponentTable:
    """How one component's rows are read and written."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.properties: tuple[Property, ...] = tuple(component.properties.values())
        self.names: tuple[str, ...] = tuple(prop.name for prop in self.properties)
        self.blank: Values = dict.fromkeys(self.names)
        self._decoders = [
            (prop.name, _DECODERS[prop.kind]) for prop in self.properties if prop.kind in _DECODERS
        ]
        columns = "".join(f", {readable(prop, 't')}" for prop in self.properties)
        self._table = table(component.name)
        self._load = (
            f"SELECT t.num{columns} FROM {self._table} t WHERE t.num IN (SELECT value FROM json_each(?))"
        )
        self._load_one = f"SELECT t.num{columns} FROM {self._table} t WHERE t.num = ?"
        self._insert = self._insert_text()
        self._updates: dict[tuple[str, ...], str] = {}

    def _insert_text(self) -> str:
        columns = ["num"]
        for prop in self.properties:
            columns.append(column(prop.component, prop.name))
            if prop.kind == "string":
                columns.append(folded(prop.name))
        return f"INSERT INTO {self._table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"

    def decode(self, row: Sequence[Any]) -> Values:
        """The values of a row of columns, in the component's order of properties."""
        values: Values = dict(zip(self.names, row, strict=True))
        for name, decode in self._decoders:
            value = values[name]
            if value is not None:
                values[name] = decode(value)
        return values

    def load(self, transaction: Transaction, nums: Sequence[int]) -> dict[int, Values]:
        """The component of every listed entity that carries it, in one statement."""
        if len(nums) == 1:
            rows = transaction.fetch(self._load_one, (nums[0],))
        else:
            rows = transaction.fetch(self._load, (json.dumps(list(nums)),))
        return {row[0]: self.decode(row[1:]) for row in rows}

    def insert(self, transaction: Transaction, rows: Iterable[tuple[int, Values]], num_of: NumOf) -> None:
        """Add the component to entities that lack it."""
        parts = _encoders(self.properties, num_of)
        transaction.executemany(
            self._insert, [(num, *[encode(values[name]) for name, encode in parts]) for num, values in rows]
        )

    def update(
        self, transaction: Transaction, names: tuple[str, ...], rows: Iterable[tuple[int, Values]], num_of: NumOf
    ) -> None:
        """Write the named properties of entities that carry the component."""
        properties = [self.component.properties[name] for name in names]
        text = self._updates.get(names)
        if text is None:
            sets = []
            for prop in properties:
                sets.append(f"{column(prop.component, prop.name)} = ?")
                if prop.kind == "string":
                    sets.append(f"{folded(prop.name)} = ?")
            text = self._updates[names] = f"UPDATE {self._table} SET {', '.join(sets)} WHERE num = ?"
        parts = _encoders(properties, num_of)
        transaction.executemany(
            text, [(*[encode(values[name]) for name, encode in parts], num) for num, values in rows]
        )

    def delete(self, transaction: Transaction, nums: Iterable[int]) -> None:
        """Take the component away from entities."""
        transaction.executemany(f"DELETE FROM {self._table} WHERE num = ?", [(num,) for num in nums])

    def holders(self, transaction: Transaction, prop: Property, target: int) -> list[int]:
        """The entities whose reference `prop` names the entity `target`, in num order."""
        name = column(prop.component, prop.name)
        return [row[0] for row in transaction.fetch(f"SELECT num FROM {self._table} WHERE {name} = ? ORDER BY num", (target,))]


def _encoders(properties: Iterable[Property], num_of: NumOf) -> list[tuple[str, Callable[[Any], Any]]]:
    """For each column of these properties, the property's name and how its value becomes the column's."""
    parts: list[tuple[str, Callable[[Any], Any]]] = []
    for prop in properties:
        if prop.kind == "string":
            parts += [(prop.name, _as_is), (prop.name, _folded)]
        elif prop.kind == "reference":
            parts.append((prop.name, _unless_none(num_of)))
        elif prop.kind in _ENCODERS:
            parts.append((prop.name, _unless_none(_ENCODERS[prop.kind])))
        else:
            parts.append((prop.name, _as_is))
    return parts


def _as_is(value: Any) -> Any:
    return value


def _folded(value: str | None) -> str | None:
    return None if value is None else fold(value)


def _unless_none(encode: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else encode(value)


class Tables:
    """Every component table of one vocabulary, made when first asked for."""

    def __init__(self, components: Mapping[str, Component]) -> None:
        self._components = components
        self._tables: dict[str, ComponentTable] = {}
        self.references: tuple[Property, ...] = tuple(
            prop for part in components.values() for prop in part.properties.values() if prop.kind == "reference"
        )

    def __getitem__(self, component: str) -> ComponentTable:
        found = self._tables.get(component)
        if found is None:
            found = self._tables[component] = ComponentTable(self._components[component])
        return found
