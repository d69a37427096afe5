"""`.distinct`, `.tally`, `.fields` and `*`, in memory and in SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import wakeful
from wakeful.testing import ManualClock

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
VOCAB: dict[str, Any] = {
    "$defs": {
        "dish": {
            "properties": {
                "name": {"type": "string"},
                "price": {"type": "number"},
                "stock": {"type": "integer"},
                "hot": {"type": "boolean"},
                "cooked": {"type": "string", "format": "date-time"},
                "cook": {"type": "string", "ref": "entity"},
                "tags": {"type": "array"},
            }
        },
        "mark": {},
    }
}
ROWS: dict[str, dict[str, Any]] = {
    "ann": {"doc": {"title": "Ann"}},
    "Zoe": {"doc": {"title": "Zoe"}},
    "a": {"dish": {"name": "thai", "price": 20, "stock": 2**60 + 1, "hot": True, "cook": "ann"}, "mark": {}},
    "b": {"dish": {"name": "Thai", "price": 20.0, "stock": -5, "hot": False, "cook": "Zoe"}},
    "c": {"dish": {"name": "", "price": 0.1, "stock": 7, "hot": True, "cooked": "2026-09-26T09:00:00+02:00"}},
    "d": {"dish": {"name": "thai", "price": 1e300, "cooked": "2026-09-26T07:00:00Z", "tags": ["x"]}},
    "e": {"dish": {"price": 2.0**53, "cooked": "2026-09-26T07:00:00.5Z", "cook": "ann"}},
}
LOADED = wakeful.load(VOCAB)
BUNDLES = [{"entity": {"eid": eid, "num": num}, **row} for num, (eid, row) in enumerate(ROWS.items(), start=1)]


@pytest.fixture(scope="module")
def store() -> Iterator[wakeful.Store]:
    with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
        store.deploy(VOCAB)
        store.apply([{"entity": {"eid": eid}, **row} for eid, row in ROWS.items()])
        yield store


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (".distinct=dish.name", {"distinct": ["", "Thai", "thai"]}),
        (".distinct=dish.price", {"distinct": [0.1, 20, 9007199254740992.0, 1e300]}),
        (".distinct=dish.stock", {"distinct": [-5, 7, 2**60 + 1]}),
        (".distinct=dish.hot", {"distinct": [False, True]}),
        (".distinct=dish.cooked", {"distinct": ["2026-09-26T07:00:00Z", "2026-09-26T07:00:00.5Z"]}),
        (".distinct=dish.cook", {"distinct": ["Zoe", "ann"]}),
        (".mark .distinct=eid", {"distinct": ["a"]}),
        (".mark .distinct=entity.num", {"distinct": [3]}),
        (".tally=dish.name", {"tally": {"": 1, "Thai": 1, "thai": 2}}),
        (".tally=dish.price", {"tally": {"0.1": 1, "20": 2, "9007199254740992.0": 1, "1e+300": 1}}),
        (".tally=dish.stock", {"tally": {"-5": 1, "7": 1, "1152921504606846977": 1}}),
        (".tally=dish.hot", {"tally": {"false": 1, "true": 2}}),
        (".tally=dish.cooked", {"tally": {"2026-09-26T07:00:00Z": 2, "2026-09-26T07:00:00.5Z": 1}}),
        (".tally=dish.cook", {"tally": {"Zoe": 1, "ann": 2}}),
        (".dish.price>=20 .tally=dish.name", {"tally": {"Thai": 1, "thai": 2}}),
        (".mark !dish .distinct=dish.name", {"distinct": []}),
        (".mark !dish .tally=dish.name", {"tally": {}}),
        # Order and windows do not touch what is counted, an unknown cursor included.
        (".dish .tally=dish.hot .limit=1 .order=-dish.name .after=nobody", {"tally": {"false": 1, "true": 2}}),
        (".dish .distinct=dish.hot .limit=0", {"distinct": [False, True]}),
        (".dish .count .fields=dish.name", {"count": 5}),
    ],
)
def test_an_aggregate_takes_the_place_of_rows(store: wakeful.Store, text: str, answer: Any) -> None:
    query = LOADED.query(text)
    found = query.select(BUNDLES)
    assert found == store.query(text) == answer
    for kind, values in answer.items():
        if kind == "tally":
            assert list(found[kind]) == list(store.query(text)[kind]) == list(values), "ascending"
        # 20 and 20.0 are one value to Python and two texts of JSON.
        assert str(found[kind]) == str(store.query(text)[kind]) == str(values)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (".mark .fields=dish.name", {"dish": {"name": "thai"}}),
        (".mark .fields=dish.name,dish.price", {"dish": {"name": "thai", "price": 20}}),
        (".mark .fields=dish.cooked", {"dish": {"cooked": None}}),
        (".mark .fields=mark", {"mark": {}}),
        (".mark ?doc * .fields=doc", {}),
        (".mark .fields=entity.eid", {}),
        (".mark .fields=dish.price,mark,dish.cook", {"dish": {"price": 20, "cook": "ann"}, "mark": {}}),
        (
            ".mark .fields=dish.name,dish",
            {
                "dish": {
                    "name": "thai",
                    "price": 20,
                    "stock": 2**60 + 1,
                    "hot": True,
                    "cooked": None,
                    "cook": "ann",
                    "tags": None,
                }
            },
        ),
    ],
)
def test_fields_leave_only_what_they_list(store: wakeful.Store, text: str, row: dict[str, Any]) -> None:
    expected = [{"entity": {"eid": "a", "num": 3}, **row}]
    assert LOADED.query(text).select(BUNDLES) == expected
    assert store.query(text) == expected


def test_a_star_carries_all_wherever_it_stands(store: wakeful.Store) -> None:
    for text in (".mark *", "(* .mark)", ".mark !(!(*))", ".mark (.dish|*)"):
        (row,) = store.query(text)
        assert set(row) == {"entity", "dish", "mark", "created"}
        (row,) = LOADED.query(text).select(BUNDLES)
        assert set(row) == {"entity", "dish", "mark"}
        assert row["dish"]["cooked"] is None


@pytest.mark.parametrize(
    ("text", "code", "says", "fix"),
    [
        (".distinct=dish.tags", "type-distinct", "`dish.tags` is an array", None),
        (".tally=dish", "type-tally", "`.tally=dish` names no property", None),
        (".tally=price", "type-tally", "`.tally=dish.price`", "dish.price"),
        (".order=title", "type-order", "`.order=doc.title`", "doc.title"),
        (".order=nonesuch", "type-order", "`.order=component.property`", None),
        (".distinct=dish.nam", "unknown-property", "dish.name", "dish.name"),
        (".fields=dsh", "unknown-component", "dish", "dish"),
        (".fields=dish.name,dish.nam", "unknown-property", "dish.name", "dish.name"),
    ],
)
def test_a_mistaken_directive_is_explained(text: str, code: str, says: str, fix: str | None) -> None:
    with pytest.raises(wakeful.QueryError) as caught:
        LOADED.query(text)
    (problem,) = caught.value.problems
    assert (problem.code, problem.fix) == (code, fix)
    assert says in problem.message + problem.hint
