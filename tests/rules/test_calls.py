"""`call` and `args` of a rule: what they read, what they make, and what is said of the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import wakeful
from wakeful_compiler.rules.model import CompiledRule
from wakeful_compiler.vocabulary import check

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
TEXT, REFERENCE, DATE = (
    {"type": "string"},
    {"type": "string", "ref": "entity"},
    {"type": "string", "format": "date-time"},
)


def document(rule: dict[str, Any]) -> dict[str, Any]:
    plant = {"window": TEXT, "height": {"type": "number"}, "leaves": {"type": "integer"}, "keeper": REFERENCE}
    inputs = {
        "plant": REFERENCE, "n": {"type": "number"}, "day": DATE, "text": TEXT, "more": {"type": "object"},
        "tags": {"type": "array"},
    }  # fmt: skip
    act = {"tool": True, "description": "x", "input": inputs, "worker": "/act"}
    return {
        "$defs": {
            "plant": {"properties": {**plant, "bought": DATE, "care": {"type": "object"}}},
            "asked": {},
            "act": act,
            "rule": {"rule": True, "call": "act", **rule},
        }
    }


def compiled(args: dict[str, Any], match: str = "^plant") -> CompiledRule:
    (rule,) = wakeful.load(document({"match": match, "args": args})).rules.all
    return rule


def asked(args: dict[str, Any], row: dict[str, Any] | None = None) -> dict[str, Any]:
    call = compiled(args).call
    assert call is not None
    return call.arguments({"entity": {"eid": "fern"}, **(row or {})}, NOW)


ROW = {
    "plant": {
        "height": 3, "leaves": 4, "window": "south", "bought": "2026-01-31T00:00:00Z", "care": {"a": 1},
        "keeper": "ada",
    }
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({}, {}),
        ({"n": 5.0, "more": {"a": [1.0]}, "tags": []}, {"n": 5, "more": {"a": [1]}, "tags": []}),
        ({"n": None, "text": "x"}, {"text": "x"}),
        ({"day": "in-2-hours"}, {"day": "2026-09-26T14:00:00Z"}),
        ({"day": "2026-09-26T14:00:00+02:00"}, {"day": "2026-09-26T12:00:00Z"}),
        ({"text": "in-2-hours"}, {"text": "in-2-hours"}),
        ({"plant": "=.entity.eid"}, {"plant": "fern"}),
        ({"plant": "=.plant.keeper", "text": "=.plant.keeper"}, {"plant": "ada", "text": "ada"}),
        ({"n": "=.plant.height+1"}, {"n": 4}),
        ({"n": "=.plant.leaves-0.5"}, {"n": 3.5}),
        ({"day": "=.plant.bought+1-month"}, {"day": "2026-02-28T00:00:00Z"}),
        ({"more": "=.plant.care"}, {"more": {"a": 1}}),
        ({"more": {"a": "=.plant.window", "b": ["=.plant.leaves+1", "x"]}}, {"more": {"a": "south", "b": [5, "x"]}}),
        ({"text": "==.plant.window"}, {"text": "=.plant.window"}),
        ({"text": "===.x", "tags": ["==.y"]}, {"text": "==.x", "tags": ["=.y"]}),
        ({"text": "=x"}, {"text": "=x"}),
        ({"text": "=="}, {"text": "=="}),
    ],
)  # fmt: skip
def test_arguments(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert asked(given, ROW) == taken


def test_arguments_that_are_always_the_same_say_so() -> None:
    for args, fixed in (({"n": 1}, True), ({"day": "now"}, False), ({"n": "=.plant.height"}, False)):
        call = compiled(args).call
        assert call is not None
        assert (call.command, call.fixed, call.written) == ("act", fixed, args)


def test_a_copy_asks_for_its_source() -> None:
    rule = compiled({"n": "=.plant.height", "more": {"x": "=.plant.window"}}, ".asked, *asked=null")
    assert {("plant", "height"), ("plant", "window"), ("plant", None)} <= rule.reads
    whole = {"entity": {"eid": "a"}, "asked": {}, **ROW}
    assert rule.matches(whole, NOW)
    for lacking in ("height", "window"):
        assert not rule.matches({**whole, "plant": {**ROW["plant"], lacking: None}}, NOW)


def test_a_copy_of_an_occasion_rule_reads_through_references() -> None:
    rule = compiled({"text": "=.plant.keeper.doc.title"})
    assert rule.beyond == {"doc"}
    others = {"ada": {"entity": {"eid": "ada"}, "doc": {"title": "Ada", "body": None}}}
    assert rule.call is not None
    assert rule.call.arguments(ROW, NOW, others.get) == {"text": "Ada"}


def test_an_instant_off_the_calendar_is_told() -> None:
    with pytest.raises(OverflowError, match=r"args\.day"):
        asked({"day": "=.plant.bought+99-years"}, {"plant": {"bought": "9990-01-01T00:00:00Z"}})


def test_a_rule_that_only_asks_needs_no_mark() -> None:
    assert compiled({}).writes == ()


@pytest.mark.parametrize(
    ("rule", "code", "pointer"),
    [
        ({"match": ".plant"}, "rule-feeds-itself", "match"),
        ({"match": ".plant, .asked, *asked.x=1"}, "unknown-property", "match"),
        ({"match": ".plant, *plant"}, "rule-without-effect", "match"),
        ({"match": "^plant", "args": {"n": "=.plant.window"}}, "type-operand", "args/n"),
        ({"match": "^plant", "args": {"n": "=.plant.hight"}}, "unknown-property", "args/n"),
        ({"match": "^plant", "args": {"n": "=.plnt.height"}}, "unknown-component", "args/n"),
        ({"match": "^plant", "args": {"n": "=.plant"}}, "syntax-", "args/n"),
        ({"match": "^plant", "args": {"n": "=."}}, "rule-args", "args/n"),
        ({"match": "^plant", "args": {"day": "=.plant.bought+x"}}, "syntax-operand", "args/day"),
        ({"match": "^plant", "args": {"n": {"x": "=.plant.height"}}}, "type-args", "args/n"),
        ({"match": "^plant", "args": {"tags": {"x": "=.plant.height"}}}, "type-args", "args/tags"),
        ({"match": "^plant", "args": {"plant": "$fern"}}, "type-args", "args/plant"),
        ({"match": "^plant", "args": {"day": "tomorrow"}}, "type-args", "args/day"),
        ({"match": "^plant", "args": {"text": "a" * 70_000}}, "limit-args", "args"),
        ({"match": ".plant, +!asked", "args": {"text": "=.plant.keeper.doc.title"}}, "rule-hop", "args/text"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(rule: dict[str, Any], code: str, pointer: str) -> None:
    (problem,) = [problem for problem in check(document(rule))[1] if problem.severity == "error"]
    assert problem.code.startswith(code)
    assert problem.pointer == f"/$defs/rule/{pointer}"
    assert problem.message


def test_everything_is_told_at_once() -> None:
    args = {"n": "x", "day": "=.plant.window", "nope": "=.plant.nope", "text": 5}
    _, found = check(document({"match": "^plnt", "args": args}))
    assert {problem.pointer for problem in found} == {
        "/$defs/rule/match", *(f"/$defs/rule/args/{name}" for name in args)
    }  # fmt: skip


def test_a_rule_whose_command_is_broken_is_left_alone() -> None:
    broken = document({"match": "^plant", "args": {"n": 1}})
    del broken["$defs"]["act"]["description"]
    assert [problem.code for problem in check(broken)[1]] == ["vocab-command"]
