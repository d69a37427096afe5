"""An idle world: it goes on while somebody plays, slows down when they leave, and then costs nothing.

Run it with `python examples/world/main.py`; the clock is moved by hand, and a month is over in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import wakeful
from wakeful.testing import ManualClock

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)


def plant(store: wakeful.Store) -> None:
    """One row carries the world, what advances it, and when that is worth it."""
    store.deploy(Path(__file__).parent)
    store.apply(
        {
            "entity": {"eid": "mossvale"},
            "world": {"name": "Mossvale"},
            "call": {"to": "advance", "args": {"world": "mossvale"}},
            "wake": {
                "while": [
                    {"match": ".player.seen>=1-minute-ago", "every": "30s"},
                    {"match": ".player.seen>=10-minutes-ago", "every": "5m"},
                ]
            },
        }
    )


def live(store: wakeful.Store, clock: ManualClock, until: datetime) -> Iterator[datetime]:
    """Let time pass from one due instant to the next: the instants at which the world fired."""
    while (due := store.next_due()) is not None and due <= until:
        clock.set(max(due, clock.now()))
        if store.tick().fired:
            yield clock.now()
    clock.set(until)


def see(store: wakeful.Store, player: str) -> None:
    """What a page writes while somebody plays."""
    store.apply({"entity": {"eid": player}, "player": {"seen": "now"}})


def play(store: wakeful.Store, clock: ManualClock, player: str, minutes: int) -> int:
    """Somebody plays: how often the world went on meanwhile."""
    steps = 0
    for _ in range(minutes * 3):
        see(store, player)
        steps += sum(1 for _ in live(store, clock, clock.now() + timedelta(seconds=20)))
    return steps


def main() -> None:
    clock = ManualClock(NOON - timedelta(hours=1))
    with wakeful.open(":memory:", clock=clock) as store:
        plant(store)
        print(f"{clock.now():%H:%M:%S}  A world without players.  Next due: {store.next_due() or 'nothing'}.")

        clock.set(NOON)
        see(store, "ada")
        print(f"{clock.now():%H:%M:%S}  Ada looks in, once.")
        for moment in live(store, clock, NOON + timedelta(hours=2)):
            print(f"{moment:%H:%M:%S}    the world goes on")
        print(f"{clock.now():%H:%M:%S}  Next due: {store.next_due() or 'nothing'}.")

        see(store, "ada")
        clock.advance(timedelta(hours=3))
        print(f"\n{clock.now():%H:%M:%S}  She looked in again three hours ago, and no process was there to see it.")
        report = store.tick()
        print(f"{clock.now():%H:%M:%S}    the world goes on, {len(report.fired)} firing, {len(report.calls)} call")
        print(f"{clock.now():%H:%M:%S}  Next due: {store.next_due() or 'nothing'}.")

        print("\nA month in which Ada and Bob play for half an hour on every other evening:")
        steps = 0
        for day in range(1, 31):
            evening = NOON + timedelta(days=day, hours=8)
            steps += sum(1 for _ in live(store, clock, evening))
            if day % 2:
                steps += play(store, clock, "ada" if day % 4 == 1 else "bob", 30)
        steps += sum(1 for _ in live(store, clock, clock.now() + timedelta(days=1)))
        always = timedelta(days=30) // timedelta(seconds=30)
        print(f"  {steps:,} steps; a world that never sleeps would have made {always:,}.")
        calls = store.query(".call.source=mossvale .count")["count"]
        print(
            f"  {store.query('.step .count')['count']:,} steps are kept, and {calls} calls: those of the last two days."
        )


if __name__ == "__main__":
    main()
