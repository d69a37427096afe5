"""What a cron field may hold: numbers, names, ranges and steps, and why something else is no item.

Each dialect brings its five :class:`FieldKind`; the checks are the same.  A fault is placed within its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .cron import Field, Values
from .node import node
from .problems import Problem, Span, problem_at

BLANKS = " \t\n\r\f\v"

_WORD = re.compile(r"[^ \t\n\r\f\v]+")
_NUMBER = re.compile(r"[0-9]+")
_SHOWN = 40

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@node
class FieldKind:
    """What one of the five fields may hold.

    `low` to `high` are the numbers that may be written, `top` the last one that `*` stands for, `first_name`
    the number of the first of `names`, `widest` the largest step, `beyond` what to write for a longer one.
    `base` is taken off a written number, so that the tree counts weekdays from 0 in every dialect; `instead`
    is the hint on forms with L, W and # that have no place here.
    """

    name: str
    low: int
    high: int
    top: int
    widest: int
    names: tuple[str, ...] = ()
    first_name: int = 0
    base: int = 0
    beyond: str = ""
    instead: str = ""

    def number(self, text: str) -> int | None:
        """The number that a value names, or None for a word that is no name here."""
        if text[0] in "0123456789":
            return int(text)
        upper = text.upper()
        return self.names.index(upper) + self.first_name if upper in self.names else None

    def spelled(self, value: int) -> str:
        """A value as a person would write it: by name where the field has names."""
        return self.names[(value - self.first_name) % len(self.names)] if self.names else str(value)

    @property
    def legal(self) -> str:
        """What may stand here, in words."""
        names = f", or {self.names[0]} to {self.names[-1]}" if self.names else ""
        trap = " (1 is Sunday)" if self.base else ""
        return f"{self.name} takes {self.low} to {self.high}{trap}{names}"


@node
class Fault:
    """One thing wrong with a field, in the field's own positions, before they are those of the expression."""

    span: Span
    code: str
    message: str
    hint: str
    fix: str | None = None


@node
class FieldReading:
    """A field as far as it could be read, and what is wrong with it."""

    field: Field
    faults: tuple[Fault, ...] = ()


