"""The cases of the area `apply`: patches, aliases, references, deletions, stamps, dry runs."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import World, components, instant

BOOKS = components(book={"pages": "integer", "status": "string"})
LINKS = components(
    comment={"target": {"type": "string", "ref": "entity"}}, link={"to": {"type": "string", "ref": "entity"}}
)


def batch(case_id: str) -> list[Any]:
    """The bundles that the case applies."""
    bundles = given(case_id)["given"]["batch"]
    assert isinstance(bundles, list)
    return bundles


@case("b:256")
def test_a_patch_leaves_the_rest(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    world.put("b1", book={"pages": 412, "status": "stocked"})
    world.put("b1", book={"pages": 500})
    assert world.row("b1", "book")["book"] == {"pages": 500, "status": "stocked"}


@case("b:258")
def test_null_removes_a_component_and_no_other(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    world.put("b1", doc={"title": "Dune"}, book={"pages": 1})
    world.put("b1", book=None)
    row = world.row("b1", "book", "doc")
    assert "book" not in row
    assert row["doc"]["title"] == "Dune"


@case("b:259")
def test_an_alias_is_a_fresh_entity(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    applied = world.store.apply(batch("b:259"))
    eid = applied.aliases["$n"]
    assert uuid.UUID(eid).version == 7
    row = world.row(eid, "created", "updated")
    assert instant(row["created"]["at"]) == world.clock.now()
    assert "updated" not in row


@case("b:260")
def test_an_alias_may_stand_where_an_eid_does(tmp_path: Path) -> None:
    world = World(tmp_path, LINKS)
    aliases = world.store.apply(batch("b:260")).aliases
    assert world.row(aliases["$n"], "comment")["comment"]["target"] == aliases["$c"]


@case("b:262")
def test_two_new_rows_may_refer_to_each_other(tmp_path: Path) -> None:
    world = World(tmp_path, LINKS)
    aliases = world.store.apply(batch("b:262")).aliases
    assert world.row(aliases["$a"], "link")["link"]["to"] == aliases["$b"]
    assert world.row(aliases["$b"], "link")["link"]["to"] == aliases["$a"]


@case("b:263")
def test_a_bundle_without_an_entity_is_a_new_one(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    first, second = world.store.apply(batch("b:263")).changes
    assert first["entity"]["eid"] == "b1"
    assert uuid.UUID(second["entity"]["eid"]).version == 7
    assert world.row(second["entity"]["eid"], "doc")["doc"]["title"] == "no entity"


@case("b:270")
def test_a_reference_is_cleared_when_its_target_goes(tmp_path: Path) -> None:
    publisher = {"type": "string", "ref": "publisher", "death": "detach"}
    world = World(tmp_path, components(book={"pages": "integer", "publisher": publisher}, publisher={}))
    world.put("p1", publisher={})
    world.put("b1", book={"pages": 412, "publisher": "p1"})
    world.put("p1", tombstone={})
    assert world.row("b1", "book")["book"] == {"pages": 412, "publisher": None}


@case("b:271")
def test_stamps_say_who_and_when(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS, now="2026-01-01T00:00:00Z")
    world.store.apply({"entity": {"eid": "b1"}, "book": {"pages": 1}}, by="me")
    world.travel("2026-01-02T00:00:00Z")
    world.store.apply({"entity": {"eid": "b1"}, "book": {"pages": 2}}, by="you")
    row = world.row("b1", "created", "updated")
    assert row["created"] == {"at": "2026-01-01T00:00:00Z", "by": "me"}
    assert row["updated"] == {"at": "2026-01-02T00:00:00Z", "by": "you"}


@case("b:274")
def test_a_deletion_stands_alone(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    world.put("e1", doc={"title": "before"})
    with pytest.raises(wakeful.Refused):
        world.store.apply(batch("b:274"))
    assert world.row("e1", "doc")["doc"]["title"] == "before"
    world.put("e1", tombstone={})
    assert not world.exists("e1")
    with pytest.raises(wakeful.Refused):
        world.put("e1", doc={"title": "after"})


@case("b:275")
def test_nothing_lies_behind_an_alias_to_delete(tmp_path: Path) -> None:
    with pytest.raises(wakeful.Refused):
        World(tmp_path, BOOKS).store.apply(batch("b:275"))


@case("b:276")
def test_a_dry_run_answers_and_keeps_nothing(tmp_path: Path) -> None:
    world = World(tmp_path, BOOKS)
    bundle = {"entity": {"eid": "b1"}, "book": {"pages": 3}, "wake": {"at": "2026-09-27T00:00:00Z"}}
    (dry,) = world.store.apply(bundle, dry_run=True).changes
    assert dry["book"] == {"pages": 3, "status": None}
    assert not world.exists("b1")
    assert world.store.next_due() is None
    (real,) = world.store.apply(bundle).changes
    assert real["book"] == dry["book"]
    assert real["wake"] == dry["wake"]


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("apply", globals()) == []
