"""What a property takes: strict types, canonical forms, and the keywords of JSON Schema."""

from __future__ import annotations

import enum
import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wakeful_compiler.keywords import same_json
from wakeful_compiler.values import BadValue, admit
from wakeful_compiler.vocab.model import Kind, Property

MOST, LEAST = 2**63 - 1, -(2**63)


def taken(kind: Kind, value: object, **schema: Any) -> Any:
    return admit(Property("recipe", "p", kind, schema=schema))(value)


def refusal(kind: Kind, value: object, **schema: Any) -> str:
    with pytest.raises(BadValue) as caught:
        taken(kind, value, **schema)
    message = str(caught.value)
    assert message.startswith("recipe.p")
    assert len(message) < 400
    message.encode()
    return message


def kind_of(value: object) -> str:
    """A short name for a parameter: some of these values have no text, or too much of it."""
    return value if isinstance(value, str) and value.isidentifier() else type(value).__name__


class Colour(str, enum.Enum):  # noqa: UP042 - what people have in their code
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
SHARED: list[Any] = ["x"]
for _ in range(30):
    SHARED = [SHARED, SHARED]


@pytest.mark.parametrize(
    ("kind", "value", "canonical"),
    [
        ("string", "", ""),
        ("string", "\n😀é", "\n😀é"),
        ("string", "x" * 2**20, "x" * 2**20),
        ("string", Colour.RED, "red"),
        ("reference", "fern", "fern"),
        ("integer", 5, 5),
        ("integer", 5.0, 5),
        ("integer", -0.0, 0),
        ("integer", MOST, MOST),
        ("integer", LEAST, LEAST),
        ("integer", float(LEAST), LEAST),
        ("integer", Level.HIGH, 3),
        ("number", 5, 5),
        ("number", 5.0, 5),
        ("number", 5.5, 5.5),
        ("number", -0.0, 0),
        ("number", 2**53 - 1, 2**53 - 1),
        ("number", 2**53, float(2**53)),
        ("number", float(2**53 - 1), 2**53 - 1),
        ("number", LEAST, float(LEAST)),
        ("number", 1e300, 1e300),
        ("number", 5e-324, 5e-324),
        ("number", Level.HIGH, 3),
        ("boolean", True, True),
        ("boolean", False, False),
        ("instant", "2026-09-20T09:00:00Z", "2026-09-20T09:00:00Z"),
        ("instant", "2026-09-30T09:00:00.120Z", "2026-09-30T09:00:00.12Z"),
        ("instant", "2026-09-20t11:00:00.000+02:00", "2026-09-20T09:00:00Z"),
        ("instant", datetime(2026, 9, 20, 9, tzinfo=UTC), "2026-09-20T09:00:00Z"),
        ("instant", datetime(2026, 9, 20, 11, tzinfo=timezone(timedelta(hours=2))), "2026-09-20T09:00:00Z"),
        ("object", {}, {}),
        ("object", {"a": [1.0, None, True, {"b": "x"}]}, {"a": [1, None, True, {"b": "x"}]}),
        ("array", [], []),
        ("array", [2**53 - 1.0, 1e16, MOST, Colour.RED], [2**53 - 1, 1e16, MOST, "red"]),
    ],
    ids=kind_of,
)
def test_values_are_taken_in_canonical_form(kind: Kind, value: object, canonical: object) -> None:
    found = taken(kind, value)
    assert repr(found) == repr(canonical)
    assert repr(taken(kind, found)) == repr(canonical)


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("string", 5, "is a string: 5 is not"),
        ("string", None, "is a string: null is not"),
        ("string", True, "is a string: true is not"),
        ("string", b"x", "is a string: a Python bytes is not"),
        ("string", datetime(2026, 9, 20), "datetimes go into date-time properties"),
        ("string", "a\0b", "NUL"),
        ("string", "a\ud800", "U+D800"),
        ("string", "x" * (2**20 + 1), "1,048,577 bytes; the limit of a text is 1,048,576"),
        ("string", "é" * (2**19 + 1), "1,048,578 bytes"),
        ("reference", 5, "is the eid of an entity: 5 is not"),
        ("integer", 5.5, "is an integer: 5.5 has a fraction"),
        ("integer", "5", 'is an integer: "5" is not'),
        ("integer", True, "is an integer: true is not"),
        ("integer", Decimal(5), "is an integer: a Python Decimal is not"),
        ("integer", float("nan"), "is an integer: nan is not finite"),
        ("integer", float("inf"), "is an integer: inf is not finite"),
        ("integer", MOST + 1, "between -2^63 and 2^63 - 1"),
        ("integer", 2.0**63, "between -2^63 and 2^63 - 1"),
        ("integer", LEAST - 1, "between -2^63 and 2^63 - 1"),
        ("integer", 10**20_000, "more than 25 digits"),
        ("number", "5", 'is a number: "5" is not'),
        ("number", False, "is a number: false is not"),
        ("number", 2**53 + 1, "cannot hold 9007199254740993 exactly"),
        ("number", MOST, "cannot hold"),
        ("number", 2**64, "between -2^63 and 2^63 - 1"),
        ("number", float("nan"), "finite"),
        ("number", float("-inf"), "finite"),
        ("boolean", 1, "true or false: 1 is not"),
        ("boolean", "true", 'true or false: "true" is not'),
        ("instant", "someday", "is an RFC 3339 instant with a zone, like 2026-09-20T09:00:00Z"),
        ("instant", "2026-09-20T09:00:00", "needs a zone"),
        ("instant", datetime(2026, 9, 20, 9), "naive datetime"),
        ("instant", "2026-02-30T09:00:00Z", "does not exist"),
        ("instant", "2026-02-20T24:00:00Z", "does not exist"),
        ("instant", "0000-01-01T00:00:00Z", "does not exist"),
        ("instant", "2016-12-31T23:59:60Z", "leap second"),
        ("instant", "2026-09-20T09:00:00.0000001Z", "finer than a microsecond"),
        ("instant", "0001-01-01T00:00:00+02:00", "outside the years"),
        ("instant", "٢٠٢٦-09-20T09:00:00Z", "is an RFC 3339 instant"),
        ("instant", "2026-09-20T09:00:00." + "0" * 10_000, "is an RFC 3339 instant"),
        ("instant", 1789894800, "is an RFC 3339 instant with a zone, like 2026-09-20T09:00:00Z: 1789894800"),
        ("object", [1], "is an object: an array is not"),
        ("object", MappingProxyType({}), "is an object: a Python mappingproxy is not"),
        ("array", {}, "is an array: an object is not"),
        ("array", (1, 2), "is an array: a Python tuple is not"),
        ("array", [(1,)], "recipe.p[0] is a JSON value: a Python tuple is none; write a list"),
        ("object", {"a": {"b": [1, float("nan")]}}, "recipe.p.a.b[1] is a finite number"),
        ("object", {"a": {"b c": MOST + 1}}, 'recipe.p.a["b c"] lies between'),
        ("object", {"a": {5: 1}}, "recipe.p.a has the key 5: the keys of an object are strings"),
        ("object", {"a\0": 1}, "recipe.p has a key that holds a NUL"),
        ("object", {"a": ["x\udfff"]}, "recipe.p.a[0] holds half of a surrogate pair"),
        ("object", {"a": {1, 2}}, "a Python set is none"),
        ("object", {"at": datetime(2026, 9, 20, tzinfo=UTC)}, "recipe.p.at is a JSON value"),
        ("array", CYCLE, "deeper than 32 levels"),
        ("array", SHARED, "1,048,576 bytes"),
        ("array", ["é" * 2**19, "x"], "1,048,584 bytes as JSON"),
    ],
    ids=kind_of,
)
def test_values_are_refused_in_words(kind: Kind, value: object, words: str) -> None:
    assert words in refusal(kind, value)


