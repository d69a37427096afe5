"""Bundles as given become patches: checked against the vocabulary, typed, and free of surprises.

Nothing here reads the store.  Every fault of every bundle is found and reported together, each with the JSON
pointer that leads to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from wakeful_compiler.commands import Filled, arguments_size_problem
from wakeful_compiler.names import properties_of
from wakeful_compiler.nearby import nearest
from wakeful_compiler.texts import shown
from wakeful_compiler.values import BadValue, admit
from wakeful_compiler.vocab.builtin import STAMPED
from wakeful_compiler.vocab.model import Component, Property
from wakeful_compiler.written_moments import moment_hint, read_moment
from wakeful_grammar.problems import Problem

from .conditions.compiled import Conditions
from .conditions.entries import EXAMPLE, read_entries
from .errors import Refused
from .ids import eid_problem
from .refusals import problem
from .schedules import cadence_problem

MAX_BUNDLES = 1_000
MAX_ENTITIES = 10_000
MAX_BUNDLE_SIZE = 1 << 20
MAX_NESTING = 32

UNNAMED = "$#"
"""How the aliases begin that a filled template's nameless bundles have: no text of a bundle can be one."""

_GUARDS = ("$was", "$absent")
_ALIAS = re.compile(r"\$[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class Alias:
    """A reference to the entity that stands behind `$name` in the same call."""

    name: str


@dataclass(slots=True)
class Patch:
    """One bundle, checked: which entity, what to write there, and under which guards."""

    pointer: str
    eid: str | None = None
    alias: str | None = None
    num: int | None = None
    components: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    stamps: dict[str, dict[str, Any]] = field(default_factory=dict)
    delete: bool = False
    was: dict[str, dict[str, Any] | None] | None = None
    absent: tuple[str, ...] | bool = False
    nested: list[Patch] = field(default_factory=list)
    size: int = 0


class BundleReader:
    """Reads the bundles of one vocabulary."""

    def __init__(self, components: Mapping[str, Component], zone: tzinfo, conditions: Conditions) -> None:
        self._components, self._zone, self._conditions = components, zone, conditions
        self._admit: dict[Property, Callable[[object], object]] = {}

    def read(self, given: object, now: datetime) -> list[Patch]:
        """The patches of a bundle or a list of bundles, nested ones behind the one that holds them.

        `now` is what moments (`in-5-minutes`) are counted from.  Raises Refused with every problem found.
        """
        bundles = given if isinstance(given, list | tuple) else [given]
        if len(bundles) > MAX_BUNDLES:
            raise Refused(
                [problem("limit-bundles", f"an apply takes {MAX_BUNDLES} bundles; this one has {len(bundles)}",
                         "apply them in several calls")]
            )  # fmt: skip
        reading = self._reading(now)
        single = not isinstance(given, list | tuple)
        for index, bundle in enumerate(bundles):
            reading.bundle(bundle, "" if single else f"/{index}", 0)
        return self._whole(reading)

    def read_filled(self, filled: Sequence[object], now: datetime) -> list[Patch]:
        """The patches of the bundles that a command was filled into, under the checks of :meth:`read`.

        A `Filled` value is taken as a value whatever it looks like.  A bundle of a fresh entity that the template
        gives no alias has `$#` and its pointer for one, so that every id of a call can be derived.
        """
        reading = self._reading(now)
        for index, bundle in enumerate(filled):
            reading.bundle(bundle, f"/{index}", 0)
        for patch in reading.patches:
            if patch.eid is None and patch.alias is None:
                patch.alias = f"{UNNAMED}{patch.pointer}"
        return self._whole(reading)

    def _whole(self, reading: _Reading) -> list[Patch]:
        if len(reading.patches) > MAX_ENTITIES:
            count = len(reading.patches)
            reading.fault("limit-entities", f"an apply touches {MAX_ENTITIES} entities; this one names {count}", "")
        if reading.problems:
            raise Refused(reading.problems)
        return reading.patches

    def _reading(self, now: datetime) -> _Reading:
        return _Reading(
            self._components, self._admitter, lambda text: read_moment(text, now, self._zone), self._conditions
        )

    def _admitter(self, prop: Property) -> Callable[[object], object]:
        found = self._admit.get(prop)
        if found is None:
            found = self._admit[prop] = admit(prop)
        return found


class _Reading:
    """One call's reading: patches and problems as they are found."""

    def __init__(
        self,
        components: Mapping[str, Component],
        admitter: Callable[[Property], Callable[[object], object]],
        moment: Callable[[str], str | None],
        conditions: Conditions,
    ) -> None:
        self.components, self.admitter, self.moment, self.conditions = components, admitter, moment, conditions
        self.patches: list[Patch] = []
        self.problems: list[Problem] = []

    def fault(self, code: str, message: str, pointer: str, hint: str = "") -> None:
        self.problems.append(problem(code, message, hint, pointer))

    # --- a bundle -------------------------------------------------------------------------------

    def bundle(self, given: object, pointer: str, depth: int) -> Patch | None:
        if not isinstance(given, Mapping):
            self.fault(
                "type-bundle", f"a bundle is an object, not {shown(given)}", pointer,
                'write for example {"entity": {"eid": "$new"}, "doc": {"title": "Fern"}}',
            )  # fmt: skip
            return None
        if depth > MAX_NESTING:
            self.fault("limit-depth", f"bundles nest at most {MAX_NESTING} deep", pointer)
            return None
        patch = Patch(pointer)
        self.patches.append(patch)
        for name, value in given.items():
            here = f"{pointer}/{_escape(name)}"
            if name == "entity":
                self._entity(patch, value, here)
            elif name == "tombstone":
                self._tombstone(patch, value, here)
            elif name == "$was":
                self._was(patch, value, here)
            elif name == "$absent":
                self._absent(patch, value, here)
            elif isinstance(name, str) and name.startswith("$"):
                near = nearest(name, _GUARDS)
                hint = f"did you mean `{near}`?" if near else "the guards of a bundle are `$was` and `$absent`"
                self.fault("unknown-component", f"{_name(name)} is no guard", here, hint)
            else:
                self._component(patch, name, value, here, depth)
        self._whole(patch)
        return patch

    def _whole(self, patch: Patch) -> None:
        if patch.delete:
            if patch.alias is not None or patch.eid is None:
                self.fault(
                    "vocab-tombstone", "there is nothing to delete behind a fresh entity", patch.pointer,
                    "name the eid of a stored entity beside `tombstone`",
                )  # fmt: skip
            if patch.components or patch.nested:
                self.fault(
                    "vocab-tombstone", "a dead entity takes no patch: a tombstone stands alone in its bundle",
                    patch.pointer, "leave the components out, or write them in a bundle of another entity",
                )  # fmt: skip
        if patch.size > MAX_BUNDLE_SIZE:
            self.fault(
                "limit-bundle-size", f"a bundle holds at most {MAX_BUNDLE_SIZE} bytes; this one has {patch.size}",
                patch.pointer,
            )  # fmt: skip

    def _entity(self, patch: Patch, given: object, pointer: str) -> None:
        if not isinstance(given, Mapping):
            self.fault("type-bundle", f"`entity` is an object, not {shown(given)}", pointer, 'write {"eid": "…"}')
            return
        for name, value in given.items():
            here = f"{pointer}/{_escape(name)}"
            if name == "eid":
                self._eid(patch, value, here)
            elif name == "tombstone":
                self._tombstone(patch, value, here)
            elif name == "num":
                if type(value) is int:
                    patch.num = value
                else:
                    self.fault("type-property", f"entity.num is an integer, not {shown(value)}", here)
            else:
                self.fault(
                    "unknown-property",
                    f"`entity` has no property {_name(name)}",
                    here,
                    "it has `eid` and `num`",
                )

    def _eid(self, patch: Patch, value: object, pointer: str) -> None:
        if isinstance(value, Filled):
            wrong = _filled_eid_problem(value.value)
            if wrong is not None:
                self.fault("type-eid", value.told(wrong), pointer, "pass the eid of an entity")
            else:
                patch.eid = value.value
            return
        if isinstance(value, str) and value.startswith("$"):
            if self._alias(value, pointer):
                patch.alias = value
            return
        wrong = eid_problem(value)
        if wrong is not None:
            self.fault("type-eid", wrong, pointer, "leave `eid` out for a fresh one, or write `$name` to refer to it")
        else:
            assert isinstance(value, str)
            patch.eid = value

    def _alias(self, value: str, pointer: str) -> bool:
        if _ALIAS.fullmatch(value):
            return True
        self.fault(
            "type-eid",
            f"{shown(value)} is no alias",
            pointer,
            "an alias is `$` and letters, digits, `_` or `-`",
        )
        return False

    def _tombstone(self, patch: Patch, value: object, pointer: str) -> None:
        if value == {} and isinstance(value, Mapping):
            patch.delete = True
        else:
            self.fault(
                "type-bundle",
                f"`tombstone` is written as an empty object, not {shown(value)}",
                pointer,
                "write `{}`",
            )

    # --- components -----------------------------------------------------------------------------

    def _find(self, name: object, pointer: str) -> Component | None:
        component = self.components.get(name) if isinstance(name, str) else None
        if component is None:
            near = nearest(name, self.components) if isinstance(name, str) else None
            hint = f"did you mean `{near}`?" if near else "declare it in vocab.json and deploy that first"
            owners = [
                owner for owner, found in self.components.items() if isinstance(name, str) and name in found.properties
            ]
            if name in ("eid", "num"):
                hint = f'write {{"entity": {{"{name}": …}}}}: it stands inside `entity`'
            elif owners:
                spelled = " or ".join(f'{{"{owner}": {{"{name}": …}}}}' for owner in owners[:3])
                hint = f"a property stands inside its component: {spelled}"
            self.fault("unknown-component", f"there is no component {_name(name)}", pointer, hint)
        return component

    def _component(self, patch: Patch, name: object, value: object, pointer: str, depth: int) -> None:
        if name in ("eid", "num"):
            written = shown(value) if isinstance(value, str | int) else "…"
            self.fault(
                "unknown-component", f"`{name}` stands inside `entity`", pointer,
                f'write {{"entity": {{"{name}": {written}}}, …}}',
            )  # fmt: skip
            return
        component = self._find(name, pointer)
        if component is None:
            return
        name = component.name
        if value is None and name not in STAMPED:
            patch.components[name] = None
            return
        if not isinstance(value, Mapping):
            mend = f"write `{{}}` to add it, `null` to remove it; {properties_of(component)}"
            self.fault(
                "type-component",
                f"`{name}` is an object of its properties, not {shown(value)}",
                pointer,
                f"leave `{name}` out" if name in STAMPED else mend,
            )
            return
        values: dict[str, Any] = {}
        for key, given in value.items():
            here = f"{pointer}/{_escape(key)}"
            prop = component.properties.get(key) if isinstance(key, str) else None
            if prop is None:
                near = nearest(key, component.properties) if isinstance(key, str) else None
                hint = f"did you mean `{near}`? " if near else ""
                self.fault(
                    "unknown-property",
                    f"`{name}` has no property {_name(key)}",
                    here,
                    hint + properties_of(component),
                )
                continue
            self._property(patch, prop, given, here, values, depth)
        (patch.stamps if name in STAMPED else patch.components)[name] = values

    def _property(
        self, patch: Patch, prop: Property, given: object, pointer: str, values: dict[str, Any], depth: int
    ) -> None:
        if given is None:
            values[prop.name] = None
        elif isinstance(given, Filled):
            value = self._admitted(prop, given.value, pointer, given)
            if value is not None:
                values[prop.name] = value
                patch.size += _size(value)
        elif prop.kind == "reference" and isinstance(given, Mapping):
            nested = self.bundle(given, pointer, depth + 1)
            if nested is not None:
                patch.nested.append(nested)
                values[prop.name] = nested
        elif prop.kind == "reference" and isinstance(given, str) and given.startswith("$"):
            if self._alias(given, pointer):
                values[prop.name] = Alias(given)
        else:
            value = self._admitted(prop, given, pointer)
            if value is not None:
                values[prop.name] = value
                patch.size += _size(value)

    def _admitted(self, prop: Property, given: object, pointer: str, filled: Filled | None = None) -> Any:
        """The canonical value, or None after a fault, which names the arguments behind a `filled` value."""
        told = (lambda message: message) if filled is None else filled.told
        if prop.kind == "instant" and isinstance(given, str):
            given = self.moment(given) or given
        try:
            value = self.admitter(prop)(given)
        except BadValue as error:
            hint = moment_hint(given) if prop.kind == "instant" and isinstance(given, str) else ""
            if (prop.component, prop.name) == ("wake", "while"):
                hint = f"{EXAMPLE}, in a list"
            self.fault("type-property", told(str(error)), pointer, hint)
            return None
        if prop.kind == "reference":
            wrong = eid_problem(value) if filled is None else _filled_eid_problem(value)
            if wrong is not None:
                self.fault("type-eid", told(f"{prop.path}: {wrong}"), pointer)
                return None
        if prop.path == "wake.every":
            assert isinstance(value, str)
            found = cadence_problem(value)
            if found is not None:
                self.problems.append(problem(found.code, told(f"wake.every: {found.message}"), found.hint, pointer))
                return None
        elif prop.path == "wake.while":
            entries, wrong_entries = read_entries(value, self.conditions, pointer)
            self.problems += [replace(each, message=told(each.message)) for each in wrong_entries]
            return None if wrong_entries else entries
        elif prop.path == "call.args":
            large = arguments_size_problem(value)
            if large is not None:
                self.fault(
                    "limit-args", told(f"call.args {large}"), pointer, "store what is large as a row, and pass its eid"
                )
                return None
        return value

    # --- guards ---------------------------------------------------------------------------------

    def _was(self, patch: Patch, given: object, pointer: str) -> None:
        if not isinstance(given, Mapping) or not given:
            self.fault("type-bundle", "`$was` is an object: component to property to value", pointer,
                       'write for example {"$was": {"doc": {"title": "Dune"}}}')  # fmt: skip
            return
        patch.was = {}
        for name, value in given.items():
            here = f"{pointer}/{_escape(name)}"
            component = self._find(name, here)
            if component is None:
                continue
            if value is None:
                patch.was[component.name] = None
            elif isinstance(value, Mapping):
                patch.was[component.name] = self._guarded(component, value, here)
            else:
                self.fault("type-component", f"`$was` of `{name}` is an object or null, not {shown(value)}", here)

    def _guarded(self, component: Component, given: Mapping[Any, Any], pointer: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in given.items():
            here = f"{pointer}/{_escape(key)}"
            prop = component.properties.get(key) if isinstance(key, str) else None
            if prop is None:
                self.fault(
                    "unknown-property",
                    f"`{component.name}` has no property {_name(key)}",
                    here,
                    properties_of(component),
                )
            else:
                filled = value if isinstance(value, Filled) else None
                plain = value if filled is None else filled.value
                values[prop.name] = None if plain is None else self._admitted(prop, plain, here, filled)
        return values

    def _absent(self, patch: Patch, given: object, pointer: str) -> None:
        if given is True:
            patch.absent = True
        elif isinstance(given, list | tuple) and given:
            found = [self._find(name, f"{pointer}/{index}") for index, name in enumerate(given)]
            patch.absent = tuple(component.name for component in found if component is not None)
        else:
            self.fault("type-bundle", "`$absent` is true or a list of components", pointer, 'write true, or ["doc"]')


def _filled_eid_problem(value: object) -> str | None:
    """Why a value of a filled template cannot be an eid: where it looks like an alias, it is none."""
    if isinstance(value, str) and value.startswith("$"):
        return f"{shown(value)} is an alias, which no argument can be"
    return eid_problem(value)


def _size(value: object) -> int:
    """The bytes that a value takes."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode())
    return len(json.dumps(value)) if isinstance(value, dict | list) else 8


def _name(value: object) -> str:
    return f"`{value}`" if isinstance(value, str) and len(value) <= 60 else shown(value)


def _escape(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
