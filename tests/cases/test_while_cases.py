"""The cases of the area `while`: what decides the next instant, what arms a wake, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import World, components, instant, vocab_file
from wakeful.testing import ManualClock

PLANTS = components(plant={"name": "string"}, doc_note=None)
PLAYERS = components(player={"seen": {"type": "string", "format": "date-time"}})

DAY = "2026-09-26T"


def at(clock: str | None) -> str | None:
    """An instant of the cases' day from the clock time that they name."""
    return None if clock is None else f"{DAY}{clock}:00Z"


def garden(tmp_path: Path, case_id: str, now: str, *plants: str) -> World:
    """The garden of a case: its plants, then its wake as it stands, written at `now`."""
    told = given(case_id)["given"]
    world = World(tmp_path, PLANTS, now=f"{DAY}{now}:00Z")
    for name in plants:
        world.put(name, plant={"name": name})
    world.put("w", wake={"while": told["while"], "at": at(told["at"])})
    return world


def due(world: World, eid: str = "w") -> str | None:
    found: str | None = world.row(eid, "wake")["wake"]["at"]
    return found


@case("b:300")
def test_the_first_entry_that_finds_anything_wins(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:300", "11:00", "fern", "basil")
    assert due(world) == at("11:17")
    assert len(world.tick(at("11:17")).fired) == 1
    assert due(world) == at("11:47")


@case("b:301")
def test_a_duration_keeps_its_phase(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:301", "11:20", "fern", "basil")
    assert due(world) == at("11:47")
    assert len(world.tick(at("14:27")).fired) == 1
    assert due(world) == at("14:47")


@case("b:302")
def test_nothing_found_is_the_last_firing(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:302", "14:30")
    report = world.tick(at("14:47"))
    assert [bundle["wake"]["at"] for bundle in report.fired] == [None]
    assert report.next_due is None
    assert due(world) is None


@case("b:303")
def test_a_write_that_makes_nothing_hold_arms_nothing(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:303", "09:17")
    applied = world.put("e", doc={"title": "Moss"})
    assert [bundle["entity"]["eid"] for bundle in applied.changes] == ["e"]
    assert due(world) is None
    assert world.store.next_due() is None


@case("b:304")
def test_a_write_that_makes_it_hold_arms_it_from_now(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:304", "09:00")
    world.travel(f"{DAY}09:17:00Z")
    applied = world.put("fern", plant={"name": "fern"})
    assert due(world) == at("11:17")
    (armed,) = (bundle for bundle in applied.changes if bundle["entity"]["eid"] == "w")
    assert armed["wake"] == world.row("w", "wake")["wake"]
    assert "updated" not in armed


@case("b:305")
def test_another_write_moves_nothing_later(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:305", "09:17", "fern")
    world.travel(f"{DAY}09:27:00Z")
    world.put("moss", plant={"name": "moss"})
    assert due(world) == at("11:17")


@case("b:306")
def test_a_faster_condition_brings_it_forward(tmp_path: Path) -> None:
    world = garden(tmp_path, "b:306", "09:17", "fern")
    world.travel(f"{DAY}09:27:00Z")
    world.put("basil", plant={"name": "basil"})
    assert due(world) == at("09:57")


def world_of_players(tmp_path: Path, case_id: str) -> World:
    told = given(case_id)["given"]
    world = World(tmp_path, PLAYERS, now="2026-09-26T11:00:00Z")
    world.put("w", wake={"while": told["while"]})
    world.travel("2026-09-26T12:00:00Z")
    return world


@case("b:307")
def test_a_player_who_is_seen_wakes_the_world(tmp_path: Path) -> None:
    world = world_of_players(tmp_path, "b:307")
    world.put("bea", player={"seen": "2026-09-26T12:00:00Z"})
    assert due(world) == "2026-09-26T12:00:30Z"


@case("b:311")
def test_time_alone_checks_nothing(tmp_path: Path) -> None:
    world = world_of_players(tmp_path, "b:311")
    world.put("bea", player={"seen": "2026-09-26T12:00:00Z"})
    world.put("w", wake={"at": None})
    assert world.tick("2026-09-26T12:02:00Z").fired == []
    assert due(world) is None


def refusal(tmp_path: Path, case_id: str) -> wakeful.Refused:
    world = World(tmp_path, PLANTS)
    with pytest.raises(wakeful.Refused) as refused:
        world.put("w", wake=given(case_id)["given"]["write"])
    assert not world.exists("w")
    return refused.value


@case("b:312")
def test_an_entry_needs_a_query_and_a_cadence(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, "b:312").problems
    assert problem.message.startswith(given("b:312")["then"]["refused"])
    assert (problem.code, problem.pointer) == ("type-while", "/wake/while/0")


@case("b:313")
def test_an_unreadable_cadence_is_refused(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, "b:313").problems
    assert problem.message.startswith(given("b:313")["then"]["refused"])
    assert problem.pointer == "/wake/while/0/every"


@case("b:314")
def test_a_query_is_refused_in_its_own_words(tmp_path: Path) -> None:
    error = refusal(tmp_path, "b:314")
    (problem,) = error.problems
    match = given("b:314")["given"]["write"]["while"][0]["match"]
    with pytest.raises(wakeful.QueryError) as own:
        World(tmp_path, PLANTS).store.query(match)
    assert problem.message.endswith(own.value.problems[0].message)
    assert (problem.code, problem.pointer) == (own.value.problems[0].code, "/wake/while/0/match")
    assert f"    {match}\n" in str(error)
    assert "^" in str(error)


@case("b:316")
def test_a_tick_reads_each_condition_once(tmp_path: Path) -> None:
    world = World(tmp_path, PLANTS, now=f"{DAY}09:00:00Z")
    world.put("fern", plant={"name": "fern"})
    for eid, match in (("a", ".plant"), ("b", ".plant.name=fern"), ("c", "name=fern")):
        world.put(eid, wake={"while": [{"match": match, "every": "1h"}]})
    statements: list[str] = []
    connection: Any = world.store._engine._connection()
    connection.set_trace_callback(statements.append)
    report = world.tick(at("10:00"))
    connection.set_trace_callback(None)
    assert len(report.fired) == given("b:316")["given"]["wakes"]
    reads = [place for place, text in enumerate(statements) if text.startswith("SELECT 1\nFROM c_plant")]
    assert len(reads) == given("b:316")["then"]["query reads"]
    writes = [place for place, text in enumerate(statements) if text.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert max(reads) < min(writes)


@case("b:319")
def test_a_pause_does_not_stop_it(tmp_path: Path) -> None:
    world = World(tmp_path, PLANTS, now=f"{DAY}09:00:00Z")
    world.put("fern", plant={"name": "fern"})
    paused = world.put("w", wake=given("b:319")["given"]["wake"])
    assert paused.notes == ["w: not stopped: the next matching write arms it; `wake: null` stops it"]
    assert due(world) is None
    world.put("e", doc={"title": "no plant"})
    assert due(world) is None
    world.put("fern", plant={"name": "Fern"})
    assert due(world) == at("10:00")
    world.put("w", wake={"at": None})
    assert due(world) is None
    world.put("w", wake={"note": "a write of the wake itself"})
    assert due(world) == at("10:00")
    world.put("w", doc={"title": "still here"}, wake=None)
    world.put("fern", plant={"name": "fern"})
    assert "wake" not in world.row("w", "wake")


@case("b:321")
def test_what_another_writer_named_is_kept(tmp_path: Path) -> None:
    clock = ManualClock(instant(f"{DAY}09:00:00Z"))
    first, second = (wakeful.open(tmp_path / "two.db", clock=clock) for _ in range(2))
    first.deploy(vocab_file(tmp_path, PLANTS))
    first.apply({"entity": {"eid": "w"}, "wake": {"while": [{"match": ".plant", "every": "1h"}]}})
    second.apply({"entity": {"eid": "w"}, "wake": {"at": at("09:05")}})
    first.apply({"entity": {"eid": "fern"}, "plant": {"name": "fern"}})
    assert first.due(instant(f"{DAY}09:05:00Z")) == [("w", at("09:05"))]


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("while", globals()) == []
