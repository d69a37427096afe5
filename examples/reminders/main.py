"""Several reminders of one thing: a row has one wake, so each reminder is a row of its own, about the appointment.

Run it with `python examples/reminders/main.py`; the clock is moved by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import wakeful
from wakeful.testing import ManualClock

START = datetime(2026, 5, 1, 8, tzinfo=UTC)
AHEAD = {"a week from now": timedelta(weeks=1), "tomorrow": timedelta(days=1), "in an hour": timedelta(hours=1)}


def live(store: wakeful.Store, clock: ManualClock, until: datetime) -> None:
    """Let time pass from one due instant to the next, and print what the reminders say."""
    while (due := store.next_due()) is not None and due <= until:
        clock.set(due)
        for row in store.tick().fired:
            print(f"  {due:%a %d %b %H:%M}  {row['told']['about']}: {row['told']['words']}")
    clock.set(until)


def appointment(eid: str, title: str, starts: datetime) -> list[Mapping[str, Any]]:
    """An appointment and its three reminders, in one apply."""
    what = {"entity": {"eid": eid}, "doc": {"title": title}, "appointment": {"starts": starts}}
    return [what, *(reminder(eid, words, starts - span) for words, span in AHEAD.items())]


def reminder(of: str, words: str, at: datetime) -> Mapping[str, Any]:
    return {
        "entity": {"eid": f"{of}, {words}"},
        "reminder": {"of": of, "words": words},
        "wake": {"at": at, "target": of},
    }


def main() -> None:
    clock = ManualClock(START)
    with wakeful.open(":memory:", clock=clock, by="ada") as store:
        store.deploy(Path(__file__).parent)
        store.apply(appointment("dentist", "Dentist", datetime(2026, 5, 20, 9, 30, tzinfo=UTC)))
        store.apply(appointment("concert", "Concert", datetime(2026, 5, 22, 19, tzinfo=UTC)))

        print("Two appointments, three reminders each:")
        live(store, clock, datetime(2026, 5, 16, tzinfo=UTC))

        print("The concert is put off by a week; one write moves the appointment and what is still to come of it:")
        later = datetime(2026, 5, 29, 19, tzinfo=UTC)
        store.apply(
            [
                {"entity": {"eid": "concert"}, "appointment": {"starts": later}},
                *(
                    {"entity": {"eid": f"concert, {words}"}, "wake": {"at": later - AHEAD[words]}}
                    for words in ("tomorrow", "in an hour")
                ),
            ]
        )
        live(store, clock, datetime(2026, 5, 20, 12, tzinfo=UTC))

        print("The concert is cancelled: the reminders go with it.")
        store.apply({"entity": {"eid": "concert"}, "tombstone": {}})
        live(store, clock, datetime(2026, 6, 30, tzinfo=UTC))
        left = store.query(".reminder .count")["count"]
        print(f"  {left} reminders are left, all of the dentist; next due: {store.next_due() or 'nothing'}")


if __name__ == "__main__":
    main()
