"""The cases of spec/cases/reliability.json that one process can live through; tests/crash has those of several.

A case that another test tells already carries its mark there.
"""

from __future__ import annotations

import math
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases import loader
from cases.behaviour import case
from runtime.garden import at, garden
from runtime.ruled import ruled
from wakeful.alarm import Alarm
from wakeful.cli import main
from wakeful.clock import Bell
from wakeful.engines.transaction import Transaction
from wakeful.plans import Plans
from wakeful.testing import ManualClock
from workers.app import ask, execution, worker, working

NINE = "2026-09-20T09:00:00Z"
LONG = 20.0


def wake(store: wakeful.Store, eid: str = "fern") -> dict[str, Any]:
    (row,) = store.query(f'.eid="{eid}" ?wake')
    return dict(row["wake"])


def reopened(path: Path, clock: ManualClock) -> wakeful.Store:
    return wakeful.open(path, clock=clock)


# --- missed runs --------------------------------------------------------------------------------


@case("SB04")
def test_a_weekly_job_of_a_host_that_sleeps_runs_at_each_waking() -> None:
    store, clock = garden("2026-09-19T12:00:00Z")
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"every": "0 3 * * 0"}})
    for week in range(4):
        clock.set(at("2026-09-20T07:00:00Z") + timedelta(weeks=week))
        (fired,) = store.tick().fired
        assert datetime.fromisoformat(fired["fired"]["due"]) == at("2026-09-20T03:00:00Z") + timedelta(weeks=week)
        assert store.tick().fired == []


@case("SB05")
@case("SB79")
def test_what_came_due_while_nothing_ran_fires_on_open(tmp_path: Path) -> None:
    store, clock = garden("2026-09-14T08:59:00Z", path=str(tmp_path / "g.db"))
    with store:
        store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": "2026-09-14T09:00:00Z", "every": "7d"}})
    clock.set(at("2026-09-14T09:01:00Z"))
    with reopened(tmp_path / "g.db", clock) as store:
        assert store.next_due() == at("2026-09-14T09:00:00Z")
        (fired,) = store.tick().fired
        assert fired["fired"]["due"] == "2026-09-14T09:00:00Z"
        assert wake(store)["at"] == "2026-09-21T09:00:00Z"


@case("SB06")
def test_after_a_tick_nothing_recurring_is_past() -> None:
    store, clock = garden()
    store.apply([{"plant": {}, "wake": {"at": NINE, "every": every}} for every in ("1s", "7m", "1h", "0 5 * * *")])
    clock.set(at("2026-11-01T05:00:00Z"))
    store.tick()
    due = store.next_due()
    assert due is not None
    assert due > clock.now()


@case("SB07")
def test_daily_restarts_do_not_put_a_weekly_job_off(tmp_path: Path) -> None:
    store, clock = garden(path=str(tmp_path / "g.db"))
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE, "every": "7d"}})
    store.close()
    dues = []
    for day in range(21):
        clock.set(at("2026-09-20T10:00:00Z") + timedelta(days=day))
        with reopened(tmp_path / "g.db", clock) as store:
            dues += [fired["fired"]["due"] for fired in store.tick().fired]
    assert dues == ["2026-09-20T09:00:00Z", "2026-09-27T09:00:00Z", "2026-10-04T09:00:00Z"]


@case("SB13")
@case("SB14")
def test_a_late_firing_and_its_call_tell_which_instant_they_owed() -> None:
    store, clock = ruled({}, {})
    store.deploy({"$defs": {"look": {"tool": True, "description": "look", "query": "*"}}})
    store.apply({"entity": {"eid": "s"}, "call": {"to": "look"}, "wake": {"at": NINE, "every": "1h"}})
    clock.set(at("2026-09-20T19:00:00Z"))
    (fired,) = store.tick().fired
    assert fired["fired"] == {"at": "2026-09-20T19:00:00Z", "due": NINE}
    (call,) = store.query(".call.source=s ?execution ?created")
    assert (call["call"]["due"], call["execution"]["at"]) == (NINE, "2026-09-20T19:00:00Z")


# --- doubles ------------------------------------------------------------------------------------


