"""The command that a rule asks for, and the arguments it gives: literals, moments and copies (the design's section 4).

A text that begins with `=.` is a copy, `=.entity.eid`, wherever it stands in the arguments; one that is to begin so
itself is written with one more `=`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wakeful_grammar.node import field, node
from wakeful_grammar.nodes import Copy, RuleTree, Write
from wakeful_grammar.problems import Problem, RuleError, Span
from wakeful_grammar.rule import parse_rule

from ..commands import BadArguments, CompiledCommand
from ..names import Names
from ..numbers import canonical_double
from ..operand_errors import BadOperand
from ..texts import shown
from ..vocab.model import KIND_WORDS, Component, Property, Rule
from ..vocab.source import pointer_to
from ..written_moments import is_moment, read_moment
from .mark_values import ValueReader
from .model import RuleProblem
from .written import Bundle, Copied

if TYPE_CHECKING:
    from ..emit.readers import Lookup

_ESCAPED = re.compile(r"={2,}\.")
_MARK = "+a.b"
"""What is put before a copy so that it reads as a mark's."""

_Make = Callable[[Bundle, datetime, "Lookup | None"], Any]


@node
class CompiledCall:
    """What a rule asks for when it acts: a command of the vocabulary, by name.

    `written` are the arguments as the vocabulary has them; `fixed` tells that they are the same on every row at
    every time.
    """

    command: str
    written: Mapping[str, Any] = field(compare=False)
    fixed: bool
    _makes: Mapping[str, _Make] = field(compare=False, repr=False)

    def arguments(self, bundle: Bundle, now: datetime, lookup: Lookup | None = None) -> dict[str, Any]:
        """The arguments for a row that the rule matches, as it stands before the rule writes.

        Moments are instants counted from `now`.  Raises OverflowError for an instant outside the years 0001 to 9999.
        """
        return {name: make(bundle, now, lookup) for name, make in self._makes.items()}


