"""The JSON Schema of vocab.json: it takes what the check takes, and finds simple mistakes by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from diagnostics.judging import EXAMPLES, ROOT
from goldens.test_goldens import goldens
from strategies.vocabularies import document, vocabularies
from vocab.test_check import GARDEN
from vocab.test_commands import GOOD, INPUT
from vocab.test_commands import document as with_command
from wakeful.help.pages import codes, page
from wakeful_compiler.vocab.metaschema import metaschema
from wakeful_compiler.vocab.model import Declarations
from wakeful_compiler.vocabulary import check

VALIDATOR = Draft202012Validator(metaschema())


def errors(value: Any) -> list[str]:
    """The places of what the schema finds wrong, and the keyword that finds it."""
    return [f"{'/'.join(map(str, error.absolute_path))} {error.validator}" for error in _leaves(value)]


def _leaves(value: Any) -> Iterator[Any]:
    waiting = list(VALIDATOR.iter_errors(value))
    while waiting:
        error = waiting.pop()
        waiting += error.context or ()
        if not error.context:
            yield error


def accepted() -> Iterator[Any]:
    yield pytest.param(GARDEN, id="the tests' garden")
    for command in GOOD:
        yield pytest.param(with_command(input=INPUT, **command), id=f"command {json.dumps(command)[:60]}")
    for path in sorted([EXAMPLES, *(ROOT / "examples").rglob("vocab.json")]):
        yield pytest.param(json.loads(path.read_text(encoding="utf-8")), id=str(path.relative_to(ROOT)))
    for code in codes():
        found = page(code)
        for block in (found.text if found else "").split("```json vocab mended\n")[1:]:
            yield pytest.param(json.loads(block.partition("\n```")[0]), id=f"page {code}")


@pytest.mark.parametrize("value", list(accepted()))
def test_what_the_check_takes_the_schema_takes(value: Any) -> None:
    vocab, problems = check(value)
    assert vocab is not None, problems
    assert errors(value) == []


@given(vocabularies())
def test_random_vocabularies_are_taken(declared: Declarations) -> None:
    assert errors(document(declared)) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({}, [" required"]),
        ({"$defs": [], "x": 1}, [" additionalProperties", "$defs type"]),
        ({"$defs": {"Plant": {}}}, ["$defs pattern"]),
        ({"$defs": {"wake": {}}}, ["$defs not"]),
        ({"$defs": {}, "zone": "Berlin"}, ["zone enum"]),
        ({"$defs": {"a": "x"}}, ["$defs/a type"]),
        ({"$defs": {"a": {"propertis": {}}}}, ["$defs/a additionalProperties"]),
        ({"$defs": {"a": {"properties": {"b": {}}}}}, ["$defs/a/properties/b required"]),
        ({"$defs": {"a": {"properties": {"b": {"type": "text"}}}}}, ["$defs/a/properties/b/type enum"]),
        ({"$defs": {"a": {"properties": {"b": {"type": "number", "minLength": 1}}}}}, ["$defs/a/properties/b enum"]),
        (
            {"$defs": {"a": {"properties": {"b": {"type": "string", "death": "keep"}}}}},
            ["$defs/a/properties/b required"],
        ),
        (
            {"$defs": {"a": {"properties": {"b": {"type": "string", "format": "date"}}}}},
            ["$defs/a/properties/b/format enum"],
        ),
        ({"$defs": {"a": {"rule": True}}}, ["$defs/a required"]),
        ({"$defs": {"a": {"rule": True, "match": ".b", "befor": []}}}, ["$defs/a additionalProperties"]),
        ({"$defs": {"a": {"tool": True, "apply": {}}}}, ["$defs/a required"]),
        ({"$defs": {"a": {"tool": True, "description": "x"}}}, ["$defs/a required"]),
        ({"$defs": {"a": {"tool": True, "description": "x", "query": "*", "worker": "/a"}}}, ["$defs/a None"]),
        ({"$defs": {"a": {"tool": True, "description": "x", "worker": "a"}}}, ["$defs/a/worker pattern"]),
        (
            {"$defs": {"a": {"tool": True, "description": "x", "worker": "/a", "timeout": "5 s"}}},
            ["$defs/a/timeout pattern"],
        ),
        (
            {"$defs": {"a": {"tool": True, "description": "x", "query": "*", "input": {"b": {}}}}},
            ["$defs/a/input/b required"],
        ),
    ],
)
def test_simple_mistakes_are_found_where_they_are(value: Any, found: list[str]) -> None:
    told = errors(value)
    assert sorted(told) == sorted(found) or all(any(one.startswith(start) for one in told) for start in found)
    assert len(told) == len(found), told


def test_mistakes_of_form_of_the_goldens_are_found() -> None:
    """What takes names, types of other languages and the like; reading rules and templates is not a schema's work."""
    beyond = (
        "a circle", "a rule that reads", "a slow pattern", "a reference to nothing", "a command with", "a query",
        "a rule that asks", "a rule that leaves", "a rule with an argument", "an argument that", "a state rule",
        "a rule whose", "a command that calls", "commands that",
    )  # fmt: skip
    for golden in goldens("vocabularies"):
        try:
            value = json.loads(golden.text)
        except ValueError:
            continue
        if golden.title == "a name twice" or golden.title.startswith(beyond):
            continue
        assert errors(value), golden.title


def test_everything_is_described() -> None:
    missing = [path for path, schema in _named(metaschema(), "") if "description" not in schema]
    assert missing == []


def _named(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that stands for a keyword which a person may type."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict) and "additionalProperties" in schema:
            for name, below in properties.items():
                if isinstance(below, dict):
                    yield f"{path}/{name}", below
        for key, below in schema.items():
            parts = below.items() if key in ("properties", "$defs") and isinstance(below, dict) else [("", below)]
            for name, part in parts:
                yield from _named(part, f"{path}/{key}/{name}")
    elif isinstance(schema, list):
        for below in schema:
            yield from _named(below, path)