@case("SB22")
@pytest.mark.parametrize(
    "bundle",
    [
        {"entity": {"eid": ""}, "plant": {}},
        *({"plant": {}, "wake": {"at": value}} for value in ("", 0, math.nan, False, "never")),
    ],
    ids=str,
)
def test_empty_ids_and_odd_instants_are_refused(bundle: dict[str, Any]) -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused):
        store.apply(bundle)
    assert store.query(".plant .count") == {"count": 0}


@case("SB23")
def test_a_wake_far_ahead_needs_nobody_to_keep_it(tmp_path: Path) -> None:
    store, clock = garden(path=str(tmp_path / "g.db"))
    store.apply({"plant": {}, "wake": {"at": "2026-10-20T09:00:00Z"}})
    store.close()
    clock.set(at("2026-10-20T09:00:00Z"))
    with reopened(tmp_path / "g.db", clock) as first, reopened(tmp_path / "g.db", clock) as second:
        assert [len(store.tick().fired) for store in (first, second)] == [1, 0]


@case("SB28")
def test_a_call_that_nobody_here_can_run_waits_for_whoever_can(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    first, clock = working(path=path, commands={"here": worker("/here"), "there": worker("/there")})
    with first, wakeful.open(path, clock=clock) as second:
        first.worker("/here")(lambda args: None)
        second.worker("/there")(lambda args: None)
        ask(first, "a", to="here")
        ask(first, "b", to="there")
        first.tick()
        assert (execution(first, "a")["state"], execution(first, "b")) == ("done", {})
        second.tick()
        assert execution(first, "b")["state"] == "done"


# --- crashes ------------------------------------------------------------------------------------


@case("SB33")
def test_deleting_what_a_schedule_did_neither_repeats_nor_blocks_it() -> None:
    store, clock = ruled({}, {})
    store.deploy({"$defs": {"look": {"tool": True, "description": "look", "query": ".tool .count"}}})
    store.apply({"entity": {"eid": "s"}, "call": {"to": "look"}, "wake": {"at": NINE, "every": "1d"}})
    clock.set(at(NINE))
    (eid,) = store.tick().calls
    store.apply([{"entity": {"eid": row["entity"]["eid"]}, "call": None} for row in store.query(".call.source=s")])
    assert store.tick().calls == []
    clock.advance(timedelta(days=1))
    (following,) = store.tick().calls
    assert following != eid
    assert execution(store, following)["state"] == "done"


@case("SB39")
def test_one_broken_wake_of_a_thousand_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    store, clock = garden(path=str(path))
    with store:
        due = {"at": NINE, "every": "1h"}
        store.apply([{"entity": {"eid": f"p{n}"}, "plant": {}, "wake": due} for n in range(1000)])
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                "UPDATE c_wake SET p_every = 'sometimes' WHERE num = (SELECT num FROM entity WHERE eid = 'p7')"
            )
            connection.commit()
        clock.set(at(NINE))
        report = store.tick()
        assert len(report.fired) == 999
        assert [refused["eid"] for refused in report.refused] == ["p7"]
        (account,) = store.query(".refusal")
        assert account["refusal"]["about"] == "p7"


# --- a busy file --------------------------------------------------------------------------------


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The write lock, in the hands of another program."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def impatient(store: wakeful.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a store give up on the lock at once, where it would wait for a minute."""
    write = store._engine.write
    monkeypatch.setattr(store._engine, "write", lambda timeout=0.0: write(0.001))


@case("SB41")
def test_a_lock_that_is_held_across_a_due_instant_makes_it_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.db"
    store, clock = garden(path=str(path))
    with store:
        store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
        impatient(store, monkeypatch)
        reports: list[wakeful.TickReport] = []
        failed, fired, stop = threading.Event(), threading.Event(), threading.Event()
        tick = store._tick_until

        def told(stopped: Callable[[], bool]) -> wakeful.TickReport:
            try:
                return tick(stopped)
            except wakeful.StoreBusy:
                failed.set()
                raise

        def keep(report: wakeful.TickReport) -> None:
            reports.append(report)
            if report.fired:
                fired.set()

        monkeypatch.setattr(store, "_tick_until", told)
        thread = threading.Thread(target=store.run, args=(stop, keep))
        with held(path):
            clock.set(at(NINE))
            thread.start()
            assert failed.wait(LONG)
        clock.advance(timedelta(seconds=40))
        assert fired.wait(LONG)
        stop.set()
        thread.join(LONG)
        (bundle,) = [bundle for report in reports for bundle in report.fired]
        assert bundle["fired"] == {"at": "2026-09-20T09:00:40Z", "due": NINE}


