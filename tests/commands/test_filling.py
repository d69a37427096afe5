"""Templates filled in: against a second reading of the rules, and word for word."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.garden import INPUT, NOW, command, plain
from wakeful_compiler.commands import Filled

GONE = object()
NAME = string.ascii_letters + string.digits + "_"


def oracle_text(text: str, args: dict[str, Any]) -> Any:
    """One text of a template by the letter of the specification, a character at a time."""
    if text[:1] == "$" and text[1:] in INPUT:
        return args.get(text[1:], GONE)
    filled, at = "", 0
    while at < len(text):
        if text[at] != "$":
            filled, at = filled + text[at], at + 1
            continue
        if text[at : at + 2] == "$$":
            filled, at = filled + "$", at + 2
            continue
        end = at + 1
        while end < len(text) and text[end] in NAME:
            end += 1
        name = text[at + 1 : end]
        if name not in INPUT:
            return text  # an alias
        if name not in args:
            return GONE
        value = args[name]
        filled += value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        at = end
    return filled


def oracle(given: Any, args: dict[str, Any]) -> Any:
    """A template with its arguments in place, as plain JSON."""
    if isinstance(given, str):
        return oracle_text(given, args)
    if isinstance(given, dict):
        members = {key: oracle(member, args) for key, member in given.items()}
        return {key: member for key, member in members.items() if member is not GONE}
    if isinstance(given, list):
        return [member for member in (oracle(member, args) for member in given) if member is not GONE]
    return given


PIECES = st.sampled_from(["$name", "$n", "$whole", "$flag", "$more", "$tags", "$$", "-", " ", "é", '"', "{", ","])
TEXTS = st.lists(PIECES, min_size=2, max_size=5).map("".join)
JSON = st.recursive(
    st.one_of(st.none(), st.integers(-9, 9), st.booleans(), TEXTS, st.sampled_from(["$n", "$more", "$tags", "$flag"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "eid", "entity", "$b"]), inner, max_size=3)
    ),
    max_leaves=6,
)
REFERENCES = st.sampled_from(["$p", "$who", "fern", "x-$name"])


def plants(references: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "height": st.one_of(st.just("$n"), st.none(), st.integers(0, 9)),
            "edible": st.just("$flag"),
            "window": st.sampled_from(["$side", "north"]),
            "note": st.one_of(TEXTS, st.just("$name")),
            "care": st.one_of(st.just("$more"), st.dictionaries(st.sampled_from(["a", "entity"]), JSON, max_size=2)),
            "keeper": references,
        },
    )


NESTED = st.recursive(REFERENCES, lambda inner: plants(inner).map(lambda values: {"plant": values}), max_leaves=3)
BUNDLES = st.fixed_dictionaries(
    {"plant": plants(NESTED)}, optional={"entity": st.just({"eid": "$who"}), "doc": st.none()}
)
TEMPLATES = st.lists(BUNDLES, min_size=1, max_size=3).map(
    lambda bundles: [{"entity": {"eid": "$p"}, "doc": {"title": "p"}}, *bundles]
)
ARGS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.one_of(st.text(max_size=5), st.sampled_from(["$p", "$$", "$n", '"'])).filter(
            lambda text: text.isprintable()
        ),
        "who": st.sampled_from(["fern", "p", "a b"]),
        "n": st.one_of(st.integers(-9, 9), st.sampled_from([0.5, 1e300, -2.25])),
        "whole": st.integers(-(2**63), 2**63 - 1),
        "flag": st.booleans(),
        "side": st.sampled_from(["north", "south"]),
        "more": st.sampled_from([{}, {"entity": {"eid": "$p"}}, {"a": [1, {"b": "$n"}]}]),
        "tags": st.sampled_from([[], ["$p", None, 2]]),
    },
)


@given(TEMPLATES, ARGS)
def test_a_filled_template_is_what_the_letter_says(template: Any, args: dict[str, Any]) -> None:
    filled = command({"apply": template}).fill(args)
    assert plain(filled) == [oracle(bundle, args) for bundle in template]


@pytest.mark.parametrize(
    ("text", "args", "value", "inputs"),
    [
        ("$$$n", {"n": 5}, "$5", ("n",)),
        ("$n", {"n": 5.0}, 5, ("n",)),
        ("$n", {"n": 0.5}, 0.5, ("n",)),
        ("$$n", {"n": 5}, "$n", ()),
        ("$$", {}, "$", ()),
        ("$$$$", {}, "$$", ()),
        ("is $flag", {"flag": True}, "is true", ("flag",)),
        ("$n of $whole", {"n": 1e300, "whole": 3}, "1e+300 of 3", ("n", "whole")),
        ("$more!", {"more": {"a": [1, "ü"]}}, '{"a":[1,"ü"]}!', ("more",)),
        ("$name", {"name": "$n and $$"}, "$n and $$", ("name",)),
        ("at $day", {"day": "in-2-hours"}, "at 2026-09-26T14:00:00Z", ("day",)),
    ],
)
def test_a_text(text: str, args: dict[str, Any], value: Any, inputs: tuple[str, ...]) -> None:
    (bundle,) = command({"apply": {"plant": {"care": {"x": text}}}}).fill(args, NOW)
    assert bundle["plant"]["care"] == Filled({"x": value}, inputs)


@pytest.mark.parametrize("text", ["$name", "dear $name"])
def test_what_an_omitted_argument_would_be_is_dropped(text: str) -> None:
    act = command({"apply": [{"doc": {"title": text, "body": "x"}}, {"plant": {"care": {"a": text, "b": [text, 1]}}}]})
    for args in ({}, {"name": None}, None):
        assert plain(act.fill(args)) == [{"doc": {"body": "x"}}, {"plant": {"care": {"b": [1]}}}]


def test_an_input_goes_before_an_alias_of_its_name() -> None:
    (bundle,) = command({"apply": {"entity": {"eid": "$who"}, "doc": {}}}).fill({"who": "fern"})
    assert bundle["entity"] == {"eid": Filled("fern", ("who",))}
