"""What the schema of a property may say."""

from __future__ import annotations

from typing import Any

import pytest

from vocab.checking import check, entry, marked, of_property, only


@pytest.mark.parametrize(
    ("schema", "code", "words", "hint"),
    [
        ({"format": "date-time"}, "vocab-type-missing", "recipe.p declares no type", '"string"'),
        ({"minimum": 1}, "vocab-type-missing", "recipe.p declares no type", '"number"'),
        ({"type": "text"}, "unknown-type", 'no type "text"', '"string"'),
        ({"type": "strng"}, "unknown-type", 'no type "strng"', '"string"'),
        ({"type": "datetime"}, "unknown-type", 'no type "datetime"', "date-time"),
        ({"type": "null"}, "unknown-type", 'no type "null"', "the types are"),
        ({"type": ["string", "number"]}, "unknown-type", "one name and", '["string", "null"]'),
        ({"type": ["string"]}, "unknown-type", "one name and", '["string", "null"]'),
        ({"type": ["null", "null"]}, "unknown-type", "one name and", '["string", "null"]'),
        ({"type": 5}, "unknown-type", "not 5", '["string", "null"]'),
        ({"type": "string", "lenght": 5}, "unknown-keyword", '"lenght" is no keyword of a property', ""),
        ({"type": "string", "minLenght": 5}, "unknown-keyword", "no keyword", "did you mean `minLength`?"),
        ({"type": "string", "nullable": True}, "unknown-keyword", "no keyword", '["string", "null"]'),
        ({"type": "string", "x": 1, "y": 2, "format": 5}, "unknown-keyword", '"x", "y" are no keywords', ""),
        ({"type": "string", "requird": True}, "unknown-keyword", "no keyword", '"required": ["p"]'),
        (
            {"type": "string", "required": True},
            "vocab-keyword-misplaced",
            "says nothing",
            '"required": ["p"]',
        ),
        ({"type": "string", "minimum": 5}, "vocab-keyword-misplaced", "of type string", "number or integer"),
        ({"type": "boolean", "pattern": "a"}, "vocab-keyword-misplaced", "of type boolean", "string"),
        ({"type": "number", "format": "uri"}, "vocab-keyword-misplaced", "`format`", "string"),
        (
            {"type": "string", "format": "date-time", "pattern": "a"},
            "vocab-keyword-misplaced",
            "an instant",
            "",
        ),
        ({"type": "string", "format": "email"}, "unknown-format", 'no format "email"', "pattern"),
        ({"type": "string", "format": "date"}, "unknown-format", 'no format "date"', '"date-time"'),
        ({"type": "string", "format": 5}, "unknown-format", "no format 5", ""),
        ({"type": "number", "minimum": "5"}, "vocab-keyword", '`minimum` is a number, not "5"', ""),
        ({"type": "number", "minimum": True}, "vocab-keyword", "`minimum` is a number, not true", ""),
        ({"type": "number", "multipleOf": 0}, "vocab-keyword", "a number above 0", ""),
        ({"type": "string", "minLength": -1}, "vocab-keyword", "a whole number, 0 or more", ""),
        ({"type": "string", "minLength": 1.5}, "vocab-keyword", "a whole number", ""),
        ({"type": "array", "uniqueItems": "yes"}, "vocab-keyword", "true or false", ""),
        ({"type": "array", "items": [1]}, "vocab-keyword", "an object, true or false", ""),
        ({"type": "array", "items": {"type": "strng"}}, "unknown-type", 'no type "strng"', ""),
        (
            {"type": "array", "items": {"$ref": "http://a"}},
            "unknown-keyword",
            '"$ref" is no keyword of a schema',
            "",
        ),
        ({"type": "array", "items": {"ref": "a"}}, "unknown-keyword", '"ref" is no keyword of a schema', ""),
        (
            {"type": "array", "items": {"pattern": "(a+)+"}},
            "vocab-pattern",
            "repeats what itself repeats",
            "",
        ),
        ({"type": "array", "items": {"format": "email"}}, "unknown-format", "no format", ""),
        ({"type": "object", "properties": {"a": 5}}, "vocab-keyword", "a schema is an object", ""),
        ({"type": "object", "patternProperties": {"(": {}}}, "vocab-pattern", "no regular expression", ""),
        ({"type": "object", "required": "a"}, "vocab-keyword", "a list of names", ""),
        ({"type": "object", "dependentRequired": {"a": "b"}}, "vocab-keyword", "an object of lists", ""),
        ({"type": "string", "allOf": []}, "vocab-keyword", "at least one", ""),
        ({"type": "string", "unevaluatedItems": False}, "unknown-keyword", "no keyword", ""),
        ({"type": "integer", "minimum": 5, "maximum": 3}, "vocab-keyword", "no value has both", ""),
        ({"type": "string", "enum": []}, "vocab-keyword", "a list of values, at least one", ""),
        ({"type": "string", "enum": ["a", 5]}, "vocab-keyword", "is a string: 5 is not", "no write"),
        ({"type": "string", "enum": ["a", None]}, "vocab-keyword", "null is not", '["string", "null"]'),
        ({"type": "integer", "const": 1.5}, "vocab-keyword", "has a fraction", ""),
        ({"type": "string", "format": "date-time", "const": "soon"}, "vocab-keyword", "RFC 3339", ""),
        (
            {"type": "string", "ref": "recip"},
            "unknown-component",
            'no component: "recip"',
            'did you mean "recipe"?',
        ),
        ({"type": "string", "ref": 5}, "unknown-component", "no component: 5", "entity"),
        ({"type": "string", "ref": "ru"}, "unknown-component", 'no component: "ru"', ""),
        ({"type": "integer", "ref": "recipe"}, "vocab-keyword-misplaced", "holds an eid", '"type": "string"'),
        ({"type": "string", "format": "uri", "ref": "recipe"}, "vocab-keyword-misplaced", "no uri", ""),
        ({"type": "string", "death": "cascade"}, "vocab-keyword-misplaced", "without a `ref`", ""),
        (
            {"type": "string", "ref": "recipe", "death": "cascad"},
            "vocab-keyword",
            "`death` is one of",
            '"cascade"',
        ),
        ({"type": "string", "index": 1}, "vocab-keyword", "`index` is true or false", ""),
        ({"type": "object", "index": True}, "vocab-keyword-misplaced", "takes no index", ""),
        ({"type": "string", "was": 5}, "vocab-was", "the old name, not 5", ""),
        ({"type": "string", "was": "q"}, "vocab-was", "declares as well", ""),
        ({"type": "string", "description": "\ud800"}, "vocab-keyword", "surrogate", ""),
        ({"type": "string", "pattern": 5}, "vocab-keyword", "a regular expression as text", ""),
        ("text", "vocab-property", "an object with a `type`", '{"type": "string"}'),
        ("Timestamp", "vocab-property", "an object with a `type`", '"date-time"'),
        (["string"], "vocab-property", "not an array", '{"type": "string"}'),
    ],
)
def test_properties(schema: object, code: str, words: str, hint: str) -> None:
    document = entry(
        recipe={"properties": {"p": schema, "q": {"type": "string"}}},
        ru={"rule": True, "match": ".wake, +!recipe"},
    )
    declared, [problem] = check(document)
    assert problem.code == code
    assert words in problem.message
    assert "recipe.p" in problem.message
    assert hint in problem.hint
    assert declared.broken == {"recipe.p"}
    assert list(declared.components["recipe"].properties) == ["q"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "title": "x", "examples": [1], "deprecated": True, "$comment": "y"},
        {"type": "string", "minLength": 1, "maxLength": 2.0, "pattern": "^a"},
        {"type": "string", "ref": "recipe", "death": "release", "index": True, "pattern": "^a"},
        {
            "type": "object",
            "additionalProperties": False,
            "patternProperties": {"^a": True},
            "minProperties": 1,
        },
        {
            "type": "object",
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"a": {}},
            "propertyNames": {},
        },
        {
            "type": "array",
            "prefixItems": [{"type": ["string", "number", "null"]}],
            "contains": {},
            "minContains": 2,
        },
        {
            "type": "integer",
            "anyOf": [{"minimum": 5}, {"const": 1}],
            "not": {"const": 7},
            "if": {},
            "then": {},
        },
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e3, "multipleOf": 0.01},
    ],
)
def test_good_properties(schema: dict[str, Any]) -> None:
    declared, found = check(entry(recipe={"properties": {"p": schema}}))
    assert found == []
    assert declared.components["recipe"].properties["p"].schema == schema


def test_a_default_is_a_warning() -> None:
    declared, [problem] = check(of_property(type="string", default="x"))
    assert (problem.code, problem.severity) == ("vocab-default-unused", "warning")
    assert "p" in declared.components["recipe"].properties


def test_the_part_of_a_pattern_that_is_wrong_is_shown() -> None:
    problem = only(of_property(type="string", pattern="^\\d-(a+)+"))
    assert marked(problem) == "(a+)+"
