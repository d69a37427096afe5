"""The bundles of a command: what they write must be in the vocabulary, and their literals of its types.

The rules are those of an apply, told with the same codes; beside them stand inputs, which are filled in when
the command is called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wakeful_grammar.problems import Problem, Span

from ..names import properties_of
from ..nearby import near, only, question
from ..texts import shown
from ..values import BadValue, admit
from ..vocab.builtin import STAMPED
from ..vocab.model import KIND_WORDS, Component, Property
from ..vocab.source import pointer_to
from ..written_moments import is_moment
from .holes import Inputs, fits, holes, only_hole, plain

_ALIAS = re.compile(r"\$[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
GUARDS = ("$was", "$absent")
_EXAMPLE = 'for example {"doc": {"title": "Fern"}}'


class BundleTemplate:
    """Reads the template of one command; everything that is wrong is reported, each thing where it stands."""

    def __init__(self, inputs: Inputs, components: Mapping[str, Component], broken: frozenset[str]) -> None:
        self.inputs, self.components, self.broken = inputs, components, broken
        self.report, self.command = inputs.report, inputs.command
        self._aliases: dict[str, str] = {}
        self._referred: set[str] = set()

    def check(self, given: object, pointer: str) -> None:
        """Report what is wrong with `given`, a bundle or a list of bundles, that stands at `pointer`."""
        if isinstance(given, list) and not given:
            self._wrong(pointer, "vocab-template", "`apply` is an empty list, which does nothing", _EXAMPLE)
            return
        bundles = [(given, pointer)]
        if isinstance(given, list):
            bundles = [(bundle, pointer_to(pointer, index)) for index, bundle in enumerate(given)]
        for bundle, here in bundles:
            self._find_aliases(bundle, here)
        for bundle, here in bundles:
            self._bundle(bundle, here)
        for name, here in self._aliases.items():
            close = near(name[1:], self.inputs.declared)
            if name not in self._referred and close:
                self.report.add(
                    here,
                    "vocab-alias",
                    f"{self.command}: `{name}` is the alias of a fresh entity that nothing refers to",
                    f"did you mean the input `${close[0]}`?",
                    severity="warning",
                )

    def _wrong(
        self, pointer: str, code: str, message: str, hint: str, *, on_key: bool = False, fix: str | None = None
    ) -> None:
        self.report.add(pointer, code, f"{self.command}: {message}", hint, on_key=on_key, fix=fix)

    def _find_aliases(self, bundle: object, pointer: str) -> None:
        if not isinstance(bundle, Mapping):
            return
        entity = bundle.get("entity")
        eid = entity.get("eid") if isinstance(entity, Mapping) else None
        if isinstance(eid, str) and _ALIAS.fullmatch(eid) and eid[1:] not in self.inputs.declared:
            self._aliases.setdefault(eid, pointer_to(pointer, "entity", "eid"))
        for name, values in bundle.items():
            if isinstance(values, Mapping):
                for key, value in values.items():
                    self._find_aliases(value, pointer_to(pointer, name, key))

    # --- a bundle -------------------------------------------------------------------------------

    def _bundle(self, given: object, pointer: str) -> None:
        if not isinstance(given, Mapping):
            hint = _EXAMPLE
            if isinstance(given, str) and given.startswith("$"):
                hint = "an argument fills in a value and never brings a whole bundle: name the components here"
            self._wrong(pointer, "type-bundle", f"a bundle is an object, not {shown(given)}", hint)
            return
        for name, value in given.items():
            here = pointer_to(pointer, name)
            match name:
                case "entity":
                    self._entity(value, here)
                case "tombstone":
                    self._tombstone(value, here)
                case "$was":
                    self._guards(value, here)
                case "$absent":
                    self._absent(value, here)
                case _ if name.startswith("$") and name not in self.components:
                    close = near(name, GUARDS)
                    self._wrong(
                        here, "unknown-component", f"{shown(name)} is no guard",
                        question(close) or "the guards of a bundle are `$was` and `$absent`", on_key=True,
                        fix=only(close),
                    )  # fmt: skip
                case _:
                    self._component(name, value, here)
        self._whole(given, pointer)

    def _whole(self, given: Mapping[str, Any], pointer: str) -> None:
        entity = given.get("entity")
        inside: Mapping[str, Any] = entity if isinstance(entity, Mapping) else {}
        if "tombstone" not in given and "tombstone" not in inside:
            return
        eid = inside.get("eid")
        if eid is None or (isinstance(eid, str) and eid in self._aliases):
            self._wrong(
                pointer, "vocab-tombstone", "there is nothing to delete behind a fresh entity",
                'name the entity beside `tombstone`: {"entity": {"eid": "$x"}, "tombstone": {}}', on_key=True,
            )  # fmt: skip
        if any(name in self.components and name != "entity" for name in given):
            self._wrong(
                pointer, "vocab-tombstone", "a dead entity takes no patch: a tombstone stands alone in its bundle",
                "leave the components out, or write them in a bundle of another entity", on_key=True,
            )  # fmt: skip

    def _entity(self, given: object, pointer: str) -> None:
        if not isinstance(given, Mapping):
            self._wrong(pointer, "type-bundle", f"`entity` is an object, not {shown(given)}", 'write {"eid": "…"}')
            return
        for name, value in given.items():
            here = pointer_to(pointer, name)
            if name == "eid":
                self._eid(value, here)
            elif name == "tombstone":
                self._tombstone(value, here)
            elif name == "num":
                self._stamped("entity", here)
            else:
                self._wrong(
                    here, "unknown-property", f"`entity` has no property {shown(name)}", "it has `eid`", on_key=True
                )

    def _eid(self, value: object, pointer: str) -> None:
        if not isinstance(value, str) or not value:
            self._wrong(
                pointer, "type-eid", f"an eid is text, not {shown(value)}",
                "leave `eid` out for a fresh entity, or write `$x` for an input or an alias",
            )  # fmt: skip
        elif value in self._aliases:
            self.inputs.check_braces(value, pointer)
        else:
            self._reference(self.components["entity"].properties["eid"], value, pointer)

    def _tombstone(self, value: object, pointer: str) -> None:
        if value != {} or not isinstance(value, Mapping):
            self._wrong(
                pointer, "type-bundle", f"`tombstone` is written as an empty object, not {shown(value)}", "write `{}`"
            )

    def _stamped(self, name: str, pointer: str) -> None:
        self._wrong(
            pointer, "vocab-stamp", f"`{name}` is stamped by the store; no command writes it", "take it out",
            on_key=True,
        )  # fmt: skip

    # --- components -----------------------------------------------------------------------------

    def _find(self, name: str, pointer: str, *, on_key: bool) -> Component | None:
        component = self.components.get(name)
        if component is None and name not in self.broken:
            close = near(name, self.components)
            if name in ("eid", "num"):
                self._wrong(
                    pointer, "unknown-component", f"`{name}` stands inside `entity`",
                    f'write {{"entity": {{"{name}": …}}}}', on_key=on_key,
                )  # fmt: skip
                return None
            self._wrong(
                pointer, "unknown-component", f"{shown(name)} is not a component",
                f"did you mean `{close[0]}`?" if close else "declare it in this file, or name one that is",
                on_key=on_key, fix=only(close),
            )  # fmt: skip
        return component

    def _component(self, name: str, value: object, pointer: str) -> None:
        component = self._find(name, pointer, on_key=True)
        if component is None:
            # Inputs are looked at all the same, so that everything is told at once.
            self._texts(value, pointer)
            return
        if name in STAMPED:
            self._stamped(name, pointer)
            return
        if value is None:
            return
        if not isinstance(value, Mapping):
            hint = f"write `{{}}` to add it, `null` to remove it; {properties_of(component)}"
            if isinstance(value, str) and value.startswith("$"):
                hint = f"an argument is one value: fill in the properties one by one; {properties_of(component)}"
            self._wrong(pointer, "type-component", f"`{name}` is an object of its properties, not {shown(value)}", hint)
            return
        for key, given in value.items():
            here = pointer_to(pointer, key)
            prop = self._property(component, key, here)
            if prop is None:
                self._texts(given, here)
            elif given is not None:
                self._value(prop, given, here)

    def _property(self, component: Component, key: str, pointer: str) -> Property | None:
        prop = component.properties.get(key)
        if prop is None and f"{component.name}.{key}" not in self.broken:
            close = near(key, component.properties)
            hint = f"did you mean `{close[0]}`? " if close else ""
            self._wrong(
                pointer, "unknown-property", f"`{component.name}` has no property {shown(key)}",
                hint + properties_of(component), on_key=True, fix=only(close),
            )  # fmt: skip
        return prop

    # --- values ---------------------------------------------------------------------------------

    def _value(self, prop: Property, given: object, pointer: str) -> None:
        if prop.kind == "reference" and isinstance(given, Mapping):
            self._bundle(given, pointer)
        elif prop.kind == "reference" and isinstance(given, str):
            self._reference(prop, given, pointer)
        elif isinstance(given, str):
            self._text(prop, given, pointer)
        elif self._texts(given, pointer):
            self._literal(prop, given, pointer)

    def _reference(self, prop: Property, given: str, pointer: str) -> None:
        if given in self._aliases and prop.path != "entity.eid":
            self._referred.add(given)
        elif _ALIAS.fullmatch(given) and given[1:] not in self.inputs.declared:
            also = ", and no bundle here has it as its alias"
            self.inputs.find(given[1:], pointer, Span(0, len(given)), also)
        else:
            self._text(prop, given, pointer)

    def _text(self, prop: Property, given: str, pointer: str) -> None:
        if not self.inputs.check_text(given, pointer):
            return
        found = holes(given)
        if not found:
            self._literal(prop, plain(given), pointer)
            return
        name = only_hole(given)
        if name is not None:
            declared = self.inputs.declared[name]
            if not fits(declared.kind, prop.kind):
                self._wrong(
                    pointer, "type-input",
                    f"{prop.path} is {KIND_WORDS[prop.kind]} and the input `${name}` {KIND_WORDS[declared.kind]}",
                    f"give the input `{name}` the type of {prop.path}",
                )  # fmt: skip
        elif prop.kind not in ("string", "reference", "instant"):
            self._wrong(
                pointer, "type-input", f"{prop.path} is {KIND_WORDS[prop.kind]}; {shown(given)} is text",
                "let one input be the whole value: `$x`",
            )  # fmt: skip

    def _literal(self, prop: Property, value: object, pointer: str) -> None:
        if prop.kind == "instant" and isinstance(value, str) and is_moment(value):
            return
        try:
            admit(prop)(value)
        except BadValue as bad:
            self._wrong(pointer, "type-property", str(bad), "a call of this command could never succeed")
            return
        if prop.path == "wake.every" and isinstance(value, str):
            self._cadence(value, pointer)

    def _cadence(self, text: str, pointer: str) -> None:
        from ..schedules import ScheduleError, every, never_problem

        try:
            never = never_problem(every(text))
            problems: tuple[Problem, ...] = (never,) if never else ()
        except ScheduleError as error:
            problems = error.problems
        for problem in problems:
            self.report.add(
                pointer, problem.code, f"{self.command}: wake.every: {problem.message}", problem.hint,
                inside=problem.span if "$" not in text else None, fix=problem.fix if "$" not in text else None,
            )  # fmt: skip

    def _texts(self, given: object, pointer: str) -> bool:
        """Check every text inside a value; False when an input stands there, or something is wrong."""
        waiting: list[tuple[object, str]] = [(given, pointer)]
        settled = True
        while waiting:
            value, here = waiting.pop()
            if isinstance(value, str):
                settled = self.inputs.check_text(value, here) and "$" not in value and settled
            elif isinstance(value, Mapping):
                waiting += [(member, pointer_to(here, key)) for key, member in value.items()]
            elif isinstance(value, list):
                waiting += [(member, pointer_to(here, index)) for index, member in enumerate(value)]
        return settled

    # --- guards ---------------------------------------------------------------------------------

    def _guards(self, given: object, pointer: str) -> None:
        if not isinstance(given, Mapping) or not given:
            self._wrong(
                pointer, "type-bundle", "`$was` is an object: component to property to value",
                'for example {"doc": {"title": "Dune"}}',
            )  # fmt: skip
            return
        for name, value in given.items():
            here = pointer_to(pointer, name)
            component = self._find(name, here, on_key=True)
            if component is None or value is None:
                continue
            if not isinstance(value, Mapping):
                self._wrong(
                    here, "type-component", f"`$was` of `{name}` is an object or null, not {shown(value)}",
                    properties_of(component),
                )  # fmt: skip
                continue
            for key, expected in value.items():
                prop = self._property(component, key, pointer_to(here, key))
                if prop is not None and expected is not None:
                    self._value(prop, expected, pointer_to(here, key))

    def _absent(self, given: object, pointer: str) -> None:
        if given is True:
            return
        if not isinstance(given, list) or not given or not all(isinstance(name, str) for name in given):
            self._wrong(pointer, "type-bundle", "`$absent` is true or a list of components", 'true, or ["doc"]')
            return
        for index, name in enumerate(given):
            self._find(name, pointer_to(pointer, index), on_key=False)
