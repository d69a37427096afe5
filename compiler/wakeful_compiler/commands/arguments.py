"""The arguments of a call, checked against the inputs of its command.

An argument is taken as the value of a property would be: the same types, the same keywords, the same canonical
form.  Where a date-time is asked for, a moment (`now`, `in-2-hours`) may stand as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from wakeful_grammar.problems import Problem, WakefulError

from ..json_values import DEPTH_LIMIT, BadPart, TooLarge, canonical_json, spelled_path
from ..nearby import near, only, question
from ..texts import shown
from ..values import Admit, BadValue, admit
from ..vocab.model import Command
from ..vocab.source import pointer_to
from ..written_moments import is_moment, moment_hint

ARGUMENTS_LIMIT = 64 * 1024
"""Bytes of JSON that the arguments of one call may have."""
ARGUMENTS_DEPTH = DEPTH_LIMIT
"""Levels in which they may nest."""


class BadArguments(WakefulError):
    """Arguments that a command does not take; `problems` says why, each with a pointer into the arguments."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


def arguments_size_problem(args: object) -> str | None:
    """What is too large about arguments that are JSON already, with the actual figure, or None."""
    size = len(json.dumps(args, ensure_ascii=False, separators=(",", ":")).encode())
    if size <= ARGUMENTS_LIMIT:
        return None
    return f"has {size:,} bytes as JSON; the limit of a call's arguments is {ARGUMENTS_LIMIT:,} (64 KiB)"


class Arguments:
    """What one command takes.  `needed` are the inputs without which it cannot run."""

    def __init__(self, command: Command, needed: tuple[str, ...]) -> None:
        self.command, self.needed = command, needed

    def without(self, names: frozenset[str]) -> Arguments:
        """The same, but that these may be missing: what is given for them is not known yet."""
        if not names:
            return self
        return Arguments(self.command, tuple(name for name in self.needed if name not in names))

    @cached_property
    def _admits(self) -> Mapping[str, Admit]:
        return {name: admit(replace(prop, component="args")) for name, prop in self.command.inputs.items()}

    def problems(self, given: object) -> tuple[Problem, ...]:
        """Everything that is wrong with the arguments of a call, in the order they are given."""
        return self._read(given)[1]

    def take(self, given: object) -> dict[str, Any]:
        """The arguments in canonical form, those that are null left out.  Raises :class:`BadArguments`.

        A moment stays the text that it is.
        """
        taken, problems = self._read(given)
        if problems:
            raise BadArguments(problems)
        return taken

    def _read(self, given: object) -> tuple[dict[str, Any], tuple[Problem, ...]]:
        name = self.command.name
        if given is None:
            given = {}
        if not isinstance(given, dict):
            return {}, (
                Problem(
                    "type-args",
                    f"args is an object, the inputs of `{name}` by name: {shown(given)} is not",
                    self._example(),
                    pointer="",
                ),
            )
        try:
            args = canonical_json(given)
        except BadPart as bad:
            code = "limit-args" if isinstance(bad, TooLarge) else "type-args"
            pointer = pointer_to("", *reversed(bad.path))
            return {}, (Problem(code, f"args{spelled_path(bad.path)} {bad.message}", pointer=pointer),)
        large = arguments_size_problem(args)
        if large is not None:
            mend = "store what is large as a row, and pass its eid"
            return {}, (Problem("limit-args", f"args {large}", mend, pointer=""),)
        taken: dict[str, Any] = {}
        problems: list[Problem] = []
        for key, value in args.items():
            if key not in self.command.inputs:
                problems.append(self._unknown(key))
            elif value is not None:
                self._take(key, value, taken, problems)
        problems += [self._missing(key) for key in self.needed if args.get(key) is None]
        return taken, tuple(problems)

    def _take(self, name: str, value: object, taken: dict[str, Any], problems: list[Problem]) -> None:
        prop = self.command.inputs[name]
        pointer = pointer_to("", name)
        if prop.kind == "instant" and isinstance(value, str) and is_moment(value):
            taken[name] = value
            return
        if prop.kind == "reference" and isinstance(value, str) and value.startswith("$"):
            message = f"args.{name} is the eid of an entity: {shown(value)} is an alias, which no argument can be"
            problems.append(Problem("type-args", message, "pass the eid of a stored entity", pointer=pointer))
            return
        try:
            taken[name] = self._admits[name](value)
        except BadValue as bad:
            hint = moment_hint(value) if prop.kind == "instant" and isinstance(value, str) else ""
            problems.append(Problem("type-args", str(bad), hint, pointer=pointer))

    def _unknown(self, name: str) -> Problem:
        close = near(name, self.command.inputs)
        return Problem(
            "unknown-input",
            f"`{self.command.name}` has no input {shown(name)}",
            question(close) or self._listed(),
            pointer=pointer_to("", name),
            fix=only(close),
        )

    def _missing(self, name: str) -> Problem:
        command = self.command
        why = f"`{command.name}` requires it"
        if name not in command.required:
            why = f"the query of `{command.name}` compares with it"
        return Problem(
            "vocab-required", f"args.{name} is missing: {why}", f"add {json.dumps(name)} to the arguments", pointer=""
        )

    def _listed(self) -> str:
        names = list(self.command.inputs)
        if not names:
            return f"`{self.command.name}` takes no arguments: take it out"
        return "the inputs are " + ", ".join(f"`{name}`" for name in names[:8]) + (", …" if len(names) > 8 else "")

    def _example(self) -> str:
        names = (self.needed or tuple(self.command.inputs))[:3]
        return "write {" + ", ".join(f'"{name}": …' for name in names) + "}"
