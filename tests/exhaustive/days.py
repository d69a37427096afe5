"""Every form of day of the second dialect, alone and each with each, against a scan of all dates.

Twenty-eight years around 2000 and the years about 1900 hold every month in every shape that it can have.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from oracles.schedule import Expression
from wakeful_compiler.schedules import cron_trigger

MOMENT = timedelta(microseconds=1)
DAYS = ("*", "L", *(f"L-{back}" for back in range(1, 31)), "LW", *(f"{day}W" for day in range(1, 32)), "31", "1-7/2")
WEEKDAYS = ("*", *(f"{day}L" for day in range(1, 8)), *(f"{day}#{k}" for day in range(1, 8) for k in range(1, 6)), "6")
STRETCHES = ((date(1897, 1, 1), date(1904, 1, 1)), (date(1996, 1, 1), date(2024, 1, 1)))


def every_form() -> list[tuple[str, str]]:
    """The pairs of a day of month and a day of week."""
    return [(day, weekday) for day in DAYS for weekday in WEEKDAYS]


def check_forms(pairs: list[tuple[str, str]]) -> tuple[int, list[str]]:
    """The number of dates that were looked at, and the pairs that differ."""
    dates = [first + timedelta(n) for first, end in STRETCHES for n in range((end - first).days)]
    by_form: dict[tuple[str, str], set[date]] = {}

    def matching(day: str, weekday: str) -> set[date]:
        if (day, weekday) not in by_form:
            oracle = Expression(f"0 0 {day} * {weekday}", "trigger")
            by_form[day, weekday] = {one for one in dates if oracle.date_matches(one)}
        return by_form[day, weekday]

    looked_at = 0
    differing = []
    for day, weekday in pairs:
        # Both given: either is enough.
        expected = matching(day, "*") | matching("*", weekday) if "*" not in (day, weekday) else matching(day, weekday)
        schedule = cron_trigger(f"0 0 {day} * {weekday}")
        found: set[date] = set()
        for first, end in STRETCHES:
            found |= {one.date() for one in schedule.between(_midnight(first) - MOMENT, _midnight(end) - MOMENT)}
        looked_at += len(dates)
        wrong = sorted(found ^ expected)
        if wrong:
            differing.append(f"0 0 {day} * {weekday}: differs on {wrong[0]}, on {len(wrong)} dates in all")
    return looked_at, differing


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
