"""Stores with a few rules: for the tests of what rules make of a write and of a firing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import wakeful
from runtime.garden import at
from wakeful.testing import ManualClock

EIGHT = "2026-09-20T08:00:00Z"
NINE = "2026-09-20T09:00:00Z"

DATE = {"type": "string", "format": "date-time"}


def ref(target: str, death: str = "keep") -> dict[str, str]:
    return {"type": "string", "ref": target, "death": death}


def ruled(
    components: Mapping[str, Mapping[str, Any]], rules: Mapping[str, Any], start: str = EIGHT, path: str = ":memory:"
) -> tuple[wakeful.Store, ManualClock]:
    """A store with these components (property to type or schema) and rules (match, or whole entry), and its clock."""
    clock = ManualClock(at(start))
    store = wakeful.open(path, clock=clock)
    store.deploy(vocabulary(components, rules))
    return store, clock


def vocabulary(components: Mapping[str, Mapping[str, Any]], rules: Mapping[str, Any]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for name, properties in components.items():
        schemas = {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in properties.items()}
        entries[name] = {"properties": schemas}
    for name, rule in rules.items():
        entries[name] = {"rule": True, **({"match": rule} if isinstance(rule, str) else rule)}
    return {"$defs": entries}


def refusing(match: str, text: str) -> dict[str, str]:
    return {"match": match, "refuse": text}


def part(store: wakeful.Store, eid: str, component: str) -> Any:
    """A component of an entity as stored; None where it has none."""
    (row,) = store.query(f'.eid="{eid}" ?{component}')
    return row.get(component)


def put(store: wakeful.Store, eid: str, /, **changes: Any) -> wakeful.Applied:
    return store.apply({"entity": {"eid": eid}, **changes})
