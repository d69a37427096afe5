"""Marks and clauses of a rule: what is refused, where the caret stands, and what is written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rules.declared import Kinds, accepted, clean, judged, only_rule, refused
from wakeful_compiler.vocab.model import Property

PRICE = Property("shelf", "price", "number", schema={"type": "number", "minimum": 0})
COLOUR = Property("shelf", "colour", "string", schema={"type": "string", "enum": ["red", "blue"]})
CODE = Property("shelf", "code", "string", schema={"type": "string", "pattern": "^[A-Z]+$"})
KINDS: dict[str, Kinds] = {
    "product": {"price": "number", "maker": "reference"},
    "shelf": {
        "aisle": "string",
        "row": "integer",
        "free": "boolean",
        "tags": "array",
        "size": "object",
        "of": "reference",
        "price": PRICE,
        "colour": COLOUR,
        "code": CODE,
    },
}


@pytest.mark.parametrize(
    ("match", "code", "marked"),
    [
        # Marks without effect.
        (".product, *shelf", "rule-without-effect", "*shelf"),
        ("^product", "rule-without-effect", "^product"),
        ("^shelf, .shelf.aisle=Z, *shelf.aisle=Z", "rule-without-effect", "^shelf, .shelf.aisle=Z, *shelf.aisle=Z"),
        ("^shelf, *shelf.aisle=.shelf.aisle", "rule-without-effect", "^shelf, *shelf.aisle=.shelf.aisle"),
        # Names.
        (".prodct, +!shelf", "unknown-component", "prodct"),
        (".product, +!shelve", "unknown-component", "shelve"),
        (".product, +shelve.aisle=Z", "unknown-component", "shelve"),
        (".product, +!shelf, +shelf.aise=Z", "unknown-property", "shelf.aise"),
        (".product.prize>3, +!shelf", "unknown-property", "product.prize"),
        (".product.maker.shelf.aisle=Z, +!shelf", "rule-hop", ".product.maker.shelf.aisle=Z"),
        # What only the store writes.
        (".product, +!created", "rule-writes-stamp", "+!created"),
        (".product, +updated", "rule-writes-stamp", "+updated"),
        (".product, +entity.num=3", "rule-writes-stamp", "+entity.num=3"),
        (".product, *created=null", "rule-writes-stamp", "*created=null"),
        (".product, *updated.by=me", "rule-writes-stamp", "*updated.by=me"),
        ("^created, +!shelf", "rule-writes-stamp", "^created"),
        ("^updated.at, +!shelf", "rule-writes-stamp", "^updated.at"),
        ("^!entity, +!shelf", "rule-writes-stamp", "^!entity"),
        # Values.
        (".product, +!shelf, +shelf.row=x", "type-operand", "x"),
        (".product, +!shelf, +shelf.row=1.5", "type-operand", "1.5"),
        (".product, +!shelf, +shelf.row=9223372036854775808", "type-operand", "9223372036854775808"),
        (".product, +!shelf, +shelf.free=yes", "type-operand", "yes"),
        (".product, +!shelf, +shelf.price=1e999", "type-operand", "1e999"),
        (".product, +!shelf, +shelf.price=-1", "type-operand", "-1"),
        (".product, +!shelf, +shelf.colour=green", "type-operand", "green"),
        (".product, +!shelf, +shelf.code=abc", "type-operand", "abc"),
        (".product, *shelve.aisle=Z", "unknown-component", "shelve"),
        (".product, *shelf.aise=null", "unknown-property", "shelf.aise"),
        (".product, *shelve=null", "unknown-component", "shelve"),
        ("^shelve, +!shelf", "unknown-component", "shelve"),
        ("^product.prize, +!shelf", "unknown-property", "product.prize"),
        ("^product.price>x, +!shelf", "type-operand", "x"),
        ("^!shelve, +!shelf", "unknown-component", "shelve"),
        (".product, +!shelf, +shelf.price=.product.prize", "unknown-property", ".product.prize"[1:]),
        (".product, +!shelf, +shelf.price=.prodct.price", "unknown-component", "prodct.price"),
        (".product, +!shelf, +shelf.aisle=.product.maker.shelf.aisle", "rule-hop", ".product.maker.shelf.aisle"),
        ("^product, .product.price.shelf.aisle=Z, +!shelf", "type-hop", "product.price.shelf.aisle"),
        ("^product, +shelf.aisle=.product.maker.shelf.aise", "unknown-property", "product.maker.shelf.aise"),
        ("^product, +shelf.row=.product.maker.shelf.aisle", "type-operand", ".product.maker.shelf.aisle"),
        (".product, +!shelf, +shelf.tags=x", "type-operand", "+shelf.tags=x"),
        (".product, +!shelf, +shelf.size=x", "type-operand", "+shelf.size=x"),
        (".product, +!shelf, +shelf.aisle=null", "type-operand", "null"),
        (".product, +!wake, +wake.every=@dayly", "schedule-name", "@dayly"),
        ('.product, +!wake, +wake.every="0 0 31 2 *"', "schedule-never", '"0 0 31 2 *"'),
        # Copies.
        (".product, +!shelf, +shelf.row=.product.maker", "type-operand", ".product.maker"),
        (".product, +!shelf, +shelf.aisle=.product.price", "type-operand", ".product.price"),
        (".product, +!shelf, +shelf.free=.shelf.row", "type-operand", ".shelf.row"),
        (".product, +!shelf, +shelf.tags=.shelf.size", "type-operand", ".shelf.size"),
        (".product, +!shelf, +shelf.price=.product.price+7-days", "type-operand", "+7-days"),
        (".product, +!wake, +wake.at=.created.at+7", "type-operand", "+7"),
        (".product, +!wake, +wake.at=.created.at-7-parsecs", "type-operand", "-7-parsecs"),
        ("^product, *shelf.row=.shelf.row+1.5", "type-operand", "+1.5"),
        ("^product, *shelf.aisle=.shelf.aisle+1", "type-operand", "+1"),
        ("^product, *shelf.free=.shelf.free-1", "type-operand", "-1"),
        # The rule as a whole.
        (".product, *shelf.row=1, *shelf=null", "rule-writes-twice", "*shelf=null"),
        (".product, *shelf=null, +shelf", "rule-writes-twice", "+shelf"),
        (".product, *shelf.row=1, *shelf.row=null", "rule-writes-twice", "*shelf.row=null"),
        ("+tombstone", "rule-without-clause", "+tombstone"),
        (".product, +!shelf, +shelf.row=1, +shelf.row=2", "rule-writes-twice", "+shelf.row=2"),
        (".product", "rule-without-effect", ".product"),
        ("+shelf.row=1", "rule-without-clause", "+shelf.row=1"),
    ],
)
def test_a_mistake_is_told_where_it_stands(match: str, code: str, marked: str) -> None:
    told = refused(KINDS, {"it": match})
    assert told.problem.code == code
    assert told.span == told.problem.span
    assert told.place == "match"
    span = told.problem.span
    assert match[span.start : span.end] == marked


def test_every_mistake_of_a_rule_is_told_at_once() -> None:
    _, problems = judged(KINDS, {"it": ".prodct, .shelf.row=x, +!shelve, +shelf.free=yes, +created"})
    assert [told.problem.code for told in problems] == [
        "unknown-component", "type-operand", "unknown-component", "type-operand", "rule-writes-stamp"
    ]  # fmt: skip


def test_a_misspelt_rule_is_told_once_and_the_rest_judged() -> None:
    ruleset, problems = judged(KINDS, {"a": ".product, +!shelve", "b": ".product, +shelf"})
    assert [(told.rule, told.problem.code) for told in problems] == [
        ("a", "unknown-component"), ("b", "rule-feeds-itself")
    ]  # fmt: skip
    assert [rule.name for rule in ruleset.ordered] == ["b"]


@pytest.mark.parametrize(
    ("marks", "output"),
    [
        ("+!shelf", {"shelf": {}}),
        ("+!shelf, +shelf.aisle=Z", {"shelf": {"aisle": "Z"}}),
        ("+shelf.aisle=Z, +!shelf, +shelf", {"shelf": {"aisle": "Z"}}),
        ("+!shelf, +shelf.aisle=7", {"shelf": {"aisle": "7"}}),
        ('+!shelf, +shelf.aisle="null"', {"shelf": {"aisle": "null"}}),
        ('+!shelf, +shelf.aisle=""', {"shelf": {"aisle": ""}}),
        ("+!shelf, +shelf.row=12.0", {"shelf": {"row": 12}}),
        ("+!shelf, +shelf.row=2e1", {"shelf": {"row": 20}}),
        ("+!shelf, +shelf.price=2.5", {"shelf": {"price": 2.5}}),
        ("+!shelf, +shelf.price=2", {"shelf": {"price": 2}}),
        ("+!shelf, +shelf.free=1", {"shelf": {"free": True}}),
        ("+!shelf, +shelf.of=b1", {"shelf": {"of": "b1"}}),
        ("+!shelf, +wake.every=@daily", {"shelf": {}, "wake": {"every": "@daily"}}),
    ],
)
def test_what_is_written_has_its_propertys_type(marks: str, output: dict[str, Any]) -> None:
    written = only_rule(KINDS, f".product, {marks}").output(datetime(2026, 9, 20, tzinfo=UTC))
    assert written == output
    assert repr(written) == repr(output)


@pytest.mark.parametrize(
    ("marks", "output"),
    [
        ("*shelf.aisle=Z", {"shelf": {"aisle": "Z"}}),
        ("*shelf.row=7, *shelf.aisle=null", {"shelf": {"row": 7, "aisle": None}}),
        ("*shelf.tags=null", {"shelf": {"tags": None}}),
        ("*shelf=null, +!wake", {"shelf": None, "wake": {}}),
        ("+tombstone", {}),
        ("+shelf.price=.product.price", {"shelf": {"price": 2.5}}),
        ("+shelf.price=.product.price+1", {"shelf": {"price": 3.5}}),
        ("+shelf.price=.shelf.row-0.5", {"shelf": {"price": 6.5}}),
        ("*shelf.row=.shelf.row+1", {"shelf": {"row": 8}}),
        ("*shelf.row=.product.price-2.5", {"shelf": {"row": 0}}),
        ("*shelf.aisle=.product.maker, *shelf.of=.entity.eid", {"shelf": {"aisle": "m1", "of": "p1"}}),
        ("*shelf.tags=.shelf.tags, *shelf.row=1", {"shelf": {"tags": ["a"], "row": 1}}),
        ("+wake.at=.created.at+90-minutes", {"wake": {"at": "2026-01-31T10:30:00.5Z"}}),
        ("+wake.at=.created.at+1-month", {"wake": {"at": "2026-02-28T09:00:00.5Z"}}),
        ("+wake.at=.created.at-2_weeks", {"wake": {"at": "2026-01-17T09:00:00.5Z"}}),
        ("+wake.at=.created.at+1y", {"wake": {"at": "2027-01-31T09:00:00.5Z"}}),
    ],
)
def test_what_an_occasion_writes(marks: str, output: dict[str, Any]) -> None:
    row = {
        "entity": {"eid": "p1", "num": 1},
        "created": {"at": "2026-01-31T09:00:00.5Z", "by": None},
        "product": {"price": 2.5, "maker": "m1"},
        "shelf": {"aisle": "A", "row": 7, "tags": ["a"]},
    }
    (rule,) = accepted(KINDS, {"it": f"^product, {marks}"}).occasions
    assert rule.matches(row, datetime(2026, 9, 20, tzinfo=UTC))
    assert rule.output(datetime(2026, 9, 20, tzinfo=UTC), row) == output


@pytest.mark.parametrize("missing", [{}, {"shelf": {"row": None}}])
def test_a_copy_implies_its_source(missing: dict[str, Any]) -> None:
    (rule,) = accepted(KINDS, {"it": "^product, +!wake, +product.price=.shelf.row"}).occasions
    assert rule.matches({"product": {}, "shelf": {"row": 1}})
    assert not rule.matches({"product": {}, **missing})
    assert {("shelf", None), ("shelf", "row")} <= rule.reads


@pytest.mark.parametrize("step", ["+9000-years", "-3000-years", "+999999999999-days"])
def test_a_copied_instant_off_the_calendar_overflows(step: str) -> None:
    (rule,) = accepted(KINDS, {"it": f"^product, +wake.at=.created.at{step}"}).occasions
    with pytest.raises(OverflowError, match=r"wake\.at"):
        rule.output(datetime(2026, 9, 20, tzinfo=UTC), {"created": {"at": "2026-01-31T09:00:00Z"}})


def test_an_occasion_reads_through_references() -> None:
    match = "^product, .product.maker.shelf.aisle=Z, +shelf.row=.product.maker.shelf.row+1"
    (rule,) = clean(KINDS, {"it": match}).occasions
    others = {"m1": {"shelf": {"aisle": "Z", "row": 4}}, "m2": {"shelf": {"aisle": "Z"}}}
    for maker, answer in (("m1", True), ("m2", False), ("gone", False), (None, False)):
        row = {"product": {"maker": maker}, "shelf": {"aisle": "A", "row": 1}}
        assert rule.matches(row, None, others.get) is answer
    row = {"product": {"maker": "m1"}}
    assert rule.output(datetime(2026, 9, 20, tzinfo=UTC), row, others.get) == {"shelf": {"row": 5}}
    assert rule.beyond == {"shelf"}


def test_what_lies_behind_a_reference_is_not_the_rows_own() -> None:
    """The two act on one row: that the other row's aisle is not the row's own keeps nothing apart."""
    kinds: dict[str, Kinds] = {"a": {"to": "reference", "v": "string"}, "b": {"v": "string"}}
    for mine, its in ((".a.v=x", ".a.to.a.v=y"), ("!b", ".a.to.b.v=.a.v"), (".a.to=x", ".a.to.a.to=y")):
        if mine == "!b":
            its = ".a.to.b.v=y"
        rules = {"one": f"^a, {mine}, +b.v=one", "two": f"^a, {its}, +b.v=two"}
        assert refused(kinds, rules).problem.code == "rule-conflict"


def test_a_star_reads_presence_and_writes_what_is_there() -> None:
    rules = accepted(KINDS, {"a": ".product, *shelf.aisle=Z, .shelf.aisle!=Z", "b": "^product, *shelf=null"})
    (star,), (removes,) = rules.ordered, rules.occasions
    assert star.reads == {("product", None), ("shelf", None), ("shelf", "aisle")}
    assert star.writes_set == {("shelf", "aisle")}
    assert not star.matches({"product": {}})
    assert removes.writes_set == {("shelf", None), *(("shelf", name) for name in KINDS["shelf"])}


@pytest.mark.parametrize(
    ("match", "marked"),
    [
        ("^product, +!shelf", "+!shelf"),
        (".product, +shelf.row=1", "+shelf.row=1"),
        (".product, *shelf=null", "*shelf=null"),
        (".product, +tombstone", "+tombstone"),
    ],
)
def test_a_rule_that_refuses_writes_nothing(match: str, marked: str) -> None:
    told = refused(KINDS, {"it": match}, refusing=["it"])
    assert told.problem.code == "rule-refuse-writes"
    assert match[told.problem.span.start : told.problem.span.end] == marked


def test_a_rule_that_refuses_needs_no_mark() -> None:
    rules = clean(KINDS, {"a": ".product.price<0", "b": "^shelf.row>5, .product"}, refusing=["a", "b"])
    assert [rule.name for rule in rules.refusals] == ["a", "b"]
    assert rules.refusals[0].refuse == "no"
    assert refused(KINDS, {"it": ".product.maker.shelf.row=1"}, refusing=["it"]).problem.code == "rule-hop"


def test_a_bare_property_is_one_of_a_component_that_the_match_names() -> None:
    kinds: dict[str, Kinds] = {"a": {"status": "string"}, "b": {"status": "string"}, "done": {}}
    assert ("b", "status") in only_rule(kinds, ".b, status=open, +!done").reads


def test_the_match_is_a_plain_function_of_a_row() -> None:
    rule = only_rule(KINDS, ".product.price>=5, +!shelf")
    assert rule.matches({"product": {"price": 5}}, None)
    assert not rule.matches({"product": {"price": 5}, "shelf": {}}, None)
    assert rule.matches is rule.matches


def test_a_rule_that_waits_on_time_is_given_a_now() -> None:
    rule = only_rule(KINDS, ".wake.at<1-hour-ago, +!shelf")
    now = datetime(2026, 9, 20, 9, tzinfo=UTC)
    assert rule.matches({"wake": {"at": "2026-09-20T07:59:59Z"}}, now)
    assert not rule.matches({"wake": {"at": "2026-09-20T08:00:00Z"}}, now)


def test_the_gardens_rule() -> None:
    kinds: dict[str, Kinds] = {"plant": {"window": "string"}, "watered": {"by": "string"}}
    (rule,) = accepted(kinds, {"waters": ".plant, .wake, .fired, +!watered, +watered.by=wake"}).ordered
    assert rule.output(datetime(2026, 9, 20, tzinfo=UTC)) == {"watered": {"by": "wake"}}
    assert rule.components == {"plant", "wake", "fired", "watered"}
