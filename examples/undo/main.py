"""Undo: a mail is sent after ten minutes, unless it is called back.  The wish to send it is a call with a wake.

Run it with `python examples/undo/main.py`; the clock is moved by hand.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import wakeful
from wakeful.testing import ManualClock

NINE = datetime(2026, 9, 21, 9, tzinfo=UTC)


def send_soon(store: wakeful.Store, eid: str, to: str, subject: str) -> None:
    """The mail, the call that sends it, and when: all on one row."""
    store.apply(
        {
            "entity": {"eid": eid},
            "mail": {"to": to, "subject": subject},
            "call": {"to": "send", "args": {"mail": eid}},
            "wake": {"at": "in-10-minutes", "note": "until then it can be called back"},
        }
    )


def call_back(store: wakeful.Store, eid: str) -> bool:
    """Take call and wake away together; whether that was in time."""
    try:
        store.apply({"entity": {"eid": eid}, "$was": {"sent": None}, "call": None, "wake": None})
    except wakeful.Stale:
        return False
    return True


def send_now(store: wakeful.Store, eid: str) -> None:
    """Take the wake away: a call without one runs at once."""
    store.apply({"entity": {"eid": eid}, "wake": None})


def main() -> None:
    clock = ManualClock(NINE)

    def say(words: str) -> None:
        print(f"{clock.now():%H:%M}  {words}")

    def wait(minutes: int) -> None:
        until = clock.now() + timedelta(minutes=minutes)
        while (due := store.next_due()) is not None and due <= until:
            clock.set(due)
            for row in store.tick().fired:
                say(f"{row['entity']['eid']} is sent: {row['execution']['state']}")
        clock.set(until)

    with wakeful.open(":memory:", clock=clock, by="ada") as store:
        store.deploy(Path(__file__).parent)
        for eid, to in (("offer", "bob"), ("complaint", "the boss"), ("invitation", "cy")):
            send_soon(store, eid, to, eid.capitalize())
            say(f"{eid} to {to}: goes out in ten minutes")
        wait(4)
        say(f"complaint, on second thoughts: called back {'in time' if call_back(store, 'complaint') else 'too late'}")
        wait(2)
        send_now(store, "invitation")
        say("invitation cannot wait: sent at once")
        wait(30)
        say(f"offer, third thoughts: {'in time' if call_back(store, 'offer') else 'too late, it is sent'}")

        print("\nWhat stands in the store:")
        for row in store.query(".mail, ?sent, ?call, ?wake"):
            sent = row.get("sent")
            state = f"sent at {datetime.fromisoformat(sent['at']):%H:%M}" if sent else "never sent"
            print(f"  {row['entity']['eid']:<10}  {state}{'' if 'call' in row else ', no call left'}")
        print(f"  {len(store.calls('done'))} calls done; next due: {store.next_due() or 'nothing'}")


if __name__ == "__main__":
    main()
