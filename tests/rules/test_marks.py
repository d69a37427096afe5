"""Marks and clauses of a rule: what is refused, where the caret stands, and what is written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rules.declared import Kinds, accepted, judged, only_rule, refused
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
        # Marks of later versions.
        (".product, *product.price=3", "limit-not-yet", "*product.price=3"),
        (".product, *shelf=null", "limit-not-yet", "*shelf=null"),
        (".product, *shelf", "limit-not-yet", "*shelf"),
        (".product, +tombstone", "limit-not-yet", "+tombstone"),
        ("^product, +!shelf", "limit-not-yet", "^product"),
        ("^product.price>5, +!shelf", "limit-not-yet", "^product.price>5"),
        ("^!product, +!shelf", "limit-not-yet", "^!product"),
        (".product, +!shelf, +shelf.price=.product.price", "limit-not-yet", ".product.price"),
        (".product, +!shelf, +shelf.price=.product.price+1", "limit-not-yet", ".product.price+1"),
        (".product, +!call", "limit-not-yet", "+!call"),
        (".product, +!tool, +tool.name=x", "limit-not-yet", "+!tool"),
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
        # Values.
        (".product, +!shelf, +shelf.row=x", "type-operand", "x"),
        (".product, +!shelf, +shelf.row=1.5", "type-operand", "1.5"),
        (".product, +!shelf, +shelf.row=9223372036854775808", "type-operand", "9223372036854775808"),
        (".product, +!shelf, +shelf.free=yes", "type-operand", "yes"),
        (".product, +!shelf, +shelf.price=1e999", "type-operand", "1e999"),
        (".product, +!shelf, +shelf.price=-1", "type-operand", "-1"),
        (".product, +!shelf, +shelf.colour=green", "type-operand", "green"),
        (".product, +!shelf, +shelf.code=abc", "type-operand", "abc"),
        (".product, +!shelf, +shelf.tags=x", "type-operand", "+shelf.tags=x"),
        (".product, +!shelf, +shelf.size=x", "type-operand", "+shelf.size=x"),
        (".product, +!shelf, +shelf.aisle=null", "type-operand", "null"),
        (".product, +!wake, +wake.every=@dayly", "schedule-name", "@dayly"),
        ('.product, +!wake, +wake.every="0 0 31 2 *"', "schedule-never", '"0 0 31 2 *"'),
        # The rule as a whole.
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
