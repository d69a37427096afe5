"""`every` expressions: text to tree, with every mistake found and placed.

The forms are in `every.lark` and `every_field.lark`; this module knows what a number or a name may be in each
field and how long an elapsed time may be.  What to say of a text that has no form at all is in `every_faults`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .cron import Cron, Duration, Field, Item, Star, Values, Zone
from .cron_items import (
    MONTHS,
    WEEKDAYS,
    Fault,
    FieldKind,
    FieldReading,
    problems_of,
    read_range,
    read_step,
    value_fault,
    wrong_form,
)
from .every_faults import NAMED, looks_like_a_field, miscounted, misshapen, no_such_name, zone_in_front
from .grammars import grammar
from .problems import Problem, ScheduleError, Span, problem_at

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

LONGEST_TEXT = 256
LONGEST_SECONDS = 36_525 * 86_400
"""A hundred years of 365.25 days: the longest elapsed time."""

_WORD = re.compile(r"[^ \t\n\r\f\v]+")
_WEEKDAY_NUMBER = re.compile(r"(?<![/#0-9])[0-9]")
_PART = re.compile(r"([0-9]+)([smhdw])")
SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}

_LONGER = "; for a longer interval write an elapsed time such as 90m or 36h"
KINDS = (
    FieldKind("minute", 0, 59, 59, 60, beyond=_LONGER),
    FieldKind("hour", 0, 23, 23, 24, beyond=_LONGER),
    FieldKind(
        "day of month", 1, 31, 31, 31,
        instead="a day is a plain number here; where a month ends the next begins: `0 0 1 * *` is that midnight",
    ),
    FieldKind("month", 1, 12, 12, 12, MONTHS, 1),
    FieldKind(
        "day of week", 0, 7, 6, 7, WEEKDAYS,
        instead="here it is a plain name or number, such as MON-FRI; for dates use day of month",
    ),
)  # fmt: skip


class Reading(NamedTuple):
    """A tree, where one could be made, and what is wrong with the text; a tree with problems has gaps."""

    tree: Duration | Cron | None
    problems: tuple[Problem, ...]


def parse_every(text: str) -> Duration | Cron:
    """The tree of an `every` expression.

    Raises :class:`ScheduleError` with every problem.  Whether the zone exists is not looked at.
    """
    tree, problems = read_every(text)
    if tree is None or problems:
        raise ScheduleError(problems)
    return tree


def read_every(text: str) -> Reading:
    """The tree of an `every` expression together with its problems: for callers that add their own."""
    from lark.exceptions import LarkError

    if len(text) > LONGEST_TEXT:
        return Reading(None, (too_long(text),))
    misplaced = zone_in_front(text)
    if misplaced is not None:
        return Reading(None, (misplaced,))
    try:
        tree = _forms().parse(text)
    except LarkError:
        return Reading(None, (misshapen(text),))
    return _READERS[tree.data](text, tokens_of(tree))


def too_long(text: str) -> Problem:
    """The refusal of a text that is longer than any schedule needs to be."""
    return problem_at(
        text, Span(LONGEST_TEXT, len(text)), "limit-schedule-length",
        f"a schedule has at most {LONGEST_TEXT} characters; this one has {len(text)}",
        "write ranges and steps (`0-59/5`) instead of long lists, or split the schedule in two",
    )  # fmt: skip


# --- the three forms ----------------------------------------------------------------------------


def _read_cron(text: str, tokens: list[Token]) -> Reading:
    zone = _zone(tokens[1]) if len(tokens) > 1 else None
    if zone is not None and looks_like_a_field(zone.name):
        return Reading(None, (miscounted(text),))
    return read_fields(text, tokens[0], read_field, zone)


def read_fields(text: str, token: Token, read: Callable[[int, str], FieldReading], zone: Zone | None = None) -> Reading:
    """Five fields, each read by `read` and put in its place, with the problems of all of them."""
    readings = [read(number, word) for number, word in enumerate(_WORD.findall(token))]
    problems: tuple[Problem, ...] = ()
    if any(reading.faults for reading in readings):
        begin = token.start_pos or 0
        for match, reading in zip(_WORD.finditer(token), readings, strict=True):
            problems += tuple(problems_of(text, begin + match.start(), reading.faults))
    minute, hour, day, month, weekday = (reading.field for reading in readings)
    return Reading(Cron(minute, hour, day, month, weekday, zone), problems)


def _read_named(text: str, tokens: list[Token]) -> Reading:
    word = str(tokens[0])
    fields = NAMED.get(word)
    if fields is None:
        return Reading(None, (no_such_name(text, word, _span(tokens[0])),))
    readings = [read_field(number, field) for number, field in enumerate(fields)]
    zone = _zone(tokens[1]) if len(tokens) > 1 else None
    minute, hour, day, month, weekday = (reading.field for reading in readings)
    return Reading(Cron(minute, hour, day, month, weekday, zone), ())


def _read_duration(text: str, tokens: list[Token]) -> Reading:
    span = _span(tokens[0])
    total = 0
    seen: set[str] = set()
    for match in _PART.finditer(tokens[0]):
        amount, unit = match.groups()
        if unit in seen:
            where = Span(span.start + match.start(), span.start + match.end())
            return Reading(None, (problem_at(
                text, where, "schedule-duration", f"the unit {unit} stands twice",
                f"add the two amounts and write {unit} once",
            ),))  # fmt: skip
        seen.add(unit)
        total += int(amount) * SECONDS[unit]
    if not 1 <= total <= LONGEST_SECONDS:
        message, hint = (
            ("an elapsed time is at least one second", "write 1s or more")
            if total < 1
            else ("an elapsed time is at most 100 years", f"write at most {LONGEST_SECONDS // 86_400}d")
        )
        return Reading(None, (problem_at(text, span, "limit-duration", message, hint),))
    return Reading(Duration(total, span), ())


_READERS: dict[str, Callable[[str, list[Token]], Reading]] = {
    "cron": _read_cron,
    "named": _read_named,
    "duration": _read_duration,
}


def _span(token: Token) -> Span:
    start = token.start_pos or 0
    return Span(start, start + len(token))


def _zone(token: Token) -> Zone:
    return Zone(str(token), _span(token))


# --- one field ----------------------------------------------------------------------------------


STAR = FieldReading(Field("*", (Star(Span(0, 1)),), False))
"""A lone `*`, which most fields of most expressions are."""


@lru_cache(maxsize=2048)
def read_field(number: int, text: str) -> FieldReading:
    """The field in place `number` (0 is the minute), and what is wrong with it, in its own positions."""
    return STAR if text == "*" else read_items(KINDS[number], text, list(_items().lex(text)))


SpecialForm = Callable[["Token", Span], Item | Fault | None]


def read_items(kind: FieldKind, text: str, tokens: list[Token], special: SpecialForm | None = None) -> FieldReading:
    """The items of a field and their faults; `special` reads the forms that only another dialect has."""
    items: list[Item] = []
    faults: list[Fault] = []
    open_at: int | None = 0
    for token in tokens:
        start = token.start_pos or 0
        span = Span(start, start + len(token))
        if token.type == "COMMA":
            if open_at is not None:
                faults.append(_empty_item(open_at, span))
            open_at = span.end
            continue
        open_at = None
        item = (special and special(token, span)) or _read_item(kind, token, span)
        if isinstance(item, Fault):
            faults.append(item)
        else:
            items.append(item)
    if open_at is not None:
        faults.append(_empty_item(open_at - 1, Span(open_at - 1, open_at)))
    alone = len(tokens) == 1
    if not alone:
        faults += [_star_in_list(kind, item.span) for item in items if isinstance(item, Star)]
    restricted = not (alone and items and isinstance(items[0], Star))
    numbered = bool(kind.base) and _WEEKDAY_NUMBER.search(text) is not None
    faults.sort(key=lambda fault: fault.span.start)
    return FieldReading(Field(text, tuple(items), restricted, numbered), tuple(faults))


def _read_item(kind: FieldKind, token: Token, span: Span) -> Item | Fault:
    text = str(token)
    match token.type:
        case "STAR":
            return Star(span)
        case "VALUE":
            number = kind.number(text)
            if number is None or not kind.low <= number <= kind.high:
                return value_fault(kind, text, span) or wrong_form(kind, text, span)
            return Values(number - kind.base, number - kind.base, 1, span)
        case "STEP":
            return read_step(kind, text, span)
        case "RANGE":
            return read_range(kind, text, span)
        case _:
            return wrong_form(kind, text, span)


def _empty_item(start: int, comma: Span) -> Fault:
    return Fault(Span(min(start, comma.start), comma.end), "schedule-form", "an item of the list is empty",
                 "write a value on both sides of each comma, with no blanks around it")  # fmt: skip


def _star_in_list(kind: FieldKind, span: Span) -> Fault:
    return Fault(span, "schedule-form", "a bare `*` in a list makes the rest of the list idle",
                 f"write `*` alone for every {kind.name}, or leave it out")  # fmt: skip


@lru_cache(maxsize=1)
def _forms() -> Lark:
    return lark_of("every", parser="lalr", start="every", maybe_placeholders=False)


@lru_cache(maxsize=1)
def _items() -> Lark:
    return lark_of("every_field", parser=None, lexer="basic")


def lark_of(name: str, **options: Any) -> Lark:
    """The grammar in the file of that name, read with Lark's options."""
    from lark import Lark

    return Lark(grammar(name), **options)


def tokens_of(tree: Tree[Token]) -> list[Token]:
    """The tokens of a rule that has no others below it."""
    return cast("list[Token]", tree.children)
