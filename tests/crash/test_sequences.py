"""Writes, ticks and failures in any order end like the same writes and ticks without the failures."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crash.harness import Harness
from crash.scenarios import BAD, SHOP, Scenario, Step, applied, call, order, ticked
from crash.sqlite_faults import SqliteCrashes

ENGINE = SqliteCrashes()
# A process that is killed costs most, and is as any other failure to those who come after.
FAULTS = tuple(fault for fault in ENGINE.faults if not fault.kills and fault.kind != "refused")
EIDS = ("a", "b", "c")
WAKES = ("2026-09-20T08:30:00Z", "2026-09-20T09:30:00Z")

wakes = st.none() | st.sampled_from(WAKES).flatmap(
    lambda at: st.sampled_from([{"at": at}, {"at": at, "every": "1h"}, {"at": at, "every": "30s"}])
)
orders = st.builds(
    lambda eid, total, wake: order(eid, total, **({} if wake is None else {"wake": wake})),
    st.sampled_from(EIDS),
    st.sampled_from([5, 13, 20, 200]),
    wakes,
)
calls = st.builds(
    lambda eid, to, wake: call(f"{to}-{eid}", to, wake),
    st.sampled_from(EIDS),
    st.sampled_from(["write", "note"]),
    wakes,
)
removals = st.builds(lambda eid: {"entity": {"eid": eid}, "wake": None}, st.sampled_from(EIDS))
acts = st.lists(orders | calls | removals | st.just(BAD), min_size=1, max_size=4).map(
    lambda bundles: applied(*bundles)
) | st.just(ticked)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    steps: list[Step] = []
    minute = 0
    for act in draw(st.lists(acts, min_size=2, max_size=6)):
        steps.append((f"2026-09-20T{8 + minute // 60:02}:{minute % 60:02}:00Z", act))
        minute += draw(st.sampled_from([0, 1, 31, 60]))
    return Scenario("sequence", steps=tuple(steps), vocabulary=SHOP, batch=draw(st.sampled_from([1, 2, 500])))


@settings(
    max_examples=15,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(scenario=scenarios(), data=st.data())
def test_any_sequence_ends_as_if_nothing_had_failed(folder: Path, scenario: Scenario, data: st.DataObject) -> None:
    for old in folder.iterdir():
        old.unlink()
    harness = Harness(ENGINE, scenario, folder)
    for _ in range(3):
        point = data.draw(st.sampled_from(harness.life.points))
        faults = data.draw(st.lists(st.sampled_from(FAULTS), min_size=1, max_size=4))
        harness.disturb([fault for fault in faults if fault.strikes(point.sql)], point)