def test_nesting_ends_at_32_levels() -> None:
    value: Any = []
    for _ in range(31):
        value = [value]
    assert taken("array", value) == value
    assert "[0][0]" in refusal("array", [value])


def test_what_is_taken_is_a_copy() -> None:
    given_value = {"a": [1]}
    found = taken("object", given_value)
    given_value["a"].append(2)
    assert found == {"a": [1]}


@pytest.mark.parametrize("uri", ["https://example.org/a%20b?c=d#e", "urn:isbn:0451450523", "mailto:a@b.c", "x:y"])
def test_uris_are_absolute(uri: str) -> None:
    assert taken("string", uri, format="uri") == uri


@pytest.mark.parametrize(
    "text", ["", "example.org", "/a", "https:", "http://a b", "http://é", "1x:y", "a:%zz", "a:b#c#d"]
)
def test_other_texts_are_no_uris(text: str) -> None:
    assert "absolute URI" in refusal("string", text, format="uri")


@pytest.mark.parametrize(
    ("kind", "schema", "good", "bad", "words"),
    [
        ("string", {"enum": ["open", "paid"]}, "open", "Open", 'is one of "open", "paid": "Open" is not'),
        ("string", {"const": "x"}, "x", "y", 'is always "x"'),
        ("integer", {"enum": [1, 2.0]}, 2, 3, "is one of 1, 2.0"),
        ("number", {"enum": [0.5, 1]}, 1.0, 2, "is one of"),
        ("boolean", {"const": True}, True, False, "is always true"),
        ("array", {"enum": [[1], [True]]}, [1.0], [False], "is one of"),
        ("object", {"const": {"a": 1}}, {"a": 1.0}, {"a": True}, "is always"),
        (
            "instant",
            {"enum": ["2026-09-20T11:00:00+02:00"]},
            "2026-09-20T09:00:00Z",
            "2026-09-20T09:00:01Z",
            "is one",
        ),
        ("number", {"minimum": 1}, 1, 0.5, "is at least 1: 0.5 is below"),
        ("number", {"maximum": 1.5}, 1.5, 2, "is at most 1.5: 2 is above"),
        ("integer", {"exclusiveMinimum": 1}, 2, 1, "is above 1: 1 is not"),
        ("integer", {"exclusiveMaximum": 1}, 0, 1, "is below 1: 1 is not"),
        ("number", {"multipleOf": 0.01}, 19.99, 19.995, "is a multiple of 0.01: 19.995 is not"),
        ("number", {"multipleOf": 3}, 9, 10, "is a multiple of 3"),
        ("number", {"multipleOf": 1e-300}, 1e300, 5e-324, "is a multiple of"),
        ("string", {"minLength": 2}, "😀😀", "😀", "has at least 2 characters"),
        ("string", {"maxLength": 1}, "😀", "ab", "has at most 1 character:"),
        ("string", {"pattern": "^[a-z]+$"}, "abc", "ab1", "fits the pattern ^[a-z]+$"),
        ("string", {"pattern": r"\d"}, "a1", "a٣", "fits the pattern"),
        ("string", {"pattern": "x"}, "x" * 10_000, "x" * 10_001, "under a pattern the limit is 10,000"),
        ("array", {"minItems": 1}, [1], [], "has at least 1 item:"),
        ("array", {"maxItems": 1}, [1], [1, 2], "has at most 1 item:"),
        (
            "array",
            {"uniqueItems": True},
            [1, True, "1"],
            [1, 1.0],
            "has no item twice: 1 stands again at [1]",
        ),
        ("array", {"items": {"type": "integer"}}, [1, 2.0], [1, "x"], "at[1]"),
        (
            "array",
            {"items": {"format": "date-time", "type": "string"}},
            ["2026-09-20T09:00:00Z"],
            ["x"],
            "at[0]",
        ),
        ("array", {"items": {"format": "uri", "type": "string"}}, ["a:b"], ["b"], "at[0]"),
        ("array", {"items": {"multipleOf": 0.01}}, [19.99], [0.001], "multiple of"),
        ("object", {"required": ["a"]}, {"a": 1}, {}, "'a' is a required property"),
        ("object", {"properties": {"a": {"pattern": r"^\d$"}}}, {"a": "1"}, {"a": "٣"}, "fit the pattern"),
        ("object", {"patternProperties": {"^x": {"type": "string"}}}, {"y": 1}, {"x1": 1}, "x1"),
        (
            "object",
            {"properties": {"a": {}}, "additionalProperties": False},
            {"a": 1},
            {"b": 1},
            'the key "b"',
        ),
        (
            "object",
            {"additionalProperties": {"type": "string"}},
            {"a": "x"},
            {"a": 1},
            "not of type 'string'",
        ),
        ("string", {"anyOf": [{"minLength": 3}, {"const": "x"}]}, "x", "y", "does not fit its schema"),
        ("integer", {"not": {"const": 5}}, 4, 5, "does not fit its schema"),
    ],
)
def test_keywords(kind: Kind, schema: dict[str, Any], good: object, bad: object, words: str) -> None:
    taken(kind, good, **schema)
    assert words in refusal(kind, bad, **schema)


