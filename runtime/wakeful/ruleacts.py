"""What one rule does to a row: its output, admitted by the vocabulary like any write."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from wakeful_compiler.rules.model import CompiledRule
from wakeful_compiler.rules.written import Copied
from wakeful_compiler.values import Admit, BadValue, admit

from .errors import Refused
from .refusals import refuse
from .rows import Row

Output = Mapping[str, Mapping[str, Any] | None]
"""Component by component what is written; None takes the component away."""

Arguments = dict[str, Any]
Blanks = Mapping[str, Mapping[str, Any]]
Required = Mapping[str, tuple[str, ...]]

_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


class Surroundings(Protocol):
    """What a rule needs to know beyond its row: a stage."""

    @property
    def now(self) -> datetime: ...

    def lives(self, eid: str) -> bool:
        """Whether a live entity has this eid."""

    def lookup(self, eid: str) -> Mapping[str, Any] | None:
        """The bundle of a live entity, with what rules read through references; None where there is none."""

    def ask(self, rule: str, command: str, args: dict[str, Any], row: Row) -> None:
        """Note the call that a rule asks for on a row."""


def constant_targets(rule: CompiledRule) -> set[str]:
    """The eids that a rule writes as constants into references."""
    return {
        write.value
        for write in rule.writes
        if write.property is not None and write.property.kind == "reference" and isinstance(write.value, str)
    }


class RuleAct:
    """A rule's writes, ready to be made."""

    __slots__ = ("_admits", "_blanks", "_references", "_required", "_rule", "asks", "deletes", "fixed", "removes")

    def __init__(self, rule: CompiledRule, blanks: Blanks, required: Required) -> None:
        self._rule, self._blanks = rule, blanks
        self.deletes, self.removes, self.asks = rule.deletes, bool(rule.removed), rule.call is not None
        self._required: Required = {name: required[name] for name in rule.added if name in required}
        self.fixed: Output | None = rule.output(_ANY_TIME) if rule.fixed else None
        """What is written, where that is the same on every row at every time."""
        self._admits: list[tuple[str, str, Admit]] | None = None
        self._references = [
            (write.component, write.property.name)
            for write in rule.writes
            if write.property is not None and write.property.kind == "reference"
        ]

    def output(self, row: Row, stage: Surroundings) -> Output:
        """What the rule writes on this row as it stands.  Raises Refused for what the vocabulary does not take."""
        if self.fixed is not None:
            output = self.fixed
        else:
            output = self._moving(row, stage)
        for component, name in self._references:
            self._check_target((output[component] or {})[name], f"{component}.{name}", row, stage)
        return output

    def _moving(self, row: Row, stage: Surroundings) -> Output:
        try:
            output = self._rule.output(stage.now, row.bundle, stage.lookup)
        except OverflowError as error:
            raise self._refused("limit-instant", row, str(error)) from None
        if self._admits is None:
            self._admits = [
                (write.component, write.property.name, admit(write.property))
                for write in self._rule.writes
                if write.property is not None and isinstance(write.value, Copied)
            ]
        for component, name, check in self._admits:
            values = output[component]
            assert values is not None
            try:
                values[name] = check(values[name])
            except BadValue as error:
                raise self._refused("type-property", row, str(error)) from None
        return output

    def _check_target(self, eid: str | None, path: str, row: Row, stage: Surroundings) -> None:
        if eid is not None and eid != row.eid and not stage.lives(eid):
            raise refuse(
                "unknown-entity",
                f"rule `{self._rule.name}` refers in `{path}` of {row.eid} to {eid}, which is not there",
                "write that entity first",
            )

    def _refused(self, code: str, row: Row, why: str) -> Refused:
        return refuse(code, f"rule `{self._rule.name}` on {row.eid}: {why}")

    def arguments(self, row: Row, stage: Surroundings) -> Arguments | None:
        """The arguments of the call that the rule asks for, from the row as it stands; None where it asks for none."""
        call = self._rule.call
        if call is None:
            return None
        try:
            return call.arguments(row.bundle, stage.now, stage.lookup)
        except OverflowError as error:
            raise self._refused("limit-instant", row, str(error)) from None

    def ask(self, arguments: Arguments | None, row: Row, stage: Surroundings) -> None:
        """Ask for the rule's call, now that the rule has acted."""
        if self._rule.call is not None and arguments is not None:
            stage.ask(self._rule.name, self._rule.call.command, arguments, row)

    def write(self, output: Output, row: Row) -> None:
        """Make these writes on the row, where it is not under `+tombstone`."""
        for component, values in output.items():
            if values is None:
                row.remove(component)
                continue
            if component in self._required and component not in row.bundle:
                self._check_required(component, values, row)
            row.put(component, values, self._blanks[component])
        if self.deletes:
            row.doomed = True

    def _check_required(self, component: str, values: Mapping[str, Any], row: Row) -> None:
        missing = [name for name in self._required[component] if name not in values]
        if missing:
            names = ", ".join(f"`{component}.{name}`" for name in missing)
            raise refuse(
                "vocab-required",
                f"rule `{self._rule.name}` adds `{component}` to {row.eid} without {names}, "
                "which the vocabulary requires",
                f"let the rule write it: `+{component}.{missing[0]}=…`",
            )
