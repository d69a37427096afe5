"""How an aggregate spells a value, so that memory and every engine answer in the same words."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from .instants import format_instant
from .numbers import canonical_double
from .vocab.model import Kind


def shown_value(kind: Kind, value: Any) -> Any:
    """A value in comparable form as JSON has it: instants as canonical text, integral doubles as integers."""
    if isinstance(value, datetime):
        return format_instant(value)
    return canonical_double(value) if kind == "number" else value


def tally_key(value: Any) -> str:
    """A shown value as the key of an object: a text is itself, a number or boolean its JSON text."""
    return value if isinstance(value, str) else json.dumps(value)
