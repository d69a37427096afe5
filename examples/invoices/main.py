"""Invoices that send their own reminders: rules that ask for a command, and one wake that they set again and again.

Run it with `python examples/invoices/main.py`; the clock is moved by hand.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import wakeful
from wakeful.testing import ManualClock

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def live(store: wakeful.Store, clock: ManualClock, until: datetime) -> None:
    """Let time pass from one due instant to the next."""
    while (due := store.next_due()) is not None and due <= until:
        clock.set(due)
        store.tick()
    clock.set(until)


def invoice(eid: str, customer: str, amount: float) -> dict[str, object]:
    owed = {"customer": customer, "amount": amount, "due": "2026-03-15T09:00:00Z", "stage": 0}
    return {"entity": {"eid": eid}, "invoice": owed}


def tell(store: wakeful.Store, eid: str) -> None:
    """The letters about one invoice, and where it stands."""
    row = store.query(f".eid={eid} ?invoice ?paid ?wake")[0]
    state = "paid" if "paid" in row else f"stage {row['invoice']['stage']}"
    print(f"\n{eid}, {row['invoice']['amount']} euros, {state}:")
    for letter in store.query(f".letter.about={eid} .order=letter.written"):
        written = datetime.fromisoformat(letter["letter"]["written"])
        print(f"  {written:%d %b}  {letter['letter']['kind']:<9} to {letter['letter']['to']}")


def main() -> None:
    clock = ManualClock(START)
    with wakeful.open(":memory:", clock=clock, by="office") as store:
        store.deploy(Path(__file__).parent)
        store.apply([
            {"entity": {"eid": "ada"}, "customer": {"name": "Ada", "mail": "ada@example.org"}},
            {"entity": {"eid": "bob"}, "customer": {"name": "Bob", "mail": "bob@example.org"}},
            {"entity": {"eid": "cy"}, "customer": {"name": "Cy", "mail": "cy@example.org"}},
        ])  # fmt: skip
        store.apply([invoice("I-1", "ada", 120), invoice("I-2", "bob", 80), invoice("I-3", "cy", 45.5)])

        live(store, clock, START.replace(day=10))
        store.apply({"entity": {"eid": "I-1"}, "paid": {}})  # Ada pays in time
        live(store, clock, START.replace(day=18))
        store.apply({"entity": {"eid": "I-2"}, "paid": {}})  # Bob after the reminder
        live(store, clock, START.replace(month=6))  # Cy never

        print("Three invoices, all due on 15 March; nobody but the store wrote a letter.")
        for eid in ("I-1", "I-2", "I-3"):
            tell(store, eid)
        calls = store.calls()
        print(f"\n{len(calls)} calls, each asked for by a rule: {len([c for c in calls if c.state == 'done'])} done.")
        print(f"Next due: {store.next_due() or 'nothing'}.")


if __name__ == "__main__":
    main()
