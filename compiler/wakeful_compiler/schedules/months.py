"""Which days of a month fire, as one bit mask for each shape that a month can have.

A month's shape is its length and the weekday it begins on: 28 shapes, and the Gregorian calendar repeats them
exactly every 400 years.  Every day rule, `L-3` and `FRIL` included, is a function of the shape alone, so a
plan holds 28 masks and looking for a day is arithmetic on one integer.
"""

from __future__ import annotations

from functools import lru_cache

from wakeful_grammar.cron import Field, Star, Values

CYCLE_YEARS = 400

SHAPES = tuple((length, first) for length in (28, 29, 30, 31) for first in range(7))
"""Each shape: the number of days, and the weekday of the first, counted from Sunday."""

NO_DAYS = (0,) * len(SHAPES)


def _cycle() -> bytes:
    lengths = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    shapes = bytearray()
    first = 6  # 1 January of the year 400, and of 2000, is a Saturday
    for year in range(CYCLE_YEARS):
        leap = year % 4 == 0 and (year % 100 != 0 or year == 0)
        for month, common in enumerate(lengths, 1):
            length = common + 1 if leap and month == 2 else common
            shapes.append((length - 28) * 7 + first)
            first = (first + length) % 7
    return bytes(shapes)


SHAPE_OF_MONTH = _cycle()
"""The index into :data:`SHAPES` of a month: `SHAPE_OF_MONTH[year % 400 * 12 + month - 1]`."""


def shapes_of(month: int) -> range:
    """The shapes that a month of the year takes; over 400 years it takes each of them."""
    if month == 2:
        return range(14)
    return range(14, 21) if month in (4, 6, 9, 11) else range(21, 28)


def values_mask(field: Field, modulus: int = 64) -> int:
    """The values of a field as bits; weekdays are taken modulo 7."""
    mask = 0
    for item in field.items:
        if isinstance(item, Values):
            for value in range(item.low, item.high + 1, item.step):
                mask |= 1 << value % modulus
    return mask


def days_by_shape(day: Field, weekday: Field) -> tuple[int, ...]:
    """For each shape, the days that fire, bit 1 being the first of the month.

    Day of month and day of week both restricted: either may match; otherwise both must.
    """
    if not (day.restricted or weekday.restricted):
        return _EVERY_DAY
    return _restricted(day, weekday)


_EVERY_DAY = tuple((2 << length) - 2 for length, _ in SHAPES)
"""Every day that a month of each shape has."""

_WEEKS = sum(2 << 7 * week for week in range(5))


@lru_cache(maxsize=1024)
def _restricted(day: Field, weekday: Field) -> tuple[int, ...]:
    plain, week = values_mask(day), values_mask(weekday, 7)
    # The week turned so that it begins on the month's first weekday, as often as a month holds one.
    by_first = [plain | _WEEKS * ((week >> first | week << 7 - first) & 127) for first in range(7)]
    masks = [days & every_day for days, every_day in zip(by_first * 4, _EVERY_DAY, strict=True)]
    special = [item for item in day.items + weekday.items if not isinstance(item, (Star, Values))]
    if special:
        from .special_days import special_mask

        for number, (length, first) in enumerate(SHAPES):
            masks[number] |= special_mask(special, length, first) & _EVERY_DAY[number]
    return tuple(masks)
