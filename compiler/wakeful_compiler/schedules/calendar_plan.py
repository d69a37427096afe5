"""The calendar plan: five fields as tables, and the search for the next or previous wall time that matches.

A plan knows no zone.  Its wall times are datetimes that carry UTC, which makes them instants where UTC is
meant.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from wakeful_grammar.cron import Cron, Field
from wakeful_grammar.node import node

from .months import CYCLE_YEARS, NO_DAYS, SHAPE_OF_MONTH, days_by_shape, shapes_of, values_mask

FIRST_YEAR, LAST_YEAR = 1, 9999


@node
class Steps:
    """A field's values: `up[n]` is the least not below n, `down[n]` the greatest below n; -1 for none."""

    up: tuple[int, ...]
    down: tuple[int, ...]
    first: int
    last: int


@lru_cache(maxsize=1024)
def _steps(mask: int, size: int) -> Steps:
    values = [value for value in range(size) if mask >> value & 1]
    up: list[int] = []
    down = [-1]
    for value in values:
        up += [value] * (value + 1 - len(up))
        down += [down[-1]] * (value + 1 - len(down)) + [value]
    up += [-1] * (size + 2 - len(up))
    down += [down[-1]] * (size + 2 - len(down))
    return Steps(tuple(up), tuple(down), values[0], values[-1])


@node
class CalendarPlan:
    """Minutes, hours and months as steps; `rows[month]` are the days of that month as masks, by shape."""

    minutes: Steps
    hours: Steps
    months: Steps
    rows: tuple[tuple[int, ...], ...]

    @property
    def never(self) -> bool:
        """True when no date of any year matches."""
        return not any(self.rows[month][shape] for month in range(1, 13) for shape in shapes_of(month))

    def first_after(self, wall: datetime) -> datetime | None:
        """The first matching wall time strictly after `wall`, or None before the year 10000."""
        return self._first(wall, wall.minute + 1)

    def first_from(self, wall: datetime) -> datetime | None:
        """The first matching wall time at or after `wall`."""
        whole = not (wall.second or wall.microsecond)
        return self._first(wall, wall.minute if whole else wall.minute + 1)

    def _first(self, wall: datetime, minute: int) -> datetime | None:
        year, month, day = wall.year, wall.month, wall.day
        days = self.rows[month][SHAPE_OF_MONTH[year % 400 * 12 + month - 1]] >> day
        if days:
            if days & 1:
                hour = wall.hour
                hours = self.hours
                if hours.up[hour] == hour and (minute := self.minutes.up[minute]) >= 0:
                    return datetime(year, month, day, hour, minute, 0, 0, UTC)
                hour = hours.up[hour + 1]
                if hour >= 0:
                    return datetime(year, month, day, hour, self.minutes.first, 0, 0, UTC)
                days ^= 1
            if days:
                day += (days & -days).bit_length() - 1
                return datetime(year, month, day, self.hours.first, self.minutes.first, 0, 0, UTC)
        return self._first_after_month(year, month)

    def _first_after_month(self, year: int, month: int) -> datetime | None:
        rows, up = self.rows, self.months.up
        # Every pattern of dates comes back within the Gregorian cycle, so what is not found in it is nowhere.
        last_year = min(LAST_YEAR, year + CYCLE_YEARS)
        while True:
            month = up[month + 1]
            if month < 0:
                year += 1
                if year > last_year:
                    return None
                month = self.months.first
            days = rows[month][SHAPE_OF_MONTH[year % 400 * 12 + month - 1]]
            if days:
                day = (days & -days).bit_length() - 1
                return datetime(year, month, day, self.hours.first, self.minutes.first, 0, 0, UTC)

    def last_before(self, wall: datetime) -> datetime | None:
        """The last matching wall time strictly before `wall`, or None after the year 0."""
        whole = not (wall.second or wall.microsecond)
        return self._last(wall, wall.minute if whole else wall.minute + 1)

    def last_upto(self, wall: datetime) -> datetime | None:
        """The last matching wall time at or before `wall`."""
        return self._last(wall, wall.minute + 1)

    def _last(self, wall: datetime, minute: int) -> datetime | None:
        year, month, day = wall.year, wall.month, wall.day
        days = self.rows[month][SHAPE_OF_MONTH[year % 400 * 12 + month - 1]] & (2 << day) - 1
        if days:
            if days >> day & 1:
                hour = wall.hour
                hours = self.hours
                if hours.up[hour] == hour and (minute := self.minutes.down[minute]) >= 0:
                    return datetime(year, month, day, hour, minute, 0, 0, UTC)
                hour = hours.down[hour]
                if hour >= 0:
                    return datetime(year, month, day, hour, self.minutes.last, 0, 0, UTC)
                days ^= 1 << day
            if days:
                day = days.bit_length() - 1
                return datetime(year, month, day, self.hours.last, self.minutes.last, 0, 0, UTC)
        return self._last_before_month(year, month)

    def _last_before_month(self, year: int, month: int) -> datetime | None:
        rows, down = self.rows, self.months.down
        first_year = max(FIRST_YEAR, year - CYCLE_YEARS)
        while True:
            month = down[month]
            if month < 0:
                year -= 1
                if year < first_year:
                    return None
                month = self.months.last
            days = rows[month][SHAPE_OF_MONTH[year % 400 * 12 + month - 1]]
            if days:
                day = days.bit_length() - 1
                return datetime(year, month, day, self.hours.last, self.minutes.last, 0, 0, UTC)


def calendar_plan(cron: Cron) -> CalendarPlan:
    """The plan of five fields."""
    days = days_by_shape(cron.day, cron.weekday)
    months = _field_mask(cron.month, 1, 12)
    return CalendarPlan(
        _steps(_field_mask(cron.minute, 0, 59), 60),
        _steps(_field_mask(cron.hour, 0, 23), 24),
        _steps(months, 13),
        tuple(days if months >> month & 1 else NO_DAYS for month in range(13)),
    )


def _field_mask(field: Field, low: int, high: int) -> int:
    return values_mask(field) if field.restricted else (2 << high) - (1 << low)
