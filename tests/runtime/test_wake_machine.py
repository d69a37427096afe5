"""Any interleaving of writes, pauses, clock steps, restarts and ticks leaves what the model of wakes says.

Each occurrence is fired exactly once or collapsed into a later one, never twice: the model fires a wake once
a tick and moves it past the present, and the store must agree with it after every step.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import wakeful
from oracles.wakes import Wakes
from strategies import spelled_instant
from wakeful.testing import ManualClock

# Ticking must never land in a log that names nobody: that is how a firing comes to be refused.
VOCAB = {
    "$defs": {
        "jam": {},
        "done": {},
        "log": {"properties": {"text": {"type": "string"}, "who": {"type": "string"}}, "required": ["who"]},
        "logs": {"rule": True, "match": ".jam, .fired, +!done, +log.text=fired"},
    }
}

EIDS = tuple(f"w{number}" for number in range(5))
CADENCES = (
    "30s", "5m", "90m", "1d", "1w", "1h30m", "*/15 * * * *", "0 9 * * 1-5", "@hourly",
    "@daily Asia/Kathmandu", "20 4 * * * America/Detroit", "30 2 * * * America/New_York", 
    "30 1 * * * America/New_York", "20,40 2 * * * Australia/Lord_Howe",
)  # fmt: skip
STARTS = (
    datetime(2026, 9, 20, 8, tzinfo=UTC),
    datetime(2026, 3, 8, 6, 30, tzinfo=UTC),
    datetime(2026, 11, 1, 5, tzinfo=UTC),
    datetime(2026, 10, 3, 14, 59, 59, 999999, tzinfo=UTC),
)
SPANS = st.builds(
    lambda unit, count, nudge: timedelta(**{unit: count}) + timedelta(microseconds=nudge),
    st.sampled_from(("seconds", "minutes", "minutes", "hours", "hours", "days")),
    st.integers(0, 48),
    st.sampled_from((0, 0, 0, 1, -1)),
)

PATCHES = st.fixed_dictionaries(
    {},
    optional={
        "at": st.sampled_from((None, 0, 0, 1, 1, 1)).flatmap(
            lambda turns: st.none() if turns is None else SPANS.map(lambda span: span * (2 * turns - 1))
        ),
        "every": st.sampled_from((None, *CADENCES)),
        "note": st.sampled_from(("water me", None)),
    },
)


class WakeMachine(RuleBasedStateMachine):
    """One file, two open stores on it, one clock; every write and tick goes through either store."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="wakes-"))
        self.model = Wakes()
        self.dead: set[str] = set()
        self.clock = ManualClock(STARTS[0])
        self.stores: list[Any] = []

    @initialize(start=st.sampled_from(STARTS))
    def open(self, start: datetime) -> None:
        self.clock.set(start)
        vocab = self.folder / "vocab.json"
        vocab.write_text(json.dumps(VOCAB), encoding="utf-8")
        self.stores = [wakeful.open(self.folder / "wakes.db", clock=self.clock) for _ in range(2)]
        self.stores[0].deploy(vocab)

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)

    def apply(self, which: int, eid: str, **changes: Any) -> None:
        self.stores[which].apply({"entity": {"eid": eid}, **changes})

    @rule(which=st.integers(0, 1), eid=st.sampled_from(EIDS), patch=PATCHES, serve=st.booleans())
    def write_wake(self, which: int, eid: str, patch: dict[str, Any], serve: bool) -> None:
        if eid in self.dead:
            return
        now = self.clock.now()
        modelled = dict(patch)
        if isinstance(patch.get("at"), timedelta):
            modelled["at"] = now + patch["at"]
        spelled = dict(modelled)
        if isinstance(modelled.get("at"), datetime):
            spelled["at"] = spelled_instant(modelled["at"])
        self.apply(which, eid, wake=spelled)
        self.model.write(eid, modelled, now)
        if serve:
            self.agrees()
            self.serve(0, 1 - which)

    @rule(which=st.integers(0, 1), eid=st.sampled_from(EIDS), minutes=st.integers(0, 90))
    def write_a_moment(self, which: int, eid: str, minutes: int) -> None:
        if eid in self.dead:
            return
        now = self.clock.now()
        self.apply(which, eid, wake={"at": f"in-{minutes}-minutes"})
        self.model.write(eid, {"at": now + timedelta(minutes=minutes)}, now)

    @rule(which=st.integers(0, 1), eid=st.sampled_from(EIDS))
    def end_wake(self, which: int, eid: str) -> None:
        if eid in self.dead:
            return
        self.apply(which, eid, wake=None)
        self.model.write(eid, None, self.clock.now())

    @precondition(lambda self: self.model.entities)
    @rule(which=st.integers(0, 1), data=st.data())
    def delete(self, which: int, data: st.DataObject) -> None:
        eid = data.draw(st.sampled_from(sorted(self.model.entities)))
        self.apply(which, eid, tombstone={})
        self.model.delete(eid)
        self.dead.add(eid)
        with pytest.raises(wakeful.Refused):
            self.apply(which, eid, wake={"every": "1h"})

    @rule(which=st.integers(0, 1), eid=st.sampled_from(EIDS))
    def jam(self, which: int, eid: str) -> None:
        if eid in self.dead:
            return
        known = self.model.entities.get(eid)
        if known and known.fired_at and not known.jammed:
            with pytest.raises(wakeful.Refused):
                self.apply(which, eid, jam={})
            return
        self.apply(which, eid, jam={})
        self.model.entity(eid).jammed = True

    @precondition(lambda self: self.jammed())
    @rule(which=st.integers(0, 1), data=st.data())
    def clear_jam(self, which: int, data: st.DataObject) -> None:
        eid = data.draw(st.sampled_from(self.jammed()))
        self.apply(which, eid, jam=None)
        self.model.entities[eid].jammed = False

    def jammed(self) -> list[str]:
        return sorted(eid for eid, known in self.model.entities.items() if known.jammed)

    @rule(span=SPANS, back=st.sampled_from((False, False, False, True)), tick=st.booleans())
    def wait(self, span: timedelta, back: bool, tick: bool) -> None:
        """Time passes, or somebody sets the machine's clock back."""
        self.clock.set(self.clock.now() + (-span if back else span))
        if tick:
            self.tick(0)

    @rule(nudge=st.sampled_from((-1, 0, 0, 1)), first=st.integers(0, 1))
    def serve(self, nudge: int, first: int) -> None:
        """Tick when something is due, or a microsecond to either side of it."""
        due = self.model.next_due()
        if due is not None:
            self.clock.set(max(self.clock.now(), due + timedelta(microseconds=nudge)))
        self.tick(first)

    @rule(which=st.integers(0, 1))
    def restart(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = wakeful.open(self.folder / "wakes.db", clock=self.clock)

    @rule(first=st.integers(0, 1))
    def tick(self, first: int) -> None:
        now = self.clock.now()
        report = self.stores[first].tick()
        expected = self.model.tick(now)
        assert [bundle["entity"]["eid"] for bundle in report.fired] == expected.fired
        assert sorted(refused["eid"] for refused in report.refused) == sorted(expected.refused)
        assert report.next_due == self.model.next_due()
        again = self.stores[1 - first].tick()
        assert again.fired == []
        assert again.refused == []

    @invariant()
    def agrees(self) -> None:
        if not self.stores:
            return
        rows = {row["entity"]["eid"]: row for row in self.stores[0].query("?wake ?fired")}
        assert {eid for eid in rows if eid in EIDS} == set(self.model.entities)
        for eid, known in self.model.entities.items():
            row = rows[eid]
            wake, fired = known.wake, known.fired_at
            assert ("wake" in row) == (wake is not None), eid
            if wake is not None:
                stored = {key: row["wake"][key] for key in ("at", "every", "note")}
                at = None if wake.at is None else spelled_instant(wake.at)
                assert stored == {"at": at, "every": wake.every, "note": wake.note}, eid
            assert ("fired" in row) == (fired is not None), eid
            if fired is not None and known.fired_due is not None:
                expected = {"at": spelled_instant(fired), "due": spelled_instant(known.fired_due)}
                assert row["fired"] == expected, eid
        for store in self.stores:
            assert store.next_due() == self.model.next_due()


TestWakeMachine = WakeMachine.TestCase
TestWakeMachine.settings = settings(max_examples=max(25, settings().max_examples // 4), stateful_step_count=40)
