"""Occurrences as a person reads them: in UTC, on the clocks of the schedule's zone, and how far off they are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from wakeful_compiler.instants import format_instant
from wakeful_compiler.zones import zone

from .console import Console

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from wakeful_compiler.schedules import Schedule

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_DAYS_ALONE = 14
"""From so many days on, hours say nothing."""


def show_occurrences(schedule: Schedule, found: Sequence[datetime], now: datetime, console: Console) -> None:
    """Print the schedule in words and a table of these occurrences, with what clock changes do to them."""
    place = zone(schedule.zone) if schedule.zone not in (None, "UTC") else None
    heads = ["UTC", schedule.zone if place and schedule.zone else "day", "distance"]
    rows = [[format_instant(moment), _local(moment, place), distance(moment - now)] for moment in found]
    marks = [schedule.mark(moment) for moment in found]
    if any(marks):
        heads.append("clock change")
        for row, mark in zip(rows, marks, strict=True):
            row.append(mark or "")
    console.say((schedule.describe(), "strong"))
    console.table(heads, rows)


def _local(moment: datetime, place: ZoneInfo | None) -> str:
    """The weekday, and in a zone of its own what a clock there shows; never by the machine's language."""
    if place is None:
        return _WEEKDAYS[moment.weekday()]
    local = moment.astimezone(place)
    clock = local.replace(tzinfo=None).isoformat(" ", "seconds" if local.second else "minutes")
    return f"{_WEEKDAYS[local.weekday()]} {clock} {local.tzname()}"


def distance(span: timedelta) -> str:
    """How far off, in the two largest units, cut and not rounded: `in 1 day 23 hours`, `5 minutes ago`, `now`."""
    if not span:
        return "now"
    ahead = span > timedelta(0)
    left = int(abs(span) / timedelta(seconds=1))
    parts: list[str] = []
    for name, seconds in _UNITS:
        amount, left = divmod(left, seconds)
        if amount:
            parts.append(f"{amount:,} {name}{'' if amount == 1 else 's'}")
        if len(parts) == 2 or (parts and not amount) or (name == "day" and amount >= _DAYS_ALONE):
            break
    words = " ".join(parts) or "less than a second"
    return f"in {words}" if ahead else f"{words} ago"
