"""The lives that the reference tells of: the idle world for a month, and the weekly digest for a year."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import wakeful
from runtime.idle_world import START, begin, live, visits
from wakeful.testing import ManualClock

TESTS = Path(__file__).parents[1]


def rows(store: wakeful.Store) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = store.query("* .limit=1000000")
    return found


def test_a_player_seen_once_keeps_the_world_going_for_ten_minutes() -> None:
    store, clock = begin(":memory:")
    assert store.next_due() is None
    clock.set(START)
    store.apply({"entity": {"eid": "ada"}, "player": {"seen": START}})
    ticks = []
    while (due := store.next_due()) is not None:
        clock.set(due)
        assert len(store.tick().calls) == 1
        ticks.append(f"{due:%H:%M:%S}")
    assert ticks == ["12:00:30", "12:01:00", "12:01:30", "12:06:30", "12:11:30"]


def expected(plan: list[tuple[datetime, str]]) -> list[datetime]:
    """When the world ticks, worked out by hand for its two conditions: only the last visit matters."""
    ticks: list[datetime] = []
    at: datetime | None = None
    for moment, following in zip(plan, [*plan[1:], None], strict=True):
        seen = moment[0]
        at = min(at or datetime.max.replace(tzinfo=UTC), seen + timedelta(seconds=30))
        while at is not None and (following is None or at < following[0]):
            ticks.append(at)
            if seen >= at - timedelta(minutes=1):
                at += timedelta(seconds=30)
            elif seen >= at - timedelta(minutes=10):
                at += timedelta(minutes=5)
            else:
                at = None
    return ticks


def test_a_month_of_the_idle_world() -> None:
    store, clock = begin(":memory:")
    plan = visits()
    ticked = live(store, clock, plan)
    assert len(plan) > 50
    assert len(ticked) > 100
    assert ticked == expected(plan)
    # Calls equal firings, each with one result and one output of its own instant.
    calls = store.query(".call.source=world ?execution .limit=100000")
    assert len(calls) == len(ticked) == len(store.query(".result .limit=100000"))
    assert {call["execution"]["state"] for call in calls} == {"done"}
    on = [datetime.fromisoformat(row["tick"]["on"]) for row in store.query(".tick .limit=100000")]
    assert on == ticked
    assert store.next_due() is None


def test_a_stretch_without_a_process_is_caught_up_in_one_firing() -> None:
    store, clock = begin(":memory:")
    store.apply({"entity": {"eid": "ada"}, "player": {"seen": START}})
    clock.set(START + timedelta(hours=9))
    report = store.tick()
    assert (len(report.fired), len(report.calls), report.next_due) == (1, 1, None)


def test_the_month_is_the_same_when_the_process_is_killed_again_and_again(tmp_path: Path) -> None:
    undisturbed, clock = begin(":memory:")
    live(undisturbed, clock, visits())
    path, chance = tmp_path / "world.db", random.Random(20260901)
    store, _ = begin(str(path))
    store.close()
    kills = 0
    while True:
        nth = chance.randrange(1, 3000)
        ended = subprocess.run(
            [sys.executable, "-m", "runtime.idle_world", str(path), str(nth)], cwd=TESTS, check=False
        )
        if ended.returncode == 0:
            break
        assert ended.returncode == 9
        kills += 1
    assert kills >= 3
    with wakeful.open(path, clock=ManualClock(START)) as survivor:
        assert rows(survivor) == rows(undisturbed)


def test_a_weekly_digest_for_a_year_is_fifty_two_calls_and_results() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(
            {
                "$defs": {
                    "letter": {"properties": {"to": {"type": "string"}}},
                    "digest": {
                        "tool": True,
                        "description": "write the digest of a list",
                        "input": {"list": {"type": "string"}},
                        "apply": {"letter": {"to": "$list"}},
                    },
                }
            }
        )
        wake = {"every": "0 9 * * 1 Europe/Berlin"}
        store.apply({"entity": {"eid": "monday"}, "call": {"to": "digest", "args": {"list": "weekly"}}, "wake": wake})
        while (due := store.next_due()) is not None and due.year == 2026:
            clock.set(due)
            assert len(store.tick().calls) == 1
        assert store.query(".call.source=monday .count") == {"count": 52}
        assert store.query(".result .count") == {"count": 52}
        assert store.query(".letter.to=weekly .count") == {"count": 52}
        (schedule,) = store.query('.eid="monday" ?execution ?result ?fired')
        assert "execution" not in schedule
        assert "result" not in schedule
        # The same occurrence delivered twice changes nothing but the schedule's own account of its firing.
        before = [row for row in rows(store) if row["entity"]["eid"] != "monday"]
        store.apply({"entity": {"eid": "monday"}, "wake": {"at": schedule["fired"]["due"]}})
        assert store.tick().calls == []
        assert [row for row in rows(store) if row["entity"]["eid"] != "monday"] == before
