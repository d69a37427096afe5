"""The cases of the area `vocab`: what a deploy takes, refuses and keeps, and what types a write must have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import World, components


def refusal(world: World, vocab: dict[str, Any]) -> wakeful.VocabError:
    """The error that deploying this raises."""
    with pytest.raises(wakeful.VocabError) as caught:
        world.deploy(vocab)
    return caught.value


def unknown(world: World, query: str) -> bool:
    """Whether the store's vocabulary lacks what the query names."""
    try:
        world.store.query(query)
    except wakeful.QueryError as error:
        return error.problems[0].code.startswith("unknown-")
    return False


@case("b:236")
def test_an_entry_is_a_component_without_saying_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    report = world.deploy(given("b:236")["given"]["vocab"])
    assert "plant" in report.added
    world.put("fern", plant={"window": "north"})
    assert world.row("fern", "plant")["plant"] == {"window": "north"}


@case("b:237")
def test_a_document_without_defs_is_shown_one(tmp_path: Path) -> None:
    error = refusal(World(tmp_path), given("b:237")["given"]["vocab"])
    assert "JSON Schema" in str(error)
    assert '"$defs"' in str(error)


@case("b:238")
def test_collisions_with_built_in_names_come_together(tmp_path: Path) -> None:
    world = World(tmp_path, components())
    error = refusal(world, {"$defs": given("b:238")["given"]["$defs"]})
    for name in ("call", "fired"):
        assert any(name in problem.message for problem in error.problems)
        assert name in str(error)
    assert unknown(world, ".plant")


@case("b:239")
def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    error = refusal(World(tmp_path), {"$defs": given("b:239")["given"]["$defs"]})
    assert len([problem for problem in error.problems if problem.severity == "error"]) == 3
    text = str(error)
    assert "Bad Name" in text
    assert "eid" in text
    assert "$ref" in text


@case("b:240")
def test_a_property_declares_a_type(tmp_path: Path) -> None:
    (problem,) = refusal(World(tmp_path), {"$defs": given("b:240")["given"]["$defs"]}).problems
    assert "x.c" in problem.message
    assert "type" in problem.message


@case("b:243")
def test_objects_and_arrays_are_not_each_other(tmp_path: Path) -> None:
    world = World(tmp_path, components(recipe={"meta": "object", "tags": "array"}))
    with pytest.raises(wakeful.Refused, match=r"recipe\.meta is an object"):
        world.put("r", recipe={"meta": [1]})
    with pytest.raises(wakeful.Refused, match=r"recipe\.tags is an array"):
        world.put("r", recipe={"tags": {}})
    with pytest.raises(wakeful.Refused):
        world.put("r", recipe={"meta": [1], "tags": {}})
    assert not world.exists("r")
    world.put("r", recipe={"meta": {"a": [1]}, "tags": ["x"]})
    assert world.row("r", "recipe")["recipe"] == {"meta": {"a": [1]}, "tags": ["x"]}


@case("b:244")
def test_a_date_time_is_a_zoned_instant(tmp_path: Path) -> None:
    world = World(tmp_path, components(player={"seen": {"type": "string", "format": "date-time"}}))
    for words in ("someday", "2026-09-20T09:00:00", "2026-09-20"):
        with pytest.raises(wakeful.Refused, match=r"player\.seen is an RFC 3339 instant with a zone|needs a zone"):
            world.put("p", player={"seen": words})
    assert not world.exists("p")


@case("b:247")
def test_nobody_writes_what_the_store_stamps(tmp_path: Path) -> None:
    world = World(tmp_path, components(plant={}))
    world.put("fern", plant={})
    with pytest.raises(wakeful.Refused, match="created is stamped by the store"):
        world.put("fern", created={"at": "2020-01-01T00:00:00Z"})
    stored = world.row("fern", "created")["created"]
    world.put("fern", created=stored)


@case("b:250")
def test_a_property_that_rows_hold_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path, components(note={"text": "string", "by": "string"}))
    world.put("n1", note={"text": "one"})
    world.put("n2", note={"text": "two"})
    report = world.deploy(components(note={"by": "string"}))
    assert any("note.text" in kept for kept in report.kept)
    assert world.row("n1", "note")["note"]["text"] == "one"


@case("b:251")
def test_a_component_that_nothing_holds_is_dropped(tmp_path: Path) -> None:
    world = World(tmp_path, components(jot={}, plant={}))
    report = world.deploy(components(plant={}))
    assert any("jot" in dropped for dropped in report.dropped)
    assert unknown(world, ".jot")


@case("b:252")
def test_a_new_name_without_was_is_a_new_property(tmp_path: Path) -> None:
    world = World(tmp_path, components(recipe={"minutes": "number"}))
    world.put("r", recipe={"minutes": 46})
    world.deploy(components(recipe={"mins": "number"}))
    assert world.row("r", "recipe")["recipe"] == {"minutes": 46, "mins": None}


@case("b:253")
def test_what_is_wrong_with_commands_comes_in_one_message(tmp_path: Path) -> None:
    error = refusal(World(tmp_path), {"$defs": given("b:253")["given"]["tools"]})
    told = [problem.message for problem in error.problems]
    assert len(told) == 4
    for words in ('"screen" is no keyword', "`$who` names no input", '"jog" is not a component'):
        assert any(message.startswith("bad: ") and words in message for message in told)
    assert any(message.startswith("nothing: ") and "does one thing" in message for message in told)


@case("b:254")
def test_an_unset_property_is_null(tmp_path: Path) -> None:
    world = World(tmp_path, {"$defs": given("b:254")["given"]["$defs"]})
    world.put("fern", **given("b:254")["given"]["row"])
    assert world.row("fern", "plant")["plant"] == {"window": None}


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("vocab", globals()) == []
