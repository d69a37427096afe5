"""The garden that runtime tests share: a plant whose wake has fired has been watered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import wakeful
from wakeful.testing import ManualClock

GARDEN: dict[str, Any] = {
    "$defs": {
        "plant": {"properties": {"window": {"type": "string"}}},
        "watered": {"properties": {"by": {"type": "string"}}},
        "waters": {
            "rule": True,
            "description": "a plant whose wake has fired has been watered",
            "match": ".plant, .wake, .fired, +!watered, +watered.by=wake",
        },
    }
}


def at(text: str) -> datetime:
    """An instant of a test, from its RFC 3339 text."""
    return datetime.fromisoformat(text).astimezone(UTC)


def garden(
    start: str = "2026-09-20T08:00:00Z", path: str = ":memory:", **options: Any
) -> tuple[wakeful.Store, ManualClock]:
    """A store with the garden deployed, and the clock that rules it."""
    clock = ManualClock(at(start))
    store = wakeful.open(path, clock=clock, **options)
    store.deploy(GARDEN)
    return store, clock
