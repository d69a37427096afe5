"""Calls: 10,000 standing calls due at once, against a hand-written sqlite3 loop that does the same writes.

Prints, as a median over several rounds of one run, the ratio of `tick` to the loop (target: at most 5.0).  Both
are durable (WAL, synchronous=FULL, a commit every 500 calls) and leave the same rows: per schedule the wake moved
on, `fired` and `updated`; the occurrence's call with `created`, `execution` and `updated`; the `tick` row that the
command writes; the `result`.  The loop is what a careful person writes for this one case: ids derived from the
schedule and the occurrence so that a second delivery does nothing, one statement a row.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import uuid
from datetime import UTC, datetime

from rounds import folder, timed

import wakeful
from wakeful.testing import ManualClock

VOCAB = {
    "$defs": {
        "world": {"properties": {"name": {"type": "string"}}},
        "tick": {"properties": {"note": {"type": "string"}}},
        "advance": {
            "tool": True,
            "description": "Advance the world to now",
            "input": {"note": {"type": "string"}},
            "apply": {"entity": {"eid": "$tick"}, "tick": {"note": "$note"}},
        },
    }
}
START = datetime(2026, 9, 20, 8, tzinfo=UTC)
DUE = datetime(2026, 9, 20, 9, tzinfo=UTC)
NEXT = "2026-09-20T09:05:00.000000Z"
BATCH = 500


def wakeful_round(count: int) -> float:
    with folder() as path, wakeful.open(path / "worlds.db", clock=ManualClock(START)) as store:
        store.deploy(VOCAB)
        bundle = {
            "world": {"name": "Eldermoor"},
            "call": {"to": "advance", "args": {"note": "on"}},
            "wake": {"at": DUE, "every": "5m"},
        }
        for first in range(0, count, 1000):
            store.apply([bundle for _ in range(first, min(first + 1000, count))])
        elapsed = timed(lambda: store.tick(DUE))
        assert store.query(".call.source, .execution.state=done .count") == {"count": count}
        assert store.query(".tick.note=on .count") == {"count": count}
        assert store.query(".result .count") == {"count": count}
        return elapsed


SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE entity (num INTEGER PRIMARY KEY, eid TEXT NOT NULL UNIQUE);
CREATE TABLE call (num INTEGER PRIMARY KEY, "to" TEXT, args TEXT, source INTEGER, due TEXT);
CREATE INDEX call_source ON call (source) WHERE source IS NOT NULL;
CREATE TABLE wake (num INTEGER PRIMARY KEY, at TEXT, every TEXT);
CREATE INDEX wake_due ON wake (at) WHERE at IS NOT NULL;
CREATE TABLE fired (num INTEGER PRIMARY KEY, at TEXT, due TEXT);
CREATE TABLE created (num INTEGER PRIMARY KEY, at TEXT, "by" TEXT);
CREATE TABLE updated (num INTEGER PRIMARY KEY, at TEXT, "by" TEXT);
CREATE TABLE tick (num INTEGER PRIMARY KEY, note TEXT);
CREATE TABLE execution (num INTEGER PRIMARY KEY, state TEXT, at TEXT, error TEXT);
CREATE TABLE result (num INTEGER PRIMARY KEY, call INTEGER, value TEXT, ms REAL);
CREATE INDEX result_call ON result (call);
"""


def loop_round(count: int) -> float:
    """The loop of a careful person, for this one case and nothing more."""
    with folder() as path:
        connection = sqlite3.connect(path / "loop.db", isolation_level=None)
        connection.executescript(SCHEMA)
        now = "2026-09-20T09:00:00.000000Z"
        execute = connection.execute
        execute("BEGIN")
        for num in range(count):
            execute("INSERT INTO entity VALUES (?, ?)", (num, str(uuid.uuid4())))
            execute("INSERT INTO call VALUES (?, 'advance', '{\"note\":\"on\"}', NULL, NULL)", (num,))
            execute("INSERT INTO wake VALUES (?, ?, '5m')", (num, now))
        execute("COMMIT")

        def make(name: str) -> tuple[int, str] | None:
            eid = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
            if execute("SELECT 1 FROM entity WHERE eid = ?", (eid,)).fetchone():
                return None
            num = execute("INSERT INTO entity (eid) VALUES (?)", (eid,)).lastrowid
            assert num is not None
            execute("INSERT INTO created VALUES (?, ?, NULL)", (num, now))
            return num, eid

        def run(num: int, eid: str, at: str, to: str, args: str) -> None:
            execute("UPDATE wake SET at = ? WHERE num = ?", (NEXT, num))
            execute("INSERT INTO fired VALUES (?, ?, ?)", (num, now, at))
            execute("INSERT INTO updated VALUES (?, ?, 'wake')", (num, now))
            made = make(f"{eid} {at}")
            if made is None:
                return
            call, call_eid = made
            execute("INSERT INTO call VALUES (?, ?, ?, ?, ?)", (call, to, args, num, at))
            tick = make(f"tick {call_eid}")
            if tick is not None:
                execute("INSERT INTO tick VALUES (?, 'on')", (tick[0],))
            execute("INSERT INTO execution VALUES (?, 'done', ?, NULL)", (call, now))
            execute("INSERT INTO updated VALUES (?, ?, 'wake')", (call, now))
            result = make(f"result {call_eid}")
            if result is not None:
                execute("INSERT INTO result VALUES (?, ?, NULL, 0)", (result[0], call))

        def work() -> None:
            while True:
                execute("BEGIN IMMEDIATE")
                rows = execute(
                    'SELECT w.num, e.eid, w.at, c."to", c.args FROM wake w JOIN entity e ON e.num = w.num '
                    "JOIN call c ON c.num = w.num WHERE w.at <= ? ORDER BY w.at, w.num LIMIT ?",
                    (now, BATCH),
                ).fetchall()
                for row in rows:
                    run(*row)
                execute("COMMIT")
                if not rows:
                    return

        elapsed = timed(work)
        assert execute("SELECT count(*) FROM result").fetchone()[0] == count
        connection.close()
        return elapsed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="standing calls due at once")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(wakeful_round(options.count))
        theirs.append(loop_round(options.count))
    result = {
        "calls": options.count,
        "loop_us": round(statistics.median(theirs) / options.count * 1e6, 1),
        "tick_us": round(statistics.median(ours) / options.count * 1e6, 1),
        "ratio_to_loop": round(statistics.median(mine / loop for mine, loop in zip(ours, theirs, strict=True)), 2),
    }
    if options.json:
        print(json.dumps(result))
        return 0
    print(f"{options.count:,} standing calls due at once: {result['tick_us']} µs each, a loop {result['loop_us']} µs")
    print(f"  ratio to the loop         {result['ratio_to_loop']:>7}   (target: at most 5.0)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
