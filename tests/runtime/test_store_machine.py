"""Any interleaving of writes, calls, ticks, clock steps, restarts and deploys leaves what the model of a store says.

A real store on a file, reopened at random, and the model of `oracles.store_model` live the same life; after every step
each row, the next due instant, and what a tick reported are compared.  `WAKEFUL_STEPS=10000` looks longer.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import wakeful
from oracles.playground import CONDITIONS, STEPS, VERSIONS, Turned
from oracles.store_model import Bundle, Model, derived, spelled
from wakeful.testing import ManualClock

STEP_COUNT = 40
START = datetime(2026, 9, 26, 23, 30, tzinfo=UTC)
EIDS = tuple(f"e{number}" for number in range(6))
SHORT = ("30s", "90s", "5m", "1h", "*/15 * * * *")
MARKS = ("jam", "count_of", "asker", "snoozer", "mayfly", "watered", "asked", "noted")

eids = st.sampled_from(EIDS)
offsets = st.sampled_from((0, 0, -30, -60, -150, -600, -601, -1200, 30, 300, 1200)).map(
    lambda seconds: timedelta(seconds=seconds)
)
entries = st.builds(
    lambda match, every: {"match": match, "every": every}, st.sampled_from([*CONDITIONS]), st.sampled_from(SHORT)
)
conditions = st.none() | st.lists(entries, min_size=1, max_size=3)
wakes = st.fixed_dictionaries(
    {},
    optional={
        "at": st.none() | offsets,
        "every": st.none() | st.sampled_from((*SHORT, "1h")),
        "note": st.sampled_from((None, "water me")),
        "while": conditions,
        "target": st.none() | eids,
    },
)
standing = st.fixed_dictionaries(
    {},
    optional={"at": offsets, "every": st.sampled_from(SHORT), "while": conditions},
)
calls = st.one_of(
    st.builds(
        lambda value, n: {"to": "echo", "args": {"value": value, **n}},
        st.sampled_from(("hi", "hi", "ho", "hum", 5)), st.sampled_from(({}, {}, {"n": 1}, {"n": 13}, {"m": 1})),
    ),
    st.sampled_from((
        {"to": "ask"}, {"to": "pair"}, {"to": "tally"}, {"to": "later"}, {"to": "nobody"}, {"to": "echo", "args": None},
        {"to": "step_1"}, {"to": f"step_{STEPS}"}, {"to": "find", "args": {"name": "basil"}}, {"args": {"value": "ho"}},
        {"to": derived("tool", "ask")}, {"to": derived("tool", "later")},
    )),
    st.builds(
        lambda plant, name: {"to": "name_plant", "args": {"plant": plant, **name}},
        eids, st.sampled_from(({}, {"name": "fern"}, {"name": "basil"})),
    ),
    st.builds(lambda name, who: {"to": name, "args": {"who": who}}, st.sampled_from(("see", "snooze", "stop")), eids),
)  # fmt: skip
plants = st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(("fern", "basil", None)), "pot": st.sampled_from(("clay", None))}
)
parts = st.one_of(
    st.builds(lambda patch: {"wake": patch}, st.none() | wakes | wakes | wakes),
    st.builds(lambda ago: {"player": {"seen": ago}}, offsets),
    st.builds(lambda patch: {"plant": patch}, st.none() | plants | plants),
    st.builds(lambda call: {"call": call}, st.none() | calls | calls),
    st.builds(lambda call, wake: {"call": call, "wake": wake}, calls, standing),
    st.builds(lambda call, wake: {"call": call, "wake": wake}, calls, standing),
    st.just({"call": None, "wake": None}),
    st.builds(
        lambda name, off: {name: None if off else {"count_of": {"n": 1}, "asker": {"word": "hi"}}.get(name, {})},
        st.sampled_from(MARKS), st.sampled_from((False, False, True)),
    ),
    st.sampled_from(("hi", "hum", None)).map(lambda word: {"asker": {"word": word}}),
)  # fmt: skip


class StoreMachine(RuleBasedStateMachine):
    """One file, one store on it, one clock, and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="store-"))
        self.clock = ManualClock(START)
        self.model = Model()
        self.store: Any = None

    @initialize()
    def open(self) -> None:
        self.store = wakeful.open(self.folder / "s.db", clock=self.clock)
        self.store.deploy(VERSIONS[0].document)

    def teardown(self) -> None:
        if self.store is not None:
            self.store.close()
        shutil.rmtree(self.folder)

    def resolved(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Offsets from now as instants."""
        now = self.clock.now()
        return {
            component: patch
            and {key: now + given if isinstance(given, timedelta) else given for key, given in patch.items()}
            for component, patch in changes.items()
        }

    def apply(self, bundles: list[Bundle], by: str | None) -> None:
        refused = False
        try:
            self.store.apply([{"entity": {"eid": eid}, **changes} for eid, changes in bundles], by=by)
        except wakeful.Refused:
            refused = True
        try:
            self.model.apply(bundles, self.clock.now(), by)
        except Turned as turned:
            assert refused, f"only the model refuses: {turned}"
        else:
            assert not refused, "only the store refuses"

    @rule(eid=eids, changes=parts, by=st.sampled_from((None, "ann")))
    def write(self, eid: str, changes: dict[str, Any], by: str | None) -> None:
        self.apply([(eid, self.resolved(changes))], by)

    @rule(one=eids, other=eids, first=parts, second=parts)
    def write_two(self, one: str, other: str, first: dict[str, Any], second: dict[str, Any]) -> None:
        if one != other:
            self.apply([(one, self.resolved(first)), (other, self.resolved(second))], "bob")

    @rule(eid=eids, chance=st.integers(0, 3))
    def delete(self, eid: str, chance: int) -> None:
        if eid in self.model.entities and not chance:
            self.apply([(eid, {"tombstone": {}})], None)

    @rule(span=offsets, tick=st.booleans())
    def wait(self, span: timedelta, tick: bool) -> None:
        """Time passes, or somebody sets the clock back."""
        self.clock.set(self.clock.now() + span)
        if tick:
            self.tick()

    @rule(nudge=st.sampled_from((-1, 0, 0, 0, 1)))
    def serve(self, nudge: int) -> None:
        """Tick when something is due, or a microsecond to either side of it."""
        due = self.model.next_due()
        if due is not None:
            self.clock.set(max(self.clock.now(), due + timedelta(microseconds=nudge)))
        self.tick()

    @rule(hours=st.integers(1, 30))
    def sleep_long(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))
        self.tick()

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = wakeful.open(self.folder / "s.db", clock=self.clock)

    @rule(number=st.integers(0, len(VERSIONS) - 1))
    def deploy(self, number: int) -> None:
        self.store.deploy(VERSIONS[number].document)
        self.model.deploy(VERSIONS[number])

    @rule()
    def tick(self) -> None:
        report = self.store.tick()
        expected = self.model.tick(self.clock.now())
        assert [bundle["entity"]["eid"] for bundle in report.fired] == expected.fired
        assert [refused["eid"] for refused in report.refused] == expected.refused
        assert report.calls == expected.calls, f"{report.calls} were run, not {expected.calls}"
        self.choose()
        due = self.model.next_due()
        assert report.next_due == due, f"{report.next_due} is next, not {due}"
        again = self.store.tick()
        assert (again.fired, again.refused, again.calls) == ([], [], [])

    def choose(self) -> None:
        """Where the model leaves open what came of a clock set back, look."""
        if self.model.open:
            rows = {row["entity"]["eid"]: row["wake"]["at"] for row in self.store.query(".wake")}
            self.model.choose(rows.get)

    @invariant()
    def agrees(self) -> None:
        if self.store is None:
            return
        self.choose()
        found: dict[str, Any] = {}
        for bundle in self.store.query("*"):
            eid = bundle["entity"]["eid"]
            bare = set(bundle) <= {"entity", "created", "updated"}
            if "tool" in bundle or (bare and eid not in EIDS and eid not in self.model.entities):
                continue  # what stands, or stood, for a command
            if "refusal" in bundle:
                eid = f"refusal of {bundle['refusal']['about']}"
            told = {name: given for name, given in bundle.items() if name not in ("entity", "updated")}
            found[eid] = {name: shown(name, given) for name, given in told.items()}
        expected: dict[str, Any] = {}
        for eid, entity in self.model.entities.items():
            if "refusal" in entity.row:
                eid = f"refusal of {entity.row['refusal']['about']}"
            at, by = entity.created
            expected[eid] = {"created": {"at": spelled(at), "by": by}} | {
                name: modelled(given) for name, given in entity.row.items()
            }
        for eid in sorted(found.keys() | expected.keys()):
            assert found.get(eid) == expected.get(eid), f"{eid}: {found.get(eid)} is told, not {expected.get(eid)}"
        assert self.store.next_due() == self.model.next_due()


def shown(component: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the store says of a component, without what a model cannot know."""
    left_out = {"execution": ("error",), "refusal": ("error",), "result": ("ms",)}.get(component, ())
    told = {name: value for name, value in given.items() if name not in left_out}
    if component == "result" and (told["value"] or {}).get("rows") is not None:
        rows = [{"eid": row["entity"]["eid"], "plant": row["plant"]} for row in told["value"]["rows"]]
        told["value"] = {"rows": rows}
    return told


def modelled(given: dict[str, Any]) -> dict[str, Any]:
    """A component of the model with its instants in text."""
    return {name: spelled(value) if isinstance(value, datetime) else value for name, value in given.items()}


STEPS_ASKED = int(os.environ.get("WAKEFUL_STEPS", "0"))
TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=max(1, STEPS_ASKED // STEP_COUNT) if STEPS_ASKED else max(20, settings().max_examples // 3),
    stateful_step_count=STEP_COUNT,
)
