"""The SQL of both engines: its syntax, its parameters, and what it does when a query is very wide or long."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pglast
import pytest
from hypothesis import assume, given, settings

import wakeful
from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, compiled, scenes
from wakeful.testing import ManualClock
from wakeful_compiler.bounds import Bounds
from wakeful_compiler.emit.postgresql import emit_postgresql
from wakeful_compiler.predicates import TimeBound
from wakeful_compiler.query import UnsupportedEngine

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
VOCAB = wakeful.load(
    {
        "$defs": {
            "dish": {
                "properties": {
                    "name": {"type": "string"},
                    "price": {"type": "number"},
                    "stock": {"type": "integer"},
                    "hot": {"type": "boolean"},
                    "cooked": {"type": "string", "format": "date-time"},
                    "cook": {"type": "string", "ref": "entity"},
                }
            }
        }
    }
)


@settings(max_examples=settings().max_examples * 3)
@given(scenes() | close_calls())
def test_the_text_for_postgresql_is_one_statement_of_its_grammar(scene: Scene) -> None:
    assume(answer_or_kind(lambda: compiled(scene.text, scene.vocab) and None) is None)
    plan = emit_postgresql(compiled(scene.text, scene.vocab).plan, row_cap=10_001)
    for sql in (plan.select, plan.cursor):
        if sql is not None:
            (statement,) = pglast.parse_sql(sql.text)
            assert type(statement.stmt).__name__ == "SelectStmt"
            marks = [sql.text.count(f"${place}") for place in range(1, len(sql.params) + 1)]
            assert all(marks), "every parameter has its place"


@pytest.mark.parametrize(
    ("text", "where", "params"),
    [
        (".dish.name>=m", 't1.p_name COLLATE "C" >= $1', ("m",)),
        (".dish.name=m", "t1.p_name = $1", ("m",)),
        (".dish.name~=M", "strpos(coalesce(t1.f_name, t1.p_name), $1) > 0", ("m",)),
        (".dish.hot=true", "t1.p_hot = $1", (True,)),
        (".dish.price=1", "t1.p_price = $1", (1.0,)),
        (".dish.stock<1.5", "t1.p_stock < $1", (2,)),
        (".dish.cooked>=2026-09-26T09:00:00Z", "t1.p_cooked >= $1", (datetime(2026, 9, 26, 9, tzinfo=UTC),)),
        (".dish.cook=ann", "t1.p_cook = (SELECT r.num FROM entity r WHERE r.eid = $1)", ("ann",)),
    ],
)
def test_postgresql_s_own_ways(text: str, where: str, params: tuple[Any, ...]) -> None:
    query = VOCAB.query(text)
    sql = query.sql("postgresql")
    assert f"WHERE {where}\n" in sql.text
    bound = sql.bind(query.bounds, NOW)
    assert bound == params
    assert [type(value) for value in bound] == [type(value) for value in params]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (".dish .order=dish.name", 'ORDER BY t1.p_name COLLATE "C" NULLS FIRST, t1.num'),
        (".dish .order=-dish.price", "ORDER BY t1.p_price DESC NULLS LAST, t1.num"),
        (".dish", "ORDER BY t1.num"),
        (".dish .distinct=dish.name", "ORDER BY 1"),
    ],
)
def test_postgresql_s_order_puts_missing_first(text: str, order: str) -> None:
    assert order in VOCAB.query(text).sql("postgresql").text


def test_a_query_without_components_looks_for_the_living() -> None:
    assert "NOT e.dead" in VOCAB.query("!dish").sql("postgresql").text
    assert "e.dead = 0" in VOCAB.query("!dish").sql().text
    assert "entity" not in VOCAB.query(".dish .count").sql().text, "what has a component lives"


def test_an_integer_meets_a_double_exactly_on_postgresql() -> None:
    text = VOCAB.query(".dish.stock<.dish.price").sql("postgresql").text
    assert "CASE WHEN CAST(t1.p_stock AS double precision) <> t1.p_price" in text
    pglast.parse_sql(text)


def test_a_moving_parameter_is_worked_out_for_a_now() -> None:
    query = VOCAB.query(".dish.cooked>=1-hour-ago")
    (param,) = query.sql().params
    assert isinstance(param, TimeBound)
    assert query.sql().bind(query.bounds, NOW) == ("2026-09-26T11:00:00.000000Z",)
    assert query.sql("postgresql").bind(query.bounds, NOW) == (datetime(2026, 9, 26, 11, tzinfo=UTC),)
    assert query.sql().bind(Bounds(query.bounds.needed, UTC), NOW) == ("2026-09-26T11:00:00.000000Z",)


def test_another_engine_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedEngine, match=r"'oracle'.*q.sql\('postgresql'\)"):
        VOCAB.query(".dish").sql("oracle")


# --- more than one statement joins or nests -------------------------------------------------------

WIDE = {
    "$defs": {
        f"c{number}": {
            "properties": {
                **{f"p{place}": {"type": "string"} for place in range(40)},
                "next": {"type": "string", "ref": "entity"},
            }
        }
        for number in range(90)
    }
}


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f".c{number}" for number in range(90)),
        "|".join(f".c{number}.p1=x" for number in range(90)),
        " ".join(f"!c{number}.p39" for number in range(90)),
        " ".join(f"?c{number}" for number in range(90)),
        ".c1 " + " ".join(f"?c{number}" for number in range(90)) + " .order=-c5.p0 .limit=3",
        "|".join(f".c{number}.next.c{number}.next.c{number}.next.c{number}.p1=x" for number in range(60)),
        " ".join(f"!c{number}.next.entity.eid" for number in range(0, 90, 2)),
        "|".join(f".c{number}.p1=x" for number in range(90)) + " .tally=c3.next.c4.p1",
        "|".join(f".c{number}.p1=x" for number in range(90)) + " .order=c80.p1 .after=a",
        "|".join(f".c{number}.p1=x" for number in range(90)) + " .count",
        "*",
    ],
)
def test_a_query_over_more_components_than_one_statement_joins(text: str) -> None:
    rows = [
        {"entity": {"eid": "a"}, **{name: {"p1": "x", "next": "b"} for name in WIDE["$defs"]}},
        {"entity": {"eid": "b"}, "c3": {"p1": "x", "next": "a"}, "c4": {"p1": "y", "next": "b"}},
        {"entity": {"eid": "d"}, "c89": {"p1": "z"}},
    ]
    with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
        store.deploy(WIDE)
        store.apply(rows)
        stored = store.query(text)
        for row in stored if isinstance(stored, list) else ():
            row.pop("created", None)
        bundles = {
            row["entity"]["eid"]: {**row, "entity": {**row["entity"], "num": n}} for n, row in enumerate(rows, 1)
        }
        assert stored == wakeful.load(WIDE).query(text).select(bundles.values(), now=NOW, lookup=bundles.get)
        pglast.parse_sql(wakeful.load(WIDE).query(text).sql("postgresql").text)


@pytest.mark.parametrize(
    "text",
    [
        ".dish.name~=" + ",".join(chr(0x4E00 + number) for number in range(1000)),
        ".dish.name!=" + ",".join(chr(0x4E00 + number) for number in range(1000)),
        ".dish.stock=" + ",".join(f"{number}..{number}" for number in range(400)),
        ".dish.cooked=" + ",".join(f"{number}s-ago" for number in range(400)),
        " ".join([".dish.price>1"] * 50 + ["(.dish|.doc)"] * 25),
        "(.dish|!(.doc|!(.dish (.doc|!(.dish|!(.doc !(.dish)))))))",
    ],
    ids=["contains", "none of", "ranges", "times", "clauses", "nesting"],
)
def test_a_long_or_deep_query_runs_on_both(text: str) -> None:
    with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
        store.deploy(VOCAB.document)
        store.apply({"entity": {"eid": "a"}, "dish": {"name": "\u4e05", "stock": 7, "price": 5, "cooked": NOW}})
        assert [row["entity"]["eid"] for row in store.query(text)] == [
            row["entity"]["eid"] for row in VOCAB.query(text).select(store.query("*"), now=NOW)
        ]
    pglast.parse_sql(VOCAB.query(text).sql("postgresql").text)
