"""The zone rule where clocks change, as numbered twins: left out in spring, repeated in autumn."""

from __future__ import annotations

from datetime import datetime

import pytest

from wakeful_compiler.schedules import every

# number: expression | asked after | the occurrences that follow, all in UTC
TWINS = {
    "spring-1 a time in the gap moves by the gap": "30 2 * * * America/New_York | 2026-03-08T05:00 | "
    "2026-03-08T07:30 2026-03-09T06:30",
    "autumn-1 a repeated time happens at the first": "30 1 * * * America/New_York | 2026-11-01T04:00 | "
    "2026-11-01T05:30 2026-11-02T06:30",
    "spring-2 the first minute of the gap": "0 2 * * * America/New_York | 2026-03-08T06:59 | "
    "2026-03-08T07:00 2026-03-09T06:00",
    "autumn-2 the first minute repeated": "0 1 * * * America/New_York | 2026-11-01T04:59 | "
    "2026-11-01T05:00 2026-11-02T06:00",
    "spring-3 the last minute of the gap": "59 2 * * * America/New_York | 2026-03-08T06:59 | "
    "2026-03-08T07:59 2026-03-09T06:59",
    "autumn-3 the last minute repeated": "59 1 * * * America/New_York | 2026-11-01T05:30 | "
    "2026-11-01T05:59 2026-11-02T06:59",
    "spring-4 asked while the gap's shadow lasts": "15,45 2 * * * America/New_York | 2026-03-08T07:15 | "
    "2026-03-08T07:45 2026-03-09T06:15",
    "autumn-4 asked in the second pass": "15,45 1 * * * America/New_York | 2026-11-01T06:20 | "
    "2026-11-02T06:15 2026-11-02T06:45",
    "spring-5 two wall times on one instant are one occurrence": "0 2,3 * * * America/New_York | "
    "2026-03-08T06:00 | 2026-03-08T07:00 2026-03-09T06:00",
    "autumn-5 every quarter of an hour is silent in the second pass": "*/15 * * * * America/New_York | "
    "2026-11-01T05:40 | 2026-11-01T05:45 2026-11-01T07:00",
    "spring-6 earlier on the wall, later in time": "20,40 2 * * * Australia/Lord_Howe | 2026-10-03T00:00 | "
    "2026-10-03T15:40 2026-10-03T15:50 2026-10-04T15:20",
    "autumn-6 half an hour repeated": "45 1 * * * Australia/Lord_Howe | 2026-04-04T12:00 | "
    "2026-04-04T14:45 2026-04-05T15:15",
    "spring-7 midnight left out": "0 0 * * * America/Sao_Paulo | 2018-11-03T12:00 | 2018-11-04T03:00 2018-11-05T02:00",
    "autumn-7 the last hour of a day repeated": "30 23 * * * America/Sao_Paulo | 2018-02-17T12:00 | "
    "2018-02-18T01:30 2018-02-19T02:30",
    "spring-8 two hours": "30 1,2,3 * * * Antarctica/Troll | 2026-03-29T00:00 | "
    "2026-03-29T01:30 2026-03-29T02:30 2026-03-29T23:30",
    "autumn-8 two hours": "30 1,2,3 * * * Antarctica/Troll | 2026-10-24T23:00 | "
    "2026-10-24T23:30 2026-10-25T00:30 2026-10-25T03:30",
    "spring-9 a whole day left out": "0 9 * * * Pacific/Apia | 2011-12-29T00:00 | "
    "2011-12-29T19:00 2011-12-30T19:00 2011-12-31T19:00",
    "autumn-9 a whole day repeated": "0 9 * * * Pacific/Kwajalein | 1969-09-29T00:00 | "
    "1969-09-29T22:00 1969-10-01T21:00",
    "spring-10 winter is the deviation": "30 1 * * * Europe/Dublin | 2026-03-28T12:00 | "
    "2026-03-29T01:30 2026-03-30T00:30",
    "autumn-10 winter is the deviation": "30 1 * * * Europe/Dublin | 2026-10-24T12:00 | "
    "2026-10-25T00:30 2026-10-26T01:30",
    "spring-11 a gap of odd seconds": "30 0 * * * Africa/Monrovia | 1972-01-06T12:00 | "
    "1972-01-07T01:14:30 1972-01-08T00:30",
    "autumn-11 odd seconds repeated": "0 12 * * * America/New_York | 1883-11-17T00:00 | "
    "1883-11-17T16:56:02 1883-11-18T16:56:02 1883-11-19T17:00",
}


@pytest.mark.parametrize("told", TWINS.values(), ids=TWINS.keys())
def test_follows_the_zone_rule(told: str) -> None:
    text, after, expected = (part.strip() for part in told.split("|"))
    schedule = every(text)
    moment = datetime.fromisoformat(f"{after}+00:00")
    occurrences = [datetime.fromisoformat(f"{word}+00:00") for word in expected.split()]
    found = []
    for _ in occurrences:
        following = schedule.next(moment if not found else found[-1])
        assert following is not None
        found.append(following)
    assert found == occurrences
    backwards = [occurrences[-1]]
    while len(backwards) < len(occurrences):
        preceding = schedule.previous(backwards[-1])
        assert preceding is not None
        backwards.append(preceding)
    assert backwards[::-1] == occurrences
