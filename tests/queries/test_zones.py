"""Day edges: the vocabulary's zone, or the one that a query is asked in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import wakeful

LOGIN = {"properties": {"seen": {"type": "string", "format": "date-time"}}}
DETROIT = wakeful.load({"zone": "America/Detroit", "$defs": {"player": LOGIN}})
NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "text", "first", "end"),
    [
        (None, ".player.seen=today", "2026-09-26T04:00:00Z", "2026-09-27T04:00:00Z"),
        ("UTC", ".player.seen=today", "2026-09-26T00:00:00Z", "2026-09-27T00:00:00Z"),
        ("Asia/Kathmandu", ".player.seen=today", "2026-09-25T18:15:00Z", "2026-09-26T18:15:00Z"),
        ("Asia/Kathmandu", ".player.seen=2026-09-01", "2026-08-31T18:15:00Z", "2026-09-01T18:15:00Z"),
        ("Pacific/Apia", ".player.seen=this-week", "2026-09-20T11:00:00Z", "2026-09-27T11:00:00Z"),
        ("Europe/Berlin", ".player.seen=9am", "2026-09-26T07:00:00Z", "2026-09-26T08:00:00Z"),
        ("Europe/Berlin", ".player.seen=2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
        ("Europe/Berlin", ".player.seen=1-hour-ago", "2026-09-26T11:00:00Z", "2026-09-26T12:00:00Z"),
    ],
)
def test_midnights_and_clock_times_are_those_of_the_zone(zone: str | None, text: str, first: str, end: str) -> None:
    query = DETROIT.query(text, zone=zone)
    edge, beyond = datetime.fromisoformat(first), datetime.fromisoformat(end)
    assert query.bounds(NOW) == (edge, beyond)
    assert query.matches({"player": {"seen": first}}, now=NOW)
    assert not query.matches({"player": {"seen": end}}, now=NOW)
    assert query.sql("postgresql").bind(query.bounds, NOW) == (edge, beyond)


def test_a_zone_of_one_query_is_not_that_of_the_next() -> None:
    text = ".player.seen=yesterday"
    there, here = DETROIT.query(text, zone="Asia/Tokyo"), DETROIT.query(text)
    assert there is DETROIT.query(text, zone="Asia/Tokyo")
    assert here is DETROIT.query(text)
    assert there.bounds(NOW) != here.bounds(NOW)


@pytest.mark.parametrize(("zone", "says"), [("Mars", "no zone"), ("+02:00", "offset"), ("local", "name the place")])
def test_what_is_no_zone_is_refused(zone: str, says: str) -> None:
    with pytest.raises(wakeful.WakefulError, match=says):
        DETROIT.query(".player.seen=today", zone=zone)
