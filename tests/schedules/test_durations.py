"""Elapsed times: phase, anchor, limits, and no rounding however far one goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.schedules import MOMENTS
from wakeful_compiler.schedules import ScheduleError, every

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("2m", 120),
        ("90m", 5400),
        ("2h", 7200),
        ("1d", 86_400),
        ("3d", 259_200),
        ("1w", 604_800),
        ("1h30m", 5400),
        ("30m1h", 5400),
        ("1w1d1h1m1s", 694_861),
        ("007m", 420),
        ("1h0m", 3600),
        (" 5m ", 300),
        ("36525d", 36_525 * 86_400),
    ],
)
def test_lengths(text: str, seconds: int) -> None:
    schedule = every(text)
    assert schedule.is_duration
    assert schedule.zone is None
    assert schedule.next(NOON) == NOON + timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["0s", "0m0s", "36525d1s", "876601h", "999999999999999999w", "9" * 250 + "s"])
def test_from_one_second_to_a_hundred_years(text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        every(text)
    assert caught.value.problems[0].code == "limit-duration"


def test_without_an_anchor_it_counts_from_the_moment_asked_about() -> None:
    schedule = every("1h")
    assert schedule.next(NOON) == NOON + HOUR
    assert schedule.previous(NOON) == NOON - HOUR
    assert schedule.latest(NOON) == NOON
    assert list(islice(schedule.iter(NOON), 3)) == [NOON + HOUR, NOON + 2 * HOUR, NOON + 3 * HOUR]
    assert schedule.between(NOON, NOON + 2 * HOUR) == [NOON + HOUR, NOON + 2 * HOUR]


def test_an_anchor_is_the_first_occurrence() -> None:
    schedule = every("1h")
    before = NOON - timedelta(days=9)
    assert schedule.next(before, anchor=NOON) == NOON
    assert schedule.next(NOON - timedelta(microseconds=1), NOON) == NOON
    assert schedule.next(NOON, NOON) == NOON + HOUR
    assert schedule.previous(NOON, NOON) is None
    assert schedule.previous(NOON + timedelta(microseconds=1), NOON) == NOON
    assert schedule.latest(before, NOON) is None
    assert schedule.latest(NOON, NOON) == NOON
    assert schedule.between(before, NOON + HOUR, NOON) == [NOON, NOON + HOUR]


def test_a_calendar_ignores_the_anchor() -> None:
    schedule = every("0 9 * * *")
    assert schedule.next(NOON, anchor=NOON + HOUR) == schedule.next(NOON)
    assert schedule.latest(NOON, anchor=NOON + HOUR) == schedule.latest(NOON)


@given(
    seconds=st.integers(1, 36_525 * 86_400),
    anchor=MOMENTS,
    microsecond=st.integers(0, 999_999),
    steps=st.integers(0, 100_000),
)
def test_the_phase_holds_to_the_microsecond(seconds: int, anchor: datetime, microsecond: int, steps: int) -> None:
    anchor = anchor.replace(microsecond=microsecond)
    schedule, length = every(f"{seconds}s"), timedelta(seconds=seconds)
    try:
        moment = anchor + steps * length
    except OverflowError:
        return
    assert schedule.latest(moment, anchor) == moment
    following = schedule.next(moment, anchor)
    if following is None:
        assert LATEST - moment < length
    else:
        assert following == moment + length
        assert schedule.previous(following, anchor) == moment
        assert schedule.next(following - timedelta(microseconds=1), anchor) == following


def test_the_ends_of_time_are_clean() -> None:
    schedule = every("100w")
    assert schedule.next(LATEST) is None
    assert schedule.next(LATEST, EARLIEST) is None
    assert schedule.previous(EARLIEST) is None
    assert schedule.latest(EARLIEST, LATEST) is None
    assert list(schedule.iter(LATEST - timedelta(weeks=150))) == [LATEST - timedelta(weeks=50)]
    late = schedule.previous(LATEST, EARLIEST)
    assert late is not None and LATEST - late < timedelta(weeks=100)
