"""The value of a mark: a constant or a moment typed by the property, a copy that fits it, or `null`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from wakeful_grammar.nodes import Copy, Scalar, Write
from wakeful_grammar.problems import QueryError, Span

from ..names import Names
from ..numbers import as_double, is_integral, read_number
from ..operand_errors import BadOperand, quoted
from ..operands import constant_of
from ..predicates import Constant
from ..values import BadValue, admit
from ..vocab.model import KIND_WORDS, Kind, Property
from .written import CLEARED, Copied, WrittenValue

if TYPE_CHECKING:
    from ..times import TimeOperand

_EXAMPLES: Mapping[Kind, str] = MappingProxyType(
    {"string": "thai", "number": "20", "integer": "20", "boolean": "true", "reference": "some-eid"}
)
_NUMERIC = frozenset({"number", "integer"})
_EIDS = frozenset({"string", "reference"})


def hop_of_a_state_rule(shown: str) -> tuple[str, str]:
    """The message and the hint for a state rule that reads through a reference."""
    return (
        f"`{shown}` reads through a reference; a state rule judges one row by itself",
        "keep what the rule needs on the row, or act on an occasion, `^component`",
    )


_LENGTH = re.compile(r"([0-9]+)[-_]?([A-Za-z]+)")


class ValueReader:
    """Reads the values of one rule's marks; unknown names are reported to `names`, the rest is raised.

    `hops` tells whether a copy may read through references, `literally` how its text is written to be no copy.
    """

    def __init__(self, names: Names, *, hops: bool, literally: str = 'or quote it to mean the text: `"{}"`') -> None:
        self.names, self.hops, self._literally = names, hops, literally

    def read(self, prop: Property, mark: Write, *, required: bool) -> WrittenValue | None:
        """What the mark writes into the property, or None once an unknown name is reported.

        Raises :class:`BadOperand`.
        """
        given, sign = mark.value, mark.mark
        if given is None:
            raise BadOperand(
                mark.span,
                f"`{sign}{prop.path}` says no value",
                f"write `{sign}{prop.path}=…`, or `+{prop.component}` to add it empty",
            )
        if isinstance(given, Copy):
            return self.copy(prop, given)
        if given.text == "null" and not given.quoted:
            return _cleared(prop, given, sign, required)
        if prop.kind in ("object", "array"):
            raise BadOperand(
                mark.span,
                f"`{prop.path}` is {KIND_WORDS[prop.kind]}, which a mark can only copy or clear",
                f"write `+{prop.component}` to add the component without it",
            )
        if prop.kind == "instant":
            from .moments import written_moment

            return written_moment(prop, given)
        try:
            value = constant_of(prop, given)
        except BadOperand as error:
            hint = f"write for example `{sign}{prop.path}={_EXAMPLES[prop.kind]}`"
            raise BadOperand(error.span, error.message, hint) from None
        return _admitted(prop, value, given)

    # --- copies ---------------------------------------------------------------------------------

    def copy(self, prop: Property, copy: Copy) -> Copied | None:
        """The copy, typed by the property that takes it, or None once an unknown name is reported.

        Raises :class:`BadOperand`.
        """
        source = self.names.reached(copy.path)
        if source is None:
            return None
        if source.via and not self.hops:
            raise BadOperand(copy.span, *hop_of_a_state_rule(f".{copy.path.text}"), "rule-hop")
        shown = f".{copy.path.text}{'+' if copy.sign > 0 else '-' if copy.sign else ''}{copy.amount}"
        if not _fits(source.kind, prop.kind):
            raise BadOperand(
                copy.span,
                f"`{prop.path}` is {KIND_WORDS[prop.kind]} and `{source.path}` {KIND_WORDS[source.kind]}: "
                "the one does not take the other",
                "copy a property of the same type"
                + (f", {self._literally.format(shown)}" if prop.kind == "string" else ""),
            )
        if not copy.sign:
            return Copied(source, None, shown)
        return Copied(source, _step(prop, source, copy), shown)


def _fits(source: Kind, target: Kind) -> bool:
    return source == target or {source, target} <= _NUMERIC or {source, target} <= _EIDS


def _step(prop: Property, source: Property, copy: Copy) -> int | float | TimeOperand:
    """The constant of a copy, its sign applied."""
    constant = Span(copy.path.span.end, copy.span.end)
    number = read_number(copy.amount)
    if prop.kind == "instant":
        operand = _offset(copy) if number is None else None
        if operand is None:
            raise BadOperand(
                constant,
                f"`{prop.path}` is an instant, to which {quoted(copy.amount)} cannot be added",
                f"write a number with a unit from seconds to years: `.{source.path}+7-days`, `.{source.path}-1-month`",
            )
        return operand
    if prop.kind not in _NUMERIC:
        raise BadOperand(
            constant,
            f"nothing can be added to `{prop.path}`, which is {KIND_WORDS[prop.kind]}",
            f"copy it as it is: `.{source.path}`",
        )
    double = as_double(number) if number is not None else None
    if number is None or double is None:
        raise BadOperand(
            constant,
            f"`{prop.path}` is {KIND_WORDS[prop.kind]}, to which {quoted(copy.amount)} cannot be added",
            f"write a number: `.{source.path}+1`",
        )
    step: int | float = int(number) if is_integral(number) and abs(double) < 2**63 else double
    if prop.kind == "integer" and source.kind == "integer" and not isinstance(step, int):
        raise BadOperand(
            constant,
            f"`{prop.path}` is an integer; {quoted(copy.amount)} does not fit it",
            f"write a whole number: `.{source.path}+1`",
        )
    return step * copy.sign


def _offset(copy: Copy) -> TimeOperand | None:
    """The length of time that a copy adds or takes away, or None where the constant is none."""
    from wakeful_grammar.time_operand import parse_time

    from ..times import lower_time

    length = _LENGTH.fullmatch(copy.amount)
    if length is None:
        return None
    count, unit = length.groups()
    try:
        return lower_time(parse_time(f"in-{count}-{unit}" if copy.sign > 0 else f"{count}-{unit}-ago"))
    except QueryError:
        return None


# --- null and constants ---------------------------------------------------------------------------


def _cleared(prop: Property, scalar: Scalar, sign: str, required: bool) -> WrittenValue:
    if sign == "*":
        if required:
            raise BadOperand(
                scalar.span,
                f"`{prop.component}` requires `{prop.name}`, so that it cannot be cleared",
                f"write `*{prop.component}=null` to take the component away",
            )
        return CLEARED
    hint = f"write `*{prop.path}=null` to clear it where it is there, or `+{prop.component}` to add it empty"
    if prop.kind == "string":
        hint += f'; quote it, `+{prop.path}="null"`, to mean the text'
    raise BadOperand(scalar.span, f"`+{prop.path}=null` writes no value", hint)


def _admitted(prop: Property, value: Constant, scalar: Scalar) -> Constant:
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
