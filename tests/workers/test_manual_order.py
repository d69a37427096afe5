"""Under a manual clock answers are put down in the order of the calls, however the threads race."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import wakeful
from wakeful.testing import ManualClock

VOCAB: dict[str, Any] = {
    "$defs": {"say": {"tool": True, "description": "d", "input": {"n": {"type": "integer"}}, "worker": "/say"}}
}


def test_a_call_that_ends_before_an_earlier_one_is_put_down_after_it() -> None:
    clock = ManualClock(datetime(2026, 9, 26, 12, tzinfo=UTC))
    with wakeful.open(":memory:", clock=clock, worker_threads=2) as store:
        store.deploy(VOCAB)
        last_runs = threading.Event()

        @store.worker("/say")
        def say(args: dict[str, Any]) -> dict[str, Any]:
            # The first goes on until the last has begun, for which the second has to make room.
            if args["n"] == 0:
                assert last_runs.wait(4)
            elif args["n"] == 4:
                last_runs.set()
            return args

        store.apply([{"entity": {"eid": f"c{n}"}, "call": {"to": "say", "args": {"n": n}}} for n in range(5)])
        store.tick()
        assert [row["result"]["call"] for row in store.query(".result")] == [f"c{n}" for n in range(5)]
