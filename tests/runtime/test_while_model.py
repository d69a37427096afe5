"""Random conditions under random writes, ticks and time: after every transaction each wake is due when the oracle says.

The conditions move in all four ways, look through references, negate, and read what the store itself writes.  In a
list the faster cadence stands first, as it does where a list means anything; the other order is told in test_while.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import wakeful
from oracles.conditional import Conditional, Rows, instant
from oracles.wakes import next_after
from wakeful.testing import ManualClock

MOMENT = {"type": "string", "format": "date-time"}
VOCAB = {
    "$defs": {
        "a": {
            "properties": {
                "n": {"type": "integer"},
                "at": MOMENT,
                "ref": {"type": "string", "ref": "entity", "death": "detach"},
            }
        },
        "b": {"properties": {"at": MOMENT, "n": {"type": "integer"}}},
        "stirred": {"properties": {"at": MOMENT}},
        "stirs": {"rule": True, "match": ".a, ^fired, +stirred.at=now"},
    }
}
ZONED = {**VOCAB, "zone": "America/Detroit"}
START = datetime(2026, 10, 31, 23, 50, tzinfo=UTC)

LEAVES = (
    ".a", "!a", ".b", ".a.n>3", ".a.n!=3", ".a.n=1", ".a.ref", "*", ".entity.num>3", ".stirred",
    ".a.at<.b.at", ".a.ref.a.n>3", ".a.ref.a.n!=3", ".a.ref.b.n",
    ".a.at>=2-minutes-ago", ".b.at>now", ".updated.at>=30-seconds-ago", ".fired.at>=1-minute-ago",
    ".stirred.at>=2m-ago", ".a.ref.a.at>=2-minutes-ago",
    ".a.at<3-minutes-ago", ".b.at<=now", ".a.at<=in-2-minutes", ".updated.at<2-minutes-ago", ".fired.at<90s-ago",
    ".wake.at<in-1-minute", ".a.ref.a.at<1-minute-ago",
    ".a.at=today", ".b.at=this-minute", ".a.at=2-minutes-ago", ".a.at=in-3-minutes", ".b.at=now", ".a.at=this-hour",
    ".a.at<1-month-ago", ".b.at>=in-1-month", ".a.at<today", ".b.at>8pm", ".a.ref.b.at=in-2-minutes",
)  # fmt: skip


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(parts, parts)
    return st.one_of(
        pair.map(lambda two: f"({two[0]}) ({two[1]})"),
        pair.map(lambda two: f"({two[0]})|({two[1]})"),
        parts.map(lambda one: f"!({one})"),
    )


CONDITIONS = st.recursive(st.sampled_from(LEAVES), _joined, max_leaves=3)
CADENCES = ("7s", "30s", "2m", "5m", "1h", "1d")
EIDS = ("r1", "r2", "r3")
WAKES = ("w1", "w2", "w3", "r1")
SPANS = st.one_of(
    st.integers(0, 400).map(lambda count: timedelta(seconds=count)),
    st.integers(0, 3).map(lambda count: timedelta(microseconds=count)),
    st.integers(0, 40).map(lambda count: timedelta(hours=count)),
    st.integers(25, 40).map(lambda count: timedelta(days=count)),
)
INSTANTS = st.builds(lambda span, sign: span * sign, SPANS, st.sampled_from((-1, 1)))


@st.composite
def lists(draw: st.DrawFn) -> list[dict[str, str]]:
    matches = draw(st.lists(CONDITIONS, min_size=1, max_size=3))
    first = draw(st.integers(0, len(CADENCES) - len(matches)))
    return [{"match": match, "every": CADENCES[first + place]} for place, match in enumerate(matches)]


class WhileMachine(RuleBasedStateMachine):
    """One store, whose every transaction is played by the oracle too."""

    vocab = VOCAB

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(START)
        self.store = wakeful.open(":memory:", clock=self.clock)
        self.store.deploy(self.vocab)
        self.oracle = Conditional(self.store.vocab.query)
        self.rows = self.seen()

    def teardown(self) -> None:
        self.store.close()

    def seen(self) -> Rows:
        return {row["entity"]["eid"]: row for row in self.store.query("*")}

    # --- transactions -----------------------------------------------------------------------------

    def play(self, bundle: dict[str, Any]) -> None:
        before, now, eid = self.rows, self.clock.now(), bundle["entity"]["eid"]
        answer = self.store.apply(bundle)
        after = self.seen()
        old = (before.get(eid) or {}).get("wake")
        new = (after.get(eid) or {}).get("wake")
        expected: dict[str, datetime | None] = {
            other: instant(row["wake"]["at"]) for other, row in before.items() if "wake" in row and other in after
        }
        written: set[str] = set()
        paused: set[str] = set()
        if "wake" in bundle and new is not None:
            patch = bundle["wake"]
            at = _settled(patch, old, new, now)
            expected[eid] = at
            if old is None or {**old, "at": instant(old["at"])} != {**new, "at": at}:
                (paused if "at" in patch and at is None else written).add(eid)
        self.check(before, after, expected, written, paused, set())
        told = {change["entity"]["eid"] for change in answer.changes}
        moved = {other for other, row in self.rows.items() if row.get("wake") != before.get(other, {}).get("wake")}
        assert moved <= told

    def check(
        self,
        before: Rows,
        after: Rows,
        expected: dict[str, datetime | None],
        written: set[str],
        paused: set[str],
        fired: set[str],
    ) -> None:
        """Compare the store with the oracle; `expected` is each wake's `at` before the arming."""
        unarmed: Rows = {}
        for eid, row in after.items():
            unarmed[eid] = row
            if "wake" in row:
                at = expected[eid]
                unarmed[eid] = {**row, "wake": {**row["wake"], "at": None if at is None else _text(at)}}
        armed = self.oracle.armed(before, unarmed, self.clock.now(), written, paused, fired)
        for eid, row in after.items():
            if "wake" in row:
                assert instant(row["wake"]["at"]) == armed.get(eid, expected[eid]), (eid, row["wake"])
        self.rows = after

    @rule(
        eid=st.sampled_from(EIDS),
        n=st.none() | st.integers(1, 5),
        at=st.none() | INSTANTS,
        ref=st.none() | st.sampled_from(EIDS),
    )
    def write_a(self, eid: str, n: int | None, at: timedelta | None, ref: str | None) -> None:
        patch: dict[str, Any] = {"n": n, "at": None if at is None else _text(self.clock.now() + at)}
        if ref in self.rows:
            patch["ref"] = ref
        self.play({"entity": {"eid": eid}, "a": patch})

    @rule(eid=st.sampled_from(EIDS), at=st.none() | INSTANTS, n=st.none() | st.integers(1, 5))
    def write_b(self, eid: str, at: timedelta | None, n: int | None) -> None:
        self.play({"entity": {"eid": eid}, "b": {"n": n, "at": None if at is None else _text(self.clock.now() + at)}})

    @rule(eid=st.sampled_from(EIDS), name=st.sampled_from(("a", "b", "stirred")))
    def remove(self, eid: str, name: str) -> None:
        if eid in self.rows:
            self.play({"entity": {"eid": eid}, name: None})

    @rule(title=st.sampled_from(("x", "y")))
    def write_elsewhere(self, title: str) -> None:
        self.play({"entity": {"eid": "elsewhere"}, "doc": {"title": title}})

    @rule(
        eid=st.sampled_from(WAKES),
        entries=lists(),
        every=st.sampled_from((..., ..., None, "45s", "3h")),
        at=st.one_of(st.just(...), st.just(...), st.none(), INSTANTS),
    )
    def write_while(self, eid: str, entries: list[dict[str, str]], every: Any, at: Any) -> None:
        wake: dict[str, Any] = {"while": entries}
        if every is not ...:
            wake["every"] = every
        if at is not ...:
            wake["at"] = None if at is None else _text(self.clock.now() + at)
        self.play({"entity": {"eid": eid}, "wake": wake})

    @rule(
        eid=st.sampled_from(WAKES), patch=st.sampled_from(({"at": None}, {"note": "x"}, {"note": "y"}, {"while": None}))
    )
    def touch_wake(self, eid: str, patch: dict[str, Any]) -> None:
        self.play({"entity": {"eid": eid}, "wake": patch})

    @rule(eid=st.sampled_from(WAKES))
    def end_wake(self, eid: str) -> None:
        if eid in self.rows:
            self.play({"entity": {"eid": eid}, "wake": None})

    @rule(span=SPANS)
    def pass_time(self, span: timedelta) -> None:
        self.clock.advance(span)

    @rule()
    def tick(self) -> None:
        before, now = self.rows, self.clock.now()
        report = self.store.tick()
        after = self.seen()
        expected: dict[str, datetime | None] = {}
        due = []
        for eid, row in before.items():
            if "wake" in row:
                at = expected[eid] = instant(row["wake"]["at"])
                if at is not None and at <= now:
                    due.append((at, row["entity"]["num"], eid))
                    expected[eid] = self.oracle.fired(row["wake"], before, now)
        assert [bundle["entity"]["eid"] for bundle in report.fired] == [eid for _, _, eid in sorted(due)]
        if due:
            self.check(before, after, expected, set(), set(), {eid for _, _, eid in due})
        assert {bundle["entity"]["eid"]: bundle["wake"] for bundle in report.fired} == {
            eid: after[eid]["wake"] for _, _, eid in due
        }

    @invariant()
    def next_due_is_the_minimum(self) -> None:
        ats = [instant(row["wake"]["at"]) for row in self.rows.values() if "wake" in row]
        assert self.store.next_due() == min((at for at in ats if at is not None), default=None)


class ZonedMachine(WhileMachine):
    """The same where days begin in Detroit, across the end of daylight saving time."""

    vocab = ZONED


def _settled(patch: dict[str, Any], old: dict[str, Any] | None, new: dict[str, Any], now: datetime) -> datetime | None:
    """The `at` of a wake that a bundle wrote, before anything arms it."""
    if "at" in patch:
        return instant(patch["at"])
    if new["every"] is not None and (old is None or old["every"] != new["every"]):
        return next_after(new["every"], now, None)
    if new["every"] is None and new["while"] is not None and (old is None or old["while"] != new["while"]):
        return None
    return None if old is None else instant(old["at"])


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


STEPS = settings(max_examples=12, stateful_step_count=30, deadline=None)

TestWhile = WhileMachine.TestCase
TestWhile.settings = STEPS
TestZonedWhile = ZonedMachine.TestCase
TestZonedWhile.settings = STEPS
