"""What a command may declare, and what is said of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from vocab.checking import check, marked
from wakeful_compiler.vocab.model import Retry
from wakeful_compiler.vocab.source import read_text
from wakeful_compiler.vocabulary import check_source
from wakeful_grammar.problems import Problem

PARTS: dict[str, Any] = {
    "plant": {
        "properties": {
            "window": {"type": "string", "enum": ["north", "south"]},
            "height": {"type": "number", "minimum": 0},
            "leaves": {"type": "integer"},
            "edible": {"type": "boolean"},
            "bought": {"type": "string", "format": "date-time"},
            "keeper": {"type": "string", "ref": "person"},
            "care": {"type": "object"},
            "tags": {"type": "array"},
        }
    },
    "person": {"properties": {"name": {"type": "string"}}},
}
INPUT: dict[str, Any] = {
    "name": {"type": "string"},
    "size": {"type": "number"},
    "count_of": {"type": "integer"},
    "flag": {"type": "boolean"},
    "day": {"type": "string", "format": "date-time"},
    "more": {"type": "object"},
}


def document(**command: Any) -> dict[str, Any]:
    return {"$defs": {**PARTS, "act": {"tool": True, "description": "x", **command}}}


def found(**command: Any) -> list[Problem]:
    return check(document(**command))[1]


def errors(**command: Any) -> list[Problem]:
    return [problem for problem in found(**command) if problem.severity == "error"]


def warnings(**command: Any) -> list[str]:
    return [problem.code for problem in found(**command) if problem.severity == "warning"]


GOOD: list[dict[str, Any]] = [
    {"apply": {}},
    {"apply": {"plant": {}}},
    {"apply": {"plant": None, "entity": {"eid": "$name"}}},
    {"apply": {"plant": {"window": "north", "height": 3, "bought": "now", "care": {"a": [1]}, "tags": ["$$"]}}},
    {"apply": {"plant": {"bought": "in-3-days"}, "wake": {"at": "2-days-ago", "every": "1d", "note": "$name!"}}},
    {"apply": {"plant": {"height": "$size", "leaves": "$count_of", "edible": "$flag", "bought": "$day"}}},
    {"apply": {"plant": {"height": "$count_of", "leaves": "$size", "bought": "in-$name", "window": "$name"}}},
    {"apply": {"plant": {"care": "$more", "tags": ["$name", {"a": "$size"}]}}},
    {"apply": [{"entity": {"eid": "$p"}, "person": {"name": "Ada $$5"}}, {"plant": {"keeper": "$p"}}]},
    {"apply": {"plant": {"keeper": {"person": {"name": "$name"}}}}},
    {"apply": {"plant": {"keeper": {"entity": {"eid": "$deep"}, "person": {}}}, "wake": {"target": "$deep"}}},
    {"apply": {"entity": {"eid": "$name"}, "tombstone": {}}},
    {"apply": {"entity": {"eid": "fern"}, "$was": {"plant": {"window": "$name"}}, "plant": {"height": None}}},
    {"apply": {"$absent": ["plant"], "plant": {}}},
    {"apply": {"call": {"to": "other", "args": {"name": "$name"}}}},
    {"query": ".plant"},
    {"query": "*"},
    {"query": ".plant&.created.at>=$day"},
    {"query": ".plant.window=$name,north, .plant.height=$size..10 .plant.bought!=$name .plant.edible=$flag"},
    {"query": ".plant.height=10...$size | .plant.leaves<$count_of | !person"},
    {"query": '.doc.title~="a $name", .doc.body="$$5", .plant.bought>=$name-days-ago, .plant.keeper=$name'},
    {"query": ".window=$name .order=-plant.height .limit=3 .after=$name"},
    {"query": ".plant.bought=2026-01-01..$day"},
    {"query": ".plant.keeper.person.name=$name .tally=plant.window"},
    {"worker": "/"},
    {"worker": "/a/b-c_d/9"},
    {"worker": "/tick", "retry": {"attempts": 5, "base": "4s", "cap": "1m"}, "timeout": 2.5, "overlap": "skip"},
    {"worker": "/tick", "retry": {"attempts": 1}, "timeout": "1m30s", "overlap": "queue", "keep": {"days": 30}},
]


@pytest.mark.parametrize("command", GOOD, ids=json.dumps)
def test_good_commands(command: dict[str, Any]) -> None:
    declared, problems = check(document(input=INPUT, **command))
    assert [problem.message for problem in problems if problem.severity == "error"] == []
    assert list(declared.commands) == ["act"]
    assert "act" not in declared.components


def test_what_a_command_declares() -> None:
    retry = {"attempts": 5, "base": "4s", "cap": 60}
    declared, _ = check(
        document(input=INPUT, required=["name"], worker="/tick", retry=retry, timeout="2s", keep={"days": 7})
    )
    command = declared.commands["act"]
    assert (command.does, command.template, command.required) == ("worker", "/tick", ("name",))
    assert list(command.inputs) == list(INPUT)
    assert command.inputs["day"].kind == "instant"
    assert command.retry == Retry(5, 4.0, 60.0)
    assert (command.timeout, command.overlap, command.keep_days) == (2.0, "queue", 7)


BAD: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "vocab-command", "this one has none", '"act"'),
    ({"apply": {}, "query": ".plant"}, "vocab-command", "does one thing", '"query"'),
    ({"description": "", "apply": {}}, "vocab-command", "has no description", '"act"'),
    ({"description": 5, "apply": {}}, "vocab-keyword", "`description` is text", "5"),
    ({"apply": {}, "screen": "i"}, "unknown-keyword", '"screen" is no keyword of a command', '"screen"'),
    ({"apply": {}, "inputs": {}}, "unknown-keyword", '"inputs"', '"inputs"'),
    ({"apply": {}, "input": []}, "vocab-keyword", "`input` is an object", '"input"'),
    ({"apply": {}, "input": {"Name": {"type": "string"}}}, "vocab-name", '"Name"', '"Name"'),
    ({"apply": {}, "input": {"wake": {"type": "string"}}}, "vocab-name-taken", "act.wake", '"wake"'),
    ({"apply": {}, "input": {"x": {}}}, "vocab-type-missing", "act.x", '"x"'),
    (
        {"apply": {}, "input": {"x": {"type": "string", "index": True}}},
        "vocab-keyword-misplaced",
        "not stored",
        '"index"',
    ),
    ({"apply": {}, "required": "x"}, "vocab-keyword", "`required` is a list of inputs", '"x"'),
    ({"apply": {}, "required": ["nam"]}, "unknown-input", '"nam", which is no input', '"nam"'),
    ({"apply": []}, "vocab-template", "empty list", '"apply"'),
    ({"apply": "$more"}, "type-bundle", "a bundle is an object", '"$more"'),
    ({"apply": [5]}, "type-bundle", "a bundle is an object", "5"),
    ({"apply": {"plnt": {}}}, "unknown-component", '"plnt" is not a component', '"plnt"'),
    ({"apply": {"plant": {"windw": "x"}}}, "unknown-property", "`plant` has no property", '"windw"'),
    ({"apply": {"plant": "$more"}}, "type-component", "an object of its properties", '"$more"'),
    ({"apply": {"plant": {"window": "east"}}}, "type-property", "plant.window is one of", '"east"'),
    ({"apply": {"plant": {"height": -1}}}, "type-property", "plant.height", "-1"),
    ({"apply": {"plant": {"bought": "today"}}}, "type-property", "RFC 3339", '"today"'),
    ({"apply": {"plant": {"height": "$name"}}}, "type-input", "the input `$name` a string", '"$name"'),
    ({"apply": {"plant": {"edible": "$size"}}}, "type-input", "a boolean", '"$size"'),
    ({"apply": {"plant": {"height": "1$size"}}}, "type-input", "is text", '"1$size"'),
    ({"apply": {"plant": {"care": "$name"}}}, "type-input", "an object", '"$name"'),
    ({"apply": {"plant": {"window": "$nam"}}}, "unknown-input", "`$nam` names no input", "$nam"),
    ({"apply": {"plant": {"care": {"a": ["$nam"]}}}}, "unknown-input", "`$nam`", "$nam"),
    ({"apply": {"plant": {"keeper": "$zz"}}}, "unknown-input", "alias", "$zz"),
    ({"apply": {"doc": {"title": "costs $5"}}}, "vocab-dollar", "names nothing", "$"),
    ({"apply": {"doc": {"title": "hi {{ name }}"}}}, "vocab-hole", "no hole here", "{{ name }}"),
    ({"query": ".doc.title={{name}}"}, "vocab-hole", "no hole here", "{{name}}"),
    ({"apply": {"created": {"at": "now"}}}, "vocab-stamp", "stamped by the store", '"created"'),
    ({"apply": {"entity": {"num": 5}}}, "vocab-stamp", "stamped", '"num"'),
    ({"apply": {"entity": {"edi": 5}}}, "unknown-property", "`entity`", '"edi"'),
    ({"apply": {"entity": {"eid": 5}}}, "type-eid", "an eid is text", "5"),
    ({"apply": {"entity": 5}}, "type-bundle", "`entity` is an object", "5"),
    ({"apply": {"tombstone": {}}}, "vocab-tombstone", "nothing to delete", '"apply"'),
    ({"apply": {"entity": {"eid": "a"}, "tombstone": 1}}, "type-bundle", "empty object", "1"),
    ({"apply": {"entity": {"eid": "a", "tombstone": {}}, "plant": {}}}, "vocab-tombstone", "a dead entity", '"apply"'),
    ({"apply": {"wake": {"every": "1dd"}}}, "schedule-duration", "wake.every", ""),
    ({"apply": {"wake": {"every": "0 0 31 2 *"}}}, "schedule-never", "no date", "0 0 31 2 *"),
    ({"apply": {"$was": {}}}, "type-bundle", "`$was`", '"$was"'),
    ({"apply": {"$was": {"plnt": None}}}, "unknown-component", "plnt", '"plnt"'),
    ({"apply": {"$absent": []}}, "type-bundle", "`$absent`", '"$absent"'),
    ({"query": 5}, "vocab-keyword", "`query` is text", "5"),
    ({"query": ""}, "vocab-template", "selects nothing", '""'),
    ({"query": ".plnt"}, "unknown-component", "plnt", "plnt"),
    ({"query": ".plant.height=$name"}, "type-input", "`plant.height` is a number", "$name"),
    ({"query": ".plant.keeper.person.name=$more"}, "type-input", "an object", "$more"),
    ({"query": ".plant.height=$nme"}, "unknown-input", "`$nme`", "$nme"),
    ({"query": '.plant.height="1$size"'}, "type-input", "text with an input", r"\"1$size\""),
    ({"query": ".plant.height=5..$size, .plant.edible<1"}, "type-operand", "no order", ".plant.edible<1"),
    ({"query": ".plant .limit=$size"}, "syntax-directive-value", "`.limit`", "$size"),
    ({"query": ".plant .order=$name"}, "syntax-", "", ""),
    ({"query": "$name"}, "syntax-", "", ""),
    ({"query": ".plant.window=$5"}, "vocab-dollar", "names nothing", "$"),
    ({"worker": "/../other"}, "vocab-worker-path", "absolute path", '"/../other"'),
    ({"worker": "tick"}, "vocab-worker-path", "absolute path", '"tick"'),
    ({"worker": "//host/a"}, "vocab-worker-path", "absolute path", '"//host/a"'),
    ({"worker": "https://a.b/c"}, "vocab-worker-path", "absolute path", '"https://a.b/c"'),
    ({"worker": "/a", "retry": 5}, "vocab-keyword", "`retry` is an object", "5"),
    ({"worker": "/a", "retry": {}}, "vocab-keyword", "must be there", '"retry"'),
    ({"worker": "/a", "retry": {"attempts": 0}}, "vocab-keyword", "from 1 to 100", "0"),
    ({"worker": "/a", "retry": {"attempts": 2, "bas": 1}}, "unknown-keyword", '"bas"', '"bas"'),
    ({"worker": "/a", "retry": {"attempts": 2, "base": 9, "cap": 3}}, "vocab-keyword", "shorter than", "3"),
    ({"worker": "/a", "timeout": "5 seconds"}, "vocab-keyword", "a length of time", '"5 seconds"'),
    ({"worker": "/a", "timeout": 0}, "vocab-keyword", "a length of time", "0"),
    ({"worker": "/a", "timeout": True}, "vocab-keyword", "a length of time", "true"),
    ({"worker": "/a", "overlap": "skp"}, "vocab-keyword", '"queue" or "skip"', '"skp"'),
    ({"worker": "/a", "keep": 30}, "vocab-keyword", "`keep` is an object", "30"),
    ({"worker": "/a", "keep": {"days": 0}}, "vocab-keyword", "`days` is a whole number", "0"),
]


@pytest.mark.parametrize(("command", "code", "words", "place"), BAD)
def test_bad_commands(command: dict[str, Any], code: str, words: str, place: str) -> None:
    [problem] = errors(**{"input": INPUT, **command})
    assert problem.code.startswith(code)
    assert "act" in problem.message
    assert words in problem.message
    assert problem.hint
    if place:
        assert marked(problem) == place


def test_the_fixes_of_a_template_are_text_of_the_file() -> None:
    for command, mended in (
        ({"apply": {"doc": {"title": 'say "$nam"'}}}, 'say "$name"'),
        ({"apply": {"doc": {"title": "{{name}}\n"}}}, "$name\n"),
        ({"apply": {"doc": {"title": "$5"}}}, "$$5"),
    ):
        given_document = document(input=INPUT, **command)
        text = json.dumps(given_document)
        (problem,) = (p for p in check_source(read_text(text))[1] if p.severity == "error")
        assert problem.fix is not None
        text = text[: problem.span.start] + problem.fix + text[problem.span.end :]
        assert json.loads(text)["$defs"]["act"]["apply"]["doc"]["title"] == mended


def test_everything_is_found_at_once() -> None:
    codes = [problem.code for problem in errors(apply=[{"plnt": {"a": "$x"}}, {"plant": {"height": "{{y}}"}}], scren=1)]
    assert sorted(codes) == ["unknown-component", "unknown-input", "unknown-keyword", "vocab-hole"]


def test_what_mentions_a_broken_entry_is_not_said_again() -> None:
    for command in (
        {"apply": {"bad": {"a": 1}, "half": {"b": 2}}},
        {"query": ".bad .half.b=3"},
        {"query": "b=3"},
        {"input": {"x": {"type": "strng"}}, "apply": {"doc": {"title": "$x"}}, "required": ["x"]},
    ):
        document = {
            "$defs": {
                "bad": {"properties": 5, "tool": False},
                "half": {"properties": {"b": {}}},
                "act": {"tool": True, "description": "x", **command},
            }
        }
        codes = [problem.code for problem in check(document)[1]]
        assert set(codes) <= {"vocab-kind", "vocab-type-missing", "unknown-type"}, command


def test_warnings() -> None:
    assert warnings(input=INPUT, required=list(INPUT), worker="/a") == []
    one = {"name": {"type": "string"}}
    assert warnings(input=one, apply={}) == ["vocab-input-unused"]
    assert warnings(input=one, query=".doc.title=$name") == ["vocab-input-optional"]
    assert warnings(input=one, required=["name"], query=".doc.title=$name") == []
    assert warnings(input=one, apply={"doc": {"title": "$name"}}) == []
    assert warnings(apply={}, retry={"attempts": 2}, timeout=3, overlap="skip") == ["vocab-keyword-misplaced"] * 3
    assert warnings(input=one, apply={"entity": {"eid": "$nam"}, "doc": {"title": "$name"}}) == ["vocab-alias"]


def test_a_command_is_no_component_and_no_rule() -> None:
    refers = {"properties": {"to": {"type": "string", "ref": "act"}}}
    before = {"rule": True, "match": ".plant, +!wake", "before": ["act"]}
    document = {"$defs": {**PARTS, "act": {"tool": True, "description": "x", "apply": {}}, "a": refers, "b": before}}
    assert sorted(problem.code for problem in check(document)[1]) == ["unknown-component", "unknown-rule"]
    assert "a command" in next(problem.message for problem in check(document)[1] if problem.code == "unknown-rule")


def test_a_store_takes_commands() -> None:
    store = wakeful.open(":memory:")
    store.deploy(document(apply={"plant": {}}))
    assert list(store.vocab.commands) == ["act"]


TEMPLATES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["$name", "$p", "$$", "$", "{{x}}", "a $size", "now", "north", "\ud800", "$" * 9]),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["entity", "eid", "plant", "keeper", "care", "tombstone", "$was", "$absent", "created", "x"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=15,
)


@given(TEMPLATES, st.text(alphabet="$.namesize=<>!~,|() \"'{}plt*-5", max_size=30))
def test_any_template_ends_in_problems(template: Any, query: str) -> None:
    for problem in [
        *found(input=INPUT, apply=template),
        *found(input=INPUT, query=query),
        *found(input=INPUT, query=template),
        *found(input=template, worker=template, retry=template, keep=template, timeout=template, required=template),
    ]:
        assert problem.message
        assert problem.hint
