"""Days that move with the month, by the month's shape: `L-3`, `LW`, `15W`, `FRIL`, `MON#2`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from wakeful_grammar.cron_days import (
    LastDay,
    LastWeekday,
    LastWorkday,
    NearestWorkday,
    NthWeekday,
    SpecialDay,
)


def special_mask(items: Iterable[SpecialDay], length: int, first: int) -> int:
    """The days of special forms, as bits, in a month of `length` days that begins on weekday `first`, Sunday 0."""
    mask = 0
    for item in items:
        mask |= _special_day(item, length, first)
    return mask


def _special_day(item: SpecialDay, length: int, first: int) -> int:
    match item:
        case LastDay(back):
            return 1 << length - back if back < length else 0
        case LastWorkday():
            return 1 << _workday(length, length, first)
        case NearestWorkday(day):
            return 1 << _workday(day, length, first) if day <= length else 0
        case LastWeekday(weekday):
            return 1 << length - (first + length - 1 - weekday) % 7
        case NthWeekday(weekday, nth):
            return 1 << 1 + (weekday - first) % 7 + 7 * (nth - 1)
        case _:
            assert_never(item)


def _workday(day: int, length: int, first: int) -> int:
    """The one of Monday to Friday nearest to a day, without leaving the month."""
    weekday = (first + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day


def special_text(item: SpecialDay, name: Callable[[int], str]) -> str:
    """The canonical spelling; `name` spells a weekday."""
    match item:
        case LastDay(back):
            return f"L-{back}" if back else "L"
        case LastWorkday():
            return "LW"
        case NearestWorkday(day):
            return f"{day}W"
        case LastWeekday(weekday):
            return f"{name(weekday)}L"
        case NthWeekday(weekday, nth):
            return f"{name(weekday)}#{nth}"
        case _:
            assert_never(item)
