"""The canonical text of a vocabulary: a fixed point that holds the same vocabulary."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from wakeful_compiler.errors import VocabError
from wakeful_compiler.vocab.check import check_declarations
from wakeful_compiler.vocab.layout import WIDTH, canonical_text
from wakeful_compiler.vocab.source import read_text
from wakeful_grammar.rule import parse_rule

MATCHES = st.sampled_from(
    [
        ".a & .b.c=1,2 +!d", "a.b='it is',+a.b=\"x\\n\"", "+a, .b", ".a.b=\u200b", ".a.b='\u00a0\u2028é', +!c",
        ".a.b!=.c.d  +!e.f", "^fired, *a.b=.c.d+7-days", ".a |.b", "", " ", "+tombstone, .a.b<now",
    ]
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "rule", "match", "properties", "input", "query", "$defs", "é", "a/b~", "\u2028", ""])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=15
)
RULES = st.fixed_dictionaries({"rule": st.just(True), "match": MATCHES}, optional={"description": st.text(max_size=9)})
COMMANDS = st.fixed_dictionaries({"tool": st.just(True), "query": MATCHES})
DOCUMENTS = st.dictionaries(NAMES, RULES | COMMANDS | VALUES, max_size=4).map(lambda defs: {"$defs": defs})


@st.composite
def written(draw: st.DrawFn, documents: st.SearchStrategy[Any]) -> str:
    """A JSON text in one of the layouts that people and programs write."""
    document = draw(documents)
    return json.dumps(
        document,
        indent=draw(st.sampled_from([None, 0, 1, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (" , ", " : ")])),
    )


def _meaning(text: str) -> Any:
    """The document, each match that can be read as its tree."""
    document = json.loads(text)
    for entry in document["$defs"].values() if isinstance(document.get("$defs"), dict) else ():
        if isinstance(entry, dict) and entry.get("rule") is True and isinstance(entry.get("match"), str):
            entry["match"] = parse_rule(entry["match"]) if entry["match"].strip() else entry["match"]
        if isinstance(entry, dict) and entry.get("tool") is True:
            entry.pop("query", None)
    return document


@given(written(DOCUMENTS | VALUES.map(lambda value: {"x": value})))
def test_the_layout_is_a_fixed_point_and_loses_nothing(text: str) -> None:
    try:
        laid_out = canonical_text(read_text(text))
    except VocabError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
        return
    assert canonical_text(read_text(laid_out)) == laid_out
    before, after = _meaning(text), _meaning(laid_out)
    assert after == before
    # Equality of dicts overlooks the order of their keys.
    assert list(after.get("$defs") or ()) == list(before.get("$defs") or ())
    assert laid_out.endswith("\n")


@given(written(strategies.vocabularies().map(strategies.document)))
def test_a_vocabulary_is_the_same_before_and_after(text: str) -> None:
    source = read_text(text)
    laid_out = read_text(canonical_text(source))
    before, problems = check_declarations(source)
    after, found = check_declarations(laid_out)
    assert after == before
    assert [problem.code for problem in found] == [problem.code for problem in problems]


def test_spellings_are_kept() -> None:
    numbers, title = '"minimum": 1.50e+1, "enum": [1.0, -0]', r'"title": "\u00e9\/\u200b"'
    text = f'{{"$defs": {{"a": {{"properties": {{"p": {{"type": "number", {numbers}}}}}}}}}, {title}}}'
    laid_out = canonical_text(read_text(text))
    assert f'"properties": {{ "p": {{ "type": "number", {numbers} }} }}' in laid_out
    assert title in laid_out


def test_what_does_not_show_in_a_match_is_escaped() -> None:
    text = json.dumps({"$defs": {"a": {"rule": True, "match": ".a.b='\u00a0\u202eé\U000e0001'"}}})
    assert r'".a.b=\"\u00a0\u202eé\udb40\udc01\""' in canonical_text(read_text(text))


def test_lines_are_as_long_as_they_may_be() -> None:
    def text(title: str) -> str:
        return canonical_text(read_text(json.dumps({"$defs": {"a": {"properties": {"p": {"title": title}}}}, "x": 1})))

    fixed = len('      "properties": { "p": { "title": "" } }')
    fits = text("x" * (WIDTH - fixed - 1))
    assert max(map(len, fits.splitlines())) == WIDTH - 1
    assert len(text("x" * (WIDTH - fixed)).splitlines()) > len(fits.splitlines())


def test_a_match_too_long_in_its_canonical_spelling_keeps_its_own() -> None:
    match = "+c" + " a.b=1" * 98 + f' & a.b="{"x" * 3_380}"'
    assert len(match) <= 4_000
    text = json.dumps({"$defs": {"r": {"rule": True, "match": match}}})
    assert json.loads(canonical_text(read_text(text))) == json.loads(text)


@pytest.mark.parametrize("depth", [1, 60])
def test_deep_and_wide_texts_are_laid_out_soon(depth: int) -> None:
    inner = ",".join(["[[],{}]"] * 20_000)
    text = '{"x": ' + "[" * depth + inner + "]" * depth + "}"
    try:
        laid_out = canonical_text(read_text(text))
    except VocabError as error:
        assert [problem.code for problem in error.problems] == ["limit-vocab-size"]
    else:
        assert json.loads(laid_out) == json.loads(text)
