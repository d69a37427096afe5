"""A vocabulary with a command of each kind, and what tests ask of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import wakeful
from wakeful.plans import Plans
from wakeful_compiler.commands import CompiledCommand, Filled

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
TEXT, REFERENCE = {"type": "string"}, {"type": "string", "ref": "entity"}
INPUT: dict[str, Any] = {
    "name": TEXT,
    "who": REFERENCE,
    "n": {"type": "number", "minimum": -1000},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "day": {"type": "string", "format": "date-time"},
    "side": {"type": "string", "enum": ["north", "south"]},
    "code": {"type": "string", "pattern": "[a-z]{2}"},
    "more": {"type": "object"},
    "tags": {"type": "array"},
}
COMPONENTS: dict[str, Any] = {
    "plant": {
        "properties": {
            "window": {"type": "string", "enum": ["north", "south"]},
            "height": {"type": "number"},
            "leaves": {"type": "integer"},
            "edible": {"type": "boolean"},
            "bought": {"type": "string", "format": "date-time"},
            "keeper": REFERENCE,
            "care": {"type": "object"},
            "note": TEXT,
        }
    },
}


def document(entry: Mapping[str, Any], inputs: Mapping[str, Any] = INPUT, **more: Any) -> dict[str, Any]:
    """The garden with one command, `act`, and what else is given."""
    act = {"tool": True, "description": "x", "input": dict(inputs), **entry}
    return {"$defs": {**COMPONENTS, "act": act, **more}}


def command(entry: Mapping[str, Any], inputs: Mapping[str, Any] = INPUT) -> CompiledCommand:
    """The command `act` of such a garden."""
    return wakeful.load(document(entry, inputs)).compiled_commands["act"]


def plans(entry: Mapping[str, Any]) -> Plans:
    return Plans(wakeful.load(document(entry)), 1)


def plain(given: Any) -> Any:
    """A filled template without the marks of its values."""
    if isinstance(given, Filled):
        return given.value
    if isinstance(given, dict):
        return {key: plain(member) for key, member in given.items()}
    return [plain(member) for member in given] if isinstance(given, list) else given
