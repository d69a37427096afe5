"""The cases of the area `wake`: due, fired, moved on, paused, ended, refused, tried again."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import NOON, World, components, instant, vocab_file, with_rules
from wakeful.testing import ManualClock

NOTHING = components()


def wake_of(world: World, eid: str = "e") -> dict[str, Any]:
    """The wake as it is stored."""
    return dict(world.row(eid, "wake")["wake"])


def eids(bundles: list[dict[str, Any]]) -> list[str]:
    return [bundle["entity"]["eid"] for bundle in bundles]


@case("b:278")
def test_a_one_shot_fires_and_is_spent(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING, now="2026-09-20T08:00:00Z")
    world.put("e", wake=given("b:278")["given"]["wake"])
    report = world.tick("2026-09-20T09:00:00Z")
    (fired,) = report.fired
    assert fired["fired"] == {"at": "2026-09-20T09:00:00Z", "due": "2026-09-20T09:00:00Z"}
    assert fired["wake"]["at"] is None
    assert report.next_due is None
    row = world.row("e", "wake", "fired")
    assert row["fired"] == fired["fired"]
    assert row["wake"]["at"] is None
    assert world.tick().fired == []


@case("b:279")
def test_a_cadence_moves_on_by_itself(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING, now="2026-01-01T09:00:00Z")
    world.put("e", wake=given("b:279")["given"]["wake"])
    assert eids(world.tick("2026-01-01T09:17:00Z").fired) == ["e"]
    assert wake_of(world)["at"] == "2026-01-04T09:17:00Z"
    assert world.tick("2026-01-04T09:16:59Z").fired == []
    assert eids(world.tick("2026-01-04T09:17:00Z").fired) == ["e"]


@case("b:282")
def test_a_new_cadence_starts_at_its_first_occurrence(tmp_path: Path) -> None:
    told = given("b:282")["given"]
    world = World(tmp_path, NOTHING, now=told["now"])
    world.put("e", wake=told["stored"])
    world.put("e", wake={"every": "1h"})
    assert wake_of(world)["at"] == told["stored"]["at"]
    world.put("e", wake={"every": "2h"})
    assert wake_of(world)["at"] == "2026-09-26T14:00:00Z"


@case("b:283")
def test_a_pause_keeps_the_cadence(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING)
    world.put("e", wake=given("b:283")["given"]["stored"])
    world.put("e", wake={"at": None})
    assert world.store.next_due() is None
    assert world.tick("2026-12-01T00:00:00Z").fired == []
    assert wake_of(world)["every"] == "1d"
    assert wake_of(world)["at"] is None


@case("b:285")
def test_a_wake_that_is_removed_is_never_due(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING)
    world.put("e", doc={"title": "e"}, wake=given("b:285")["given"]["stored"])
    world.put("e", wake=None)
    assert "wake" not in world.row("e", "wake")
    assert world.store.next_due() is None
    assert world.tick("2027-01-01T00:00:00Z").fired == []


@case("b:286")
def test_a_wake_goes_with_its_target(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING, now="2026-09-20T08:00:00Z")
    world.put("fern", doc={"title": "Fern"})
    world.put("timer", doc={"title": "Timer"}, wake=given("b:286")["given"]["wake"])
    world.put("fern", tombstone={})
    assert "wake" not in world.row("timer", "wake")
    assert world.store.next_due() is None
    assert world.tick("2026-09-20T09:00:00Z").fired == []


@case("b:288")
def test_two_ticks_that_overlap_fire_once(tmp_path: Path) -> None:
    path, clock = tmp_path / "two.db", ManualClock(instant(NOON))
    store = wakeful.open(path, clock=clock)
    store.deploy(vocab_file(tmp_path, NOTHING))
    store.apply({"entity": {"eid": "e"}, "wake": {"at": NOON, "every": "1h"}})
    start, fired = threading.Barrier(2), list[list[str]]()

    def tick() -> None:
        other = wakeful.open(path, clock=clock)
        start.wait(timeout=30)
        fired.append(eids(other.tick().fired))

    threads = [threading.Thread(target=tick) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(fired) == [[], ["e"]]


@case("b:290")
def test_the_oldest_fires_first(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING, now="2026-09-20T08:00:00Z")
    world.put("now", wake={"at": "2026-09-20T09:17:00Z"})
    world.put("past", wake={"at": "2026-09-20T09:00:00Z"})
    assert eids(world.tick("2026-09-20T09:17:00Z").fired) == ["past", "now"]


@case("b:292")
def test_the_earliest_is_always_next(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING)
    now = world.clock.now()
    seen = []
    for eid, wait in (("a", 500), ("b", 600), ("c", 100)):
        at = now + timedelta(milliseconds=wait)
        world.put(eid, wake={"at": at.isoformat()})
        due = world.store.next_due()
        assert due is not None
        seen.append(due - now)
    assert seen == [timedelta(milliseconds=wait) for wait in (500, 500, 100)]


def run_once(store: wakeful.Store) -> None:
    """Let `run` go round once: it is stopped as soon as it has ticked."""
    ticks: list[wakeful.TickReport] = []
    store.run(stop=lambda: bool(ticks), on_tick=ticks.append)


@case("b:293")
def test_a_past_instant_is_due_at_once(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING)
    past = world.clock.now() - timedelta(milliseconds=1)
    world.put("e", wake={"at": past.isoformat()})
    assert world.store.next_due() == past
    run_once(world.store)
    assert world.row("e", "fired")["fired"] == {"at": NOON, "due": "2026-09-26T11:59:59.999Z"}
    assert world.store.next_due() is None


@case("b:294")
def test_a_refused_firing_is_tried_again_ever_later(tmp_path: Path) -> None:
    log = {"properties": {"text": {"type": "string"}, "who": {"type": "string"}}, "required": ["who"]}
    vocab = with_rules(components(plant={}, done={}), logs=".plant, .fired, +!done, +log.text=fired", log=log)
    world = World(tmp_path, vocab, now="2026-09-26T04:00:00Z")
    world.put("e", plant={}, wake={"at": "2026-09-26T05:00:00Z"})
    world.put("other", wake={"at": "2026-09-26T05:00:00Z"})

    report = world.tick("2026-09-26T05:00:00Z")
    assert eids(report.fired) == ["other"]
    (refused,) = report.refused
    assert refused["eid"] == "e"
    assert "log.who" in refused["error"]
    assert report.next_due == instant("2026-09-26T05:01:00Z")
    row = world.row("e", "wake", "fired", "done", "log")
    assert row["wake"]["at"] == "2026-09-26T05:00:00Z"
    assert set(row) == {"entity", "wake"}

    due = instant("2026-09-26T05:01:00Z")
    for times, minutes in enumerate((2, 4, 8, 16, 32, 60, 60), start=2):
        world.clock.set(due - timedelta(microseconds=1))
        assert world.tick().refused == []
        world.clock.set(due)
        (refused,) = world.tick().refused
        (refusal,) = world.store.query(".refusal")
        assert refusal["refusal"]["about"] == "e"
        assert refusal["refusal"]["times"] == times
        due += timedelta(minutes=minutes)
        assert world.store.next_due() == due

    world.put("e", log={"who": "me"})
    world.clock.set(due)
    assert eids(world.tick().fired) == ["e"]
    assert world.store.query(".refusal") == []
    assert world.row("e", "log")["log"] == {"text": "fired", "who": "me"}


class Sleepless(ManualClock):
    """Writes down until when a store would have slept."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.armed: list[datetime | None] = []
        self._enough = 0

    def stop_after(self, sleeps: int) -> None:
        self._enough = len(self.armed) + sleeps

    def stopped(self) -> bool:
        """Whether it has slept as often as that: the `stop` of `run`."""
        return len(self.armed) >= self._enough

    def sleep(self, bell: Any, until: datetime | None) -> None:
        self.armed.append(until)


@case("b:297")
def test_a_store_that_owes_nothing_arms_nothing(tmp_path: Path) -> None:
    clock = Sleepless(instant(NOON))
    store = wakeful.open(":memory:", clock=clock)
    store.deploy(vocab_file(tmp_path, NOTHING))
    for _ in range(7):
        clock.stop_after(1)
        store.run(stop=clock.stopped)
        clock.advance(timedelta(days=1))
    assert clock.armed == [None] * 7
    assert store.next_due() is None
    assert store.tick().fired == []


@case("b:298")
def test_firing_leaves_the_note(tmp_path: Path) -> None:
    world = World(tmp_path, NOTHING, now="2026-09-20T08:00:00Z")
    world.put("e", wake=given("b:298")["given"]["wake"])
    world.tick("2026-09-20T09:00:00Z")
    assert wake_of(world)["note"] == "water me"


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("wake", globals()) == []
