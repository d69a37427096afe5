"""What a command takes, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from commands.garden import NOW, command
from wakeful_compiler.commands import BadArguments

ACT = command({"apply": {"doc": {"title": "$name"}}, "required": ["name"]})


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("args", "code", "pointer", "words"),
    [
        ([], "type-args", "", "args is an object, the inputs of `act` by name: an array is not"),
        ("x", "type-args", "", "args is an object"),
        (None, "vocab-required", "", "args.name is missing: `act` requires it"),
        ({}, "vocab-required", "", "args.name is missing"),
        ({"name": None}, "vocab-required", "", "args.name is missing"),
        ({"name": "a", "nmae": 1}, "unknown-input", "/nmae", '`act` has no input "nmae"'),
        ({"name": 5}, "type-args", "/name", "args.name is a string: 5 is not"),
        ({"name": "a\0"}, "type-args", "/name", "args.name holds a NUL character"),
        ({"name": "\ud800"}, "type-args", "/name", "args.name holds half of a surrogate pair"),
        ({"name": "a", "n": "far"}, "type-args", "/n", 'args.n is a number: "far" is not'),
        ({"name": "a", "n": True}, "type-args", "/n", "args.n is a number"),
        ({"name": "a", "n": float("nan")}, "type-args", "/n", "args.n is a finite number"),
        ({"name": "a", "n": -1001}, "type-args", "/n", "args.n is at least -1000"),
        ({"name": "a", "whole": 5.5}, "type-args", "/whole", "args.whole is an integer: 5.5 has a fraction"),
        ({"name": "a", "whole": 2**63}, "type-args", "/whole", "lies between -2^63 and 2^63 - 1"),
        ({"name": "a", "flag": 1}, "type-args", "/flag", "args.flag is a boolean"),
        ({"name": "a", "day": "tomorow"}, "type-args", "/day", "args.day is an RFC 3339 instant with a zone"),
        ({"name": "a", "day": "2026-09-26"}, "type-args", "/day", "args.day"),
        ({"name": "a", "side": "west"}, "type-args", "/side", 'args.side is one of "north", "south"'),
        ({"name": "a", "code": "A"}, "type-args", "/code", "args.code"),
        ({"name": "a", "more": []}, "type-args", "/more", "args.more is an object"),
        ({"name": "a", "tags": {}}, "type-args", "/tags", "args.tags is an array"),
        ({"name": "a", "who": {"doc": {}}}, "type-args", "/who", "args.who is the eid of an entity: an object is not"),
        ({"name": "a", "who": "$fern"}, "type-args", "/who", "is an alias, which no argument can be"),
        ({"name": "a", "more": {"x": (1,)}}, "type-args", "/more/x", "args.more.x is a JSON value"),
        ({"name": "a", "tags": deep(32)}, "limit-args", "/tags" + "/0" * 31, "deeper than 32 levels"),
        ({"name": "a" * 65_536}, "limit-args", "", "65,547 bytes as JSON; the limit of a call's arguments is 65,536"),
    ],
)  # fmt: skip
def test_what_is_not_taken(args: object, code: str, pointer: str, words: str) -> None:
    (problem,) = ACT.problems(args)
    assert (problem.code, problem.pointer) == (code, pointer)
    assert words in problem.message
    with pytest.raises(BadArguments) as caught:
        ACT.fill(args)
    assert caught.value.problems == (problem,)
    assert words in str(caught.value)


def test_everything_is_told_at_once() -> None:
    codes = [problem.code for problem in ACT.problems({"nmae": "a", "n": "far", "flag": 2})]
    assert codes == ["unknown-input", "type-args", "type-args", "vocab-required"]
    assert "did you mean `name`?" in ACT.problems({"nmae": "a"})[0].hint


def test_a_value_is_taken_in_canonical_form() -> None:
    args = {"name": "a", "n": 5.0, "whole": 7.0, "day": "2026-09-26T14:00:00+02:00", "who": None, "more": {"x": 1.0}}
    taken = ACT.take(args)
    assert taken == {"name": "a", "n": 5, "whole": 7, "day": "2026-09-26T12:00:00Z", "more": {"x": 1}}
    assert [type(taken[key]) for key in ("n", "whole")] == [int, int]


@pytest.mark.parametrize(
    ("moment", "instant"), [("now", "2026-09-26T12:00:00Z"), ("in-2-hours", "2026-09-26T14:00:00Z")]
)
def test_a_moment_is_counted_from_the_instant_of_the_run(moment: str, instant: str) -> None:
    assert ACT.take({"name": "a", "day": moment})["day"] == moment
    assert ACT.take({"name": "a", "day": moment}, NOW)["day"] == instant


def test_a_query_needs_all_that_it_asks_for() -> None:
    asks = command({"query": ".plant.height=$n | .plant.window=$side"})
    assert [problem.message for problem in asks.problems({"n": 1})] == [
        "args.side is missing: the query of `act` compares with it"
    ]


def test_a_command_does_one_thing() -> None:
    for entry, wrong in (({"apply": {"doc": {}}}, "query"), ({"worker": "/x"}, "fill")):
        with pytest.raises(wakeful.WakefulError):
            getattr(command(entry), wrong)({})


def test_commands_are_made_on_first_use() -> None:
    vocab = wakeful.load({"$defs": {"all": {"tool": True, "description": "x", "query": "*"}}})
    commands = vocab.compiled_commands
    assert list(commands) == ["all"]
    assert commands["all"] is commands["all"] is vocab.compiled_commands["all"]
    assert "none" not in commands


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(["now", "$x", "\0"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=10,
)


@given(st.one_of(JSON, st.dictionaries(st.sampled_from([*ACT.command.inputs, "x"]), JSON, max_size=4)))
def test_any_arguments_end_in_problems_or_are_taken(args: object) -> None:
    problems = ACT.problems(args)
    if problems:
        assert all(problem.message for problem in problems)
    else:
        again = ACT.take(args)
        assert ACT.take(again) == again
