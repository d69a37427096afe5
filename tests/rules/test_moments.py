"""Time in the analysis: what it claims of two instants holds at every `now`; what a mark may write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.declared import Kinds, accepted, only_rule, refused
from wakeful_compiler.predicates import Ordering, TimeBound
from wakeful_compiler.rules.moments import compare, place_in_time
from wakeful_compiler.times import lower_time
from wakeful_compiler.zones import zone
from wakeful_grammar.time_operand import parse_time

KINDS: dict[str, Kinds] = {"visit": {"seen": "instant", "due": "instant"}, "done": {}}
NOW = datetime(2026, 9, 20, 9, 0, tzinfo=UTC)
ZONES = (
    "UTC",
    "America/New_York",
    "America/St_Johns",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Africa/Monrovia",
)

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
TEXTS = (
    ["now", "today", "yesterday", "tomorrow", "9am", "0:00", "23:59", "yesterday-9am", "tomorrow-noon"]
    + [f"{word}-{unit}" for word in ("this", "last", "next") for unit in UNITS if unit != "second"]
    + [f"{count}-{unit}-ago" for count in (0, 1, 3, 40) for unit in UNITS]
    + [f"in-{count}-{unit}" for count in (0, 1, 3, 40) for unit in UNITS]
)  # fmt: skip
OPERANDS = [lower_time(parse_time(text)) for text in TEXTS]
BOUNDS = [
    *(TimeBound(operand, "start") for operand in OPERANDS),
    *(TimeBound(operand, "end") for operand in OPERANDS if not operand.is_moment),
]
# Days when clocks change, just after midnight in two of the zones, and a day that one zone left out.
NOWS = st.one_of(
    st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)),
    st.builds(
        lambda day, seconds: day + timedelta(seconds=seconds),
        st.sampled_from([datetime(2006, 10, 29), datetime(2011, 12, 30), datetime(2026, 3, 8), datetime(2026, 11, 1)]),
        st.integers(-86_400, 86_400),
    ),
).map(lambda moment: moment.replace(tzinfo=UTC))


@given(
    st.sampled_from(BOUNDS),
    st.sampled_from(BOUNDS),
    st.sampled_from(get_args(Ordering)),
    NOWS,
    st.sampled_from(ZONES),
)
def test_what_is_claimed_of_two_instants_is_so(
    left: TimeBound, right: TimeBound, ordering: Ordering, now: datetime, name: str
) -> None:
    claimed = compare(place_in_time(left), ordering, place_in_time(right))
    if claimed is None:
        return
    first, second = (_instant(bound, now, name) for bound in (left, right))
    holds = {
        "=": first == second,
        "<": first < second,
        "<=": first <= second,
        ">": first > second,
        ">=": first >= second,
    }
    assert holds[ordering] is claimed


def _instant(bound: TimeBound, now: datetime, name: str) -> datetime:
    assert bound.operand is not None
    start, end = bound.operand.edges(now, zone(name))
    return end if bound.edge == "end" else start


@pytest.mark.parametrize(
    "match",
    [
        ".visit.seen<1-hour-ago, +visit.seen=now",
        ".visit.seen<today, +visit.seen=now",
        ".visit.seen<this-month, +visit.seen=now",
        ".visit.seen=yesterday, +visit.seen=now",
        ".visit.seen>now, +visit.seen=now",
        ".visit.due<=now, +visit.due=in-3-days",
        ".visit.due<=now, +visit.due=in-1-month",
        ".visit.due<in-2-days, +visit.due=in-3-days",
        ".visit.due<2026-01-01, +visit.due=2026-01-01T00:00:00Z",
        ".visit.due!=2026-01-01T00:00:00Z, +visit.due=2026-01-01T01:00:00+01:00",
        ".visit, !visit.seen, +visit.seen=now",
        ".visit.seen=1-hour-ago, +visit.seen=2-hours-ago",
        ".visit.seen=this-hour, +visit.seen=1-hour-ago",
    ],
)
def test_one_now_rules_a_stage(match: str) -> None:
    accepted(KINDS, {"it": match})


@pytest.mark.parametrize(
    ("match", "mend"),
    [
        (".visit, +visit.seen=now", "while it has none: add `!visit.seen`"),
        (".visit.seen<=now, +visit.seen=now", "say `it_done`"),
        (".visit.due<tomorrow, +visit.due=in-3-hours", "say `it_done`"),
        (".visit.due>=9am, +visit.due=now", "say `it_done`"),
        (".visit.due<2026-01-01, +visit.due=now", "say `it_done`"),
        (".visit, +visit.due=2026-01-01T00:00:00Z", "add `.visit.due!=2026-01-01T00:00:00Z`"),
    ],
)
def test_what_depends_on_the_day_may_hold_again(match: str, mend: str) -> None:
    told = refused(KINDS, {"it": match}).problem
    assert told.code == "rule-feeds-itself"
    assert mend in told.hint


def test_the_same_clause_on_both_sides_turns_nothing() -> None:
    held = {"a": ".visit.due<today, +!done", "b": ".visit.due<today, .done, !visit.seen, +visit.seen=now"}
    assert accepted(KINDS, held).edges.enables == (("a", "b"),)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("now", "2026-09-20T09:00:00Z"),
        ("in-3-days", "2026-09-23T09:00:00Z"),
        ('"2 days ago"', "2026-09-18T09:00:00Z"),
        ("1-month-ago", "2026-08-20T09:00:00Z"),
        ("90-minutes-from-now", "2026-09-20T10:30:00Z"),
        ("2026-09-20T11:00:00.500+02:00", "2026-09-20T09:00:00.5Z"),
        ('"2026-09-20 09:00:00Z"', "2026-09-20T09:00:00Z"),
    ],
)
def test_a_moment_is_written_as_an_instant(written: str, value: str) -> None:
    rule = only_rule(KINDS, f"+!visit, +visit.seen={written}")
    assert rule.output(NOW) == {"visit": {"seen": value}}
    assert rule.writes[-1].at(NOW) == value


@pytest.mark.parametrize(
    "written",
    [
        "today",
        "9am",
        "2026-09-20",
        "2026-09-20T09:00Z",
        "2026-09-20T09:00:00",
        "2026-09-20T09:00:00.5",
        "someday",
        "0001-01-01T00:00:00+14:00",
        "2026-09-20T09:00:00.1234567Z",
        '""',
    ],
)
def test_what_is_no_moment_is_refused(written: str) -> None:
    told = refused(KINDS, {"it": f"+!visit, +visit.seen={written}"})
    assert told.problem.code == "type-operand"
    assert told.problem.hint


@pytest.mark.parametrize("written", ["in-9000-years", "999999999999-days-ago", "in-100000-months"])
def test_a_moment_off_the_calendar_overflows(written: str) -> None:
    rule = only_rule(KINDS, f"+!visit, +visit.seen={written}")
    with pytest.raises(OverflowError):
        rule.output(NOW)