@case("SB42")
def test_an_occurrence_that_met_a_lock_is_still_owed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.db"
    store, clock = garden(path=str(path))
    with store:
        store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE, "every": "1h"}})
        clock.set(at(NINE))
        with monkeypatch.context() as patched:
            impatient(store, patched)
            with held(path), pytest.raises(wakeful.StoreBusy):
                store.tick()
        assert store.query(".refusal .count") == {"count": 0}
        assert store.due() == [("fern", NINE)]
        (fired,) = store.tick().fired
        assert fired["fired"]["due"] == NINE


# --- alarms -------------------------------------------------------------------------------------


@case("SB25")
def test_an_alarm_that_is_armed_ten_times_over_fires_once() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
    reports: list[wakeful.TickReport] = []

    def ticked(before: int) -> bool:
        return len(reports) > before

    for number in range(12):
        if number == 10:
            clock.set(at(NINE))
        store.run(partial(ticked, number), reports.append)
    assert [len(report.fired) for report in reports] == [0] * 10 + [1, 0]


@case("SB78")
def test_an_alarm_that_dies_before_its_commit_is_armed_again() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
    clock.set(at(NINE))
    reports: list[wakeful.TickReport] = []
    failures = [wakeful.StoreError("the disk went away"), wakeful.StoreFull("and came back without room")]

    def tick(stopped: Callable[[], bool]) -> wakeful.TickReport:
        if failures:
            with store._engine.write() as transaction:
                transaction.execute("UPDATE c_wake SET p_at = NULL")
                raise failures.pop()
        return store._tick_until(stopped)

    class Passing(ManualClock):
        def sleep(self, bell: Bell, until: datetime | None) -> None:
            if until is not None:
                self.set(until)

    bell = Bell()
    Alarm(tick, Passing(clock.now()), bell).run(lambda: bool(reports), reports.append)
    bell.close()
    assert len(reports[0].fired) == 1
    assert reports[0].next_due is None


@case("SB27")
@case("SB84")
def test_a_clock_whose_tick_raises_is_started_again_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
    clock.set(at(NINE) + timedelta(minutes=3))
    reports: list[wakeful.TickReport] = []
    seen: list[wakeful.Health] = []
    failures = [RuntimeError("the rules cannot be compiled"), AssertionError("nor now")]
    current = store._current

    def compiled(transaction: Transaction) -> Plans:
        if failures:
            raise failures.pop()
        return current(transaction)

    class Passing(ManualClock):
        def sleep(self, bell: Bell, until: datetime | None) -> None:
            seen.append(store.health())
            if until is not None:
                self.set(until)

    monkeypatch.setattr(store, "_current", compiled)
    bell = Bell()
    Alarm(store._tick_until, Passing(clock.now()), bell).run(lambda: bool(reports), reports.append)
    bell.close()
    assert [found.ok for found in seen] == [False, False]
    assert [bundle["fired"]["due"] for bundle in reports[0].fired] == [NINE]
    assert store.health().ok


@case("SB85")
def test_a_store_whose_clock_is_dead_is_not_well(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    store, clock = garden(path=str(path))
    with store:
        store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE, "every": "1h"}})
        clock.set(at(NINE))
        reports: list[wakeful.TickReport] = []
        store.run(lambda: bool(reports), reports.append)
        assert store.health().ok
        clock.advance(timedelta(hours=7))
        found = store.health()
        assert (found.ok, found.overdue, found.late) == (False, at("2026-09-20T10:00:00Z"), timedelta(hours=6))
        command = ["health", "--store", str(path), "--now", "2026-09-20T16:00:00Z"]
        assert main(command) == 1
        store.tick()
        assert main(command) == 0


# --- calendars ----------------------------------------------------------------------------------


