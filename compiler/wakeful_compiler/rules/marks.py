"""Marks: what a rule writes, read against the vocabulary.

This version has `+c`, `+c.p=value` and the gate `+!c`; every other mark is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType

from wakeful_grammar.nodes import Absent, Copy, Gate, Mark, Occasion, Path, RuleTree, Scalar, Tombstone, Write
from wakeful_grammar.problems import Span

from ..names import Names
from ..operand_errors import BadOperand, quoted
from ..operands import constant_of
from ..predicates import Constant, TimeBound
from ..values import BadValue, admit
from ..vocab.builtin import STAMPED
from ..vocab.model import KIND_WORDS, Component, Kind, Property
from .model import RuleWrite

NOT_YET = frozenset({"call", "execution", "result", "tool"})
"""Built-in components that nothing may write in this version."""

_EXAMPLES: Mapping[Kind, str] = MappingProxyType(
    {"string": "thai", "number": "20", "integer": "20", "boolean": "true", "reference": "some-eid"}
)
_LATER = "which comes with a later version"


class MarkReader:
    """Reads the marks of one rule: `writes` and `gates` grow, and so do the problems of `names`."""

    def __init__(self, tree: RuleTree, names: Names, zone: tzinfo) -> None:
        self.tree, self.names, self.zone = tree, names, zone
        self.writes: list[RuleWrite] = []
        self.gates: dict[str, Gate] = {}
        self._closed: set[str] = set()

    def read(self) -> None:
        for mark in self.tree.marks:
            self._mark(mark)
        if not self.tree.marks:
            self.names.report(
                Span(0, len(self.tree.text)),
                "rule-without-effect",
                "this rule writes nothing",
                "add what it writes: `+component`, `+component.property=value`, or `+!component` to act once",
            )

    def _mark(self, mark: Mark) -> None:
        match mark:
            case Gate(name, span):
                component = self._component(name, span, skip=2)
                if component is not None:
                    self.gates.setdefault(name, mark)
                    self._add(RuleWrite(name))
            case Write("+", name, None, None, span):
                if self._component(name, span, skip=1) is not None:
                    self._add(RuleWrite(name))
            case Write("+"):
                self._write(mark)
            case Write(_, name, prop, _, span):
                path = f"{name}.{prop}" if prop else name
                hint = f"`+{path}=…` writes a value, there or not" if prop else ""
                self._not_yet(span, f"`*{path}` changes or removes what is there", hint)
            case Tombstone(span):
                self._not_yet(span, "`+tombstone` deletes the row")
            case Occasion(clause, span):
                there = "" if isinstance(clause, Absent) else f", `.{clause.path.text}`,"
                hint = f"test what is there{there} and gate the rule with `+!component`, so that it acts once"
                self._not_yet(span, f"`{self._spelled(span)}` asks what a write has just changed", hint)

    def _not_yet(self, span: Span, what: str, hint: str = "") -> None:
        self.names.report(span, "limit-not-yet", f"{what}, {_LATER}", hint)

    def _spelled(self, span: Span) -> str:
        text = self.tree.text[span.start : span.end] or "^"
        return text if len(text) <= 60 else text[:57] + "…"

    def _add(self, write: RuleWrite) -> None:
        if write not in self.writes:
            self.writes.append(write)

    # --- the component and the property ---------------------------------------------------------

    def _component(self, name: str, span: Span, *, skip: int) -> Component | None:
        """The component that a mark names; `skip` is the length of the mark's sign."""
        component = self.names.component(Path((name,), self._name_span(span, name, skip)))
        if component is None:
            return None
        if name not in STAMPED and name not in NOT_YET:
            return component
        if name in self._closed:
            return None
        self._closed.add(name)
        if name in STAMPED:
            self.names.report(
                span,
                "rule-writes-stamp",
                f"`{name}` is stamped by the store; no rule writes it",
                "write a component of your own",
            )
        else:
            self._not_yet(span, f"a rule that writes `{name}` asks for a command")
        return None

    def _name_span(self, span: Span, name: str, skip: int) -> Span:
        start = span.start + skip
        return Span(start, start + len(name)) if self.tree.text[start : start + len(name)] == name else span

    def _write(self, mark: Write) -> None:
        span, name = mark.span, mark.component
        component = self._component(name, span, skip=1)
        if component is None:
            return
        if mark.property is None:
            self.names.report(
                span, "type-component", f"`{name}` is a component, which takes no value",
                f"write `+{name}` to add it, or `+{name}.property=value`",
            )  # fmt: skip
            return
        path = Path((name, mark.property), self._name_span(span, f"{name}.{mark.property}", 1))
        prop = self.names.property(component, path)
        if prop is None:
            return
        if any(write.property is prop for write in self.writes):
            self.names.report(
                span, "rule-writes-twice", f"this rule writes `{prop.path}` twice",
                "leave one of the two: a rule's writes happen at once",
            )  # fmt: skip
            return
        try:
            value = self._value(prop, mark)
        except BadOperand as error:
            self.names.report(error.span, error.code, error.message, error.hint)
            return
        self._add(RuleWrite(name))
        self._add(RuleWrite(name, prop, value, self.zone))

    # --- the value ------------------------------------------------------------------------------

    def _value(self, prop: Property, mark: Write) -> Constant | TimeBound:
        scalar = mark.value
        if scalar is None:
            raise BadOperand(
                mark.span,
                f"`+{prop.path}` says no value",
                f"write `+{prop.path}=…`, or `+{prop.component}` to add it empty",
            )
        if isinstance(scalar, Copy):
            raise BadOperand(
                scalar.span if scalar.span.end else mark.span,
                f"`.{scalar.path.text}` copies a value of the same row, {_LATER}",
                "write a constant" + (", or quote it to mean the text" if prop.kind == "string" else ""),
                "limit-not-yet",
            )
        if prop.kind in ("object", "array"):
            raise BadOperand(
                mark.span,
                f"`{prop.path}` is {KIND_WORDS[prop.kind]}, which no mark can write",
                f"write `+{prop.component}` to add the component without it",
            )
        if scalar.text == "null" and not scalar.quoted:
            hint = f"write `+{prop.component}` to add it empty"
            if prop.kind == "string":
                hint += f', or quote it, `+{prop.path}="null"`, to mean the text'
            raise BadOperand(scalar.span, f"`+{prop.path}=null` writes no value", hint)
        if prop.kind == "instant":
            from .moments import written_moment

            return written_moment(prop, scalar)
        try:
            value = constant_of(prop, scalar)
        except BadOperand as error:
            hint = f"write for example `+{prop.path}={_EXAMPLES[prop.kind]}`"
            raise BadOperand(error.span, error.message, hint) from None
        return self._admitted(prop, value, scalar)

    def _admitted(self, prop: Property, value: Constant, scalar: Scalar) -> Constant:
        try:
            taken = admit(prop)(value)
        except BadValue as error:
            raise BadOperand(scalar.span, str(error), "write a value that the vocabulary takes") from None
        assert isinstance(taken, str | int | float)
        if prop.path == "wake.every":
            _check_schedule(str(taken), scalar)
        return taken


def _check_schedule(text: str, scalar: Scalar) -> None:
    """A cadence is read where it is written, so that no rule writes one that every apply would refuse."""
    from ..schedules import ScheduleError, every

    try:
        schedule = every(text)
    except ScheduleError as error:
        problem = error.problems[0]
        span = scalar.span
        if not scalar.quoted:
            span = Span(span.start + problem.span.start, span.start + problem.span.end)
        raise BadOperand(span, problem.message, problem.hint, problem.code) from None
    if schedule.never:
        raise BadOperand(
            scalar.span,
            f"{quoted(text)} names no date that ever comes",
            "check the day of month against the month",
            "schedule-never",
        )
