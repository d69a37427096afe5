"""The parse of time operands; imports lark and is itself imported at the first one."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, cast

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from .grammars import grammar
from .problems import Span
from .time_operand import (
    MAX_DIGITS,
    Clock,
    Date,
    DayWord,
    Now,
    Offset,
    Period,
    Stamp,
    TimeNode,
    Unit,
    Which,
)

UNREADABLE = "is no time"

_LONGEST = 100
_WHICH: dict[str, Which] = {"last": -1, "this": 0, "next": 1, "yesterday": -1, "today": 0, "tomorrow": 1}
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class NotATime(Exception):
    """Why a text of the right shape is no time, as the end of a sentence that begins with the text."""


def read_time(text: str, span: Span) -> TimeNode:
    """The node that a value's text names; raises :class:`NotATime`."""
    if not text.isascii() or not 0 < len(text) <= _LONGEST:
        raise NotATime(UNREADABLE)
    try:
        node = cast(TimeNode, parser().parse(text.translate(_LOWER)))
    except UnexpectedInput:
        raise NotATime(UNREADABLE) from None
    return replace(node, span=span)


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The grammar of time operands, built at first use."""
    return Lark(
        grammar("time_operand"), parser="lalr", lexer="contextual", transformer=_Builder(), maybe_placeholders=False
    )


def days_in_month(year: int, month: int) -> int:
    """28 to 31, by the Gregorian calendar."""
    leap = month == 2 and ((year % 4 == 0 and year % 100 != 0) or year % 400 == 0)
    return 29 if leap else _DAYS_IN_MONTH[month - 1]


class _Builder(Transformer[Token, Any]):
    """Callbacks by rule name, each given the children of one finished rule.  It keeps nothing."""

    def start(self, children: list[Any]) -> TimeNode:
        return cast(TimeNode, children[0])

    def now(self, children: list[Any]) -> Now:
        return Now()

    def ahead(self, children: list[Any]) -> Offset:
        return _offset(children, 1)

    def behind(self, children: list[Any]) -> Offset:
        return _offset(children, -1)

    def day(self, children: list[Any]) -> DayWord:
        return DayWord(_WHICH[children[0]])

    def period(self, children: list[Any]) -> Period:
        which, _, (unit, word) = children
        if unit == "second" or word != unit:
            raise NotATime(UNREADABLE)
        return Period(_WHICH[which], unit)

    def date(self, children: list[Any]) -> Date:
        return Date(*_date(children[0]))

    def stamp(self, children: list[Any]) -> Stamp:
        return _stamp(children[0])

    def clock(self, children: list[Any]) -> Clock:
        hour = minute = 0
        width: Literal["hour", "minute"] = "minute"
        which: Which = 0
        for token in children:
            if token.type == "CLOCK":
                hour, minute, width = _clock(token)
            elif token.type == "DAY_WORD":
                which = _WHICH[token]
        return Clock(hour, minute, width, which)

    def amount(self, children: list[Any]) -> tuple[int, Unit]:
        digits = children[0].lstrip("0") or "0"
        if len(digits) > MAX_DIGITS:
            raise NotATime(f"counts further than {MAX_DIGITS} digits go")
        return int(digits), children[-1][0]

    def unit(self, children: list[Any]) -> tuple[Unit, str]:
        return cast(Unit, children[0].type.lower()), str(children[0])


def _offset(children: list[Any], direction: Literal[-1, 1]) -> Offset:
    count, unit = next(child for child in children if isinstance(child, tuple))
    return Offset(count, unit, direction)


def _date(text: str) -> tuple[int, int, int]:
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    if year == 0:
        raise NotATime("lies outside the years 0001 to 9999")
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        raise NotATime("names a day that does not exist")
    return year, month, day


def _clock(text: str) -> tuple[int, int, Literal["hour", "minute"]]:
    if text in ("noon", "midnight"):
        return (12 if text == "noon" else 0), 0, "minute"
    half = text[-2:] if text[-1] == "m" else ""
    hour_text, _, minute_text = text.removesuffix(half).partition(":")
    hour, minute = int(hour_text), int(minute_text or 0)
    if half:
        if not 1 <= hour <= 12:
            raise NotATime("names no hour of the day: with am and pm they go from 1 to 12")
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59:
        raise NotATime("names no time of day: it goes from 00:00 to 23:59")
    return hour, minute, "minute" if minute_text else "hour"


def _stamp(text: str) -> Stamp:
    year, month, day = _date(text)
    clock = text[10:].lstrip("t \t")
    offset = None
    if clock.endswith("z"):
        clock, offset = clock[:-1], 0
    elif len(clock) > 6 and clock[-6] in "+-":
        hours, minutes = int(clock[-5:-3]), int(clock[-2:])
        if hours > 23 or minutes > 59:
            raise NotATime(f"has an offset that no zone has, {clock[-6:]}")
        offset = (hours * 60 + minutes) * (-1 if clock[-6] == "-" else 1)
        clock = clock[:-6]
    hour, minute = int(clock[:2]), int(clock[3:5])
    second = int(clock[6:8]) if len(clock) > 5 else None
    fraction = clock[9:].rstrip("0") if len(clock) > 8 else None
    if second == 60:
        raise NotATime("names a leap second, which is not kept")
    if hour > 23 or minute > 59 or (second or 0) > 59:
        raise NotATime("names no time of day: it goes from 00:00:00 to 23:59:59")
    if fraction is not None and len(fraction) > 6:
        raise NotATime("is finer than a microsecond: at most six digits stand after the point")
    microsecond = None if fraction is None else int(fraction.ljust(6, "0"))
    return Stamp(year, month, day, hour, minute, second, microsecond, offset)
