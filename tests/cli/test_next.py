"""`wakeful next`: schedules across clock changes, and instants that cannot be read."""

from __future__ import annotations

import pytest

from cli.conftest import Answer, Command


def rows(answer: Answer) -> list[str]:
    """The lines of the table: below the schedule in words and the heads."""
    return answer.out.rstrip("\n").split("\n")[2:]


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("20 4 * * * America/Detroit", "2026-03-07T09:20:00Z", ["2026-03-08T08:20:00Z", "2026-03-09T08:20:00Z"]),
        ("30 2 * * * America/New_York", "2026-03-08T05:00:00Z", ["2026-03-08T07:30:00Z"]),
        ("20,40 2 * * * Australia/Lord_Howe", "2026-10-03T00:00:00Z", ["2026-10-03T15:40:00Z", "2026-10-03T15:50:00Z"]),
        ("1h", "2026-01-01T00:00:00.5+01:00", ["2026-01-01T00:00:00.5Z"]),
    ],
)
def test_clock_changes(wakeful: Command, expression: str, after: str, expected: list[str]) -> None:
    arguments = ("next", expression, "--after", after, "-n", str(len(expected)))
    answer = wakeful(*arguments, "--json")
    assert (answer.code, answer.json) == (0, expected)
    assert [row.split(" ")[0] for row in rows(wakeful(*arguments))] == expected


def test_one_occurrence_unless_told_otherwise(wakeful: Command) -> None:
    assert wakeful("next", "@daily", "--now", "2026-01-01T00:00:00Z", "--json").json == ["2026-01-02T00:00:00Z"]


def test_an_anchor_gives_a_duration_its_phase(wakeful: Command) -> None:
    answer = wakeful("next", "1d", "--after", "2026-01-05T12:00:00Z", "--anchor", "2026-01-01T09:00:00Z", "--json")
    assert answer.json == ["2026-01-06T09:00:00Z"]


def test_a_surprise_is_noted_beside_the_answer(wakeful: Command) -> None:
    answer = wakeful("next", "30 2 * * * America/New_York", "--now", "2026-01-01T00:00:00Z")
    assert "2026-03-08" in answer.err
    assert wakeful("next", "30 2 * * * America/New_York", "--now", "2026-01-01T00:00:00Z", "--json").err == ""


def test_a_schedule_that_names_no_date(wakeful: Command) -> None:
    answer = wakeful("next", "0 0 31 2 *", "--json")
    assert (answer.code, answer.json) == (1, [])
    assert "names no date that any year has" in answer.err


SPRING = ("next", "30 2 * * * America/New_York", "--now", "2026-03-06T18:00:00Z")
LORD_HOWE = ("next", "20,40 2 * * * Australia/Lord_Howe", "--now", "2026-10-03T15:45:00Z")


def test_the_table_shows_utc_and_local_time_the_distance_and_clock_changes(wakeful: Command) -> None:
    assert wakeful(*SPRING, "-n", "3").out.split("\n") == [
        "at 02:30 every day, America/New_York",
        "UTC                   America/New_York          distance                clock change",
        "2026-03-07T07:30:00Z  Sat 2026-03-07 02:30 EST  in 13 hours 30 minutes",
        "2026-03-08T07:30:00Z  Sun 2026-03-08 03:30 EDT  in 1 day 13 hours       moved from 02:30",
        "2026-03-09T06:30:00Z  Mon 2026-03-09 02:30 EDT  in 2 days 12 hours",
        "",
    ]
    assert wakeful("next", "*/5 * * * *", "--now", "2026-01-01T09:58:20Z").out.split("\n") == [
        "every 5 minutes, UTC",
        "UTC                   day  distance",
        "2026-01-01T10:00:00Z  Thu  in 1 minute 40 seconds",
        "",
    ]


def test_a_local_time_of_odd_seconds_and_of_an_early_year(wakeful: Command) -> None:
    (row,) = rows(wakeful("next", "30 0 * * * Africa/Monrovia", "--after", "1972-01-06T12:00:00Z"))
    assert row.startswith("1972-01-07T01:14:30Z  Fri 1972-01-07 01:14:30 GMT  ")
    (row,) = rows(wakeful("next", "0 0 1 * * Europe/Berlin", "--now", "0001-01-15T00:00:00Z"))
    assert "Thu 0001-02-01 00:00 LMT" in row


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ("2026-01-01T00:00:00Z", "in 1 hour"),
        ("2025-12-31T23:00:00Z", "now"),
        ("2025-12-31T22:00:00.5Z", "59 minutes 59 seconds ago"),
        ("2025-12-31T23:00:00.25Z", "in less than a second"),
        ("2026-01-14T23:00:00Z", "in 14 days"),
        ("2026-01-13T23:00:01Z", "in 13 days"),
        ("2029-01-01T00:00:00Z", "in 1,096 days"),
        ("2025-12-30T22:59:59Z", "1 day ago"),
    ],
)
def test_distances_are_in_two_units_and_cut(wakeful: Command, after: str, words: str) -> None:
    (row,) = rows(wakeful("next", "1h", "--after", after, "--now", "2026-01-01T00:00:00Z"))
    assert row.split("  ")[-1] == words