def shown(text: str) -> str:
    """A piece of the expression for a message: quoted, cut when long, every odd character escaped."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "`" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut) + "`"


def words(text: str) -> list[Span]:
    """Where the words of a text lie; only ASCII blanks part them."""
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def problems_of(text: str, start: int, faults: Iterable[Fault]) -> list[Problem]:
    """The faults of the field that begins at `start`, as problems of the whole expression."""
    return [
        problem_at(
            text, Span(start + f.span.start, start + f.span.end), f.code, f.message, f.hint, fix=f.fix
        )
        for f in faults
    ]  # fmt: skip


# --- values, ranges and steps -------------------------------------------------------------------


def value_fault(kind: FieldKind, text: str, span: Span) -> Fault | None:
    """What is wrong with one number or name, or None."""
    number = kind.number(text)
    if number is None:
        return _name_fault(kind, text, span)
    if kind.low <= number <= kind.high:
        return None
    wrapped = {("minute", 60): "0", ("hour", 24): "0"}.get((kind.name, number))
    hint = f"the {kind.legal}"
    if wrapped is not None:
        hint += f"; write {wrapped}"
    elif kind.base and number == 0:
        hint, wrapped = "1 is Sunday here: write SUN", "SUN"
    return Fault(span, "schedule-value", f"{shown(text)} is out of range", hint, wrapped)


def _name_fault(kind: FieldKind, text: str, span: Span) -> Fault:
    upper = text.upper()
    if upper in MONTHS or upper in WEEKDAYS:
        belongs = "month (the fourth field)" if upper in MONTHS else "day of week (the fifth field)"
        return Fault(span, "schedule-value", f"{shown(text)} belongs in the {belongs}", f"the {kind.legal}")
    if _SPECIAL.fullmatch(text):
        return _special_fault(kind, text, span)
    near = next((name for name in kind.names if upper.startswith(name)), None)
    hint = f"write {near}" if near else f"the {kind.legal}"
    return Fault(span, "schedule-value", f"{shown(text)} is no {kind.name}", hint, near)


def read_step(kind: FieldKind, text: str, span: Span) -> Values | Fault:
    """`*/s`, read."""
    step = int(text[2:])
    fault = _step_fault(kind, text[2:], Span(span.start + 2, span.end))
    return fault or Values(kind.low - kind.base, kind.top - kind.base, step, span)


def _step_fault(kind: FieldKind, text: str, span: Span) -> Fault | None:
    step = int(text)
    if step == 0:
        return Fault(span, "schedule-step", "a step of 0 goes nowhere", "write a step of 1 or more", "1")
    if step > kind.widest:
        return Fault(
            span, "schedule-step", f"a step of {shown(text)[1:-1]} is too large for the {kind.name} field",
            f"the largest step here is {kind.widest}{kind.beyond}",
        )  # fmt: skip
    return None


def read_range(kind: FieldKind, text: str, span: Span) -> Values | Fault:
    """`a-b` or `a-b/s`, read; a range that runs backwards is refused with the two it stands for."""
    ends, _, step_text = text.partition("/")
    low_text, _, high_text = ends.partition("-")
    start = span.start
    middle = start + len(low_text) + 1
    fault = value_fault(kind, low_text, Span(start, middle - 1))
    fault = fault or value_fault(kind, high_text, Span(middle, start + len(ends)))
    if fault is None and step_text:
        fault = _step_fault(kind, step_text, Span(start + len(ends) + 1, span.end))
    if fault is not None:
        return fault
    low, high = kind.number(low_text), kind.number(high_text)
    assert low is not None and high is not None
    # SUN ends a range as 7 where 7 is Sunday, so that MON-SUN is the whole week.
    if kind.high > kind.top and high == 0 and low > 0 and high_text[0] not in "0123456789":
        high = 7
    if low > high:
        return _backwards(kind, low, high, step_text, Span(start, start + len(ends)))
    return Values(low - kind.base, high - kind.base, int(step_text) if step_text else 1, span)


def _backwards(kind: FieldKind, low: int, high: int, step: str, span: Span) -> Fault:
    last = kind.top

    def run(first: int, final: int) -> str:
        if first == final:
            return kind.spelled(first)
        return f"{kind.spelled(first)}{',' if first + 1 == final else '-'}{kind.spelled(final)}"

    parts = f"{run(low, last)},{run(kind.low, high)}" if low <= last else run(kind.low, high)
    written = f"{kind.spelled(low)}-{kind.spelled(high)}"
    return Fault(
        span, "schedule-range", f"the range {written} runs backwards",
        f"list the values that you mean, with the step worked out; {written} is {parts}" if step
        else f"write {parts}",
        None if step else parts,
    )  # fmt: skip


# --- forms that are no items --------------------------------------------------------------------


_VALUE_STEP = re.compile(r"([0-9]+|[A-Za-z]+)/([0-9]+)")
_SPECIAL = re.compile(r"L(-[0-9]*)?W?|[0-9]+W|[0-9]L|[A-Z]{3}L|[A-Z0-9]*#[A-Z0-9]*|L[0-9]+", re.IGNORECASE | re.ASCII)
_SIGNED = re.compile(r"[+-]([0-9]+)")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]*")


def wrong_form(kind: FieldKind, text: str, span: Span) -> Fault:
    """Why a piece of a field has no form that a field may hold."""
    name = kind.name
    legal = f"the {kind.legal}"
    show = shown(text)

    def fault(message: str, hint: str, fix: str | None = None) -> Fault:
        return Fault(span, "schedule-form", message, hint, fix)

    if text == "?" or (text.startswith("?") and len(text) < 4):
        return fault("`?` is not used here", "write `*` for every value", "*")
    if match := _VALUE_STEP.fullmatch(text):
        first, step = match.groups()
        last = kind.spelled(kind.top)
        return fault(
            f"{show} has a step but no range",
            f"write {first} alone, or {first}-{last}/{step} for the rest of the field",
        )
    if match := _SIGNED.fullmatch(text):
        return fault(f"{show} has a sign", f"write {match[1]} without it; {legal}")
    if _DECIMAL.fullmatch(text):
        return fault(f"{show} is no whole number", legal)
    if any(c.isnumeric() and c not in "0123456789" for c in text):
        return fault(f"{show} holds digits that are not ASCII", "write the digits 0 to 9")
    if any(c.isspace() for c in text):
        return fault(f"{show} holds a blank that is not ASCII", "part the fields with ordinary spaces")
    if _SPECIAL.fullmatch(text):
        return _special_fault(kind, text, span)
    if "/" in text:
        head, _, tail = text.partition("/")
        if not _NUMBER.fullmatch(tail):
            return fault(f"{show} has no number after the `/`", f"write a step such as {head or '*'}/2")
        return fault(f"{show} steps over what is no range", "write `*/n` or `a-b/n`")
    if "*" in text:
        return fault(f"{show} mixes `*` with something else", "write `*` alone, or `*/n`")
    if "-" in text:
        return fault(f"{show} is no range", f"write a range as a-b; {legal}")
    return fault(f"{show} is no {name}", legal)


def _special_fault(kind: FieldKind, text: str, span: Span) -> Fault:
    """`L`, `W` and `#` where they mean nothing: in `every`, or in a field that has no such form."""
    hint = kind.instead or f"the {kind.legal}"
    return Fault(span, "schedule-form", f"{shown(text)} counts days in a way this field does not know", hint)
