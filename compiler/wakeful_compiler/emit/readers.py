"""How one value is read from a bundle in memory: by its property's type, or as missing.

"In memory, a value of the wrong type counts as missing" (the design's section 2): each reader answers the
value in comparable form, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from wakeful_grammar.problems import WakefulError

from ..instants import BadInstant, as_instant, parse_instant
from ..vocab.model import Kind, Property


def read_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def read_number(value: object) -> int | float | None:
    # NaN is no number of JSON, equals nothing and has no place in an order.
    return value if type(value) is int or (type(value) is float and value == value) else None


def read_integer(value: object) -> int | None:
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def read_boolean(value: object) -> bool | None:
    return value if value is True or value is False else None


def read_object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def read_array(value: object) -> list[Any] | None:
    return value if isinstance(value, list) else None


def read_instant(value: object) -> datetime | None:
    """The instant that a canonical text, any RFC 3339 text with a zone, or an aware datetime names."""
    if isinstance(value, str):
        # The canonical form by its shape, the rest by the strict parser: fromisoformat alone takes too much.
        if len(value) == 20 and value[19] == "Z" and value[10] == "T" and value[4] == "-" and value[13] == ":":
            try:
                return datetime.fromisoformat(value)
            except ValueError:
                return None
        try:
            return parse_instant(value)
        except BadInstant:
            return None
    if isinstance(value, datetime):
        try:
            return as_instant(value)
        except BadInstant:
            return None
    return None


READERS: Mapping[Kind, Callable[[object], Any]] = MappingProxyType(
    {
        "string": read_text,
        "reference": read_text,
        "number": read_number,
        "integer": read_integer,
        "boolean": read_boolean,
        "object": read_object,
        "array": read_array,
        "instant": read_instant,
    }
)


# --- through references ---------------------------------------------------------------------------

Lookup = Callable[[str], Any]
"""The bundle of the entity with an eid, or None when there is none (or it is deleted)."""


class Matches(Protocol):
    """Whether a bundle matches; `now` is an aware datetime, `lookup` gives the bundle of an eid, or None."""

    def __call__(self, row: Mapping[str, Any], now: datetime | None = None, lookup: Lookup | None = None) -> bool: ...


class LookupNeeded(WakefulError):
    """A query that reads through references was evaluated in memory without a `lookup`."""


def lookup_needed() -> NoReturn:
    """Say what an evaluation that reads through references lacks."""
    raise LookupNeeded(
        "this query reads through a reference: pass lookup=, a function from an eid to that entity's bundle, or None"
    )


def follow(component: Any, name: str, lookup: Lookup) -> Any:
    """The bundle that a reference of `component` names; None where the reference or its target is missing."""
    eid = component.get(name) if component is not None else None
    return lookup(eid) if isinstance(eid, str) else None


class ValueOf(Protocol):
    """The value of one property in comparable form, hops followed; None for missing."""

    def __call__(self, row: Mapping[str, Any], lookup: Lookup | None = None) -> Any: ...


def value_of(prop: Property) -> ValueOf:
    """How a property is read from a row that may hold anything; one behind references needs a lookup."""
    read, name, component = READERS[prop.kind], prop.name, prop.component

    def own(row: Mapping[str, Any], lookup: Lookup | None = None) -> Any:
        holder = row.get(component)
        return read(holder.get(name)) if isinstance(holder, dict) else None

    def behind(row: Mapping[str, Any], lookup: Lookup | None = None) -> Any:
        if lookup is None:
            lookup_needed()
        there: Mapping[str, Any] | None = row
        for hop in prop.via:
            there = follow(component_of(there, hop.component), hop.name, lookup)
        return own(there) if there is not None else None

    return behind if prop.via else own


def reader(prop: Property, lookup: Lookup | None) -> Callable[[Mapping[str, Any]], Any]:
    """A function from a bundle to the value of a property, hops followed, in comparable form; None for missing."""
    if prop.via and lookup is None:
        lookup_needed()
    return partial(value_of(prop), lookup=lookup) if prop.via else value_of(prop)


def component_of(row: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    """A component of a bundle; None when it is missing or no object."""
    component = row.get(name) if row is not None else None
    return component if isinstance(component, dict) else None