def test_between_takes_the_second_end_and_not_the_first(wakeful: Command) -> None:
    ends = ("2026-03-07T07:30:00Z", "2026-03-09T06:30:00Z")
    answer = wakeful(*SPRING, "--between", *ends, "--json")
    assert (answer.code, answer.json) == (0, ["2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z"])
    assert len(rows(wakeful(*SPRING, "--between", *ends))) == 2
    assert wakeful(*SPRING, "--between", *ends, "-n", "1", "--json").json == ["2026-03-08T07:30:00Z"]
    empty = wakeful(*SPRING, "--between", ends[0], ends[0], "--json")
    assert (empty.code, empty.json) == (1, [])
    assert "nothing comes between" in empty.err


def test_between_says_when_it_leaves_something_out(wakeful: Command) -> None:
    answer = wakeful("next", "1s", "--between", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "--json")
    assert len(answer.json) == 100_000
    assert "the first 100,000" in answer.err


def test_previous_looks_back(wakeful: Command) -> None:
    expected = ["2026-10-03T15:40:00Z", "2026-10-02T16:10:00Z", "2026-10-02T15:50:00Z"]
    assert wakeful(*LORD_HOWE, "--previous", "-n", "3", "--json").json == expected
    assert wakeful(*LORD_HOWE, "--previous", "--after", expected[0], "--json").json == [expected[1]]
    (row,) = rows(wakeful(*LORD_HOWE, "--previous"))
    assert row.endswith("  5 minutes ago")
    anchored = wakeful("next", "1d", "--previous", "--anchor", "2026-01-01T09:00:00Z", "--now", "2026-01-01T09:00:00Z")
    assert (anchored.code, anchored.out) == (1, "")
    assert "the anchor is the first" in anchored.err


def test_the_second_dialect(wakeful: Command) -> None:
    answer = wakeful("next", "0 18 * * 6L", "--dialect", "trigger", "--now", "2026-01-01T00:00:00Z")
    assert rows(answer) == ["2026-01-30T18:00:00Z  Fri  in 29 days"]
    assert "write FRIL" in answer.err


@pytest.mark.parametrize(
    ("expression", "note"),
    [
        ("0 0 13 * 5", "either is enough"),
        ("0 0 29 2 *", "a long wait: next on 2028-02-29"),
        ("0 * * * * America/New_York", "between 01:59 EDT and 02:00 EST; write `1h` or drop the zone"),
    ],
)
def test_surprises_are_noted(wakeful: Command, expression: str, note: str) -> None:
    assert note in wakeful("next", expression, "--now", "2026-01-01T00:00:00Z").err
    assert wakeful("next", expression, "--now", "2026-01-01T00:00:00Z", "--json").err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--between", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"), "B lies before A"),
        (("--between", "2026-01-01T00:00:00Z"), "expected 2 arguments"),
        (("--between", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "--previous"), "leave --after and --previous"),
        (("--between", "x", "2026-01-02T00:00:00Z"), "like 2026-09-20T09:00:00Z"),
    ],
)
def test_ends_that_name_no_stretch(wakeful: Command, options: tuple[str, ...], words: str) -> None:
    answer = wakeful("next", "@daily", *options, "--json")
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err


def test_a_mistake_has_its_caret(wakeful: Command) -> None:
    answer = wakeful("next", "99 4 * * *", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "schedule:1:1: error schedule-" in answer.err
    assert "    ^^\n" in answer.err


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        ("2026-01-01", "write 2026-01-01T00:00:00Z"),
        ("2026-01-01T09:00:00", "write 2026-01-01T09:00:00Z for UTC"),
        ("2026-01-01 09:00Z", "write 2026-01-01T09:00:00Z"),
        ("2026-02-30T00:00:00Z", "does not exist"),
        ("2016-12-31T23:59:60Z", "leap second"),
        ("tomorrow", "like 2026-09-20T09:00:00Z"),
        ("٢٠٢٦-01-01T00:00:00Z", "like 2026-09-20T09:00:00Z"),
        ("", "like 2026-09-20T09:00:00Z"),
    ],
)
@pytest.mark.parametrize("option", ["--now", "--after", "--anchor"])
def test_an_instant_that_cannot_be_read(wakeful: Command, option: str, given: str, mend: str) -> None:
    answer = wakeful("next", "1h", option, given, "--json")
    assert (answer.code, answer.out) == (2, "")
    assert option in answer.err
    assert mend in answer.err


@pytest.mark.parametrize("given", ["0", "-1", "x", "1.5", "٣", "9" * 20_000, "1000000"])
def test_a_count_that_is_none(wakeful: Command, given: str) -> None:
    answer = wakeful("next", "1h", f"-n={given}")
    assert answer.code == 2
    assert "whole number from 1 to 100,000" in answer.err


def test_no_expression(wakeful: Command) -> None:
    answer = wakeful("next")
    assert answer.code == 2
    assert "EXPR" in answer.err


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        (("0", "8", "*", "*", "*"), "wakeful next '0 8 * * *'"),
        (("-n", "2", "0", "8", "*", "*", "MON-FRI", "Europe/Berlin"), "wakeful next '0 8 * * MON-FRI Europe/Berlin'"),
        (("0", "8", "Makefile", "README.md", "a b"), "wakeful next '0 8 * * *'"),
        (("-5m",), "wakeful next 5m"),
    ],
)
def test_a_schedule_without_quotes_is_told_how_to_be_written(
    wakeful: Command, given: tuple[str, ...], mend: str
) -> None:
    answer = wakeful("next", *given)
    assert (answer.code, answer.out) == (2, "")
    assert mend in answer.err


def test_what_never_comes_is_said_once(wakeful: Command) -> None:
    answer = wakeful("next", "0 0 30 2 *")
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
