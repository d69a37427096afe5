"""Several processes on one file: each occurrence fires once, and no reader sees half a firing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import wakeful
from runtime.garden import GARDEN, at, garden

TICKER = """
import sys, json, datetime
import wakeful
store = wakeful.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
report = store.tick(datetime.datetime.fromisoformat("2026-09-20T09:00:00+00:00"))
print(json.dumps([bundle["entity"]["num"] for bundle in report.fired]))
"""

READER = """
import sys
import wakeful
store = wakeful.open(sys.argv[1])
print("ready", flush=True)
seen = set()
halves = 0
while 0 not in seen:
    rows = store.query(".plant ?fired ?watered ?wake .limit=1000000")
    for row in rows:
        parts = ("fired" in row, "watered" in row, row["wake"]["at"] is None)
        halves += len(set(parts)) > 1
    seen.add(sum(1 for row in rows if "fired" not in row))
print(halves, len(seen))
"""


def start(script: str, path: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def test_two_processes_tick_at_the_same_instant(tmp_path: Path) -> None:
    path = tmp_path / "garden.db"
    store, _ = garden(path=str(path))
    with store:
        for _ in range(3):
            store.apply([{"plant": {}, "wake": {"at": "2026-09-20T09:00:00Z"}} for _ in range(1000)])
        children = [start(TICKER, path) for _ in range(2)]
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        fired: list[int] = []
        for child in children:
            out, _ = child.communicate(timeout=60)
            fired += json.loads(out)
        assert sorted(fired) == list(range(1, 3001))
        assert store.query(".watered .count") == {"count": 3000}


def test_a_reader_never_sees_half_a_firing(tmp_path: Path) -> None:
    path = tmp_path / "garden.db"
    store, _ = garden(path=str(path))
    with store:
        for _ in range(5):
            store.apply([{"plant": {}, "wake": {"at": "2026-09-20T09:00:00Z"}} for _ in range(1000)])
        reader = start(READER, path)
        store.tick(at("2026-09-20T09:00:00Z"))
        out, _ = reader.communicate(timeout=60)
        halves, _ = (int(word) for word in out.split())
        assert halves == 0


def test_run_stops_cleanly_on_sigterm(tmp_path: Path) -> None:
    path = tmp_path / "garden.db"
    with wakeful.open(path) as store:
        store.deploy(GARDEN)
        store.apply({"plant": {}, "wake": {"at": "2020-01-01T00:00:00Z"}})
    script = (
        "import sys, wakeful\n"
        "store = wakeful.open(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "store.run()\n"
        "print('stopped', store.next_due(), flush=True)\n"
    )
    child = start(script, path)
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    # Either the signal came before the first tick or after it; in both cases the process ends by itself.
    assert child.returncode in (0, -signal.SIGTERM)
    if child.returncode == 0:
        assert out.startswith("stopped")


def test_another_process_deploys_and_plans_are_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "garden.db"
    store, _ = garden(path=str(path))
    script = "import sys, json, wakeful\nwakeful.open(sys.argv[1]).deploy(json.loads(sys.argv[2]))\n"
    more = json.loads(json.dumps(GARDEN))
    more["$defs"]["pot"] = {"properties": {"size": {"type": "integer"}}}
    with store:
        subprocess.run([sys.executable, "-c", script, str(path), json.dumps(more)], check=True)
        store.apply({"entity": {"eid": "p"}, "pot": {"size": 3}})
        assert store.query(".pot.size=3")[0]["pot"] == {"size": 3}


def test_a_forked_store_says_so(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "garden.db"))
    with store:
        pid = os.fork()
        if pid == 0:
            try:
                store.next_due()
            except wakeful.StoreForked:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
