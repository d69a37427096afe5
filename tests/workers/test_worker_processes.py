"""Several processes on one file: calls are run once, taken over from the dead, and ended or given back in time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import wakeful
from cases.behaviour import case
from runtime.garden import at
from wakeful.testing import ManualClock
from wakeful.workers.claims import POISON
from workers.app import EIGHT, LONG, ask, execution, result, waiting, worker, working

DRAIN = """
import os, sys
import wakeful
from datetime import datetime
from wakeful.testing import ManualClock
path, now, log, kills = sys.argv[1], datetime.fromisoformat(sys.argv[2]), sys.argv[3], sys.argv[4:]
store = wakeful.open(path, clock=ManualClock(now))
out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

@store.worker("/tick")
def tick(args, call):
    os.write(out, f"{call.eid}\\n".encode())
    if call.eid in kills:
        os._exit(9)

print("ready", flush=True)
sys.stdin.readline()
store.tick()
store.close()
"""

RUN = """
import sys, threading
import wakeful
from wakeful.workers import pool
pool.GRACE_SECONDS = float(sys.argv[3])
store = wakeful.open(sys.argv[1])

@store.worker("/tick")
def tick(args):
    print("begun", flush=True)
    if sys.argv[2] == "ends":
        store._closing.wait(0.2)
        return "to the end"
    threading.Event().wait()

store.run()
print("stopped", flush=True)
"""


def start(script: str, *given: object) -> subprocess.Popen[str]:
    """A process, once it is ready."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, given)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def hear(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def go(*children: subprocess.Popen[str]) -> list[int]:
    """Let them drain, all at once; how each ended."""
    for child in children:
        assert hear(child) == "ready"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=LONG)
    return [child.returncode for child in children]


def test_two_processes_that_drain_together_run_each_call_once(tmp_path: Path) -> None:
    path, log = tmp_path / "s.db", tmp_path / "log"
    store, _ = working(path=str(path))
    with store:
        eids = [f"c{n}" for n in range(1000)]
        ask(store, *eids)
        assert go(start(DRAIN, path, EIGHT, log), start(DRAIN, path, EIGHT, log)) == [0, 0]
        ran = log.read_text(encoding="utf-8").split()
        assert len(ran) == 1000
        assert set(ran) == set(eids)
        assert store.query(".execution.state=done .count") == {"count": 1000}
        assert waiting(store) == []


@case("SB38")
def test_a_call_that_kills_its_process_three_times_is_poison_and_the_store_carries_on(tmp_path: Path) -> None:
    path, log = tmp_path / "s.db", tmp_path / "log"
    store, _ = working(path=str(path), worker_threads=1)
    with store:
        ask(store, "bad")
        ask(store, "good")
        for instant in (EIGHT, "2026-09-20T08:00:30Z", "2026-09-20T08:01:00Z"):
            assert go(start(DRAIN, path, instant, log, "bad")) == [9]
    clock = ManualClock(at("2026-09-20T08:01:29Z"))
    with wakeful.open(path, clock=clock) as following:
        following.worker("/tick")(lambda args: "carried on")
        following.tick()
        assert execution(following, "bad")["state"] == "running", "the claim of the dead stands until it expires"
        clock.set(at("2026-09-20T08:03:00Z"))
        following.tick()
        assert execution(following, "bad") == {"state": "failed", "at": "2026-09-20T08:03:00Z", "error": POISON}
        assert execution(following, "good")["state"] == "done"
        assert waiting(following) == []
    assert log.read_text(encoding="utf-8").split().count("bad") == 3


@case("SB37")
def test_one_crash_does_a_call_no_harm(tmp_path: Path) -> None:
    path, log = tmp_path / "s.db", tmp_path / "log"
    store, clock = working(path=str(path))
    with store:
        store.worker("/tick")(lambda args, call: {"attempt": call.attempt})
        ask(store, "c")
        assert go(start(DRAIN, path, EIGHT, log, "c")) == [9]
        assert store.next_due() == at("2026-09-20T08:00:30Z")
        store.tick()
        assert execution(store, "c")["state"] == "running"
        clock.set(at("2026-09-20T08:00:30Z"))
        store.tick()
        assert result(store, "c") == {"attempt": 2}


def served(path: Path) -> wakeful.Store:
    store = wakeful.open(path)
    store.deploy({"$defs": {"tick": worker("/tick", timeout=60)}})
    ask(store, "c")
    return store


def test_a_running_process_that_is_told_to_end_finishes_its_calls(tmp_path: Path) -> None:
    with served(tmp_path / "s.db") as store:
        child = start(RUN, tmp_path / "s.db", "ends", 30)
        assert hear(child) == "begun"
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate(timeout=LONG)
        assert (child.returncode, out) == (0, "stopped\n")
        assert result(store, "c") == {"value": "to the end"}


def test_a_running_process_that_is_told_to_end_gives_back_what_does_not(tmp_path: Path) -> None:
    with served(tmp_path / "s.db") as store:
        child = start(RUN, tmp_path / "s.db", "hangs", 0.05)
        assert hear(child) == "begun"
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate(timeout=LONG)
        assert (child.returncode, out) == (0, "stopped\n")
        assert waiting(store) == [("c", None, 0, 0)]
        store.worker("/tick")(lambda args: os.getpid())
        store.tick()
        assert result(store, "c") == {"value": os.getpid()}
