"""Several processes on one file: at the same instant, or one after another that was killed in the middle of a call."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import wakeful
from cases.behaviour import case
from crash.scenarios import EIGHT, LATER, NINE, SHOP, applied, call, clock_at, order
from runtime.garden import at
from wakeful.ids import derived_eid
from wakeful.testing import ManualClock


def together(*lives: Callable[[], object]) -> list[int]:
    """Lives in processes of their own, begun at the same moment; how each process ended, 0 for well."""
    waiting, go = os.pipe()
    children = []
    for life in lives:
        child = os.fork()
        if not child:
            status = 1
            try:
                os.close(go)
                os.read(waiting, 1)  # ends when all have been made
                life()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    os.close(waiting)
    os.close(go)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def prepared(folder: Path, *bundles: dict[str, Any]) -> tuple[Path, ManualClock]:
    """A closed store with the shop and these rows, and a clock for whoever opens it."""
    path, clock = folder / "shop.db", clock_at(EIGHT)
    with wakeful.open(path, clock=clock) as store:
        store.deploy(SHOP)
        for first in range(0, len(bundles), 500):
            applied(*bundles[first : first + 500])(store)
    return path, clock


def opened(path: Path, now: str, ship: Callable[[dict[str, Any]], Any] | None = None) -> wakeful.Store:
    store = wakeful.open(path, clock=clock_at(now))
    if ship is not None:
        store.worker("/ship")(ship)
    return store


def ticking(
    path: Path, times: Sequence[str], ship: Callable[[dict[str, Any]], Any] | None = None
) -> Callable[[], None]:
    def life() -> None:
        clock = clock_at(times[0])
        with wakeful.open(path, clock=clock) as store:
            if ship is not None:
                store.worker("/ship")(ship)
            for now in times:
                clock.set(at(now))
                store.tick()

    return life


def die(args: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# --- at the same instant ------------------------------------------------------------------------


@case("SB16")
def test_each_occurrence_is_one_call_and_one_result_however_many_processes_tick(folder: Path) -> None:
    wake = {"at": NINE, "every": "1m"}
    path, _ = prepared(folder, *(call(f"s{n}", "note", wake) for n in range(40)))
    times = [f"2026-09-20T09:{minute:02}:00Z" for minute in range(5)]
    assert together(*[ticking(path, times)] * 5) == [0] * 5
    with opened(path, times[-1]) as store:
        calls = store.query(".call.due ?execution .limit=1000")
        # A process that is behind the others catches up in one firing: what was fired was fired once.
        eids = [derived_eid("call", row["call"]["source"], row["call"]["due"]) for row in calls]
        assert [row["entity"]["eid"] for row in calls] == eids
        assert {row["execution"]["state"] for row in calls} == {"done"}
        results = Counter(row["result"]["call"] for row in store.query(".result .limit=1000"))
        assert results == Counter(eids)
        assert store.query(".noted .count") == {"count": len(calls)}
        assert len(calls) >= 40
        assert store.due() == []


@case("SB20")
def test_a_thousand_calls_are_drained_once_by_two_processes(folder: Path) -> None:
    path, _ = prepared(folder, *(call(f"c{n}", "ship", {"at": NINE}) for n in range(1000)))
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def ship(args: dict[str, Any]) -> None:
        os.write(log, b".")

    assert together(*[ticking(path, [NINE, NINE], ship)] * 2) == [0, 0]
    os.close(log)
    assert (folder / "log").stat().st_size == 1000
    with opened(path, NINE) as store:
        assert store.query(".execution.state=done .count") == {"count": 1000}
        assert store.query(".result .count") == {"count": 1000}


@case("SB44")
def test_a_new_file_may_be_opened_by_many_at_the_same_moment(folder: Path) -> None:
    path = folder / "new.db"

    def life(eid: str) -> Callable[[], None]:
        def act() -> None:
            with wakeful.open(path, clock=clock_at(EIGHT)) as store:
                store.apply({"entity": {"eid": eid}})

        return act

    assert together(*(life(f"e{n}") for n in range(6))) == [0] * 6
    with opened(path, EIGHT) as store:
        assert store.query("* .count") == {"count": 6}


# --- killed during a call -----------------------------------------------------------------------


@case("SB31")
def test_a_call_whose_process_was_killed_is_run_again_by_the_next(folder: Path) -> None:
    path, _ = prepared(folder, order("o", 1), call("c", "ship", about="o"))
    assert together(ticking(path, [NINE], die)) == [-signal.SIGKILL]
    with opened(path, NINE, lambda args: "shipped") as store:
        store.tick()
        # Nobody can tell a process that was killed from one that is slow, until its claim has expired.
        (row,) = store.query(".eid=c ?execution")
        assert row["execution"]["state"] == "running"
        due = store.next_due()
        assert due is not None
        assert due - at(NINE) <= timedelta(seconds=30)
    with opened(path, LATER, lambda args: "shipped") as store:
        store.tick()
        (row,) = store.query(".eid=c ?execution")
        assert row["execution"]["state"] == "done"
        (result,) = store.query(".result.call=c")
        assert result["result"]["value"] == {"value": "shipped"}
        assert store.next_due() is None


@case("SB32")
def test_housekeeping_before_recovery_hides_no_call_from_it(folder: Path) -> None:
    path, _ = prepared(folder, call("c", "ship"))
    assert together(ticking(path, [NINE], die)) == [-signal.SIGKILL]
    tokens = set()
    for _ in range(2):
        # The same process opens it twice: who held a claim is told by more than its number.
        with opened(path, LATER) as store:
            tokens.add(store._desk.token)
            store.prune()
    with closing(sqlite3.connect(path)) as connection:
        ((token,),) = connection.execute("SELECT token FROM work").fetchall()
    assert len(tokens | {token}) == 3
    with opened(path, LATER, lambda args: None) as store:
        store.tick()
        assert store.query(".execution.state=done .count") == {"count": 1}


def test_a_store_killed_again_and_again_during_a_standing_call_loses_no_occurrence(folder: Path) -> None:
    path, _ = prepared(folder, call("s", "ship", {"at": NINE, "every": "1h"}))
    hours = [f"2026-09-20T{hour:02}:00:00Z" for hour in range(9, 14)]
    for now in hours:
        assert together(ticking(path, [now], die)) == [-signal.SIGKILL]
        # The one before has crashed once, and this one not at all.
        assert together(ticking(path, [now.replace(":00:00Z", ":00:40Z")], lambda args: None)) == [0]
    with opened(path, hours[-1]) as store:
        calls = store.query(".call.source=s ?execution")
        assert [row["call"]["due"] for row in calls] == hours
        assert {row["execution"]["state"] for row in calls} == {"done"}
        assert store.query(".result .count") == {"count": len(hours)}
