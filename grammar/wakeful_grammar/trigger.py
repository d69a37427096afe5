"""Cron triggers, the second dialect: text to tree, with every mistake found and placed.

Five fields in UTC.  Weekdays are numbered from 1 for Sunday; day of month also takes L, L-3, LW and 15W, day
of week FRIL and MON#2, each alone in its field.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .cron import Cron, Item, Star, Values
from .cron_days import LastDay, LastWeekday, LastWorkday, NearestWorkday, NthWeekday
from .cron_items import (
    MONTHS,
    WEEKDAYS,
    Fault,
    FieldKind,
    FieldReading,
    shown,
    value_fault,
    words,
    wrong_form,
)
from .every import LONGEST_TEXT, STAR, Reading, lark_of, read_fields, read_items, tokens_of, too_long
from .every_faults import NAMED, looks_like_a_duration, miscounted
from .problems import Problem, ScheduleError, Span, problem_at

if TYPE_CHECKING:
    from lark import Lark, Token

_DAY_FORMS = "the forms are L, L-3, LW and 15W, in upper case and alone in the field"
_WEEKDAY_FORMS = "the forms are FRIL and MON#2, alone in the field"
KINDS = (
    FieldKind("minute", 0, 59, 59, 59),
    FieldKind("hour", 0, 23, 23, 23),
    FieldKind("day of month", 1, 31, 31, 30, instead=_DAY_FORMS),
    FieldKind("month", 1, 12, 12, 11, MONTHS, 1),
    FieldKind("day of week", 1, 7, 7, 6, WEEKDAYS, 1, 1, instead=_WEEKDAY_FORMS),
)
_DAY, _WEEKDAY = 2, 4
_LAST_NTH = 5
_FARTHEST_BACK = 30


def parse_trigger(text: str) -> Cron:
    """The tree of a cron trigger.

    Raises :class:`ScheduleError` with every problem.
    """
    tree, problems = read_trigger(text)
    if not isinstance(tree, Cron) or problems:
        raise ScheduleError(problems)
    return tree


def read_trigger(text: str) -> Reading:
    """The tree of a cron trigger together with its problems."""
    from lark.exceptions import LarkError

    if len(text) > LONGEST_TEXT:
        return Reading(None, (too_long(text),))
    try:
        tokens = tokens_of(_forms().parse(text))
    except LarkError:
        return Reading(None, (_misshapen(text),))
    return read_fields(text, tokens[0], read_field)


@lru_cache(maxsize=2048)
def read_field(number: int, text: str) -> FieldReading:
    """The field in place `number` (0 is the minute), and what is wrong with it, in its own positions."""
    if text == "*":
        return STAR
    kind = KINDS[number]

    def special(token: Token, span: Span) -> Item | Fault | None:
        return _special(number, kind, token, span)

    tokens = list(_items().lex(text))
    reading = read_items(kind, text, tokens, special)
    if len(tokens) == 1:
        return reading
    crowded = [
        _not_alone(text, item.span)
        for item in reading.field.items
        if not isinstance(item, (Star, Values))
    ]  # fmt: skip
    return FieldReading(reading.field, (*reading.faults, *crowded)) if crowded else reading


def _special(number: int, kind: FieldKind, token: Token, span: Span) -> Item | Fault | None:
    """A form with L, W or #, read; None for a token that is none."""
    text = str(token)
    match token.type:
        case "LAST_DAY" if number == _DAY:
            return _last_day(text, span)
        case "LAST_DAY" if number == _WEEKDAY:
            hint = "name the weekday: SATL is the last Saturday of the month, SAT is every one"
            return Fault(span, "schedule-form", f"{shown(text)} names no weekday", hint)
        case "LAST_WORKDAY" if number == _DAY:
            return LastWorkday(span)
        case "NEAREST_WORKDAY" if number == _DAY:
            digits = Span(span.start, span.end - 1)
            return value_fault(kind, text[:-1], digits) or NearestWorkday(int(text[:-1]), span)
        case "LAST_WEEKDAY" if number == _WEEKDAY:
            weekday = _weekday(kind, text[:-1], Span(span.start, span.end - 1))
            return weekday if isinstance(weekday, Fault) else LastWeekday(weekday, span)
        case "NTH_WEEKDAY" if number == _WEEKDAY:
            return _nth_weekday(kind, text, span)
        case "STAR" | "STEP" | "VALUE" | "RANGE" | "WRONG":
            return None
        case _:
            return wrong_form(kind, text, span)


def _last_day(text: str, span: Span) -> Item | Fault:
    back = int(text[2:] or "0")
    if text == "L" or 1 <= back <= _FARTHEST_BACK:
        return LastDay(back, span)
    fix = "L" if back == 0 else None
    hint = "write L for the last day" if fix else f"write L-1 to L-{_FARTHEST_BACK}"
    return Fault(span, "schedule-value", f"{shown(text)} names no day of any month", hint, fix)


def _weekday(kind: FieldKind, text: str, span: Span) -> int | Fault:
    number = kind.number(text)
    fault = value_fault(kind, text, span)
    return fault or (number or 0) - kind.base


def _nth_weekday(kind: FieldKind, text: str, span: Span) -> Item | Fault:
    name, _, nth = text.partition("#")
    weekday = _weekday(kind, name, Span(span.start, span.start + len(name)))
    if isinstance(weekday, Fault):
        return weekday
    if not 1 <= int(nth) <= _LAST_NTH:
        where = Span(span.end - len(nth), span.end)
        return Fault(where, "schedule-value", f"no month has such a weekday {shown(nth)[1:-1]} times",
                     f"write #1 to #{_LAST_NTH}, or {shown(name)[1:-1]}L for the last one")  # fmt: skip
    return NthWeekday(weekday, int(nth), span)


def _not_alone(text: str, span: Span) -> Fault:
    form = shown(text[span.start : span.end])
    hint = "make a second trigger of the rest"
    return Fault(span, "schedule-form", f"{form} stands alone in its field", hint)


def _misshapen(text: str) -> Problem:
    """Why a text is not five fields."""
    spans = words(text)
    if not spans:
        hint = "write five fields, such as `0 9 * * MON-FRI`"
        return problem_at(text, Span(0, 0), "schedule-empty", "the schedule is empty", hint)
    first = text[spans[0].start : spans[0].end]
    if first.startswith("@"):
        fix = " ".join(NAMED[first]) if first in NAMED else None
        if first == "@weekly":
            fix = "0 0 * * SUN"
        hint = f"write {shown(fix)}" if fix else "write five fields, such as `0 9 * * MON-FRI`"
        message = "a cron trigger has no names for schedules"
        return problem_at(text, spans[0], "schedule-name", message, hint, fix=fix)
    if first.startswith(("TZ=", "CRON_TZ=")):
        hint = "leave the zone out and give the time in UTC; an `every` expression takes a zone, behind its fields"
        return problem_at(text, spans[0], "schedule-zone", "a cron trigger is in UTC and takes no zone", hint)
    if len(spans) == 1 and looks_like_a_duration(first):
        hint = "write five fields, such as `*/5 * * * *`"
        return problem_at(text, spans[0], "schedule-duration", "a cron trigger takes no elapsed time", hint)
    return miscounted(text, zoned=False)


@lru_cache(maxsize=1)
def _forms() -> Lark:
    return lark_of("trigger", parser="lalr", start="trigger")


@lru_cache(maxsize=1)
def _items() -> Lark:
    return lark_of("trigger_field", parser=None, lexer="basic")
