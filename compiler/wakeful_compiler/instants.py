"""Instants: the one place where text becomes a moment and a moment becomes text.

An instant is a timezone-aware `datetime` in UTC, microseconds, years 0001 to 9999 (the design's section 6).
Its canonical text is RFC 3339 with `Z`, a fraction only when it is not zero; its stored text in SQLite is
fixed-width, so that text order is time order.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

EXAMPLE = "2026-09-20T09:00:00Z"

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]+))?(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))?"
)


class BadInstant(ValueError):
    """A text or datetime that is no instant; the message says why and what to write."""


def parse_instant(text: str) -> datetime:
    """The instant that an RFC 3339 text names, in UTC.

    Raises :class:`BadInstant` for a missing zone, a leap second, a fraction finer than microseconds, a date
    that does not exist, or one outside the years 0001 to 9999 in UTC.  Nothing is rounded.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise BadInstant(f"is an RFC 3339 instant with a zone, like {EXAMPLE}")
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = match.groups()
    if zulu is None and sign is None:
        raise BadInstant(f"needs a zone: write {text}Z for UTC, or an offset like {text}+02:00")
    if second == "60":
        raise BadInstant("names a leap second, which is not kept: write the second before or after it")
    digits = (fraction or "").rstrip("0")
    if len(digits) > 6:
        raise BadInstant("is finer than a microsecond: write at most six digits after the point")
    offset = timedelta(0)
    if sign is not None:
        if int(off_hour) > 23 or int(off_minute) > 59:
            raise BadInstant(f"has an offset that no zone has: {sign}{off_hour}:{off_minute}")
        offset = timedelta(hours=int(off_hour), minutes=int(off_minute)) * (1 if sign == "+" else -1)
    try:
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second),
            int(digits.ljust(6, "0")) if digits else 0, timezone(offset),
        )  # fmt: skip
        return local.astimezone(UTC)
    except ValueError:
        raise BadInstant("names a date or time that does not exist") from None
    except OverflowError:
        raise BadInstant("lies outside the years 0001 to 9999 in UTC") from None


def as_instant(value: datetime) -> datetime:
    """An aware datetime, moved to UTC; a naive one is refused with a message that shows the mend."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise BadInstant(
            "is a naive datetime: say which zone it is in, for example datetime.now(timezone.utc) "
            "or moment.replace(tzinfo=ZoneInfo('Europe/Berlin'))"
        )
    if value.tzinfo is UTC:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise BadInstant("lies outside the years 0001 to 9999 in UTC") from None


def format_instant(value: datetime) -> str:
    """The canonical text of an instant: RFC 3339 in UTC, a fraction only when it is not zero."""
    text = as_instant(value).isoformat()[:-6]
    return (text.rstrip("0") if value.microsecond else text) + "Z"


def stored_instant(value: datetime) -> str:
    """The fixed-width text that SQLite stores, `YYYY-MM-DDTHH:MM:SS.ffffffZ`: it sorts as time does."""
    return as_instant(value).isoformat(timespec="microseconds")[:-6] + "Z"


def canonical_to_stored(text: str) -> str:
    """The stored text of a canonical one, without going through a datetime."""
    head = text[:-1]
    return (head if len(head) > 19 else head + ".").ljust(26, "0") + "Z"


def stored_to_canonical(text: str) -> str:
    """The canonical text of a stored one, without going through a datetime."""
    return text[:19] + "Z" if text[19:] == ".000000Z" else text[:-1].rstrip("0") + "Z"
