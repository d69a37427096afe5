"""Random vocabularies, and rows that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from strategies.pools import EIDS, NAMES, ZONES, values
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Component, Declarations, Kind, Property

Bundle = dict[str, Any]

_SCHEMAS: Mapping[Kind, Mapping[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "array": {"type": "array"},
    "instant": {"type": "string", "format": "date-time"},
    "reference": {"type": "string", "ref": "entity"},
}
KINDS: tuple[Kind, ...] = (*_SCHEMAS, "reference", "reference")

GONE = ("gone", "Γ")
"""Entities that rows may still name, though they are deleted."""


@st.composite
def vocabularies(draw: st.DrawFn) -> Declarations:
    """Up to three components of up to four properties beside the built-in ones, in some zone; no rules."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    components = builtin_components()
    for name in names:
        keys = draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True))
        properties = {}
        for key in keys:
            kind = draw(st.sampled_from(KINDS))
            ref = "entity" if kind == "reference" else None
            indexed = kind not in ("object", "array") and draw(st.booleans())
            properties[key] = Property(name, key, kind, schema=_SCHEMAS[kind], ref=ref, index=indexed)
        components[name] = Component(name, properties)
    return Declarations(components, {}, draw(st.sampled_from(ZONES)))


def document(vocab: Declarations) -> dict[str, Any]:
    """The vocab.json that declares this."""
    defs = {
        component.name: {
            "properties": {
                prop.name: {**prop.schema, **({"index": True} if prop.index else {})}
                for prop in component.properties.values()
            }
        }
        for component in vocab.components.values()
        if not component.builtin
    }
    return {"zone": vocab.zone, "$defs": defs}


@st.composite
def rows(draw: st.DrawFn, vocab: Declarations, now: datetime, most: int = 8) -> list[Bundle]:
    """Bundles in order of `num`: components absent or filled; properties unset, null or of their type.

    References name rows of the answer or what is :data:`GONE`.
    """
    eids = draw(st.lists(st.sampled_from(EIDS), min_size=1, max_size=most, unique=True))
    found: list[Bundle] = []
    for num, eid in enumerate(eids, start=1):
        bundle: Bundle = {"entity": {"eid": eid, "num": num}}
        for component in [*own(vocab), vocab.components["doc"]]:
            if draw(st.booleans()):
                bundle[component.name] = {
                    prop.name: draw(st.none() | values(prop.kind, now, [*eids, *GONE]))
                    for prop in component.properties.values()
                    if draw(st.integers(0, 4))
                }
        found.append(bundle)
    return found


def own(vocab: Declarations) -> list[Component]:
    """The components that the app declares."""
    return [component for component in vocab.components.values() if not component.builtin]
