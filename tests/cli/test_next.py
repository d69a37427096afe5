"""`wakeful next`: schedules across clock changes, and instants that cannot be read."""

from __future__ import annotations

import pytest

from cli.conftest import Command


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
    assert wakeful(*arguments).out.split("\n") == [*expected, ""]


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
    assert "no date at all" in answer.err


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
