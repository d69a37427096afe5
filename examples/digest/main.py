"""A weekly digest, lived for a year: one standing call, 52 calls of its own, 52 results.

Run it with `python examples/digest/main.py`; the clock is moved by hand, so the year is over at once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import wakeful
from wakeful.testing import ManualClock

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def plant(store: wakeful.Store) -> None:
    """The whole request: the row `monday` carries what to do, and when."""
    store.deploy(Path(__file__).parent)
    store.apply(
        {
            "entity": {"eid": "monday"},
            "call": {"to": "digest", "args": {"topic": "tea"}},
            "wake": {"every": "0 9 * * 1 Europe/Berlin"},
        }
    )


def live(store: wakeful.Store, clock: ManualClock, until: datetime) -> None:
    """Let time pass from one due instant to the next.  An article on tea appears every third day."""
    next_article, number = clock.now(), 0
    while True:
        due = store.next_due()
        moment = min(next_article, due or until, until)
        clock.set(moment)
        if moment == until:
            return
        if moment == next_article:
            number += 1
            store.apply({"doc": {"title": f"Tea, part {number}"}, "article": {"topic": "tea", "published": "now"}})
            next_article += timedelta(days=3)
        store.tick()


def main() -> None:
    clock = ManualClock(NEW_YEAR)
    with wakeful.open(":memory:", clock=clock, by="editor") as store:
        plant(store)
        live(store, clock, NEW_YEAR.replace(year=2027))

        calls = store.calls(of="monday")[::-1]
        results = {row["result"]["call"]: row["result"]["value"] for row in store.query(".result")}
        print(f"A year later, {len(calls)} calls of `monday`. The first, those around both clock changes, the last:\n")
        for place in (0, 11, 12, 41, 42, 51):
            due = datetime.fromisoformat(calls[place].due or "")
            titles = [row["doc"]["title"] for row in results[calls[place].eid]["rows"]]
            print(f"  {due.astimezone(BERLIN):%a %d %b %H:%M} in Berlin, {due:%H:%M} UTC:  {', '.join(titles)}")

        schedule = store.query(".eid=monday, ?execution, ?wake")[0]
        states = {call.state for call in calls}
        print(f"\n{len(calls)} calls, {len(results)} results, all {', '.join(states)}.")
        print(f"`monday` itself has {'an' if 'execution' in schedule else 'no'} execution: it asks, its calls are run.")

        # Somebody delivers the last occurrence a second time: it is the same call, and that has run.
        store.apply({"entity": {"eid": "monday"}, "wake": {"at": calls[-1].due}})
        report = store.tick()
        kept = store.query(".result .count")["count"]
        print(f"\nThe last one delivered twice: {len(report.calls)} calls run, {kept} results.")


if __name__ == "__main__":
    main()
