"""The queries of commands: an argument is one value, whatever it holds."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from commands.garden import INPUT, NOW, command, document
from wakeful_compiler.commands import BadArguments
from wakeful_grammar.nodes import Scalar
from wakeful_grammar.query import parse_query

HOSTILE = st.one_of(
    st.text(alphabet="$.,|&()!<>=~\"'\\ \t-*?a1é", max_size=20),
    st.text(max_size=20),
    st.sampled_from(
        ['a" | *', "a,b", "1..2", "a...b", ".plant.note", "null", "5", "now", "$name", ".limit=0", ") | (*", "'", "\\"]
    ),
).filter(lambda text: "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text))

TEXTS = command(
    {
        "query": ".plant.note=$name,b | !(.plant.note~=$name, .plant.keeper!=$who, .plant.note>=a-$name) "
        '| .plant.note="x $name", .plant.height>$n, .plant.edible=$flag, .limit=5'
    }
)


def shape(value: Any) -> Any:
    """A plan or a tree without the constants that it compares with."""
    if is_dataclass(value) and not isinstance(value, type):
        if isinstance(value, Scalar):
            return "scalar"
        inner = [
            shape(getattr(value, field.name))
            for field in fields(value)
            if field.name not in ("bound", "needle", "text")
        ]
        return (type(value).__name__, *inner)
    if isinstance(value, tuple):
        # The members of a list are one when they are alike.
        constants = [each for each in value if isinstance(each, str | int | float)]
        return "values" if value and len(constants) == len(value) else tuple(map(shape, value))
    return value if isinstance(value, str | int | bool) or value is None else type(value).__name__


def args(name: str, who: str = "w", n: float = 1) -> dict[str, Any]:
    return {"name": name, "who": who, "n": n, "flag": True}


SAMPLE = TEXTS.query(args("a"))


@given(HOSTILE, HOSTILE, st.integers(-999, 999))
def test_no_argument_changes_the_shape_of_a_query(name: str, who: str, n: int) -> None:
    query = TEXTS.query(args(name, "w" + who, n))
    assert shape(query.tree) == shape(SAMPLE.tree)
    assert shape(query.plan) == shape(SAMPLE.plan)
    assert query.sql().text == SAMPLE.sql().text


@given(HOSTILE, HOSTILE)
def test_the_query_that_is_shown_is_the_query_that_runs(name: str, who: str) -> None:
    query = TEXTS.query(args(name, "w" + who))
    assert parse_query(str(query)) == query.tree


@given(HOSTILE)
def test_an_argument_is_found_as_it_is(name: str) -> None:
    query = command({"query": ".plant.note=$name"}).query({"name": name})
    assert query.matches({"entity": {"eid": "a"}, "plant": {"note": name}})
    assert not query.matches({"entity": {"eid": "a"}, "plant": {"note": name + "x"}})


@pytest.mark.parametrize(
    ("query", "given_args", "text"),
    [
        (".plant.bought>=$name", {"name": "2026-09-01 10:00"}, '.plant.bought>="2026-09-01 10:00"'),
        (".plant.bought>=$day", {"day": "in-2-hours"}, '.plant.bought>="2026-09-26T14:00:00Z"'),
        (".plant.height=$n", {"n": 1e300}, '.plant.height="1e+300"'),
        (".plant.height=1..$n", {"n": 5.0}, '.plant.height=1.."5"'),
        (".plant.edible=$flag", {"flag": False}, '.plant.edible="false"'),
        (".plant.note=$$,$name", {"name": "$$"}, '.plant.note=$,"$$"'),
        (".plant .after=$whole", {"whole": 7}, ".plant .after=7"),
        (".plant .after=$name", {"name": "7"}, '.plant .after="7"'),
    ],
)
def test_a_query_with_its_arguments(query: str, given_args: dict[str, Any], text: str) -> None:
    assert str(command({"query": query}).query(given_args, NOW)) == text


@pytest.mark.parametrize(
    ("query", "given_args", "words"),
    [
        (".plant.bought>=$name", {"name": "tomorow"}, "args.name: "),
        (".plant.height=5..$n", {"n": 4}, "args.n: the range for `plant.height` runs backwards"),
        (".plant.leaves=$n", {"n": 0.5}, "args.n: `plant.leaves` is an integer"),
    ],
)
def test_an_argument_that_is_no_operand(query: str, given_args: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArguments) as caught:
        command({"query": query}).query(given_args)
    (problem,) = caught.value.problems
    assert problem.message.startswith(words)
    assert problem.pointer == f"/{next(iter(given_args))}"


def test_a_long_argument_is_no_long_query() -> None:
    query = command({"query": ".plant.note=$name"}).query({"name": "a" * 50_000})
    assert query.matches({"entity": {"eid": "a"}, "plant": {"note": "a" * 50_000}})


def test_one_text_is_compiled_once_and_few_are_kept() -> None:
    asks = command({"query": ".plant.note=$name"})
    first = asks.query({"name": "a"})
    assert asks.query({"name": "a"}) is first
    for index in range(200):
        asks.query({"name": str(index)})
    assert asks.query({"name": "a"}) is not first
    assert asks.query({"name": "a"}).plan == first.plan


def test_true_is_not_one() -> None:
    asks = command({"query": ".plant.height=$n | .plant.edible=$flag"})
    assert str(asks.query({"n": 1, "flag": True})) != str(asks.query({"n": 0, "flag": False}))


def test_a_store_asks_it() -> None:
    store = wakeful.open(":memory:")
    store.deploy(document({"query": ".plant.note=$name"}, INPUT))
    store.apply([{"plant": {"note": 'a" | *'}}, {"plant": {"note": "b"}}])
    store.apply({"call": {"to": "act", "args": {"name": 'a" | *'}}})
    ((result,),) = [[row["result"]] for row in store.query(".result")]
    assert [row["plant"]["note"] for row in result["value"]["rows"]] == ['a" | *']
