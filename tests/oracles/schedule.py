"""When a calendar schedule fires, worked out a second time from the specification alone, by brute force.

Every minute of wall time is looked at, each that matches is turned into an instant, and the instants are put
into a set.  Nothing is shared with the engine: no field reader, no day masks, no pieces.  It reads only
well-formed expressions and is slow on purpose.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

NAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = {name: number for number, name in enumerate(MONTHS, 1)}
DAY = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
MINUTE = timedelta(minutes=1)
REACH = timedelta(days=2, hours=2)
"""How far wall times are looked at on both sides: more than any offset and any gap together."""


@cache
def tz(name: str) -> ZoneInfo:
    """A zone from the tzdata package, whatever the host has."""
    path = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with path.open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def instant_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """The one instant of a wall time in a zone: the first that shows it, or the gap further on."""
    offsets = [zone.utcoffset(wall.replace(fold=fold)) for fold in (0, 1)]
    showing = [wall - offset for offset in offsets if offset is not None and shown(wall - offset, zone) == wall]
    if showing:
        return min(showing).replace(tzinfo=UTC)
    before, after = offsets
    assert before is not None and after is not None and after > before
    return instant_of(wall + (after - before), zone)


def shown(instant: datetime, zone: ZoneInfo) -> datetime:
    """What the clock in a zone shows at an instant, both without a zone of their own."""
    return instant.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None, fold=0)


class Expression:
    """One expression of one dialect, asked minute by minute."""

    def __init__(self, text: str, dialect: str = "wake") -> None:
        words = text.split()
        if words[0] in NAMES:
            words = NAMES[words[0]].split() + words[1:]
        minute, hour, self.dom, month, self.dow = words[:5]
        self.zone = tz(words[5]) if len(words) > 5 else None
        self.trigger = dialect == "trigger"
        self.minutes = self._values(minute, 0, 59)
        self.hours = self._values(hour, 0, 23)
        self.months = self._values(month, 1, 12, MONTH)
        self._dates: dict[date, bool] = {}

    def _values(self, text: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
        chosen: set[int] = set()
        for part in text.split(","):
            body, _, step = part.partition("/")
            if body == "*":
                first, last = low, high
            else:
                left, _, right = body.partition("-")
                first = self._number(left, names)
                last = self._number(right, names) if right else first
            chosen.update(range(first, last + 1, int(step or "1")))
        return chosen

    @staticmethod
    def _number(text: str, names: dict[str, int] | None) -> int:
        return int(text) if names is None or text.lower() not in names else names[text.lower()]

    def date_matches(self, day: date) -> bool:
        """Whether the schedule fires at all on this date."""
        if day not in self._dates:
            self._dates[day] = day.month in self.months and self._day_fields(day)
        return self._dates[day]

    def _day_fields(self, day: date) -> bool:
        if self.dom == "*":
            return self.dow == "*" or self._by_weekday(day)
        if self.dow == "*":
            return self._by_date(day)
        return self._by_date(day) or self._by_weekday(day)

    def _by_date(self, day: date) -> bool:
        last = monthrange(day.year, day.month)[1]
        if self.dom == "L":
            return day.day == last
        if self.dom.startswith("L-"):
            return day.day == last - int(self.dom[2:])
        if self.dom == "LW":
            workdays = [n for n in range(1, last + 1) if date(day.year, day.month, n).weekday() < 5]
            return day.day == workdays[-1]
        if self.dom.endswith("W"):
            target = int(self.dom[:-1])
            if target > last:
                return False
            workdays = [n for n in range(1, last + 1) if date(day.year, day.month, n).weekday() < 5]
            # A Saturday is one day from Friday, a Sunday one from Monday: the nearest is never a tie.
            return day.day == min(workdays, key=lambda n: abs(n - target))
        return day.day in self._values(self.dom, 1, 31)

    def _by_weekday(self, day: date) -> bool:
        weekday = (day.weekday() + 1) % 7
        base = 1 if self.trigger else 0
        names = {name: number + base for name, number in DAY.items()}
        if self.trigger and self.dow.endswith("L"):
            last = self._number(self.dow[:-1], names) - base
            return weekday == last and (day + timedelta(days=7)).month != day.month
        if "#" in self.dow:
            left, _, nth = self.dow.partition("#")
            return weekday == self._number(left, names) - base and (day.day - 1) // 7 + 1 == int(nth)
        wanted: set[int] = set()
        for part in self.dow.split(","):
            head, _, step = part.partition("/")
            left, _, right = head.partition("-")
            if not self.trigger and right.lower() == "sun" and self._number(left, names) > 0:
                head = f"{left}-7"
            values = self._values(f"{head}/{step}" if step else head, base, base + 6, names)
            wanted |= {(value - base) % 7 for value in values}
        return weekday in wanted

    def matches(self, wall: datetime) -> bool:
        """Whether a wall time, to the minute, matches the five fields."""
        return wall.minute in self.minutes and wall.hour in self.hours and self.date_matches(wall.date())

    def instant(self, wall: datetime) -> datetime:
        """The one instant of a matching wall time."""
        return wall.replace(tzinfo=UTC) if self.zone is None else instant_of(wall, self.zone)

    def occurrences(self, after: datetime, until: datetime) -> list[datetime]:
        """Every occurrence later than `after` and not later than `until`, rising."""
        found: set[datetime] = set()
        for wall in self._walls(after, until):
            try:
                instant = self.instant(wall)
            except OverflowError:  # outside the years 1 to 9999 in UTC: no instant
                continue
            if after < instant <= until:
                found.add(instant)
        return sorted(found)

    def _walls(self, after: datetime, until: datetime) -> Iterator[datetime]:
        reach = REACH if self.zone else timedelta(0)
        wall = _moved(after, -reach).replace(tzinfo=None, second=0, microsecond=0)
        stop = _moved(until, reach).replace(tzinfo=None)
        while wall <= stop:
            if not self.date_matches(wall.date()):
                # Whole dates are passed over, so that a rare schedule takes seconds and not hours.
                following = wall.replace(hour=0, minute=0)
                if following >= datetime.max - timedelta(days=1):
                    return
                wall = following + timedelta(days=1)
                continue
            if self.matches(wall):
                yield wall
            if wall > datetime.max - MINUTE:
                return
            wall += MINUTE


def _moved(moment: datetime, shift: timedelta) -> datetime:
    try:
        return moment + shift
    except OverflowError:
        return (datetime.max if shift > timedelta(0) else datetime.min).replace(tzinfo=UTC)