class CallReader:
    """Reads the arguments of one rule against the inputs of its command; `problems` says what is wrong.

    `copies` are all that the arguments copy; `hops` tells whether they may read through references.
    """

    def __init__(
        self,
        rule: Rule,
        command: CompiledCommand,
        components: Mapping[str, Component],
        zone: tzinfo,
        hops: bool,
    ) -> None:
        self._rule, self._command, self._components, self._zone, self._hops = rule, command, components, zone, hops
        self.problems: list[RuleProblem] = []
        self.copies: list[Copied] = []
        self._moving = False

    def read(self) -> CompiledCall | None:
        """The call, or None where something is wrong with it."""
        literals: dict[str, Any] = {}
        makes: dict[str, _Make] = {}
        for name, value in self._rule.args.items():
            prop, place = self._command.command.inputs.get(name), pointer_to("args", name)
            if prop is not None and _copies(value):
                makes[name] = self._value(value, place, prop)
                self._check_holder(prop, value, place)
            else:
                literals[name] = _plain(value)
        for name, value in self._taken(literals, frozenset(makes)).items():
            makes[name] = self._literal(name, value)
        if self.problems:
            return None
        ordered = {name: makes[name] for name in self._rule.args if name in makes}
        return CompiledCall(self._command.command.name, self._rule.args, not (self._moving or self.copies), ordered)

    # --- literals -------------------------------------------------------------------------------

    def _taken(self, given: dict[str, Any], copied: frozenset[str]) -> dict[str, Any]:
        """The arguments that are known already, in canonical form; what is wrong with them is reported."""
        try:
            return self._command.arguments.without(copied).take(given)
        except BadArguments as bad:
            for problem in bad.problems:
                self._report(f"args{problem.pointer}" if self._rule.args else "call", problem)
            return {}

    def _literal(self, name: str, value: Any) -> _Make:
        if self._command.command.inputs[name].kind != "instant" or not is_moment(value):
            return lambda bundle, now, lookup: value
        self._moving = True
        zone = self._zone

        def moment(bundle: Bundle, now: datetime, lookup: Lookup | None) -> Any:
            instant = read_moment(value, now, zone)
            if instant is None:
                raise OverflowError(f"args.{name} would lie outside the years 0001 to 9999")
            return instant

        return moment

    def _check_holder(self, prop: Property, value: Any, place: str) -> None:
        """An object or a list that holds copies is still one, and goes where one is asked for."""
        if not isinstance(value, str) and prop.kind != ("object" if isinstance(value, Mapping) else "array"):
            message = f"args.{prop.name} is {KIND_WORDS[prop.kind]}: {shown(value)} is not"
            self._report(place, Problem("type-args", message, "let one copy be the whole value"))

    # --- values and copies ----------------------------------------------------------------------

    def _value(self, given: Any, place: str, prop: Property | None) -> _Make:
        if isinstance(given, str):
            if _copies(given):
                return self._copy(given, place, prop)
            text = _plain(given)
            return lambda bundle, now, lookup: text
        if isinstance(given, Mapping):
            members = {key: self._value(member, pointer_to(place, key), None) for key, member in given.items()}
            return lambda bundle, now, lookup: {key: make(bundle, now, lookup) for key, make in members.items()}
        if isinstance(given, list):
            items = [self._value(item, pointer_to(place, index), None) for index, item in enumerate(given)]
            return lambda bundle, now, lookup: [make(bundle, now, lookup) for make in items]
        return lambda bundle, now, lookup: given

    def _copy(self, text: str, place: str, prop: Property | None) -> _Make:
        copy = self._parsed(text, place)
        copied = self._typed(copy, text, place, prop) if copy is not None else None
        if copied is None:
            return lambda bundle, now, lookup: None
        self.copies.append(copied)
        target = copied.source if prop is None else replace(prop, component="args")
        zone = self._zone

        def value(bundle: Bundle, now: datetime, lookup: Lookup | None) -> Any:
            found = copied.of(bundle, target, zone, lookup)
            return canonical_double(found) if isinstance(found, float) else found

        return value

    def _parsed(self, text: str, place: str) -> Copy | None:
        try:
            tree = _tree(_MARK + text)
        except RuleError as error:
            for problem in error.problems:
                self._report(place, problem, problem.span)
            return None
        match tree.marks:
            case (Write(value=Copy() as copy),) if not tree.clauses:
                return copy
        self._report(
            place,
            Problem(
                "rule-args",
                f"a copy is one property and nothing else: {text[:60]}",
                f"write for example `=.entity.eid`; to mean the text itself write one more `=`: `={text[:60]}`",
            ),
        )
        return None

    def _typed(self, copy: Copy, text: str, place: str, prop: Property | None) -> Copied | None:
        names = Names(_MARK + text, self._components)
        reader = ValueReader(names, hops=self._hops, literally="or write `=={}` to mean the text")
        try:
            target = names.reached(copy.path) if prop is None else replace(prop, component="args")
            copied = reader.copy(target, copy) if target is not None else None
        except BadOperand as error:
            self._report(place, Problem(error.code, error.message, error.hint), error.span)
            return None
        for problem in names.problems:
            self._report(place, problem, problem.span)
        return copied

    def _report(self, place: str, problem: Problem, span: Span | None = None) -> None:
        inside = None
        if span is not None:
            inside = Span(max(0, span.start - len(_MARK)), max(0, span.end - len(_MARK)))
        told = replace(problem, message=f"{self._rule.name}: {problem.message}")
        unknown = problem.code == "unknown-input"
        self.problems.append(RuleProblem(self._rule.name, told, place, inside, unknown))


@lru_cache(maxsize=1_000)
def _tree(text: str) -> RuleTree:
    return parse_rule(text)


def _copies(value: Any) -> bool:
    """Whether a copy stands anywhere in an argument as written."""
    if isinstance(value, str):
        return value.startswith("=.")
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(map(_copies, parts))


def _plain(value: Any) -> Any:
    """An argument without copies as it is meant."""
    if isinstance(value, str):
        return value[1:] if _ESCAPED.match(value) else value
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(member) for member in value] if isinstance(value, list) else value
