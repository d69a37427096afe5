"""What time operands read as."""

from __future__ import annotations

import pytest

from wakeful_grammar.problems import QueryError, Span
from wakeful_grammar.time_operand import (
    Clock,
    Date,
    DayWord,
    Now,
    Offset,
    Period,
    Stamp,
    TimeNode,
    parse_time,
)

UNIT_WORDS = {
    "second": "s sec secs second seconds",
    "minute": "m min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "w week weeks",
    "month": "mo mos month months",
    "year": "y year years",
}


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("now", Now()),
        ("NOW", Now()),
        ("1-minute-ago", Offset(1, "minute", -1)),
        ("10-minutes-ago", Offset(10, "minute", -1)),
        ("10_Minutes ago", Offset(10, "minute", -1)),
        ("10  minutes\tago", Offset(10, "minute", -1)),
        ("5m-ago", Offset(5, "minute", -1)),
        ("5-m-ago", Offset(5, "minute", -1)),
        ("in-5m", Offset(5, "minute", 1)),
        ("in-5-minutes", Offset(5, "minute", 1)),
        ("5-minutes-from-now", Offset(5, "minute", 1)),
        ("5m-from-now", Offset(5, "minute", 1)),
        ("2mo-ago", Offset(2, "month", -1)),
        ("0-days-ago", Offset(0, "day", -1)),
        ("007-days-ago", Offset(7, "day", -1)),
        ("999999999999-years-ago", Offset(999_999_999_999, "year", -1)),
        ("today", DayWord(0)),
        ("Yesterday", DayWord(-1)),
        ("tomorrow", DayWord(1)),
        ("this-minute", Period(0, "minute")),
        ("last-week", Period(-1, "week")),
        ("next year", Period(1, "year")),
        ("2026-09-26", Date(2026, 9, 26)),
        ("2028-02-29", Date(2028, 2, 29)),
        ("9am", Clock(9, 0, "hour")),
        ("12am", Clock(0, 0, "hour")),
        ("12pm", Clock(12, 0, "hour")),
        ("9:30pm", Clock(21, 30, "minute")),
        ("9:00am", Clock(9, 0, "minute")),
        ("14:00", Clock(14, 0, "minute")),
        ("9:05", Clock(9, 5, "minute")),
        ("noon", Clock(12, 0, "minute")),
        ("midnight", Clock(0, 0, "minute")),
        ("yesterday-9am", Clock(9, 0, "hour", -1)),
        ("9am tomorrow", Clock(9, 0, "hour", 1)),
        ("2026-09-20T09:00", Stamp(2026, 9, 20, 9, 0)),
        ("2026-09-20 09:00", Stamp(2026, 9, 20, 9, 0)),
        ("2026-09-20t09:00:01", Stamp(2026, 9, 20, 9, 0, 1)),
        ("2026-09-20T09:00Z", Stamp(2026, 9, 20, 9, 0, offset=0)),
        ("2026-09-20T09:00:00z", Stamp(2026, 9, 20, 9, 0, 0, offset=0)),
        ("2026-09-20T09:00:00.25-05:30", Stamp(2026, 9, 20, 9, 0, 0, 250_000, -330)),
        ("2026-09-20T09:00:00.000000000Z", Stamp(2026, 9, 20, 9, 0, 0, 0, 0)),
    ],
)
def test_times(text: str, node: TimeNode) -> None:
    assert parse_time(text) == node


@pytest.mark.parametrize(("unit", "words"), UNIT_WORDS.items())
def test_units_singular_plural_and_short(unit: str, words: str) -> None:
    for word in words.split(" "):
        node = parse_time(f"3-{word}-ago")
        assert isinstance(node, Offset)
        assert (node.count, node.unit) == (3, unit)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("soon", "noon"),
        ("tommorow", "tomorrow"),
        (" now ", "now"),
        ("9 am", "9am"),
        ("a-minute-ago", "1-minute-ago"),
        ("5-minutes", "5-minutes-ago"),
        ("-5m", "5m-ago"),
        ("now-10m", "10m-ago"),
        ("now+10m", "in-10m"),
        ("today-1d", "yesterday"),
        ("today+1-day", "tomorrow"),
        ("now-2-hours", "2-hours-ago"),
        ("last-5-minutes", "5-minutes-ago"),
        ("next 5 days", "in-5-days"),
        ("5-mintes-ago", "5-minutes-ago"),
        ("in-5-yrs", "in-5-years"),
        ("last-weeks", "last-week"),
        ("2026-9-6", "2026-09-06"),
        ("2026/09/06", "2026-09-06"),
        ("20260906", "2026-09-06"),
        ("2026-02-30", "2026-02-28"),
        ("2026-09-20 9am", "2026-09-20T09:00"),
        ("2026-09-20T9:00", "2026-09-20T09:00"),
        ("2026-09-20T09:00:00+0200", "2026-09-20T09:00:00+02:00"),
        ("2026-09-20T09:00:00 UTC", "2026-09-20T09:00:00Z"),
        ("2026-09-20T09:00:60Z", "2026-09-20T09:00:59Z"),
        ("1758877200", "2025-09-26T09:00:00Z"),
        ("14:00:30", "14:00"),
    ],
)
def test_what_is_no_time_gets_the_nearest_reading(text: str, nearest: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_time(text)
    (problem,) = caught.value.problems
    assert problem.code == "type-operand"
    assert problem.hint.startswith(f"did you mean `{nearest}`?")
    assert parse_time(nearest)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "٣-days-ago", "1٣:00", "ſunday", "\u00a0now", "24:00", "12:60", "13pm", "0am", "this-second",
        "5-minutes-ago-", "1-minute--ago", "in5m", "5mago", "2026-13-01", "0000-01-01", "2026-09-20T24:00",
        "2026-09-20T09:00+24:00", "2026-09-20T09:00:00.1234567Z", "1234567890123-days-ago",
        "-1-days-ago", "1.5-days-ago", "monday", "thai",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_time(text)
    (problem,) = caught.value.problems
    assert problem.code == "type-operand"
    assert "`1-hour-ago`" in problem.hint


def test_a_problem_knows_its_place_in_the_whole_query() -> None:
    source = ".player\n.player.seen>=soon"
    span = Span(source.index("soon"), len(source))
    with pytest.raises(QueryError) as caught:
        parse_time("soon", span, source)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.span) == (2, 15, span)
    assert problem.excerpt == ".player.seen>=soon"


def test_a_node_keeps_its_span_but_compares_without() -> None:
    node = parse_time("now", Span(3, 6))
    assert node == Now()
    assert node.span == Span(3, 6)
