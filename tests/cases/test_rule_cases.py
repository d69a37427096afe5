"""The cases of the area `rule`: what a rule writes, when, in which order, and what is no rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import World, components, with_rules

PLANTS = components(plant={"window": "string"}, watered={"by": "string"})
SHOP = components(product={"price": "number"}, shelf={"aisle": "string"})
INVOICES = components(invoice={}, paid={}, receipt={})

# Neither rule of a pair reads what the other writes, so the tag that stays tells which of the two ran last.
TAGS = components(product={}, done_a={}, done_z={}, tag={"by": "string"})
TAG_A = ".product, +!done_a, +tag.by=a"
TAG_Z = ".product, +!done_z, +tag.by=z"


def mistake(folder: Path, vocab: dict[str, Any]) -> wakeful.VocabError:
    """The error that deploying this vocabulary raises."""
    with pytest.raises(wakeful.VocabError) as caught:
        World(folder, vocab)
    return caught.value


def watered_fern(folder: Path) -> World:
    """A garden whose fern was watered by its wake on 20 September at nine."""
    world = World(folder, with_rules(PLANTS, waters=given("b:214")["given"]["match"]), now="2026-09-20T08:00:00Z")
    world.put("fern", plant={}, wake={"at": "2026-09-20T09:00:00Z"})
    world.tick("2026-09-20T09:00:00Z")
    assert world.row("fern", "watered")["watered"] == {"by": "wake"}
    return world


@case("b:214")
def test_a_closed_gate_keeps_a_later_write_from_acting(tmp_path: Path) -> None:
    world = watered_fern(tmp_path)
    world.put("fern", watered={"by": "hand"})
    (changed,) = world.put("fern", plant={"window": "south"}).changes
    assert "watered" not in changed
    assert world.row("fern", "watered")["watered"] == {"by": "hand"}


@case("b:215")
def test_a_state_rule_closes_its_gate_again(tmp_path: Path) -> None:
    world = watered_fern(tmp_path)
    world.put("fern", watered=None)
    assert world.row("fern", "watered")["watered"] == {"by": "wake"}


@case("b:216")
def test_a_rule_acts_on_a_plain_write(tmp_path: Path) -> None:
    world = World(tmp_path, with_rules(SHOP, shelve=given("b:216")["given"]["match"]))
    (changed,) = world.put("p1", product={"price": 9}).changes
    assert changed["shelf"] == {"aisle": "Z"}
    assert world.row("p1", "shelf")["shelf"] == {"aisle": "Z"}


@case("b:217")
def test_a_rule_acts_on_every_row_of_an_apply(tmp_path: Path) -> None:
    world = World(tmp_path, with_rules(SHOP, shelve=given("b:217")["given"]["match"]))
    applied = world.store.apply([{"entity": {"eid": eid}, "product": {"price": 9}} for eid in ("p1", "p2")])
    assert [changed["shelf"] for changed in applied.changes] == [{"aisle": "Z"}] * 2
    assert [row["entity"]["eid"] for row in world.store.query(".shelf.aisle=Z")] == ["p1", "p2"]


@case("b:218")
def test_one_rule_sets_off_the_next_in_the_same_apply(tmp_path: Path) -> None:
    world = World(tmp_path, with_rules(components(product={"status": "string"}, shelf={"aisle": "string"}),
                                       **given("b:218")["given"]["rules"]))  # fmt: skip
    (changed,) = world.put("p1", product={}).changes
    assert changed["shelf"] == {"aisle": "Z"}
    assert changed["product"] == {"status": "live"}
    assert world.row("p1", "product")["product"] == {"status": "live"}


@case("b:220")
def test_an_ungated_rule_is_refused_with_its_mends(tmp_path: Path) -> None:
    match = given("b:220")["given"]["match"].removesuffix(" (ungated)")
    (problem,) = mistake(tmp_path, with_rules(PLANTS, floods=match)).problems
    assert problem.code == "rule-feeds-itself"
    assert "floods" in problem.message
    assert "once: add `+!watered`" in problem.hint
    assert "on each firing: add `^fired`" in problem.hint
    assert "whenever it differs: add `.watered.by!=wake`" in problem.hint
    for mend in ("+!watered", "^fired", ".watered.by!=wake"):
        World(tmp_path, with_rules(PLANTS, floods=f"{match}, {mend}"))


@case("b:223")
def test_a_mark_on_the_result_of_a_call_writes_a_number(tmp_path: Path) -> None:
    world = World(tmp_path, with_rules(PLANTS, times=given("b:223")["given"]["match"]))
    world.put("c", call={"to": "nobody"})
    (ms,) = [row["result"]["ms"] for row in world.store.query(".result.ms=12")]
    assert ms == 12
    assert not isinstance(ms, str)


@case("b:224")
@pytest.mark.parametrize("declared", [("a", "z"), ("z", "a")])
def test_rules_that_do_not_concern_each_other_run_by_name(tmp_path: Path, declared: tuple[str, str]) -> None:
    matches = {"a": TAG_A, "z": TAG_Z}
    world = World(tmp_path, with_rules(TAGS, **{name: matches[name] for name in declared}))
    world.put("p", product={})
    assert world.row("p", "tag")["tag"] == {"by": "z"}


@case("b:225")
def test_before_goes_before_the_name(tmp_path: Path) -> None:
    first = {"rule": True, "match": TAG_Z, "before": ["a"]}
    world = World(tmp_path, with_rules(TAGS, a=TAG_A, z=first))
    world.put("p", product={})
    assert world.row("p", "tag")["tag"] == {"by": "a"}


@case("b:226")
def test_before_in_a_circle_is_refused(tmp_path: Path) -> None:
    error = mistake(
        tmp_path,
        with_rules(
            TAGS,
            a={"rule": True, "match": TAG_A, "before": ["b"]},
            b={"rule": True, "match": TAG_Z, "before": ["a"]},
        ),
    )
    assert [problem.code for problem in error.problems] == ["rule-before-order"]
    assert "circle" in str(error)


@case("b:227")
def test_a_rule_cannot_write_what_was_never_declared(tmp_path: Path) -> None:
    error = mistake(tmp_path, with_rules(components(book={}), reads=".book, +!nonesuch"))
    (problem,) = error.problems
    assert problem.code == "unknown-component"
    assert "nonesuch" in problem.message


@case("b:228")
def test_a_rule_declares_a_match(tmp_path: Path) -> None:
    (problem,) = mistake(tmp_path, with_rules(PLANTS, empty=given("b:228")["given"]["entry"])).problems
    assert "empty" in problem.message
    assert "declares no match" in problem.message


@case("b:229")
def test_a_rule_is_no_component(tmp_path: Path) -> None:
    entry = {**given("b:229")["given"]["entry"], "match": ".plant, +!watered"}
    assert "component" in str(mistake(tmp_path, with_rules(PLANTS, both=entry)))


@case("b:230")
def test_a_rule_has_no_unknown_keyword(tmp_path: Path) -> None:
    entry = {**given("b:230")["given"]["entry"], "match": ".plant, +!watered"}
    assert "noun" in str(mistake(tmp_path, with_rules(PLANTS, named=entry)))


@case("b:231")
def test_a_bare_word_is_no_clause_of_a_rule(tmp_path: Path) -> None:
    (problem,) = mistake(tmp_path, with_rules(PLANTS, waters=given("b:231")["given"]["match"])).problems
    assert "thirsty" in str(problem)
    assert "bare-word" in problem.code


@case("b:233")
def test_a_rule_needs_no_wake(tmp_path: Path) -> None:
    world = World(tmp_path, with_rules(INVOICES, receipts=given("b:233")["given"]["match"]))
    world.put("i1", invoice={})
    assert "receipt" not in world.row("i1", "receipt")
    world.put("i1", paid={})
    assert world.row("i1", "receipt")["receipt"] == {}


@case("b:234")
def test_deploying_a_rule_touches_no_row(tmp_path: Path) -> None:
    world = World(tmp_path, INVOICES)
    world.put("i1", invoice={}, paid={})
    world.deploy(with_rules(INVOICES, receipts=given("b:234")["given"]["match"]))
    assert "receipt" not in world.row("i1", "receipt")
    world.put("i1", invoice=None)
    world.put("i1", invoice={})
    assert world.row("i1", "receipt")["receipt"] == {}


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("rule", globals()) == []