def dues(every: str, start: str, end: str) -> list[str]:
    """The occurrences of a schedule from one instant to another, each fired on time."""
    store, clock = garden(start)
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"every": every}})
    found = []
    while (due := store.next_due()) is not None and due <= at(end):
        clock.set(due)
        found += [bundle["fired"]["due"] for bundle in store.tick().fired]
    return found


@case("SB55")
def test_a_gap_moves_a_time_on_and_a_fold_takes_the_first() -> None:
    every = "30 2 * * * Europe/Berlin"
    spring = dues(every, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z")
    assert spring == ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]
    autumn = dues(every, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z")
    assert autumn == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]


@case("SB56")
def test_a_fixed_time_is_once_a_local_day_in_odd_zones_too() -> None:
    lord_howe = dues("15 2 * * * Australia/Lord_Howe", "2026-10-02T12:00:00Z", "2026-10-05T12:00:00Z")
    assert lord_howe == ["2026-10-02T15:45:00Z", "2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"]
    # The thirtieth of December 2011 was no day in Apia.
    apia = dues("0 12 * * * Pacific/Apia", "2011-12-29T10:00:00Z", "2012-01-01T10:00:00Z")
    assert apia == ["2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z", "2011-12-31T22:00:00Z"]


@case("SB59")
def test_another_zone_is_another_next_occurrence_and_no_flood() -> None:
    store, clock = garden("2026-09-20T17:00:00Z")
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"every": "30 16 * * *"}})
    store.apply({"entity": {"eid": "fern"}, "wake": {"every": "30 16 * * * America/New_York"}})
    fired = len(store.tick().fired)
    assert fired <= 1
    assert wake(store)["at"] == "2026-09-20T20:30:00Z"
    clock.set(at("2026-09-20T20:30:00Z"))
    assert len(store.tick().fired) == 1
    assert store.tick().fired == []


@case("SB61")
def test_a_naive_moment_is_refused_with_the_way_to_write_one() -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused) as caught:
        store.apply({"plant": {}, "wake": {"at": datetime(2026, 9, 20, 9)}})
    assert "timezone" in str(caught.value) or "zone" in str(caught.value)


# --- load ---------------------------------------------------------------------------------------


@case("SB70")
def test_an_argument_that_is_no_json_is_refused_where_it_stands() -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused) as caught:
        store.apply({"call": {"to": "x", "args": {"lock": threading.Lock()}}})
    assert str(caught.value.problems[0].pointer).startswith("/call/args")


@case("SB71")
def test_many_that_are_due_are_fired_in_bounded_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = garden()
    for _ in range(3):
        store.apply([{"plant": {}, "wake": {"at": NINE}} for _ in range(1000)])
    clock.set(at(NINE))
    sizes: list[int] = []
    write = store._engine.write

    @contextmanager
    def counted(timeout: float = 5.0) -> Iterator[Any]:
        with write(timeout) as transaction:
            before = transaction.value("SELECT count(*) FROM c_fired")
            yield transaction
            sizes.append(transaction.value("SELECT count(*) FROM c_fired") - before)

    monkeypatch.setattr(store._engine, "write", counted)
    assert len(store.tick().fired) == 3000
    assert max(sizes) <= 500
    plan = "\n".join(
        str(line)
        for line in store._engine._connection().execute(
            "EXPLAIN QUERY PLAN SELECT min(p_at) FROM c_wake WHERE p_at IS NOT NULL AND x_retry_at IS NULL"
        )
    )
    assert "i_wake.due" in plan


@case("SB74")
def test_ten_thousand_due_at_once_are_late_and_not_failed() -> None:
    store, clock = garden()
    for _ in range(10):
        store.apply([{"plant": {}, "wake": {"at": NINE}} for _ in range(1000)])
    clock.set(at("2026-09-20T09:05:00Z"))
    report = store.tick()
    assert (len(report.fired), report.refused, report.next_due) == (10_000, [], None)


def test_every_case_is_told_or_awaits_a_later_version() -> None:
    marks = {
        found
        for path in Path(__file__).parents[1].rglob("test_*.py")
        for found in re.findall(r'^@case\("(SB[0-9]+)"\)', path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    wanted = {case.id for case in loader.load("reliability").cases if not loader.is_awaiting(case)}
    assert marks == wanted
