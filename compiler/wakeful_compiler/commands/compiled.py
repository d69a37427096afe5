"""A command ready to run, and all of a vocabulary's, each made ready when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wakeful_grammar.problems import Problem, WakefulError

from ..vocab.model import Command, Component
from ..written_moments import read_moment
from .arguments import Arguments

if TYPE_CHECKING:
    from ..query import Query
    from .asking import QueryBinding
    from .filling import BundleFilling


class CompiledCommand:
    """One command of a vocabulary, as it was declared in `command`."""

    def __init__(self, command: Command, components: Mapping[str, Component], zone: tzinfo) -> None:
        self.command = command
        self._components, self._zone = components, zone

    def problems(self, args: object) -> tuple[Problem, ...]:
        """What keeps a call with these arguments from running; none, and it can be filled in.

        `args` is what a call holds: an object of the inputs by name, or None for no arguments.
        """
        return self.arguments.problems(args)

    def take(self, args: object, now: datetime | None = None) -> dict[str, Any]:
        """The arguments in canonical form, those that are null left out.

        With `now`, moments are instants counted from it.  Raises :class:`~.arguments.BadArguments`.
        """
        taken = self.arguments.take(args)
        if now is not None:
            for name, value in taken.items():
                if self.command.inputs[name].kind == "instant":
                    taken[name] = read_moment(value, now, self._zone) or value
        return taken

    def fill(self, args: object, now: datetime | None = None) -> list[Any]:
        """The bundles of an `apply` command with the arguments in place, for a reader that knows `Filled`.

        `now` is what moments are counted from where an argument becomes part of a text; a date-time that is an
        argument alone stays a moment until it is read.  Raises :class:`~.arguments.BadArguments`.
        """
        if self.command.does != "apply":
            raise WakefulError(f"{self.command.name} is a command that has no bundles to fill in")
        return self._filling.fill(self.take(args, now))

    def query(self, args: object, now: datetime | None = None) -> Query:
        """The query of a `query` command, each argument one value in it, whatever it holds.

        Raises :class:`~.arguments.BadArguments`, also where a property cannot be compared with its argument.
        """
        if self.command.does != "query":
            raise WakefulError(f"{self.command.name} is a command that asks no query")
        return self._binding.query(self.take(args, now))

    @cached_property
    def arguments(self) -> Arguments:
        """What the command takes."""
        needed = self.command.required
        if self.command.does == "query":
            from .asking import asked_inputs

            needed = tuple(dict.fromkeys([*needed, *asked_inputs(self.command.template)]))
        return Arguments(self.command, needed)

    @cached_property
    def _filling(self) -> BundleFilling:
        from .filling import BundleFilling

        return BundleFilling(self.command, self._components)

    @cached_property
    def _binding(self) -> QueryBinding:
        from .asking import QueryBinding

        return QueryBinding(self.command, self._components, self._zone)

    def __repr__(self) -> str:
        return f"<CompiledCommand {self.command.name}: {self.command.does}>"


class CompiledCommands(Mapping[str, CompiledCommand]):
    """The commands of a vocabulary by name."""

    def __init__(self, commands: Mapping[str, Command], components: Mapping[str, Component], zone: tzinfo) -> None:
        self._commands, self._components, self._zone = commands, components, zone
        self._ready: dict[str, CompiledCommand] = {}

    def __getitem__(self, name: str) -> CompiledCommand:
        found = self._ready.get(name)
        if found is None:
            found = self._ready[name] = CompiledCommand(self._commands[name], self._components, self._zone)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)
