"""Short words for the vocabularies that these tests declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import wakeful
from runtime.garden import at
from wakeful.testing import ManualClock

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
ARRAY: Schema = {"type": "array"}
INSTANT: Schema = {"type": "string", "format": "date-time"}

START = "2026-09-20T08:00:00Z"


def has(**properties: Schema) -> Schema:
    """A component with these properties."""
    return {"properties": properties}


def ref(component: str, **more: Any) -> Schema:
    """A reference property."""
    return {"type": "string", "ref": component, **more}


def rule(match: str) -> Schema:
    """A rule with this match."""
    return {"rule": True, "match": match}


def vocab(**definitions: Schema) -> Schema:
    """A vocabulary of these entries."""
    return {"$defs": definitions}


def opened(
    path: str | Path = ":memory:", start: str = START, /, **definitions: Schema
) -> tuple[wakeful.Store, ManualClock]:
    """A store on which these entries are deployed, and its clock."""
    clock = ManualClock(at(start))
    store = wakeful.open(path, clock=clock)
    store.deploy(vocab(**definitions))
    return store, clock