def test_every_keyword_of_a_property_counts() -> None:
    schema: dict[str, Any] = {"minimum": 1, "maximum": 9, "multipleOf": 2}
    assert [value for value in range(12) if not _refused("integer", value, schema)] == [2, 4, 6, 8]


def _refused(kind: Kind, value: object, schema: dict[str, Any]) -> bool:
    try:
        admit(Property("recipe", "p", kind, schema=schema))(value)
    except BadValue:
        return True
    return False


# --- jsonschema as the oracle -------------------------------------------------------------------

NUMBERS = st.sampled_from([0, 1, -1, 2, 3, 1.0, 0.5, 1.5, -2.5, 7, 2**40, 1e10, 0.25])
TEXTS = st.sampled_from(["", "a", "b", "ab", "ba", "😀", "a\n", "1", "abc"])
MEMBERS = st.sampled_from([0, 1, True, False, None, "a", 1.0, [1], [True], {"a": 1}, {"a": 1.0}])
ITEMS = st.lists(MEMBERS, max_size=4)
COUNTS = st.integers(0, 3)
KEYWORDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "number": {
        "enum": st.lists(NUMBERS, min_size=1, max_size=3),
        "const": NUMBERS,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        # Where decimal and binary agree: that they differ elsewhere is on purpose.
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 0.25]),
    },
    "string": {
        "enum": st.lists(TEXTS, min_size=1, max_size=3),
        "const": TEXTS,
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "pattern": st.sampled_from(["a", "^a", "b$", "^[ab]*$", "^.$", "a|1"]),
    },
    "boolean": {"enum": st.lists(st.booleans(), min_size=1), "const": st.booleans()},
    "array": {
        "enum": st.lists(ITEMS, min_size=1, max_size=3),
        "const": ITEMS,
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "uniqueItems": st.booleans(),
        "items": st.sampled_from([{"type": "integer"}, True, {"const": 1}]),
    },
    "object": {
        "enum": st.lists(st.dictionaries(TEXTS, MEMBERS, max_size=2), min_size=1, max_size=3),
        "const": st.dictionaries(TEXTS, MEMBERS, max_size=2),
        "properties": st.dictionaries(TEXTS, st.sampled_from([{"type": "integer"}, {"const": 1}, {}]), max_size=2),
        "patternProperties": st.dictionaries(st.sampled_from(["a", "^b"]), st.just({"type": "boolean"})),
        "additionalProperties": st.sampled_from([True, False, {"type": "string"}]),
        "minProperties": COUNTS,
    },
}
KEYWORDS["integer"] = {
    **KEYWORDS["number"],
    "enum": st.lists(st.integers(-3, 3), min_size=1),
    "const": st.integers(-3, 3),
}
VALUES = NUMBERS | TEXTS | st.booleans() | st.none() | ITEMS | st.dictionaries(TEXTS, MEMBERS, max_size=3)


