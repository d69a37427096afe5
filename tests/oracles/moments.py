"""What a time operand means, worked out a second time from the specification alone.

A text becomes the stretch [start, end) or the moment that it names, seen from one `now` in one zone.
It reads only well-formed operands and raises ValueError for all others.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from oracles.schedule import tz

UNITS = {
    "second": ("s", "sec", "secs", "second", "seconds"),
    "minute": ("m", "min", "mins", "minute", "minutes"),
    "hour": ("h", "hr", "hrs", "hour", "hours"),
    "day": ("d", "day", "days"),
    "week": ("w", "week", "weeks"),
    "month": ("mo", "month", "months"),
    "year": ("y", "year", "years"),
}
EXACT = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_SPELLINGS = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings}
_COUNTED = "([0-9]+)-?(" + "|".join(sorted(_SPELLINGS, key=len, reverse=True)) + ")"
_DAY_WORDS = {"yesterday": -1, "today": 0, "tomorrow": 1}


@dataclass(frozen=True, slots=True)
class Moment:
    """One instant; `leaning` tells which side of now a counted one was written for."""

    at: datetime
    leaning: Literal["exact", "ago", "ahead"] = "exact"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The half-open stretch from `start` to before `end`."""

    start: datetime
    end: datetime


def read(text: str, now: datetime, zone: str = "UTC") -> Moment | Stretch:
    """The moment or stretch that an operand names."""
    words = re.sub(r"[ _]+", "-", text.strip(" ").lower())
    local = now.astimezone(tz(zone))
    if words == "now":
        return Moment(now)
    if counted := re.fullmatch(f"{_COUNTED}-ago", words):
        return Moment(_step(local, -int(counted[1]), _SPELLINGS[counted[2]]), "ago")
    if counted := re.fullmatch(f"in-{_COUNTED}|{_COUNTED}-from-now", words):
        count, unit = (counted[1], counted[2]) if counted[1] else (counted[3], counted[4])
        return Moment(_step(local, int(count), _SPELLINGS[unit]), "ahead")
    if named := re.fullmatch("(this|last|next)-(minute|hour|day|week|month|year)", words):
        return _calendar_stretch({"last": -1, "this": 0, "next": 1}[named[1]], named[2], local)
    if words in _DAY_WORDS:
        return _day(local.date() + timedelta(days=_DAY_WORDS[words]), zone)
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", words):
        return _day(date.fromisoformat(words), zone)
    if stamp := re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})[t-]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]{1,6})?)?(z|[+-][0-9]{2}:[0-9]{2})?",
        words,
    ):
        return _stamp(stamp, zone)
    if clock := re.fullmatch("(?:(yesterday|today|tomorrow)-)?(.+?)(?:-(yesterday|today|tomorrow))?", words):
        day = local.date() + timedelta(days=_DAY_WORDS[clock[1] or clock[3] or "today"])
        return _clock(clock[2], day, zone)
    raise ValueError(text)


def resolve(wall: datetime, zone: str) -> datetime:
    """The instant of a wall time: past a gap by its length, at the first of two."""
    return wall.replace(tzinfo=tz(zone), fold=0).astimezone(UTC)


def _step(local: datetime, count: int, unit: str) -> datetime:
    """Exact lengths on the time line; months and years on the calendar, clamped to the month's end."""
    if unit in EXACT:
        return local.astimezone(UTC) + count * EXACT[unit]
    if count == 0:
        return local.astimezone(UTC)
    months = local.year * 12 + local.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    day = min(local.day, monthrange(year, month + 1)[1])
    wall = local.replace(tzinfo=None, year=year, month=month + 1, day=day)
    return resolve(wall, str(local.tzinfo))


def _day(day: date, zone: str) -> Stretch:
    midnight = datetime.combine(day, time())
    return Stretch(resolve(midnight, zone), resolve(midnight + timedelta(days=1), zone))


def _calendar_stretch(offset: int, unit: str, local: datetime) -> Stretch:
    wall, zone = local.replace(tzinfo=None, fold=0), str(local.tzinfo)
    match unit:
        case "minute" | "hour":
            start = wall.replace(minute=0 if unit == "hour" else wall.minute, second=0, microsecond=0)
            # Real minutes and hours around now: in a repeated hour the wall alone would name the wrong one.
            first = local.astimezone(UTC) - (wall - start) + offset * EXACT[unit]
            return Stretch(first, first + EXACT[unit])
        case "day":
            return _day(wall.date() + timedelta(days=offset), zone)
        case "week":
            monday = datetime.combine(wall.date() - timedelta(days=wall.weekday()), time()) + timedelta(weeks=offset)
            return Stretch(resolve(monday, zone), resolve(monday + timedelta(weeks=1), zone))
    length = 12 if unit == "year" else 1
    first_month = (wall.year * 12 + (0 if unit == "year" else wall.month - 1)) + offset * length
    edges = [datetime(month // 12, month % 12 + 1, 1) for month in (first_month, first_month + length)]
    return Stretch(resolve(edges[0], zone), resolve(edges[1], zone))


def _stamp(stamp: re.Match[str], zone: str) -> Moment | Stretch:
    day, minute, second, offset = stamp.groups()
    wall = datetime.fromisoformat(f"{day}T{minute}{_padded(second or ':00')}")
    if offset is None:
        at = resolve(wall, zone)
    else:
        at = datetime.fromisoformat(f"{wall.isoformat()}{offset.upper()}").astimezone(UTC)
    if second is None:
        return Stretch(at, at + timedelta(minutes=1))
    if offset is None and "." not in second:
        return Stretch(at, at + timedelta(seconds=1))
    return Moment(at)


def _padded(second: str) -> str:
    whole, _, fraction = second.partition(".")
    return f"{whole}.{fraction:0<6}"


def _clock(words: str, day: date, zone: str) -> Stretch:
    if words in ("noon", "midnight"):
        hour, minute, width = (12 if words == "noon" else 0), 0, timedelta(minutes=1)
    elif half := re.fullmatch("([0-9]{1,2})(?::([0-9]{2}))?(am|pm)", words):
        hour = int(half[1]) % 12 + (12 if half[3] == "pm" else 0)
        minute, width = int(half[2] or 0), timedelta(minutes=1) if half[2] else timedelta(hours=1)
        if not 1 <= int(half[1]) <= 12:
            raise ValueError(words)
    elif full := re.fullmatch("([0-9]{1,2}):([0-9]{2})", words):
        hour, minute, width = int(full[1]), int(full[2]), timedelta(minutes=1)
    else:
        raise ValueError(words)
    start = resolve(datetime.combine(day, time(hour, minute)), zone)
    return Stretch(start, start + width)
