"""The template of an `apply` command, made ready once and filled in for each call.

What is a bundle, a reference to an alias, or a value is decided by the template's text alone, before any argument
is known.  Every value comes out as :class:`Filled`, which whoever reads the bundle takes as a value and as nothing
else: an argument `$fern` is a text, and an argument that is an object is an object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wakeful_grammar.node import node

from ..templates.holes import is_alias, only_hole, pieces
from ..vocab.model import Command, Component

Args = Mapping[str, Any]


@node
class Filled:
    """A value of a filled template; `inputs` are the names of the arguments it was made of."""

    value: Any
    inputs: tuple[str, ...] = ()

    def told(self, message: str) -> str:
        """A message about the value that names the arguments behind it."""
        named = ", ".join(f"args.{name}" for name in self.inputs)
        return f"{named}: {message}" if named else message


class _Left:
    """What stands for a key that is dropped with the optional argument it asked for."""


LEFT_OUT = _Left()

Make = Callable[[Args], Any]


class BundleFilling:
    """The bundles of one command."""

    def __init__(self, command: Command, components: Mapping[str, Component]) -> None:
        self._components, self._inputs = components, command.inputs
        template = command.template if isinstance(command.template, list) else [command.template]
        self._aliases = frozenset(alias for bundle in template for alias in self._find_aliases(bundle))
        self._bundles = [self._bundle(bundle) for bundle in template]

    def fill(self, args: Args) -> list[Any]:
        """The bundles, in the order of the template, with canonical arguments in place."""
        return [make(args) for make in self._bundles]

    # --- bundles --------------------------------------------------------------------------------

    def _find_aliases(self, bundle: Mapping[str, Any]) -> Iterable[str]:
        eid = (bundle.get("entity") or {}).get("eid")
        if isinstance(eid, str) and is_alias(eid, self._inputs):
            yield eid
        for name, values in bundle.items():
            component = self._components.get(name)
            if component is None or not isinstance(values, Mapping):
                continue
            for key, value in values.items():
                if isinstance(value, Mapping) and component.properties[key].kind == "reference":
                    yield from self._find_aliases(value)

    def _bundle(self, bundle: Mapping[str, Any]) -> Make:
        makes: dict[str, Make] = {}
        for name, value in bundle.items():
            if name == "$was":
                makes[name] = _members({key: self._guard(member) for key, member in value.items()})
            elif name == "entity":
                makes[name] = _members({key: self._of_entity(key, member) for key, member in value.items()})
            elif name in ("tombstone", "$absent") or value is None:
                makes[name] = _constant(value)
            else:
                makes[name] = self._component(self._components[name], value)
        return _members(makes)

    def _of_entity(self, key: str, value: Any) -> Make:
        return _constant(value) if key != "eid" or value in self._aliases else _value(value)

    def _component(self, component: Component, values: Mapping[str, Any]) -> Make:
        makes: dict[str, Make] = {}
        for key, value in values.items():
            is_reference = component.properties[key].kind == "reference"
            if value is None or (is_reference and isinstance(value, str) and value in self._aliases):
                makes[key] = _constant(value)
            elif is_reference and isinstance(value, Mapping):
                makes[key] = self._bundle(value)
            else:
                makes[key] = _value(value)
        return _members(makes)

    def _guard(self, values: Mapping[str, Any] | None) -> Make:
        if values is None:
            return _constant(None)
        return _members({key: _constant(None) if value is None else _value(value) for key, value in values.items()})


# --- values -------------------------------------------------------------------------------------


def spelled(value: Any) -> str:
    """An argument as it stands inside text: as JSON spells it, a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fill_text(text: str) -> tuple[Make, tuple[str, ...]]:
    """What fills in one text of a template, and the inputs it asks for."""
    alone = only_hole(text)
    if alone is not None:
        return lambda args: args.get(alone, LEFT_OUT), (alone,)
    parts = pieces(text)
    names = tuple(dict.fromkeys(part.name for part in parts if not isinstance(part, str)))

    def make(args: Args) -> Any:
        if any(name not in args for name in names):
            return LEFT_OUT
        return "".join(part if isinstance(part, str) else spelled(args[part.name]) for part in parts)

    return make if names else _constant("".join(map(str, parts))), names


def _value(given: Any) -> Make:
    """What makes one value of a property, marked as that."""
    make, names = _inside(given)
    if not names:
        return _constant(Filled(make({})))

    def filled(args: Args) -> Any:
        value = make(args)
        return value if value is LEFT_OUT else Filled(value, names)

    return filled


def _inside(given: Any) -> tuple[Make, tuple[str, ...]]:
    if isinstance(given, str):
        return fill_text(given)
    if isinstance(given, Mapping):
        members = {key: _inside(member) for key, member in given.items()}
        return _members({key: make for key, (make, _) in members.items()}), _names(members.values())
    if isinstance(given, list):
        items = [_inside(item) for item in given]
        makes = [make for make, _ in items]
        return (
            lambda args: [value for make in makes if (value := make(args)) is not LEFT_OUT],
            _names(items),
        )
    return _constant(given), ()


def _names(made: Iterable[tuple[Make, tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, names in made for name in names))


def _members(makes: Mapping[str, Make]) -> Make:
    return lambda args: {key: value for key, make in makes.items() if (value := make(args)) is not LEFT_OUT}


def _constant(value: Any) -> Make:
    return lambda args: value
