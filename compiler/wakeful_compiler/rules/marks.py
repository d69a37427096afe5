"""Marks that write, read against the vocabulary; `^` is read in occasions.py, values in mark_values.py."""

from __future__ import annotations

from datetime import tzinfo

from wakeful_grammar.nodes import Gate, Mark, Occasion, Path, RuleTree, Scalar, Tombstone, Write
from wakeful_grammar.problems import Span

from ..names import Names
from ..operand_errors import BadOperand
from ..vocab.builtin import STAMPED
from ..vocab.model import Component, Property
from .mark_values import ValueReader
from .model import RuleWrite
from .written import CLEARED, Copied


class MarkReader:
    """Reads the writing marks of one rule; what is wrong goes to the problems of `names`.

    `gates` are the components that a `+!` asks to be absent, `held` those that a `*` asks to be there, `copies`
    what is copied, each with where it was written; `deletes` is where `+tombstone` stands.
    """

    def __init__(self, tree: RuleTree, names: Names, zone: tzinfo) -> None:
        self.tree, self.names, self.zone = tree, names, zone
        self.writes: list[RuleWrite] = []
        self.gates: dict[str, Span] = {}
        self.held: dict[str, Span] = {}
        self.copies: list[tuple[Copied, Span]] = []
        self.deletes: Span | None = None
        self._values = ValueReader(names, hops=any(isinstance(mark, Occasion) for mark in tree.marks))
        self._closed: set[str] = set()
        self._told: set[str] = set()

    def read(self, *, calls: bool = False) -> None:
        """Read all marks; a rule that asks for a command (`calls`) may have none that writes."""
        for mark in self.tree.marks:
            self._mark(mark)
        if not calls and all(isinstance(mark, Occasion) for mark in self.tree.marks):
            self.names.report(
                Span(0, len(self.tree.text)),
                "rule-without-effect",
                "this rule writes nothing",
                "add what it writes: `+component`, `+component.property=value`, `*component.property=value` where it "
                "is there, or `+!component` to act once",
            )

    def refuse_writes(self) -> None:
        """A rule that refuses writes nothing: report every mark that does."""
        for mark in self.tree.marks:
            if isinstance(mark, Occasion):
                continue
            hint = "take the mark out: the text of `refuse` is all that it says"
            if isinstance(mark, Gate):
                hint = f"write `!{mark.component}` to ask for its absence"
            text = self.tree.text[mark.span.start : mark.span.end]
            self.names.report(
                mark.span, "rule-refuse-writes", f"a rule that refuses writes nothing, and `{_cut(text)}` writes", hint
            )

    def _mark(self, mark: Mark) -> None:
        match mark:
            case Gate(name, span):
                if self.component(name, span, skip=2) is not None:
                    self.gates.setdefault(name, span)
                    self._add(RuleWrite(name), span)
            case Write("+", name, None, None, span):
                if self.component(name, span, skip=1) is not None:
                    self._add(RuleWrite(name), span)
            case Write("*", name, None, None, span):
                if self.component(name, span, skip=1) is not None:
                    self._without_effect(name, span)
            case Write("*", name, None, Scalar("null", False), span):
                if self.component(name, span, skip=1) is not None:
                    self.held.setdefault(name, span)
                    self._add(RuleWrite(name, removes=True), span)
            case Write():
                self._write(mark)
            case Tombstone(span):
                self.deletes = self.deletes or span
            case Occasion():
                pass

    def _without_effect(self, name: str, span: Span) -> None:
        self.names.report(
            span,
            "rule-without-effect",
            f"`*{name}` writes nothing",
            f"write `*{name}.property=value` to change it, `*{name}=null` to take it away, or `.{name}` to ask for it",
            f".{name}",
        )

    def _add(self, write: RuleWrite, span: Span) -> None:
        if write in self.writes:
            return
        name = write.component
        if name not in self._told and any(
            other.component == name and other.removes is not write.removes for other in self.writes
        ):
            self._told.add(name)
            self.names.report(
                span,
                "rule-writes-twice",
                f"this rule writes `{name}` and takes it away",
                "leave one of the two: a rule's writes happen at once",
            )
        self.writes.append(write)

    # --- the component and the property ---------------------------------------------------------

    def component(self, name: str, span: Span, *, skip: int) -> Component | None:
        """The component that a mark names; `skip` is the length of the mark's sign."""
        component = self.names.component(Path((name,), self.name_span(span, name, skip)))
        if component is None:
            return None
        if name not in STAMPED:
            return component
        if name not in self._closed:
            self._closed.add(name)
            self.names.report(
                span,
                "rule-writes-stamp",
                f"`{name}` is stamped by the store; no rule writes it",
                "write a component of your own",
            )
        return None

    def name_span(self, span: Span, name: str, skip: int) -> Span:
        start = span.start + skip
        return Span(start, start + len(name)) if self.tree.text[start : start + len(name)] == name else span

    def _write(self, mark: Write) -> None:
        span, name = mark.span, mark.component
        component = self.component(name, span, skip=1)
        if component is None:
            return
        if mark.property is None:
            self.names.report(
                span, "type-component", f"`{name}` is a component, which takes no value",
                f"write `+{name}` to add it, or `{mark.mark}{name}.property=value`",
            )  # fmt: skip
            return
        path = Path((name, mark.property), self.name_span(span, f"{name}.{mark.property}", 1))
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
            self._put(mark, component, prop)
        except BadOperand as error:
            self.names.report(error.span, error.code, error.message, error.hint)

    def _put(self, mark: Write, component: Component, prop: Property) -> None:
        value = self._values.read(prop, mark, required=prop.name in component.required)
        if value is None:
            return
        if isinstance(value, Copied) and mark.value is not None:
            self.copies.append((value, mark.value.span))
        if mark.mark == "+":
            self._add(RuleWrite(component.name), mark.span)
        else:
            self.held.setdefault(component.name, mark.span)
        assert value is not CLEARED or mark.mark == "*"
        self._add(RuleWrite(component.name, prop, value, self.zone), mark.span)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
