"""`run` in a process of its own under the machine's clock: on time, idle for nothing, stopped cleanly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import wakeful

PROGRAM = """
import json, sys, threading, time
import wakeful
from datetime import datetime

store = wakeful.open(sys.argv[1])
looks = 0

def late(bundle):
    due, at = (datetime.fromisoformat(bundle["fired"][name]) for name in ("due", "at"))
    return (at - due).total_seconds()

def told(report):
    global looks
    looks += 1
    for bundle in report.fired:
        print(json.dumps({"eid": bundle["entity"]["eid"], "late": late(bundle)}), flush=True)
        if bundle["entity"]["eid"] == "first":
            threading.Thread(target=write).start()

def write():
    before, seen = time.process_time(), looks
    threading.Event().wait(0.5)
    print(json.dumps({"cpu": time.process_time() - before, "looks": looks - seen}), flush=True)
    store.apply({"entity": {"eid": "second"}, "wake": {"at": "now"}})

store.apply({"entity": {"eid": "first"}, "wake": {"at": "in-1-second"}})
store.run(on_tick=told)
print(json.dumps(store.query(".fired .count")), flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_on_time_idle_and_stopped(number: signal.Signals, tmp_path: Path) -> None:
    path = os.pathsep.join(sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "r.db")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        first, idle, second = (json.loads(process.stdout.readline()) for _ in range(3))
        process.send_signal(number)
        rest, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(rest) == {"count": 2}
    assert first["eid"] == "first" and 0 <= first["late"] < 5
    assert second["eid"] == "second" and 0 <= second["late"] < 5
    assert idle["looks"] == 0 and idle["cpu"] < 0.1
    with wakeful.open(tmp_path / "r.db") as store:
        assert store.next_due() is None
