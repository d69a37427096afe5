"""Numbers as text: the one reading of a numeric operand, exact and bounded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")


def read_number(text: str) -> Decimal | None:
    """The exact number that a text spells (`12`, `-1`, `12.0`, `2e1`), or None.

    ASCII digits alone; at most 400 characters and four digits of exponent, so that no spelling takes time.
    """
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    from decimal import Decimal

    return Decimal(text)


def as_double(number: Decimal) -> float | None:
    """The double that carries the number, or None where it lies beyond every double."""
    value = float(number)
    return None if value in (float("inf"), float("-inf")) else value


def canonical_double(value: int | float) -> int | float:
    """A number as bundles write it: an integer where a double is integral and below 2^53, else the double.

    An integer that no double holds, which only a row in memory can have, stays what it is.
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and -(2**53) < value < 2**53 else value
    if -(2**53) < value < 2**53:
        return value
    try:
        double = float(value)
    except OverflowError:
        return value
    return double if double == value else value


def is_integral(number: Decimal) -> bool:
    """Whether the number has no fraction."""
    return number == number.to_integral_value() if number.adjusted() < 30 else True


def floor_within(number: Decimal) -> int:
    """The greatest integer at or below the number, clamped to one step outside the 64-bit range."""
    if number > INTEGER_MAX:
        return INTEGER_MAX + 1
    if number < INTEGER_MIN:
        return INTEGER_MIN - 1
    return int(number.to_integral_value(rounding="ROUND_FLOOR"))


def ceiling_within(number: Decimal) -> int:
    """The least integer at or above the number, clamped to one step outside the 64-bit range."""
    return -floor_within(-number) if number != INTEGER_MIN else INTEGER_MIN
