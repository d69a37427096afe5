"""The components that every store has (the design's section 1)."""

from __future__ import annotations

from .model import Component, Death, Kind, Property


def _component(name: str, /, **kinds: Kind | tuple[str, Death]) -> Component:
    properties: dict[str, Property] = {}
    for word, kind in kinds.items():
        key = word.rstrip("_")  # `while` is a word of Python's own
        if isinstance(kind, tuple):
            target, death = kind
            properties[key] = Property(name, key, "reference", schema={"type": "string"}, ref=target, death=death)
        else:
            properties[key] = Property(name, key, kind)
    return Component(name, properties, builtin=True)


def builtin_components() -> dict[str, Component]:
    """The built-in components by name, in the order the design lists them."""
    listed = (
        _component("entity", eid="string", num="integer"),
        _component("created", at="instant", by="string"),
        _component("updated", at="instant", by="string"),
        _component("doc", title="string", body="string"),
        _component("wake", at="instant", every="string", note="string", target=("entity", "release"), while_="array"),
        _component("fired", at="instant", due="instant"),
        _component("tool", name="string", description="string"),
        _component("call", to="string", args="object", source=("entity", "keep"), due="instant"),
        _component("execution", state="string", at="instant", error="string"),
        _component("result", call=("entity", "cascade"), value="object", ms="number"),
        _component("refusal", about=("entity", "cascade"), error="string", at="instant", times="integer"),
    )
    return {component.name: component for component in listed}


STAMPED = frozenset({"entity", "created", "updated"})
"""Components that only the store writes; no rule and no bundle may (`fired` is history, yet open to both)."""
