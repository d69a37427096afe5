"""Bundles as a person reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .console import Console

_LONGEST = 60


def show_rows(rows: Sequence[Any], console: Console, nothing: str = "no rows") -> None:
    """A table: the eid, then a column for each component that any row carries; `nothing` is remarked for none."""
    if not rows:
        console.remark(nothing)
        return
    heads: dict[str, None] = {}
    for row in rows:
        heads.update(dict.fromkeys(name for name in row if name != "entity"))
    console.table(
        ["entity", *heads],
        [[eid_of(row), *(cell(row[name], name) if name in row else "" for name in heads)] for row in rows],
    )


def show_aggregate(answer: Mapping[str, Any], console: Console) -> None:
    """What a directive such as `.count` asked for."""
    for name, value in answer.items():
        if value in ({}, []):
            console.remark("no values")
        elif isinstance(value, Mapping):
            console.table([name, "rows"], [[str(key), str(count)] for key, count in value.items()])
        elif isinstance(value, list):
            for item in value:
                console.say(word(item))
        else:
            console.say(word(value))


def eid_of(row: Mapping[str, Any]) -> str:
    """The eid of a bundle, or a dash for one that has none."""
    entity = row.get("entity")
    eid = entity.get("eid") if isinstance(entity, Mapping) else None
    return eid if isinstance(eid, str) else "-"


def cell(component: Any, name: str = "") -> str:
    """A component on one line: what is set, as `name=value`; `removed` for null, `yes` for one with nothing set.

    A wake with nothing set has nothing to come: it is `spent`.
    """
    if component is None:
        return "removed"
    if not isinstance(component, Mapping):
        return word(component)
    return " ".join(f"{key}={word(value)}" for key, value in component.items() if value is not None) or (
        "spent" if name == "wake" else "yes"
    )


def word(value: Any) -> str:
    """A value on one line: a text without quotes where none are needed, anything else as JSON."""
    if isinstance(value, str):
        text = (
            value
            if value and value.isprintable() and not set(value) & set(" \"'=")
            else json.dumps(value, ensure_ascii=False)
        )
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
