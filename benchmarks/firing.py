"""Firing: 10,000 wakes due at once, against a floor of hand-written sqlite3 and against APScheduler.

Prints, as medians over several rounds of one run:

* the ratio of `tick` to the floor (target: at most 4.0): one `executemany` a table, batches of 500, the same
  rows (wake, fired, watered, updated), WAL and synchronous=FULL;
* the rate against APScheduler 3 with its SQLite job store (target: at least 7 times its rate), when the
  `bench` extra is installed: one-shot date jobs, a no-op function, misfire grace off, from start to last job;
* what `next_due` and one `apply` cost with 100,000 pending wakes against 100 (target: at most 1.5 times).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rounds import folder, timed

import wakeful
from wakeful.testing import ManualClock

GARDEN = {
    "$defs": {
        "plant": {"properties": {"window": {"type": "string"}}},
        "watered": {"properties": {"by": {"type": "string"}}},
        "waters": {"rule": True, "match": ".plant, .wake, .fired, +!watered, +watered.by=wake"},
    }
}
START = datetime(2026, 9, 20, 8, tzinfo=UTC)
DUE = datetime(2026, 9, 20, 9, tzinfo=UTC)


# --- wakeful --------------------------------------------------------------------------------------


def planted(path: Path, count: int, at: datetime) -> wakeful.Store:
    store = wakeful.open(path, clock=ManualClock(START))
    store.deploy(GARDEN)
    for first in range(0, count, 1000):
        store.apply(
            [{"plant": {"window": "north"}, "wake": {"at": at}} for _ in range(first, min(first + 1000, count))]
        )
    return store


def wakeful_round(count: int) -> float:
    with folder() as path, planted(path / "garden.db", count, DUE) as store:
        elapsed = timed(lambda: store.tick(DUE))
        assert store.query(".watered .fired !wake.at .count") == {"count": count}
        return elapsed


# --- the floor ------------------------------------------------------------------------------------


def floor_round(count: int) -> float:
    """What a careful person writes by hand for this one case, and nothing more."""
    with folder() as path:
        connection = sqlite3.connect(path / "floor.db", isolation_level=None)
        connection.executescript(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE plant (num INTEGER PRIMARY KEY, window TEXT);
            CREATE TABLE wake (num INTEGER PRIMARY KEY, at TEXT, every TEXT, note TEXT);
            CREATE INDEX wake_due ON wake (at) WHERE at IS NOT NULL;
            CREATE TABLE fired (num INTEGER PRIMARY KEY, at TEXT, due TEXT);
            CREATE TABLE watered (num INTEGER PRIMARY KEY, "by" TEXT);
            CREATE TABLE updated (num INTEGER PRIMARY KEY, at TEXT, "by" TEXT);
            """
        )
        due = "2026-09-20T09:00:00.000000Z"
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO plant VALUES (?, 'north')", [(num,) for num in range(count)])
        connection.executemany("INSERT INTO wake VALUES (?, ?, NULL, NULL)", [(num, due) for num in range(count)])
        connection.execute("COMMIT")

        def work() -> None:
            while True:
                connection.execute("BEGIN IMMEDIATE")
                rows = connection.execute(
                    "SELECT num, at FROM wake WHERE at <= ? ORDER BY at, num LIMIT 500", (due,)
                ).fetchall()
                if not rows:
                    connection.execute("COMMIT")
                    return
                connection.executemany("UPDATE wake SET at = NULL WHERE num = ?", [(num,) for num, _ in rows])
                connection.executemany("INSERT INTO fired VALUES (?, ?, ?)", [(num, due, at) for num, at in rows])
                connection.executemany("INSERT INTO watered VALUES (?, 'wake')", [(num,) for num, _ in rows])
                connection.executemany("INSERT INTO updated VALUES (?, ?, 'wake')", [(num, due) for num, _ in rows])
                connection.execute("COMMIT")

        elapsed = timed(work)
        assert connection.execute("SELECT count(*) FROM watered").fetchone()[0] == count
        connection.close()
        return elapsed


# --- APScheduler ----------------------------------------------------------------------------------

_left = 0
_done_at = 0.0


def no_op() -> None:
    global _left, _done_at
    _left -= 1
    if _left == 0:
        _done_at = time.perf_counter()


def apscheduler_round(count: int) -> float | None:
    try:
        from apscheduler.executors.pool import ThreadPoolExecutor
        from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
        from apscheduler.schedulers.background import BackgroundScheduler
        from sqlalchemy import create_engine, event
    except ImportError:
        return None
    global _left
    with folder() as path:
        engine = create_engine(f"sqlite:///{path / 'jobs.db'}")

        @event.listens_for(engine, "connect")
        def durable(connection: sqlite3.Connection, _: object) -> None:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

        scheduler = BackgroundScheduler(
            jobstores={"default": SQLAlchemyJobStore(engine=engine)},
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"misfire_grace_time": None},
            timezone=UTC,
        )
        scheduler.start(paused=True)
        run_date = datetime.now(UTC) - timedelta(seconds=1)
        for number in range(count):
            scheduler.add_job(no_op, "date", run_date=run_date, id=str(number))
        _left = count
        started = time.perf_counter()
        scheduler.resume()
        while _left:
            time.sleep(0.005)
        elapsed = _done_at - started
        scheduler.shutdown()
        engine.dispose()
        return elapsed


# --- pending wakes --------------------------------------------------------------------------------


def pending_costs(store: wakeful.Store, times: int) -> tuple[float, float]:
    """Median seconds of `next_due` and of one `apply`."""
    looks = [timed(store.next_due) for _ in range(times)]
    writes = [timed(lambda: store.apply({"plant": {"window": "south"}})) for _ in range(times)]
    return statistics.median(looks), statistics.median(writes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wakes", type=int, default=10_000)
    parser.add_argument("--pending", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    floors, ticks, peers = [], [], []
    for _ in range(options.rounds):
        floors.append(floor_round(options.wakes))
        ticks.append(wakeful_round(options.wakes))
    peer = apscheduler_round(options.wakes)
    if peer is not None:
        peers.append(peer)
    floor, tick = statistics.median(floors), statistics.median(ticks)
    with folder() as path:
        later = DUE + timedelta(days=30)
        with (
            planted(path / "few.db", 100, later) as few,
            planted(path / "many.db", options.pending, later) as many,
        ):
            few_costs, many_costs = pending_costs(few, 60), pending_costs(many, 60)
    result = {
        "wakes": options.wakes,
        "floor_us": round(floor / options.wakes * 1e6, 2),
        "tick_us": round(tick / options.wakes * 1e6, 2),
        "ratio_to_floor": round(tick / floor, 2),
        "times_apscheduler": round(peers[0] / tick, 1) if peers else None,
        "next_due_many_over_few": round(many_costs[0] / few_costs[0], 2),
        "apply_many_over_few": round(many_costs[1] / few_costs[1], 2),
    }
    if options.json:
        print(json.dumps(result))
        return 0
    print(f"{options.wakes:,} wakes due at once: {result['tick_us']} µs each, floor {result['floor_us']} µs")
    print(f"  ratio to the floor        {result['ratio_to_floor']:>7}   (target: at most 4.0)")
    shown = result["times_apscheduler"] if peers else "-"
    print(f"  times APScheduler's rate  {shown:>7}   (target: at least 7; needs the bench extra)")
    print(f"{options.pending:,} pending wakes against 100:")
    print(f"  next_due                  {result['next_due_many_over_few']:>7}   (target: at most 1.5)")
    print(f"  apply                     {result['apply_many_over_few']:>7}   (target: at most 1.5)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
