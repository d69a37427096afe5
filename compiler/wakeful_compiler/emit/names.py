"""How components and properties are called in SQL: prefixed, so that none can collide with a word of SQL's own."""

from __future__ import annotations

from ..vocab.model import Property

ENTITY = "entity"


def table(component: str) -> str:
    """The table of a component; `entity` is a table of its own."""
    return ENTITY if component == "entity" else f"c_{component}"


def column(component: str, property_name: str) -> str:
    """The column of a property."""
    return property_name if component == "entity" else f"p_{property_name}"


def folded(property_name: str) -> str:
    """The column with a text's case-folded form; NULL where folding changes nothing."""
    return f"f_{property_name}"


def readable(prop: Property, alias: str) -> str:
    """The SQL of a property's value as an answer shows and orders it: for a reference, the target's eid."""
    name = f"{alias}.{column(prop.component, prop.name)}"
    return f"(SELECT r.eid FROM entity r WHERE r.num = {name})" if prop.kind == "reference" else name
