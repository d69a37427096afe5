"""Every change of every zone's clock, with expressions aimed at it, against a table of all minutes around it.

For each change the instant of every minute of wall time near it is worked out once, by brute force; what an
expression should answer is then read off that table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from random import Random
from zoneinfo import ZoneInfo

from oracles.schedule import Expression, instant_of, tz
from wakeful_compiler.schedules import Schedule, every

from .expressions import MINUTE, aimed

MOMENT, DAY = timedelta(microseconds=1), timedelta(days=1)
AROUND = timedelta(hours=2)
"""How long before a change, and after what it moves is over, questions are asked."""


@dataclass(frozen=True, slots=True)
class Change:
    """A clock that goes from `before` to `after`, both ahead of UTC, at `instant`."""

    zone: str
    instant: datetime
    before: timedelta
    after: timedelta


def distinct_zones(pattern: str) -> list[tuple[str, int]]:
    """One name for each set of rules in tzdata, of those the pattern is found in, with how many share the rules."""
    listing = resources.files("tzdata").joinpath("zones").read_text(encoding="ascii").split()
    names: dict[bytes, list[str]] = {}
    for name in sorted(listing):
        if re.search(pattern, name):
            data = resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
            names.setdefault(data, []).append(name)
    return [(group[0], len(group)) for group in names.values()]


def changes(name: str, first: int, last: int) -> Iterator[Change]:
    """The changes of a zone's clock from the year `first` to the year `last`, looked for day by day."""
    zone = tz(name)
    low, end = datetime(first, 1, 1, tzinfo=UTC), datetime(last + 1, 1, 1, tzinfo=UTC)
    before = _offset(zone, low)
    while low < end:
        high = low + DAY
        after = _offset(zone, high)
        if after != before:
            early, late = low, high
            while late - early > timedelta(seconds=1):
                middle = (early + (late - early) / 2).replace(microsecond=0)
                early, late = (early, middle) if _offset(zone, middle) == after else (middle, late)
            yield Change(name, late, before, after)
        low, before = high, after


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    offset = instant.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def check_zone(name: str, first: int, last: int, seed: int) -> tuple[int, int, list[str]]:
    """The numbers of changes and of expressions looked at in one zone, and what differs."""
    counted = tried = 0
    differing: list[str] = []
    for change in changes(name, first, last):
        counted += 1
        rng = Random(f"{seed} {name} {change.instant}")
        for text, found in _check_change(change, rng):
            tried += 1
            differing += [f"{text}: {difference}" for difference in found]
    return counted, tried, differing


def _check_change(change: Change, rng: Random) -> Iterator[tuple[str, list[str]]]:
    width = abs(change.after - change.before)
    start = (change.instant + min(change.before, change.after)).replace(tzinfo=None)
    asked = change.instant - AROUND - timedelta(seconds=rng.randint(0, 3600))
    until = change.instant + width + AROUND
    table = _table(change, asked, until)
    moments = [asked, change.instant - MOMENT, change.instant, change.instant + width / 2, until - AROUND]
    moments += [asked + (until - asked) * rng.random() for _ in range(4)]
    for cron in aimed(rng, start, start + width):
        text = f"{cron} {change.zone}"
        oracle = Expression(text)
        expected = sorted({instant for wall, instant in table if oracle.matches(wall) and asked < instant <= until})
        yield text, _differences(every(text), expected, asked, until, moments)


def _table(change: Change, asked: datetime, until: datetime) -> list[tuple[datetime, datetime]]:
    """Every minute of wall time whose instant may lie from `asked` to `until`, with that instant."""
    zone = tz(change.zone)
    wall = (asked + min(change.before, change.after)).replace(tzinfo=None, second=0, microsecond=0)
    stop = (until + max(change.before, change.after)).replace(tzinfo=None)
    rows = []
    while wall <= stop:
        rows.append((wall, instant_of(wall, zone)))
        wall += MINUTE
    return rows


def _differences(
    schedule: Schedule, expected: list[datetime], asked: datetime, until: datetime, moments: list[datetime]
) -> list[str]:
    """What the schedule answers otherwise than the table, question by question."""
    found = []
    answers = schedule.between(asked, until)
    if answers != expected:
        found.append(f"between {asked} and {until} is {_shown(answers)}, not {_shown(expected)}")
    backwards: list[datetime] = []
    preceding = schedule.previous(until + MOMENT)
    while preceding is not None and preceding > asked:
        backwards.append(preceding)
        preceding = schedule.previous(preceding)
    if backwards[::-1] != expected:
        found.append(f"backwards from {until} to {asked} is {_shown(backwards[::-1])}, not {_shown(expected)}")
    for moment in (*moments, *expected[:5]):
        place = bisect_right(expected, moment)
        following, latest = schedule.next(moment), schedule.latest(moment)
        if place < len(expected):
            agrees = following == expected[place]
        else:
            agrees = following is None or following > until
        if not agrees:
            found.append(f"next({moment}) is {following}")
        if not (latest == expected[place - 1] if place else latest is None or latest <= asked):
            found.append(f"latest({moment}) is {latest}")
    return found


def _shown(instants: list[datetime]) -> str:
    return "[" + " ".join(f"{instant:%d %H:%M:%S}" for instant in instants[:12]) + (" …]" if instants[12:] else "]")
