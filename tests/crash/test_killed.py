"""The process is killed (-9) at random moments of a busy `run`; nothing is lost and nothing is doubled.

A trigger in the file logs every firing inside the firing's own transaction, so the log is as true as the data.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import wakeful
from runtime.garden import GARDEN

CHILD = """
import sys, threading, datetime
import wakeful
store = wakeful.open(sys.argv[1])
def write():
    # A writer beside the clock: every bundle becomes due at once.
    while True:
        store.apply([{"plant": {}, "wake": {"at": datetime.datetime.now(datetime.timezone.utc)}} for _ in range(20)])
threading.Thread(target=write, daemon=True).start()
print("running", flush=True)
store.run()
"""

ROUNDS = 10
ONE_SHOTS = 1500


def logged(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS firing_log (num INTEGER, at TEXT, due TEXT)")
        for event in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER IF NOT EXISTS log_{event} AFTER {event} ON c_fired "
                "BEGIN INSERT INTO firing_log VALUES (new.num, new.p_at, new.p_due); END"
            )


def check_whole(path: Path) -> None:
    """What must hold after any kill: each firing is all there or not at all, and none happened twice."""
    connection = sqlite3.connect(path)
    count = lambda sql: connection.execute(sql).fetchone()[0]  # noqa: E731
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert count("SELECT count(*) - count(DISTINCT num || '/' || due) FROM firing_log") == 0
    assert count("SELECT count(*) FROM c_fired f LEFT JOIN c_watered w ON w.num = f.num WHERE w.num IS NULL") == 0
    assert count("SELECT count(*) FROM c_watered w LEFT JOIN c_fired f ON w.num = f.num WHERE f.num IS NULL") == 0
    assert count("SELECT count(*) FROM c_fired f LEFT JOIN c_updated u ON u.num = f.num WHERE u.num IS NULL") == 0
    # A one-shot that fired owes nothing more; one that did not still owes its instant.
    one_shot = "FROM c_wake k LEFT JOIN c_fired f ON f.num = k.num WHERE k.p_every IS NULL"
    assert count(f"SELECT count(*) {one_shot} AND (f.num IS NULL) = (k.p_at IS NULL)") == 0
    # A recurring wake lies after the occurrence that it fired last.
    assert count("SELECT count(*) FROM c_wake k JOIN c_fired f ON f.num = k.num WHERE k.p_at <= f.p_due") == 0
    connection.close()


def test_killed_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "garden.db"
    chance = random.Random(20260920)
    kills = 0
    with wakeful.open(path) as store:
        store.deploy(GARDEN)
        start = datetime.now(UTC)
        store.apply([{"plant": {}, "wake": {"at": start, "every": "1s"}} for _ in range(200)])
    logged(path)
    for _ in range(ROUNDS):
        with wakeful.open(path) as store:
            store.apply([{"plant": {}, "wake": {"at": datetime.now(UTC)}} for _ in range(1000)])
            store.apply([{"plant": {}, "wake": {"at": datetime.now(UTC)}} for _ in range(ONE_SHOTS - 1000)])
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        # The one wait of the suite that is real: the moment of the kill is the point.
        time.sleep(chance.uniform(0.0, 0.12))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        kills += 1
        check_whole(path)
    with wakeful.open(path) as store:
        store.tick()
        assert store.query("!wake.every .wake.at .count") == {"count": 0}
    check_whole(path)
    connection = sqlite3.connect(path)
    fired = connection.execute(
        "SELECT count(*) FROM firing_log l JOIN c_wake k ON k.num = l.num WHERE k.p_every IS NULL"
    ).fetchone()[0]
    one_shots = connection.execute("SELECT count(*) FROM c_wake WHERE p_every IS NULL").fetchone()[0]
    connection.close()
    assert kills == ROUNDS
    assert fired == one_shots >= ROUNDS * ONE_SHOTS
