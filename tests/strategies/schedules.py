"""Cron expressions, zones and moments at which clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")

TROUBLED_ZONES = (
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Apia",  # a whole day left out, 2011
    "Pacific/Kwajalein",  # the same in 1993
    "Antarctica/Troll",  # two hours
    "America/Sao_Paulo",  # at midnight
    "America/Santiago",  # at midnight, to the south
    "Asia/Beirut",  # at midnight, to the north
    "Asia/Kathmandu",  # no change, a quarter of an hour
    "Europe/Dublin",  # winter is the deviation
    "Africa/Casablanca",  # four changes a year
    "America/St_Johns",  # at one minute past midnight, until 2011
    "America/New_York",
    "America/Detroit",
    "Europe/London",
    "Africa/Monrovia",  # sub-minute offsets until 1972
    "Asia/Manila",  # a day left out in 1844
)

CHANGES = (
    ("Australia/Lord_Howe", "2026-10-03T15:30:00"),
    ("Australia/Lord_Howe", "2026-04-04T15:00:00"),
    ("Pacific/Apia", "2011-12-30T10:00:00"),
    ("Pacific/Kwajalein", "1993-08-21T12:00:00"),
    ("Antarctica/Troll", "2026-03-29T01:00:00"),
    ("Antarctica/Troll", "2026-10-25T01:00:00"),
    ("America/Sao_Paulo", "2018-11-04T03:00:00"),
    ("America/Sao_Paulo", "2018-02-18T02:00:00"),
    ("America/Santiago", "2026-09-06T04:00:00"),
    ("America/Santiago", "2026-04-05T03:00:00"),
    ("Asia/Beirut", "2026-03-28T22:00:00"),
    ("Europe/Dublin", "2026-03-29T01:00:00"),
    ("Europe/Dublin", "2026-10-25T01:00:00"),
    ("Africa/Casablanca", "2026-02-15T02:00:00"),
    ("Africa/Casablanca", "2026-03-22T02:00:00"),
    ("America/St_Johns", "2006-04-02T03:31:00"),
    ("America/St_Johns", "2006-10-29T02:31:00"),
    ("America/New_York", "2026-03-08T07:00:00"),
    ("America/New_York", "2026-11-01T06:00:00"),
    ("America/New_York", "1883-11-18T17:00:00"),
    ("Africa/Monrovia", "1972-01-07T00:44:30"),
    ("Asia/Manila", "1844-12-31T16:04:00"),
    ("Asia/Kathmandu", "1985-12-31T18:30:00"),
)
"""Zones and instants at which their clocks change, or did once."""


def _items(low: int, high: int, widest: int) -> st.SearchStrategy[str]:
    values = st.integers(low, high)
    ranges = st.tuples(values, values).map(sorted)
    steps = st.integers(1, widest)
    return st.one_of(
        values.map(str),
        ranges.map(lambda ends: f"{ends[0]}-{ends[1]}"),
        st.tuples(ranges, steps).map(lambda both: f"{both[0][0]}-{both[0][1]}/{both[1]}"),
        steps.map(lambda step: f"*/{step}"),
    )


def fields(low: int, high: int, widest: int) -> st.SearchStrategy[str]:
    """A cron field: `*` as often as a list of up to three items."""
    lists = st.lists(_items(low, high, widest), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), lists)


def _joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(" ".join)


WAKE_CRONS = _joined(
    fields(0, 59, 60), fields(0, 23, 24), fields(1, 31, 31), fields(1, 12, 12), fields(0, 6, 7)
)  # fmt: skip
"""Five fields of the first dialect, without a zone."""

_TRIGGER_DAYS = st.one_of(
    fields(1, 31, 30),
    st.sampled_from(["L", "LW"]),
    st.integers(1, 30).map(lambda back: f"L-{back}"),
    st.integers(1, 31).map(lambda day: f"{day}W"),
)
_WEEKDAY = st.one_of(st.integers(1, 7).map(str), st.sampled_from(WEEKDAYS))
_TRIGGER_WEEKDAYS = st.one_of(
    fields(1, 7, 6),
    _WEEKDAY.map(lambda day: f"{day}L"),
    st.tuples(_WEEKDAY, st.integers(1, 5)).map(lambda both: f"{both[0]}#{both[1]}"),
)
TRIGGERS = _joined(
    fields(0, 59, 59), fields(0, 23, 23), _TRIGGER_DAYS, fields(1, 12, 11), _TRIGGER_WEEKDAYS
)  # fmt: skip
"""Five fields of the second dialect, every form of it."""

MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28), timezones=st.just(UTC))
MODERN_MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@st.composite
def moments_near_changes(draw: st.DrawFn) -> tuple[str, datetime]:
    """A zone and a moment a little before or after a change of its clock."""
    zone, instant = draw(st.sampled_from(CHANGES))
    lag = timedelta(seconds=draw(st.integers(-30 * 3600, 4 * 3600)))
    return zone, datetime.fromisoformat(instant).replace(tzinfo=UTC) + lag


@st.composite
def crons_near_changes(draw: st.DrawFn) -> str:
    """Five fields that are likely to match something in the few hours around a change."""
    minute = draw(fields(0, 59, 60))
    hour = draw(st.one_of(st.just("*"), st.sampled_from(["0", "1", "2", "3", "0-3", "1,2", "23", "*/2"])))
    day = draw(st.sampled_from(["*", "*", "*", "*/2", "1-31", "30"]))
    weekday = draw(st.sampled_from(["*", "*", "*", "0", "0-5", "6,7"]))
    return f"{minute} {hour} {day} * {weekday}"
