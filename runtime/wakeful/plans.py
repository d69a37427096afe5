"""Everything that one deployed vocabulary compiles to, made once per version of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wakeful_compiler.commands import CompiledCommand
from wakeful_compiler.vocabulary import Vocab

from .bundles import BundleReader
from .engines.records import Tables
from .ids import derived_eid
from .rulepass import RulePass


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
        self.commands: Mapping[str, CompiledCommand] = vocab.compiled_commands
        """The commands by name."""
        self._by_tool = {derived_eid("tool", name): command for name, command in self.commands.items()}
        self.reader = BundleReader(self.components, vocab.zone)

    def command(self, to: str | None) -> CompiledCommand | None:
        """The command that `call.to` means: its row's eid, or its name; None where it is not of this vocabulary."""
        if to is None:
            return None
        return self._by_tool.get(to) or self.commands.get(to)