@given(st.data())
def test_jsonschema_says_the_same(data: st.DataObject) -> None:
    kind: Any = data.draw(st.sampled_from(sorted(KEYWORDS)))
    schema = data.draw(st.fixed_dictionaries({}, optional=KEYWORDS[kind]))
    value = data.draw(VALUES)
    fits = Draft202012Validator({"type": kind, **schema}).is_valid(value)
    assert _refused(kind, value, schema) is not fits


@given(VALUES, VALUES)
def test_equal_as_json_schema_has_it(left: Any, right: Any) -> None:
    assert (same_json(left) == same_json(right)) is Draft202012Validator({"const": left}).is_valid(right)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(LEAST, MOST)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_characters="\0", codec="utf-8")),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_characters="\0", codec="utf-8")), inner)
        ),
        max_leaves=10,
    )
)
def test_canonical_json_says_the_same_as_what_was_given(value: Any) -> None:
    found = taken("array", [value])
    assert found == [value]
    assert json.loads(json.dumps(found)) == found
    assert repr(taken("array", found)) == repr(found)


@given(
    st.sampled_from(["string", "reference", "integer", "number", "boolean", "instant", "object", "array"]),
    st.data(),
)
def test_anything_is_taken_or_refused(kind: Kind, data: st.DataObject) -> None:
    odd = st.sampled_from([CYCLE, SHARED, object(), {1: 2}, {None: 1}, b"", (), 10**5_000, float("nan"), "\ud800", 1j])
    value = data.draw(odd | VALUES | st.text() | st.datetimes() | st.dictionaries(st.integers() | st.text(), odd))
    schema = {"pattern": "^a*$"} if data.draw(st.booleans()) and kind == "string" else {}
    try:
        taken(kind, value, **schema)
    except BadValue as bad:
        str(bad).encode()
