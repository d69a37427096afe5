"""A schedule as a value: its canonical text, equality, copies, and what it says of itself."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.schedules import TRIGGERS, TROUBLED_ZONES, WAKE_CRONS
from wakeful_compiler.schedules import NotAnInstant, Schedule, cron_trigger, every
from wakeful_grammar.problems import WakefulError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

SAME = [
    ("60m", "1h"),
    ("7d", "1w"),
    ("30m1h", "1h30m"),
    ("@daily", "0 0 * * *"),
    ("@weekly Europe/Berlin", "0 0 * * SUN Europe/Berlin"),
    ("0 9 * * MON-FRI", "00 09 * * 1,2,3,4,5"),
    ("0 9 * * * UTC", "  0\t9 * * * "),
    ("0-59 * * * *", "* * * * *"),
    ("*/60 * * * *", "0 * * * *"),
    ("0 0 1-31/10 jan *", "0 0 */10 1 *"),
    ("0 0 * * 5-7", "0 0 * * 0,5,6"),
    ("0 0 * * MON-SUN", "0 0 * * 0-6"),
]
DIFFERENT = [
    ("1h", "0 * * * *"),
    ("0 9 * * * Europe/Berlin", "0 9 * * * Europe/Rome"),
    ("0 0 1-31 * 1", "0 0 * * 1"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_equal_by_what_they_mean(left: str, right: str) -> None:
    one, other = every(left), every(right)
    assert one == other
    assert hash(one) == hash(other)
    assert str(one) == str(other) == one.canonical
    assert every(str(one)) == one


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_unequal(left: str, right: str) -> None:
    assert every(left) != every(right)
    assert every(left) != left


def test_the_dialects_do_not_mix() -> None:
    assert every("0 0 * * *") != cron_trigger("0 0 * * *")
    assert cron_trigger("0 0 * * 1") == cron_trigger("0 0 * * SUN")
    assert str(cron_trigger("0 0 * * 2-6")) == "0 0 * * MON-FRI"


@pytest.mark.parametrize("schedule", [every("@daily Asia/Kathmandu"), every("90m"), cron_trigger("0 9 15W * 2#1")])
def test_copies_and_pickles(schedule: Schedule) -> None:
    assert copy.copy(schedule) is schedule
    assert copy.deepcopy({"every": schedule})["every"] is schedule
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(schedule, protocol))
        assert again == schedule
        assert again.notes(NOON) == schedule.notes(NOON)


def test_is_immutable_and_cached() -> None:
    schedule = every("5m")
    assert every("5m") is schedule
    with pytest.raises(AttributeError):
        schedule.text = "6m"
    assert repr(schedule) == "every('5m')"
    assert repr(cron_trigger("* * * * *")) == "cron_trigger('* * * * *')"


@given(cron=WAKE_CRONS, zone=st.sampled_from(["", *(f" {name}" for name in TROUBLED_ZONES)]))
def test_the_canonical_text_parses_back(cron: str, zone: str) -> None:
    schedule = every(cron + zone)
    again = every(str(schedule))
    assert again == schedule
    assert str(again) == str(schedule)
    assert again.next(NOON) == schedule.next(NOON)


@given(text=TRIGGERS)
def test_the_canonical_text_of_a_trigger_parses_back(text: str) -> None:
    schedule = cron_trigger(text)
    again = cron_trigger(str(schedule))
    assert again == schedule
    assert str(again) == str(schedule)
    assert again.next(NOON) == schedule.next(NOON)


def test_a_union_of_steps_too_long_to_be_written_out_keeps_its_spelling() -> None:
    steps = "*/3,1-59/3 */3,1-23/3 */3,2-31/3 */3,2-12/3 0,1,3,4 America/Argentina/ComodRivadavia"
    assert every(str(every(steps))) == every(steps)


@given(moment=st.datetimes(timezones=st.timezones()))
def test_moments_of_any_zone_are_taken(moment: datetime) -> None:
    try:
        in_utc = moment.astimezone(UTC)
    except OverflowError:
        return
    schedule = every("17 3 * * 2 Europe/London")
    found = schedule.next(moment)
    assert found == schedule.next(in_utc)
    assert found is None or found.tzinfo is UTC


NO_INSTANTS = [
    datetime(2026, 1, 1),
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    date(2026, 1, 1),
    "2026-01-01T00:00:00Z",
    None,
]


@pytest.mark.parametrize("moment", NO_INSTANTS, ids=str)
def test_what_is_no_instant_is_refused_by_name(moment: object) -> None:
    for schedule in (every("1h"), every("0 9 * * *"), every("0 9 * * * Europe/Berlin")):
        for ask, name in (
            (schedule.next, "after"),
            (schedule.previous, "before"),
            (schedule.latest, "now"),
            (schedule.iter, "after"),
            (schedule.notes, "after"),
        ):
            with pytest.raises(NotAnInstant, match=f"^`{name}` ") as caught:
                ask(moment)
            assert isinstance(caught.value, WakefulError)
        with pytest.raises(NotAnInstant):
            schedule.between(NOON, moment)


def test_a_naive_anchor_is_refused_even_where_it_is_not_needed() -> None:
    for text in ("1h", "0 9 * * *"):
        with pytest.raises(NotAnInstant, match=r"^`anchor` is a naive datetime"):
            every(text).next(NOON, anchor=datetime(2026, 1, 1))


def test_zone_info_from_the_host_is_as_good_as_any() -> None:
    assert every("0 9 * * *").next(datetime(2026, 1, 1, 4, tzinfo=ZoneInfo("America/New_York"))) == datetime(
        2026, 1, 2, 9, tzinfo=UTC
    )


IN_WORDS = [
    ("20 4 * * * America/Detroit", "at 04:20 every day, America/Detroit"),
    ("@daily Asia/Kathmandu", "at 00:00 every day, Asia/Kathmandu"),
    ("* * * * *", "every minute, UTC"),
    ("*/15 * * * *", "every 15 minutes, UTC"),
    ("5-50/15 * * * *", "every 15 minutes, from 5 minutes past the hour on, UTC"),
    ("0 * * * *", "every hour, on the hour, UTC"),
    ("7 * * * *", "every hour, at 7 minutes past, UTC"),
    ("0,40 * * * *", "at 0 and 40 minutes past every hour, UTC"),
    ("0,30 9,17 * * *", "at 09:00, 09:30, 17:00 and 17:30 every day, UTC"),
    ("*/10 9-17 * * 1-5", "every 10 minutes from 09:00 to 17:50, Monday to Friday, UTC"),
    ("* 9 * * *", "every minute from 09:00 to 09:59, UTC"),
    ("* 9-11,14 * * 5-7", "every minute in the hours 9 to 11 and 14, Friday to Sunday, UTC"),
    ("0 9-17 * * 1-5", "on the hour in the hours 9 to 17, Monday to Friday, UTC"),
    ("3,7 9-17 * * *", "at 3 and 7 minutes past the hours 9 to 17 every day, UTC"),
    ("0 */2 * * *", "every 2 hours from 00:00 on, UTC"),
    ("0 9 1,15 1-6/2 *", "at 09:00 on the 1st and 15th of January, March and May, UTC"),
    ("0 0 13 * 5", "at 00:00 on the 13th of every month, and also every Friday, UTC"),
    ("0 0 * 6-8 MON", "at 00:00 every Monday in June to August, UTC"),
    ("*/15 * * 1 *", "every 15 minutes, every day in January, UTC"),
    ("0 0 * * 0,3", "at 00:00 every Wednesday and Sunday, UTC"),
    ("5m", "every 5 minutes"),
    ("1h", "every hour"),
    ("2w", "every 2 weeks"),
    ("90m", "every 1 hour and 30 minutes"),
]
TRIGGERS_IN_WORDS = [
    ("0 0 L * *", "at 00:00 on the last day of every month, UTC"),
    ("0 0 L-3 2 *", "at 00:00 3 days before the last day of February, UTC"),
    ("59 23 LW * *", "at 23:59 on the last weekday (Monday to Friday) of every month, UTC"),
    ("0 6 15W * *", "at 06:00 on the weekday (Monday to Friday) nearest the 15th of every month, UTC"),
    ("0 18 * * 6L", "at 18:00 on the last Friday of every month, UTC"),
    ("0 9 * 1,7 MON#2", "at 09:00 on the second Monday of January and July, UTC"),
    ("0 9 * * 2-6", "at 09:00, Monday to Friday, UTC"),
]


@pytest.mark.parametrize(("text", "words"), IN_WORDS)
def test_is_described_in_plain_words(text: str, words: str) -> None:
    assert every(text).describe() == words


@pytest.mark.parametrize(("text", "words"), TRIGGERS_IN_WORDS)
def test_a_trigger_is_described_in_plain_words(text: str, words: str) -> None:
    assert cron_trigger(text).describe() == words


@given(cron=WAKE_CRONS)
def test_everything_can_be_described(cron: str) -> None:
    assert every(cron).describe().endswith(", UTC")
