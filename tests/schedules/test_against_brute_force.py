"""The engine against a scan of every minute of wall time, and the laws that hold between its questions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cases.behaviour import case
from oracles.schedule import Expression
from strategies.schedules import (
    MODERN_MOMENTS,
    MOMENTS,
    TRIGGERS,
    TROUBLED_ZONES,
    WAKE_CRONS,
    crons_near_changes,
    moments_near_changes,
)
from wakeful_compiler.schedules import Schedule, cron_trigger, every

MOMENT = timedelta(microseconds=1)


def agree(schedule: Schedule, oracle: Expression, start: datetime, end: datetime) -> None:
    """Every question about the stretch from `start` to `end` has the brute-force answer."""
    expected = oracle.occurrences(start, end)
    assert schedule.between(start, end) == expected
    backwards = []
    preceding = schedule.previous(end + MOMENT)
    while preceding is not None and preceding > start:
        backwards.append(preceding)
        preceding = schedule.previous(preceding)
    assert backwards[::-1] == expected
    if expected:
        assert schedule.next(start) == expected[0]
        assert schedule.latest(end) == expected[-1]
        assert schedule.latest(expected[0]) == expected[0]


@given(near=moments_near_changes(), cron=crons_near_changes(), hours=st.integers(1, 36))
def test_agrees_where_clocks_change(near: tuple[str, datetime], cron: str, hours: int) -> None:
    zone, start = near
    text = f"{cron} {zone}"
    agree(every(text), Expression(text), start, start + timedelta(hours=hours))


@case("SB58")
@given(cron=WAKE_CRONS, zone=st.sampled_from(TROUBLED_ZONES), start=st.one_of(MODERN_MOMENTS, MOMENTS))
def test_agrees_in_zones_at_any_time(cron: str, zone: str, start: datetime) -> None:
    text = f"{cron} {zone}"
    agree(every(text), Expression(text), start, start + timedelta(days=2))


@given(cron=WAKE_CRONS, start=MOMENTS)
def test_agrees_in_utc_in_any_year(cron: str, start: datetime) -> None:
    agree(every(cron), Expression(cron), start, start + timedelta(days=2))


@given(text=TRIGGERS, start=MOMENTS, days=st.sampled_from([2, 35]))
def test_agrees_in_the_second_dialect(text: str, start: datetime, days: int) -> None:
    oracle = Expression(text, "trigger")
    assume(days == 2 or len(oracle.minutes) * len(oracle.hours) < 60)
    agree(
        cron_trigger(text),
        oracle,
        start,
        min(start + timedelta(days=days), datetime(9999, 12, 30, tzinfo=UTC)),
    )


@given(near=moments_near_changes(), cron=crons_near_changes())
def test_instants_rise_and_previous_undoes_next(near: tuple[str, datetime], cron: str) -> None:
    zone, start = near
    schedule = every(f"{cron} {zone}")
    steps = list(islice(schedule.iter(start), 30))
    assert all(earlier < later for earlier, later in pairwise([start, *steps]))
    for earlier, later in pairwise(steps):
        assert schedule.next(earlier) == later
        assert schedule.previous(later) == earlier
        assert schedule.next(later - MOMENT) == later
        assert schedule.latest(later - MOMENT) == earlier


@given(cron=WAKE_CRONS, start=MODERN_MOMENTS, days=st.integers(0, 3))
def test_between_takes_what_iter_gives_and_neighbours_tile(cron: str, start: datetime, days: int) -> None:
    schedule = every(f"{cron} Europe/Dublin")
    middle, end = start + timedelta(days=days), start + timedelta(days=3)
    taken = []
    for instant in schedule.iter(start):
        if instant > end:
            break
        taken.append(instant)
    assert schedule.between(start, end) == taken
    assert schedule.between(start, middle) + schedule.between(middle, end) == taken


@given(text=TRIGGERS)
def test_never_means_that_400_years_have_no_such_date(text: str) -> None:
    schedule = cron_trigger(text)
    oracle = Expression(text, "trigger")
    if schedule.never:
        day = datetime(2001, 1, 1).date()
        years = sorted({2000 + n for n in range(28)} | {2100})
        for year in years:
            for offset in range(366):
                day = datetime(year, 1, 1).date() + timedelta(days=offset)
                assert not oracle.date_matches(day)
    else:
        found = schedule.next(datetime(2000, 1, 1, tzinfo=UTC))
        assert found is not None and oracle.date_matches(found.date())


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York", "Etc/GMT+12"])
def test_the_ends_of_time_are_clean(zone: str) -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    schedule, oracle = every(f"0 */6 * * * {zone}"), Expression(f"0 */6 * * * {zone}")
    assert schedule.next(last) is None
    assert schedule.previous(first) is None
    assert schedule.between(first, first + timedelta(days=2)) == oracle.occurrences(first, first + timedelta(days=2))
    assert schedule.between(last - timedelta(days=2), last) == oracle.occurrences(last - timedelta(days=2), last)
    latest = schedule.latest(last)
    assert latest is not None and schedule.next(latest) is None
