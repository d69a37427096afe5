"""Everything that one deployed vocabulary compiles to, made once per version of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wakeful_compiler.vocabulary import Vocab

from .bundles import BundleReader
from .conditions.compiled import Conditions
from .engines.records import Tables
from .ids import tool_eid
from .rulepass import RulePass

if TYPE_CHECKING:
    from wakeful_compiler.commands import CompiledCommand


class Plans:
    """A vocabulary's plans: how bundles are read, rows kept, and rules run."""

    def __init__(self, vocab: Vocab, version: int) -> None:
        self.vocab, self.version = vocab, version
        self.components = vocab.components
        self.tables = Tables(self.components)
        self.blanks: Mapping[str, Mapping[str, Any]] = {
            name: dict.fromkeys(component.properties) for name, component in self.components.items()
        }
        self.required: Mapping[str, tuple[str, ...]] = {
            name: component.required for name, component in self.components.items() if component.required
        }
        self.rules = RulePass(vocab.rules, self.blanks, self.required)
        self.conditions = Conditions(vocab)
        self.reader = BundleReader(self.components, vocab.zone, self.conditions)

    @property
    def commands(self) -> Mapping[str, CompiledCommand]:
        """Every command by name, ready to check arguments and to be filled in."""
        return self.vocab.compiled_commands

    def command(self, to: str | None) -> CompiledCommand | None:
        """The command that `call.to` means: its row's eid, or its name; None where it is not of this vocabulary."""
        if to is None:
            return None
        return self.commands.get(self._by_tool.get(to, to))

    @cached_property
    def keeps(self) -> Mapping[str, int]:
        """How many days the calls of a command are kept, for those that say so."""
        commands = self.vocab.commands.values()
        return {command.name: command.keep_days for command in commands if command.keep_days is not None}

    @cached_property
    def _by_tool(self) -> Mapping[str, str]:
        return {tool_eid(name): name for name in self.commands}
