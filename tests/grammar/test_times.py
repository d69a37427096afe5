"""The instants that time operands stand for, by zone and by now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.instants import format_instant, parse_instant
from wakeful_compiler.times import EARLIEST, LATEST, lower_time
from wakeful_compiler.zones import zone as find_zone
from wakeful_grammar.time_operand import parse_time

DETROIT = "America/Detroit"
NOW = "2026-09-26T12:34:56.5Z"  # a Saturday


def edges(text: str, now: str = NOW, zone: str = "UTC") -> tuple[str, str]:
    start, end = lower_time(parse_time(text)).edges(parse_instant(now), find_zone(zone))
    return format_instant(start), format_instant(end)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NOW),
        ("1-minute-ago", "2026-09-26T12:33:56.5Z"),
        ("in-5m", "2026-09-26T12:39:56.5Z"),
        ("90-seconds-from-now", "2026-09-26T12:36:26.5Z"),
        ("2-weeks-ago", "2026-09-12T12:34:56.5Z"),
        ("1-month-ago", "2026-08-26T12:34:56.5Z"),
        ("in-14-months", "2027-11-26T12:34:56.5Z"),
        ("1-year-ago", "2025-09-26T12:34:56.5Z"),
        ("2026-09-20T09:00:00+02:00", "2026-09-20T07:00:00Z"),
        ("2026-09-20T09:00:00.25Z", "2026-09-20T09:00:00.25Z"),
        ("2026-09-20T09:00:00.0", "2026-09-20T09:00:00Z"),
    ],
)
def test_moments_have_one_edge(text: str, moment: str) -> None:
    assert edges(text) == (moment, moment)
    assert lower_time(parse_time(text)).is_moment


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "2026-09-26T00:00:00Z", "2026-09-27T00:00:00Z"),
        ("yesterday", "2026-09-25T00:00:00Z", "2026-09-26T00:00:00Z"),
        ("tomorrow", "2026-09-27T00:00:00Z", "2026-09-28T00:00:00Z"),
        ("this-minute", "2026-09-26T12:34:00Z", "2026-09-26T12:35:00Z"),
        ("last-hour", "2026-09-26T11:00:00Z", "2026-09-26T12:00:00Z"),
        ("next-day", "2026-09-27T00:00:00Z", "2026-09-28T00:00:00Z"),
        ("this-week", "2026-09-21T00:00:00Z", "2026-09-28T00:00:00Z"),
        ("last-week", "2026-09-14T00:00:00Z", "2026-09-21T00:00:00Z"),
        ("this-month", "2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z"),
        ("next-month", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
        ("last-year", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-02-28", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("9am", "2026-09-26T09:00:00Z", "2026-09-26T10:00:00Z"),
        ("9:30am", "2026-09-26T09:30:00Z", "2026-09-26T09:31:00Z"),
        ("14:00", "2026-09-26T14:00:00Z", "2026-09-26T14:01:00Z"),
        ("noon", "2026-09-26T12:00:00Z", "2026-09-26T12:01:00Z"),
        ("tomorrow-midnight", "2026-09-27T00:00:00Z", "2026-09-27T00:01:00Z"),
        ("2026-09-20T09:00", "2026-09-20T09:00:00Z", "2026-09-20T09:01:00Z"),
        ("2026-09-20T09:00:05", "2026-09-20T09:00:05Z", "2026-09-20T09:00:06Z"),
        ("2026-09-20T09:00-03:00", "2026-09-20T12:00:00Z", "2026-09-20T12:01:00Z"),
    ],
)
def test_stretches_have_two(text: str, start: str, end: str) -> None:
    assert edges(text) == (start, end)
    assert not lower_time(parse_time(text)).is_moment


def test_what_depends_on_now_and_what_is_counted_from_it() -> None:
    def flags(text: str) -> tuple[bool, bool]:
        operand = lower_time(parse_time(text))
        return operand.constant, operand.relative

    for text in ("2026-09-20", "2026-09-20T09:00", "2026-09-20T09:00:00Z"):
        assert flags(text) == (True, False)
    for text in ("now", "today", "this-week", "9am"):
        assert flags(text) == (False, False)
    for text in ("1-hour-ago", "in-5m"):
        assert flags(text) == (False, True)


@pytest.mark.parametrize(
    ("text", "now", "moment"),
    [
        ("1-month-ago", "2026-03-31T12:00:00Z", "2026-02-28T12:00:00Z"),
        ("1-month-ago", "2028-03-31T12:00:00Z", "2028-02-29T12:00:00Z"),
        ("1-year-ago", "2028-02-29T12:00:00Z", "2027-02-28T12:00:00Z"),
        ("in-1-month", "2026-12-31T12:00:00Z", "2027-01-31T12:00:00Z"),
        ("0-months-ago", "2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z"),
    ],
)
def test_months_and_years_clamp_to_the_end_of_the_month(text: str, now: str, moment: str) -> None:
    assert edges(text, now) == (moment, moment)


@pytest.mark.parametrize(
    ("text", "now", "zone", "start", "end"),
    [
        # Day edges are the zone's; a day may have 23 or 25 hours.
        ("today", "2026-09-26T02:00:00Z", DETROIT, "2026-09-25T04:00:00Z", "2026-09-26T04:00:00Z"),
        ("2026-03-08", NOW, DETROIT, "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        ("2026-11-01", NOW, DETROIT, "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
        # A midnight that does not exist moves forward by the gap; a day that does not exist is empty.
        ("2018-11-04", NOW, "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
        ("2011-12-30", NOW, "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"),
        # 02:30 does not exist, 01:30 happens twice; both are one minute long, 1am one hour.
        ("2026-03-08T02:30", NOW, DETROIT, "2026-03-08T07:30:00Z", "2026-03-08T07:31:00Z"),
        ("2026-03-08T02:59", NOW, DETROIT, "2026-03-08T07:59:00Z", "2026-03-08T08:00:00Z"),
        ("2026-11-01T01:30", NOW, DETROIT, "2026-11-01T05:30:00Z", "2026-11-01T05:31:00Z"),
        ("1am", "2026-11-01T12:00:00Z", DETROIT, "2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"),
        # The hours of a night when clocks change stay apart and one hour long.
        ("this-hour", "2026-11-01T05:30:00Z", DETROIT, "2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"),
        ("this-hour", "2026-11-01T06:30:00Z", DETROIT, "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"),
        ("last-hour", "2026-03-08T07:30:00Z", DETROIT, "2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z"),
        ("this-hour", NOW, "Asia/Kathmandu", "2026-09-26T12:15:00Z", "2026-09-26T13:15:00Z"),
        # Days are exact; months keep the wall clock.
        ("7-days-ago", "2026-03-09T12:00:00Z", DETROIT, "2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z"),
        ("1-month-ago", "2026-03-09T12:00:00Z", DETROIT, "2026-02-09T13:00:00Z", "2026-02-09T13:00:00Z"),
        ("1-month-ago", "2026-04-08T06:30:00Z", DETROIT, "2026-03-08T07:30:00Z", "2026-03-08T07:30:00Z"),
    ],
)  # fmt: skip
def test_zones(text: str, now: str, zone: str, start: str, end: str) -> None:
    assert edges(text, now, zone) == (start, end)


@pytest.mark.parametrize(
    ("text", "now", "start", "end"),
    [
        ("999999999999-weeks-ago", NOW, EARLIEST, EARLIEST),
        ("in-999999999999-weeks", NOW, LATEST, LATEST),
        ("999999999999-years-ago", NOW, EARLIEST, EARLIEST),
        ("in-999999999999-months", NOW, LATEST, LATEST),
        ("9999-12-31", NOW, parse_instant("9999-12-31T00:00:00Z"), LATEST),
        ("tomorrow", "9999-12-31T12:00:00Z", LATEST, LATEST),
        ("yesterday", "0001-01-01T12:00:00Z", EARLIEST, EARLIEST),
        ("yesterday-noon", "0001-01-01T12:00:00Z", EARLIEST, EARLIEST),
        ("next-year", "9999-06-01T12:00:00Z", LATEST, LATEST),
        ("last-month", "0001-01-15T12:00:00Z", EARLIEST, EARLIEST),
        ("0001-01-01T00:00:00+14:00", NOW, EARLIEST, EARLIEST),
    ],
)
def test_the_calendar_ends_without_an_error(text: str, now: str, start: datetime, end: datetime) -> None:
    assert lower_time(parse_time(text)).edges(parse_instant(now), UTC) == (start, end)


TEXTS = st.one_of(
    st.sampled_from(["now", "today", "yesterday", "tomorrow", "9am", "noon", "9:30pm-yesterday", "midnight"]),
    st.builds(
        "{}-{}".format,
        st.sampled_from(["this", "last", "next"]),
        st.sampled_from(["minute", "hour", "day", "week", "month", "year"]),
    ),
    st.builds("{}-{}-ago".format, st.integers(0, 10**12 - 1), st.sampled_from(["s", "m", "h", "d", "w", "mo", "y"])),
    st.builds("in-{}{}".format, st.integers(0, 10_000), st.sampled_from(["s", "m", "h", "d", "w", "mo", "y"])),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes")),
)
ZONES = st.sampled_from(
    [find_zone(name) for name in ("America/Detroit", "Australia/Lord_Howe", "Pacific/Apia", "Europe/London")]
    + [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]
)


@given(TEXTS, st.datetimes(timezones=st.just(UTC)), ZONES)
def test_edges_are_in_order_and_in_utc_everywhere(text: str, now: datetime, zone: ZoneInfo | timezone) -> None:
    operand = lower_time(parse_time(text))
    start, end = operand.edges(now, zone)
    assert start.tzinfo is UTC and end.tzinfo is UTC
    assert start <= end
    assert not operand.is_moment or start == end


@given(
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(["minute", "hour", "day", "week", "month", "year"]),
    ZONES,
)
def test_last_this_and_next_tile_the_time(now: datetime, unit: str, zone: ZoneInfo | timezone) -> None:
    last, this, following = (
        lower_time(parse_time(f"{which}-{unit}")).edges(now, zone) for which in ("last", "this", "next")
    )
    assert last[1] == this[0] and this[1] == following[0]
    assert this[0] <= now < this[1]
