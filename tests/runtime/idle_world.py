"""The idle world of the reference: a world that goes on while somebody plays, and its life on a manual clock.

Run as a program it lives on from what a store's file says, and ends the process at its nth statement:
`python -m runtime.idle_world FILE NTH`.  It exits with 0 when the life was lived to its end.
"""

from __future__ import annotations

import os
import random
import sys
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import wakeful
from wakeful.engines.transaction import Transaction
from wakeful.testing import ManualClock

START = datetime(2026, 9, 1, 12, tzinfo=UTC)
DAYS = 30
PLAYERS = ("ada", "bea", "cid")
VOCAB: dict[str, Any] = {
    "$defs": {
        "world": {"properties": {"name": {"type": "string"}}},
        "player": {"properties": {"seen": {"type": "string", "format": "date-time"}}},
        "tick": {"properties": {"on": {"type": "string", "format": "date-time"}}},
        "advance": {
            "tool": True,
            "description": "Advance the world to now",
            "apply": {"entity": {"eid": "$tick"}, "tick": {"on": "now"}},
        },
    }
}
WORLD = {
    "entity": {"eid": "world"},
    "world": {"name": "Mossvale"},
    "call": {"to": "advance", "args": {}},
    "wake": {
        "while": [
            {"match": ".player.seen>=1-minute-ago", "every": "30s"},
            {"match": ".player.seen>=10-minutes-ago", "every": "5m"},
        ]
    },
}


def visits(days: int = DAYS, seed: int = 7) -> list[tuple[datetime, str]]:
    """When somebody plays: now and then a session of some minutes, seen every forty seconds or so."""
    chance, found = random.Random(seed), dict[datetime, str]()
    for player in PLAYERS:
        for day in range(chance.randrange(2), days, chance.randrange(3, 7)):
            moment = START + timedelta(days=day, seconds=chance.randrange(70_000))
            for _ in range(chance.randrange(1, 9)):
                found[moment] = player
                moment += timedelta(seconds=chance.randrange(5, 90))
    return sorted(found.items())


def begin(path: str) -> tuple[wakeful.Store, ManualClock]:
    """A store at `path` with the world in it, and the clock that rules it."""
    clock = ManualClock(START)
    store = wakeful.open(path, clock=clock, by="page")
    store.deploy(VOCAB)
    # Whoever plays is known from the start, so that no eid is drawn by chance.
    store.apply([WORLD, *({"entity": {"eid": player}} for player in PLAYERS)])
    return store, clock


def moments(store: wakeful.Store) -> list[datetime]:
    """The instants at which the life in a store has got to: who was seen when, and when the world fired last."""
    stamps = [row["player"]["seen"] for row in store.query(".player")]
    stamps += [row["fired"]["at"] for row in store.query(".fired")]
    return [datetime.fromisoformat(stamp) for stamp in stamps]


def live(store: wakeful.Store, clock: ManualClock, plan: list[tuple[datetime, str]]) -> list[datetime]:
    """Live on to the end of the plan, wherever the store has got to; when the world ticked."""
    ticked = []
    while True:
        now = max(moments(store), default=START)
        seen = max((datetime.fromisoformat(row["player"]["seen"]) for row in store.query(".player")), default=START)
        coming = next(((at, player) for at, player in plan if at > seen), None)
        due = store.next_due()
        if coming is not None and (due is None or coming[0] <= due):
            clock.set(coming[0])
            store.apply({"entity": {"eid": coming[1]}, "player": {"seen": coming[0]}})
        elif due is not None:
            clock.set(max(due, now))
            report = store.tick()
            assert len(report.fired) == 1
            ticked.append(clock.now())
        else:
            return ticked


def main() -> None:
    path, nth = sys.argv[1], int(sys.argv[2])
    made, check = 0, Transaction._check

    def count(self: Transaction) -> None:
        nonlocal made
        made += 1
        if made == nth:
            os._exit(9)
        check(self)

    clock = ManualClock(START)
    store = wakeful.open(path, clock=clock, by="page")
    clock.set(max(moments(store), default=START))
    patch.object(Transaction, "_check", count).start()
    live(store, clock, visits())
    os._exit(0)


if __name__ == "__main__":
    main()
