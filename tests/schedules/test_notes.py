"""Notes: what may surprise, and what to write instead."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cases.behaviour import case
from wakeful_compiler.schedules import cron_trigger, every, never_problem

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)

CLOCK_CHANGES = {
    "30 2 * * * America/New_York": [
        "on 2026-03-08 02:30 does not exist in America/New_York: it runs an hour later, at 03:30 EDT; "
        "write another time, or drop the zone, if that matters",
        "on 2027-03-14 02:30 does not exist in America/New_York: it runs an hour later, at 03:30 EDT",
    ],
    "0 * 1-7 3,11 * America/New_York": [
        "on 2026-11-01 nothing runs between 01:59 EDT and 02:00 EST; drop the zone to run on through it",
        "on 2027-11-07 nothing runs between 01:59 EDT and 02:00 EST",
    ],
    "30 1 * 11 * America/New_York": [
        "on 2026-11-01 01:30 happens twice in America/New_York: it runs at the first, EDT",
        "on 2027-11-07 01:30 happens twice in America/New_York: it runs at the first, EDT",
    ],
    "0,30 2,3 * * 0 America/Detroit": [
        "on 2026-03-08 02:00 and 02:30 do not exist in America/Detroit: "
        "they are one with 03:00 and 03:30 EDT, scheduled as well",
        "on 2027-03-14 02:00 and 02:30 do not exist in America/Detroit: "
        "they are one with 03:00 and 03:30 EDT, scheduled as well",
    ],
    "20,40 2 * 10 * Australia/Lord_Howe": [
        "on 2026-10-04 02:20 does not exist in Australia/Lord_Howe: it runs 30 minutes later, at 02:50 +11; "
        "write another time, or drop the zone, if that matters",
        "on 2027-10-03 02:20 does not exist in Australia/Lord_Howe: it runs 30 minutes later, at 02:50 +11",
    ],
    "0 12 * * * America/New_York": [],
    "* * * * * Asia/Kathmandu": [],
    "30 2 * * *": [],
    "30m": [],
}


@case("SB57")
@pytest.mark.parametrize(("text", "expected"), CLOCK_CHANGES.items(), ids=CLOCK_CHANGES.keys())
def test_clock_changes_of_the_next_two_years(text: str, expected: list[str]) -> None:
    assert every(text).notes(NEW_YEAR) == expected


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("0 * * * *", "write `1h` or drop the zone to run every hour"),
        ("*/15 * * * *", "write `15m` or drop the zone to run every 15 minutes"),
        ("* * * * *", "write `1m` or drop the zone to run every minute"),
        ("0,40 * * * *", "drop the zone to run on through it"),
    ],
)
def test_silence_offers_the_elapsed_time_that_runs_as_often(text: str, mend: str) -> None:
    silent = f"on 2026-11-01 nothing runs between 01:59 EDT and 02:00 EST; {mend}"
    assert silent in every(f"{text} America/New_York").notes(NEW_YEAR)


def test_a_day_left_out() -> None:
    notes = every("0 9 * * * Pacific/Apia").notes(datetime(2011, 12, 1, tzinfo=UTC))
    assert notes[0] == (
        "on 2011-12-30 09:00 does not exist in Pacific/Apia: it is one with 2011-12-31 09:00 +14, scheduled as well"
    )


def test_either_or() -> None:
    (note,) = every("0 0 13 * 5").notes(NEW_YEAR)
    assert note.startswith("day of month and day of week are both given, so either is enough: at 00:00 on the 13th")
    assert "write `*` in one of the two" in note


def test_a_long_wait() -> None:
    assert every("0 0 29 2 *").notes(NEW_YEAR) == ["a long wait: next on 2028-02-29"]
    assert every("0 0 1 1 *").notes(NEW_YEAR) == []
    assert every("0 0 1 1 *").notes(datetime(9999, 6, 1, tzinfo=UTC)) == ["nothing more before the year 10000"]
    assert every("0 0 31 2 *").notes(NEW_YEAR) == ["no year has such a date: this never fires"]


def test_what_never_fires_is_refused_where_it_is_written() -> None:
    problem = never_problem(every("0 0 31 4,6 *"))
    assert problem is not None and problem.code == "schedule-never"
    assert "31st of April and June" in problem.message
    assert never_problem(every("0 0 31 4,5 *")) is None
    assert never_problem(every("1h")) is None


def test_weekday_numbers_of_the_second_dialect_are_named() -> None:
    assert cron_trigger("10 7 * * 2-6").notes(NEW_YEAR) == [
        "day of week 2-6 means MON-FRI, because 1 is Sunday here; write MON-FRI"
    ]
    assert "FRIL" in cron_trigger("0 18 * * 6L").notes(NEW_YEAR)[0]
    for text in ("10 7 * * MON-FRI", "0 9 * * MON#2", "0 9 * * */2", "0 9 * * MON-FRI/2"):
        assert cron_trigger(text).notes(NEW_YEAR) == []
    assert every("10 7 * * 1-5").notes(NEW_YEAR) == []


@pytest.mark.parametrize(
    ("text", "instant", "mark"),
    [
        ("30 2 * * * America/New_York", "2026-03-08T07:30", "moved from 02:30"),
        ("0,30 2,3 * * * America/New_York", "2026-03-08T07:30", "one with 02:30"),
        ("30 3 * * * America/New_York", "2026-03-08T07:30", None),
        ("30 1 * * * America/New_York", "2026-11-01T05:30", "the first of two 01:30"),
        ("30 4 * * * America/New_York", "2026-11-01T09:30", None),
        ("30 2 * * *", "2026-03-08T02:30", None),
        ("1h", "2026-03-08T02:30", None),
    ],
)
def test_an_occurrence_is_marked(text: str, instant: str, mark: str | None) -> None:
    moment = datetime.fromisoformat(f"{instant}+00:00")
    schedule = every(text)
    assert schedule.latest(moment) == moment
    assert schedule.mark(moment) == mark
