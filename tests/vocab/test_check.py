"""What a vocab.json may declare, and what is said of the rest: all in one pass, each in its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vocab.checking import check, entry, marked, of_property, only, problems
from wakeful_compiler.rules.model import RuleProblem
from wakeful_compiler.vocab.check import check_declarations
from wakeful_compiler.vocab.model import Declarations
from wakeful_compiler.vocab.source import Source, read_text
from wakeful_grammar.problems import Problem, Span

GARDEN = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.org/garden",
    "title": "The garden",
    "zone": "Europe/Berlin",
    "$defs": {
        "plant": {
            "description": "something that grows",
            "properties": {
                "window": {"type": "string", "enum": ["north", "south"], "index": True},
                "bought": {"type": "string", "format": "date-time"},
                "site": {"type": ["string", "null"], "format": "uri"},
                "height": {"type": ["null", "number"], "minimum": 0, "description": "in cm"},
                "leaves": {"type": "integer", "was": "foliage"},
                "alive": {"type": "boolean"},
                "notes": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
                "more": {"type": "object", "properties": {"a": {"type": ["integer", "null"]}}},
                "keeper": {"type": "string", "ref": "person", "death": "detach"},
                "any_row": {"type": "string", "ref": "entity"},
            },
            "required": ["window"],
        },
        "watered": {"component": True, "type": "object", "properties": {"by": {"type": "string"}}},
        "person": {},
        "dry": {"was": "thirsty"},
        "waters": {
            "rule": True,
            "description": "a plant whose wake has fired has been watered",
            "match": ".plant, .wake, .fired, +!watered, +watered.by=wake",
            "before": ["dries"],
        },
        "dries": {"rule": True, "match": ".plant, !watered, +!dry"},
    },
}


def test_a_good_vocabulary_has_no_problems() -> None:
    declared, found = check(GARDEN)
    assert found == []
    assert declared.zone == "Europe/Berlin"
    assert declared.broken == frozenset()
    plant = declared.components["plant"]
    assert plant.required == ("window",)
    assert plant.description == "something that grows"
    kinds = {name: (prop.kind, prop.nullable) for name, prop in plant.properties.items()}
    assert kinds == {
        "window": ("string", False),
        "bought": ("instant", False),
        "site": ("string", True),
        "height": ("number", True),
        "leaves": ("integer", False),
        "alive": ("boolean", False),
        "notes": ("array", False),
        "more": ("object", False),
        "keeper": ("reference", False),
        "any_row": ("reference", False),
    }
    assert plant.properties["window"].index
    assert plant.properties["leaves"].was == "foliage"
    assert (plant.properties["keeper"].ref, plant.properties["keeper"].death) == ("person", "detach")
    assert plant.properties["any_row"].death == "keep"
    assert declared.components["dry"].was == "thirsty"
    assert declared.rules["waters"].before == ("dries",)
    assert list(declared.rules) == ["waters", "dries"]
    assert declared.components["fired"].builtin
    assert not declared.components["watered"].builtin


def test_six_mistakes_at_once_each_in_its_place() -> None:
    text = """{
  "zone": "Europe/Berln",
  "$defs": {
    "plant": {
      "properties": {
        "window": {"type": "text"},
        "height": {"type": "number", "minimun": 0}
      },
      "required": ["windw"]
    },
    "Watered": {},
    "waters": {
      "rule": true,
      "match": ".plant, \\u0021dry thirsty, +!soaked"
    }
  }
}
"""
    found = check_declarations(read_text(text))[1]
    assert [(problem.code, problem.line, problem.column, marked(problem)) for problem in found] == [
        ("unknown-zone", 2, 11, '"Europe/Berln"'),
        ("unknown-type", 6, 28, '"text"'),
        ("unknown-keyword", 7, 38, '"minimun"'),
        ("unknown-property", 9, 20, '"windw"'),
        ("vocab-name", 11, 5, '"Watered"'),
        ("rule-bare-word", 14, 35, "thirsty"),
    ]
    assert [problem.fix for problem in found] == [
        '"Europe/Berlin"',
        '"string"',
        '"minimum"',
        '"window"',
        None,
        None,
    ]
    assert [problem.pointer for problem in found] == [
        "/zone",
        "/$defs/plant/properties/window/type",
        "/$defs/plant/properties/height/minimun",
        "/$defs/plant/required/0",
        "/$defs/Watered",
        "/$defs/waters/match",
    ]
    assert all(problem.hint and problem.severity == "error" for problem in found)


# --- the document -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "hint"),
    [
        (
            {"plant": {"window": "text"}},
            '{"$defs": {"plant": {"properties": {"window": {"type": "string"}}}}}',
        ),
        (
            {"plant": {"properties": {"window": {}}}},
            '{"plant": {"properties": {"window": {"type": "string"}}}}',
        ),
        ({"definitions": {}}, 'rename "definitions" to `$defs`'),
        ({"$def": {}}, 'rename "$def" to `$defs`'),
        ({}, '{"$defs": {"plant"'),
        ([], "$defs"),
        ("x", "$defs"),
        ({"$defs": []}, "$defs"),
    ],
)
def test_a_document_without_entries_is_shown_one(document: object, hint: str) -> None:
    problem = only(document)
    assert problem.code == "vocab-no-defs"
    assert hint in problem.hint


def test_an_empty_vocabulary_is_one() -> None:
    assert problems({"$defs": {}}) == []


def test_other_keywords_beside_the_entries_are_problems() -> None:
    found = problems({"$defs": {}, "titel": "x", "plant": {"properties": {}}, "title": 5, "$id": 1, "zone": 5})
    assert [(problem.code, problem.pointer) for problem in found] == [
        ("unknown-keyword", "/titel"),
        ("unknown-keyword", "/plant"),
        ("vocab-keyword", "/title"),
        ("vocab-keyword", "/$id"),
        ("unknown-zone", "/zone"),
    ]
    assert "`title`" in found[0].hint
    assert "inside `$defs`" in found[1].hint


def test_another_draft_is_a_warning() -> None:
    problem = only({"$schema": "http://json-schema.org/draft-07/schema#", "$defs": {}})
    assert (problem.code, problem.severity) == ("vocab-schema-draft", "warning")
    assert problems({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {}}) == []


def test_names_that_stand_twice_are_reported_with_all_else() -> None:
    found = check_declarations(read_text('{"$defs": {"a": {}, "a": {"x": 1}}}'))[1]
    assert [problem.code for problem in found] == ["vocab-duplicate-key", "unknown-keyword"]


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["Plant", "plant name", "2nd", "_a", "", "é", "a-b", "a.b", "a" * 41, "a\n", "\ud800", "a\0"]
)
def test_names_are_small_letters_digits_and_underscores(name: str) -> None:
    for document in (entry(**{name: {"nonsense": 1}}), entry(a={"properties": {name: {"nonsense": 1}}})):
        problem = only(document)
        assert problem.code == "vocab-name"
        assert problem.hint
        for text in (problem.message, problem.pointer or ""):
            text.encode()
            assert "\0" not in text


def test_a_bad_name_is_told_a_good_one() -> None:
    assert "`plant_name`" in only(entry(**{"Plant Name": {}})).hint
    assert "`plant_name`" in only(entry(plantName={})).hint
    assert "41 characters; the limit is 40" in only(entry(**{"a" * 41: {}})).message
    assert "`entity_2`" in only(entry(**{"a" * 40: {}, "Entity": {}})).hint


@pytest.mark.parametrize("name", ["entity", "eid", "num", "count", "created", "wake", "tool", "refusal", "tombstone"])
def test_taken_names(name: str) -> None:
    problem = only(entry(**{name: {}}))
    assert problem.code == "vocab-name-taken"
    assert f'"{name}"' in problem.message
    of = problems(entry(a={"properties": {name: {"type": "string"}}}))
    assert [problem.code for problem in of] == ([] if name == "tombstone" else ["vocab-name-taken"])


def test_collisions_come_together_and_say_nothing_else() -> None:
    declared, found = check(entry(call={"x": 1}, fired={"rule": True}, plant={}))
    assert [problem.pointer for problem in found] == ["/$defs/call", "/$defs/fired"]
    assert declared.components["call"].builtin
    assert declared.broken == {"call", "fired"}


def test_three_mistakes_three_problems() -> None:
    found = problems(
        {
            "$defs": {
                "Bad Name": {},
                "recipe": {"properties": {"eid": {"type": "string"}, "linked": {"$ref": "#/$defs/recipe"}}},
            }
        }
    )
    assert [problem.code for problem in found] == ["vocab-name", "vocab-name-taken", "unknown-keyword"]
    assert '"ref"' in found[2].hint


# --- entries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_entry", "code", "words"),
    [
        (5, "vocab-entry", "an object, a component or a rule, not 5"),
        (True, "vocab-entry", "not true"),
        ({"rule": True}, "rule-match-missing", "declares no match"),
        ({"rule": True, "match": "  "}, "rule-match-missing", "declares no match"),
        ({"rule": True, "match": 5}, "vocab-keyword", "`match` is text, not 5"),
        ({"rule": True, "component": True, "match": ".wake"}, "vocab-kind", "a component and a rule"),
        ({"rule": False, "match": ".wake"}, "vocab-kind", "`rule` is true or left out, not false"),
        ({"component": "yes"}, "vocab-kind", "`component` is true or left out"),
        (
            {"rule": True, "match": ".wake, +!b", "noun": "x"},
            "unknown-keyword",
            '"noun" is no keyword of a rule',
        ),
        ({"rule": True, "match": ".wake thirsty, +!b"}, "rule-bare-word", "thirsty"),
        ({"rule": True, "match": ".wake, +!b", "before": "c"}, "vocab-keyword", 'a list of rules, not "c"'),
        ({"rule": True, "match": ".wake, +!b", "before": ["a"]}, "rule-before-itself", "before itself"),
        ({"rule": True, "match": ".wake, +!b", "before": ["b"]}, "unknown-rule", "b, which is a component"),
        (
            {"rule": True, "match": ".wake, +!b", "before": ["zz"]},
            "unknown-rule",
            '"zz", and there is no such rule',
        ),
        ({"rule": True, "match": ".wake, +!b", "before": [5]}, "unknown-rule", "no such rule"),
        (
            {"rule": True, "match": ".wake, +!b", "call": "x", "args": {}},
            "unknown-command",
            '`call` names "x", which is no command',
        ),
        ({"rule": True, "match": ".wake, +!b", "call": "b"}, "unknown-command", "b, which is a component"),
        ({"rule": True, "match": ".wake, +!b", "call": 5}, "vocab-keyword", "`call` is the name of a command, not 5"),
        ({"rule": True, "match": ".wake, +!b", "args": {}}, "rule-args", "asks for no command"),
        ({"rule": True, "match": ".wake", "refuse": True}, "vocab-keyword", "`refuse` is the text that says why"),
        ({"rule": True, "match": ".wake", "refuse": " "}, "vocab-keyword", "`refuse` is the text that says why"),
        ({"rule": True, "match": ".wake, +!b", "description": 5}, "vocab-keyword", "`description` is text"),
        ({"tool": True, "rule": True}, "vocab-kind", "a rule and a command (a tool)"),
        ({"tool": 1, "apply": {}}, "vocab-kind", "`tool` is true or left out"),
        ({"apply": {}}, "unknown-keyword", '"apply" is no keyword of a component'),
        ({"wait": True}, "limit-not-yet", "waits come with a later version"),
        ({"trigger": True}, "limit-not-yet", "later version"),
        ({"schedule": True, "rule": True}, "limit-not-yet", "later version"),
        ({"source": True}, "limit-not-yet", "later version"),
        ({"match": ".wake"}, "unknown-keyword", '"match" is no keyword of a component'),
        ({"propertis": {}}, "unknown-keyword", '"propertis" is no keyword'),
        ({"title": {"type": "string"}, "window": {"type": "string"}}, "vocab-keyword", "`title` is text"),
        ({"properties": []}, "vocab-component", "`properties` is an object of JSON Schemas, not an array"),
        ({"type": "string"}, "vocab-component", "of type object"),
        ({"additionalProperties": True}, "vocab-component", "no others"),
        ({"required": "p"}, "vocab-keyword", '`required` is a list of properties, not "p"'),
        ({"required": ["p", 5]}, "unknown-property", 'lists "p", which a does not have'),
        ({"was": "Old"}, "vocab-was", "`was` is the old name"),
        ({"was": "a"}, "vocab-was", "the name that it has now"),
        ({"was": "b"}, "vocab-was", "which this file declares as well"),
        ({"description": "a\0"}, "vocab-keyword", "NUL"),
    ],
)
def test_entries(given_entry: object, code: str, words: str) -> None:
    first = problems(entry(a=given_entry, b={}))[0]
    assert first.code == code
    assert words in first.message
    assert first.message.startswith(("a ", "a:"))
    assert first.hint


def test_an_entry_of_a_later_kind_is_one_problem() -> None:
    assert only(entry(bad={"wait": True, "screen": "i", "due": ".plant"})).code == "limit-not-yet"


def test_two_of_one_old_name() -> None:
    assert only(entry(a={"was": "c"}, b={"was": "c"})).code == "vocab-was"
    two = {"p": {"type": "string", "was": "o"}, "q": {"type": "string", "was": "o"}}
    assert only(entry(a={"properties": two})).code == "vocab-was"


def test_limits_name_the_limit_and_the_figure() -> None:
    many = only(entry(**{f"c{number}": {} for number in range(1001)}))
    assert (many.code, many.message) == (
        "limit-components",
        "1,001 components; the limit of a vocabulary is 1,000",
    )
    wide = only(entry(a={"properties": {f"p{number}": {"type": "string"} for number in range(201)}}))
    assert (wide.code, wide.message) == (
        "limit-properties",
        "a has 201 properties; the limit of a component is 200",
    )
    rules = {f"r{number}": {"rule": True, "match": ".wake, +!b"} for number in range(1001)}
    ruled = only(entry(b={}, **rules))
    assert (ruled.code, ruled.message) == ("limit-rules", "1,001 rules; the limit of a vocabulary is 1,000")


def test_a_report_lists_a_thousand_problems_and_counts_the_rest() -> None:
    found = problems(entry(**{f"C{number}": {} for number in range(3000)}))
    assert len(found) == 1001
    assert found[-1].code == "limit-problems"
    assert "3,000 problems" in found[-1].message


# --- what later passes get ----------------------------------------------------------------------


def test_rules_that_mention_what_is_broken_are_left_out() -> None:
    declared, found = check(
        entry(
            plant={"properties": {"window": {"type": "text"}, "name": {"type": "string"}}},
            call={},
            watered={},
            a={"rule": True, "match": ".plant.window=north, +!watered"},
            b={"rule": True, "match": ".plant.name=fern, +!watered", "before": ["a", "c"]},
            c={"rule": True, "match": ".call, +!watered"},
            d={"rule": True, "match": ".plant, +!plant.window"},
        )
    )
    assert [problem.code for problem in found if problem.pointer != "/$defs/d/match"] == [
        "unknown-type",
        "vocab-name-taken",
    ]
    assert list(declared.rules) == ["b"]
    assert declared.rules["b"].before == ()


def test_rules_with_a_mistake_beside_their_match_are_still_looked_into() -> None:
    rule = {"rule": True, "match": ".wake, +!b", "before": ["c", "zz"], "noun": "x", "description": 5}
    declared, found = check(entry(a=rule, b={}, c={"rule": True, "match": ".wake, +!b"}))
    assert len(found) == 3
    assert declared.rules["a"].before == ("c",)
    assert list(check(entry(a={**rule, "call": "no"}, b={}))[0].rules) == []


def test_later_passes_report_into_the_file() -> None:
    source = read_text(json.dumps(GARDEN, indent=2))
    found = Problem("rule-x", "waters feeds itself", "add a gate", Span(0, 6), severity="warning", fix='".a"')
    placed = source.rule_problem(RuleProblem("waters", found, "match", Span(8, 13)))
    assert (placed.code, placed.severity, placed.hint) == ("rule-x", "warning", "add a gate")
    assert marked(placed) == ".wake"
    assert placed.fix == '\\".a\\"'
    whole = source.rule_problem(RuleProblem("waters", found))
    assert marked(whole) == '"waters"'
    assert marked(source.rule_problem(RuleProblem("waters", found, "before/0"))) == '"dries"'


# --- hostile ------------------------------------------------------------------------------------

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["string", "number", "object", "array", "date-time", "a", ".a, +!b", "(a+)+", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=3)
            | st.sampled_from(
                [
                    "$defs",
                    "a",
                    "b",
                    "properties",
                    "type",
                    "rule",
                    "match",
                    "before",
                    "required",
                    "enum",
                    "const",
                    "items",
                    "ref",
                    "death",
                    "was",
                    "index",
                    "format",
                    "pattern",
                    "minimum",
                    "minLength",
                    "allOf",
                    "if",
                    "zone",
                    "tool",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(ODD)
def test_any_document_ends_in_declarations_and_problems(value: Any) -> None:
    for document in (
        value,
        {"$defs": value},
        {"$defs": {"a": value}},
        of_property(type="string", enum=value),
    ):
        _whole(check(document))
    _whole(check({"$defs": {"a": {"properties": {"b": value}}}}))


def _whole(checked: tuple[Declarations, list[Problem]]) -> None:
    declared, found = checked
    assert isinstance(declared, Declarations)
    for problem in found:
        assert problem.message
        assert problem.hint
        assert problem.line >= 1
        f"{problem.message}{problem.hint}{problem.pointer}".encode()


@given(st.text(max_size=30))
def test_any_text_is_a_source_or_not(text: str) -> None:
    assert isinstance(read_text(json.dumps(text)), Source)
