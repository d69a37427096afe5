"""Rows of component tables to values of bundles and back, a set at a time.

Values are the canonical ones of a bundle: instants as RFC 3339 text, references as eids, JSON as objects.
Tables keep instants as fixed-width text and references as nums; the change of clothes happens here alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
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


AMONG = "IN (SELECT value FROM json_each(?))"
"""A condition on nums that are one parameter, a JSON array: one statement text however many there are."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One way to write a row's columns (`one`), and one that writes the same columns to many nums (`many`).

    `encode` makes the columns of a row's values; what the values are of is told by `properties`.
    """

    one: str
    many: str
    properties: tuple[Property, ...]
    encode: Callable[[Values, NumOf], tuple[Any, ...]]


_WORTH_GROUPING = 8
"""Rows that must share their values, on average, for one statement a group to be faster than one a row."""


class ComponentTable:
    """How one component's rows are read and written."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.properties: tuple[Property, ...] = tuple(component.properties.values())
        self.names: tuple[str, ...] = tuple(prop.name for prop in self.properties)
        self.blank: Values = dict.fromkeys(self.names)
        self.decode: Callable[[Sequence[Any]], Values] = decoder(self.properties)
        read = "".join(f", {readable(prop, 't')}" for prop in self.properties)
        self._table = table(component.name)
        self._load = f"SELECT t.num{read} FROM {self._table} t WHERE t.num {AMONG}"
        self._load_one = f"SELECT t.num{read} FROM {self._table} t WHERE t.num = ?"
        columns = self._columns(self.properties)
        listed, marks = "".join(f", {name}" for name in columns), ", ?" * len(columns)
        into = f"INSERT INTO {self._table} (num{listed})"
        self._insert = Statement(
            f"{into} VALUES (?{marks})",
            f"{into} SELECT value{marks} FROM json_each(?)",
            self.properties,
            _encoder(self.properties),
        )
        self._updates: dict[tuple[str, ...], Statement] = {}

    def _columns(self, properties: Iterable[Property]) -> list[str]:
        columns = []
        for prop in properties:
            columns.append(column(prop.component, prop.name))
            if prop.kind == "string":
                columns.append(folded(prop.name))
        return columns

    def load(self, transaction: Transaction, nums: Sequence[int]) -> dict[int, Values]:
        """The component of every listed entity that carries it, in one statement."""
        if len(nums) == 1:
            rows = transaction.fetch(self._load_one, (nums[0],))
        else:
            rows = transaction.fetch(self._load, (json.dumps(list(nums)),))
        return {row[0]: self.decode(row[1:]) for row in rows}

    def insert(self, transaction: Transaction, rows: Sequence[tuple[int, Values]], num_of: NumOf) -> None:
        """Add the component to entities that lack it."""
        write_rows(transaction, self._insert, rows, num_of, num_first=True)

    def update(
        self,
        transaction: Transaction,
        names: tuple[str, ...],
        rows: Sequence[tuple[int, Values]],
        num_of: NumOf,
    ) -> None:
        """Write the named properties of entities that carry the component."""
        statement = self._updates.get(names)
        if statement is None:
            properties = tuple(self.component.properties[name] for name in names)
            sets = ", ".join(f"{name} = ?" for name in self._columns(properties))
            update = f"UPDATE {self._table} SET {sets} WHERE num"
            statement = self._updates[names] = Statement(
                f"{update} = ?", f"{update} {AMONG}", properties, _encoder(properties)
            )
        write_rows(transaction, statement, rows, num_of, num_first=False)

    def delete(self, transaction: Transaction, nums: Iterable[int]) -> None:
        """Take the component away from entities."""
        transaction.execute(f"DELETE FROM {self._table} WHERE num {AMONG}", (json.dumps(list(nums)),))

    def holders(self, transaction: Transaction, prop: Property, target: int) -> list[int]:
        """The entities whose reference `prop` names the entity `target`, in num order."""
        name = column(prop.component, prop.name)
        return [
            row[0]
            for row in transaction.fetch(f"SELECT num FROM {self._table} WHERE {name} = ? ORDER BY num", (target,))
        ]


def write_rows(
    transaction: Transaction,
    statement: Statement,
    rows: Sequence[tuple[int, Values]],
    num_of: NumOf,
    *,
    num_first: bool,
) -> None:
    """Write rows: those with the same values in one statement, where enough of them have (a batch of firings)."""
    properties, encode = statement.properties, statement.encode
    if len(rows) >= _WORTH_GROUPING and properties and not any(prop.kind in ("object", "array") for prop in properties):
        pick = itemgetter(*[prop.name for prop in properties])
        groups: defaultdict[Any, list[int]] = defaultdict(list)
        sample: dict[Any, Values] = {}
        for num, values in rows:
            key = pick(values)
            groups[key].append(num)
            sample[key] = values
        if len(groups) * _WORTH_GROUPING <= len(rows):
            for key, nums in groups.items():
                transaction.execute(statement.many, (*encode(sample[key], num_of), json.dumps(nums)))
            return
    if num_first:
        transaction.executemany(statement.one, [(num, *encode(values, num_of)) for num, values in rows])
    else:
        transaction.executemany(statement.one, [(*encode(values, num_of), num) for num, values in rows])


@lru_cache(maxsize=1024)
def decoder(properties: tuple[Property, ...]) -> Callable[[Sequence[Any]], Values]:
    """A function from a row of columns to values, written out for these properties: rows come by the thousand."""
    namespace: dict[str, Any] = {}
    parts = []
    for place, prop in enumerate(properties):
        value = f"row[{place}]"
        if prop.kind in _DECODERS:
            namespace[f"read{place}"] = _DECODERS[prop.kind]
            value = f"None if {value} is None else read{place}({value})"
        parts.append(f"{prop.name!r}: {value}")
    function: Callable[[Sequence[Any]], Values] = eval(f"lambda row: {{{', '.join(parts)}}}", namespace)
    return function


def _encoder(properties: Iterable[Property]) -> Callable[[Values, NumOf], tuple[Any, ...]]:
    """A function from values to the columns of these properties, written out in the same way."""
    namespace: dict[str, Any] = {"fold": fold}
    parts = []
    for place, prop in enumerate(properties):
        value = f"values[{prop.name!r}]"
        if prop.kind == "string":
            parts += [value, f"None if {value} is None else fold({value})"]
        elif prop.kind == "reference":
            parts.append(f"None if {value} is None else num_of({value})")
        elif prop.kind in _ENCODERS:
            namespace[f"write{place}"] = _ENCODERS[prop.kind]
            parts.append(f"None if {value} is None else write{place}({value})")
        else:
            parts.append(value)
    columns = "".join(part + ", " for part in parts)
    function: Callable[[Values, NumOf], tuple[Any, ...]] = eval(f"lambda values, num_of: ({columns})", namespace)
    return function


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
