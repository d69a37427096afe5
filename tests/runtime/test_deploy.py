"""deploy: what is added, kept, dropped, renamed and refused; and that no row is touched."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import wakeful
from runtime.garden import GARDEN, at
from wakeful.testing import ManualClock


def vocab(**components: Any) -> dict[str, Any]:
    return {"$defs": {name: {"properties": properties} for name, properties in components.items()}}


TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}


@pytest.fixture
def store() -> wakeful.Store:
    return wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z")))


def names(report: wakeful.DeployReport) -> dict[str, list[str]]:
    return {key: getattr(report, key) for key in ("added", "kept", "dropped", "renamed") if getattr(report, key)}


def test_what_is_new_is_added_and_what_is_empty_is_dropped(store: wakeful.Store) -> None:
    assert names(store.deploy(vocab(note={"text": TEXT}, jot={}))) == {"added": ["jot", "note"]}
    report = store.deploy(vocab(note={"text": TEXT, "more": INTEGER}))
    assert names(report) == {"added": ["note.more"], "dropped": ["jot"]}
    assert names(store.deploy(vocab(note={"text": TEXT}))) == {"dropped": ["note.more"]}
    with pytest.raises(wakeful.QueryError):
        store.query(".jot")


def test_what_holds_data_is_kept_and_can_be_read_and_written(store: wakeful.Store) -> None:
    store.deploy(vocab(note={"text": TEXT}, jot={"n": INTEGER}))
    store.apply([{"entity": {"eid": "a"}, "note": {"text": "x"}}, {"entity": {"eid": "b"}, "jot": {"n": 1}}])
    for _ in range(2):
        report = store.deploy(vocab(note={"other": TEXT}))
        assert report.kept == ["jot", "note.text"]
    assert store.query(".note")[0]["note"] == {"other": None, "text": "x"}
    assert store.query(".jot.n=1")[0]["jot"] == {"n": 1}
    store.apply({"entity": {"eid": "a"}, "note": {"text": None}})
    store.apply({"entity": {"eid": "b"}, "jot": None})
    assert names(store.deploy(vocab(note={"other": TEXT}))) == {"dropped": ["jot", "note.text"]}


def test_was_renames_with_the_data(store: wakeful.Store, tmp_path: Path) -> None:
    store.deploy(vocab(recipe={"minutes": INTEGER, "Title".lower(): TEXT}))
    store.apply({"entity": {"eid": "r"}, "recipe": {"minutes": 46, "title": "LARB"}, "doc": {"title": "d"}})
    report = store.deploy(vocab(recipe={"mins": {**INTEGER, "was": "minutes"}, "name": {**TEXT, "was": "title"}}))
    assert names(report) == {"renamed": ["recipe.minutes -> recipe.mins", "recipe.title -> recipe.name"]}
    assert store.query(".recipe.name~=larb")[0]["recipe"] == {"mins": 46, "name": "LARB"}
    again = vocab(dish={"mins": INTEGER, "name": TEXT})
    again["$defs"]["dish"]["was"] = "recipe"
    assert names(store.deploy(again)) == {"renamed": ["recipe -> dish"]}
    assert store.query("* .dish")[0]["dish"] == {"mins": 46, "name": "LARB"}
    store.apply({"entity": {"eid": "r"}, "dish": {"mins": 5}})
    assert store.query(".dish.mins=5 .count") == {"count": 1}
    assert names(store.deploy(again)) == {}


def test_a_retype_is_refused_while_any_row_holds_a_value(store: wakeful.Store) -> None:
    store.deploy(vocab(note={"n": TEXT, "m": INTEGER}))
    store.apply({"entity": {"eid": "a"}, "note": {"n": "5", "m": 7}})
    with pytest.raises(wakeful.Refused, match=r"note\.n.*1 row holds") as error:
        store.deploy(vocab(note={"n": INTEGER, "m": TEXT}, fresh={}))
    assert len(error.value.problems) == 2
    assert store.query(".note.n=5")[0]["note"]["n"] == "5"
    with pytest.raises(wakeful.QueryError):
        store.query(".fresh")
    # integer -> number, and T -> [T, null], are no retypes.
    store.deploy(vocab(note={"n": {"type": ["string", "null"]}, "m": NUMBER}))
    store.apply({"entity": {"eid": "b"}, "note": {"m": 7.5}})
    assert [row["note"]["m"] for row in store.query(".note.m>=7 .order=note.m")] == [7, 7.5]
    store.apply([{"entity": {"eid": "a"}, "note": {"n": None}}])
    store.deploy(vocab(note={"n": INTEGER, "m": NUMBER}))
    store.apply({"entity": {"eid": "a"}, "note": {"n": 5}})


def test_a_refused_deploy_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with wakeful.open(path) as store:
        store.deploy(vocab(note={"n": TEXT}))
        store.apply({"entity": {"eid": "a"}, "note": {"n": "5"}})
    with sqlite3.connect(path) as connection:
        before = list(connection.iterdump())
    with wakeful.open(path) as store, pytest.raises(wakeful.Refused):
        store.deploy(vocab(extra={"x": TEXT}, note={"n": INTEGER}))
    with wakeful.open(path) as store, pytest.raises(wakeful.VocabError):
        store.deploy({"$defs": {"Bad": {}}})
    with sqlite3.connect(path) as connection:
        assert list(connection.iterdump()) == before


def test_a_tightened_schema_counts_the_rows_that_no_longer_satisfy_it(store: wakeful.Store) -> None:
    store.deploy(vocab(recipe={"serves": INTEGER}))
    store.apply([{"recipe": {"serves": n}} for n in range(5)])
    report = store.deploy(vocab(recipe={"serves": {"type": "integer", "minimum": 2}}))
    assert report.notes == ["2 stored rows of `recipe.serves` no longer satisfy its schema"]
    assert store.query(".recipe .count") == {"count": 5}
    with pytest.raises(wakeful.Refused):
        store.apply({"recipe": {"serves": 1}})


def test_an_index_comes_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    def indexes() -> list[str]:
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'c_note'")
            return [row[0] for row in rows]

    with wakeful.open(path) as store:
        store.deploy(vocab(note={"n": {**TEXT, "index": True}}))
        assert indexes() == ["i_note.n"]
        store.deploy(vocab(note={"n": TEXT}))
        assert indexes() == []
        store.deploy(vocab(note={"n": {**TEXT, "index": True}}))
        store.deploy(vocab(note={"m": {**TEXT, "index": True, "was": "n"}}))
        assert indexes() == ["i_note.m"]


def test_deploying_a_rule_touches_no_row_and_it_acts_on_the_next_write(store: wakeful.Store) -> None:
    store.deploy(vocab(plant={"window": TEXT}))
    store.apply({"entity": {"eid": "fern"}, "plant": {}})
    ruled = vocab(plant={"window": TEXT}, label={"text": TEXT})
    ruled["$defs"]["labels"] = {"rule": True, "match": ".plant.window, +!label, +label.text=new"}
    store.deploy(ruled)
    assert store.query(".label") == []
    store.apply({"entity": {"eid": "fern"}, "plant": {"window": "south"}})
    assert store.query(".label")[0]["label"] == {"text": "new"}


def test_an_ungated_rule_is_refused_with_the_gate_to_add(store: wakeful.Store) -> None:
    broken: dict[str, Any] = {"$defs": {**GARDEN["$defs"]}}
    broken["$defs"]["waters"] = {"rule": True, "match": ".plant, .wake, .fired, +watered.by=wake"}
    with pytest.raises(wakeful.VocabError) as error:
        store.deploy(broken)
    (problem,) = error.value.problems
    assert problem.code == "rule-feeds-itself"
    assert "`waters`" in problem.message and "`+!watered`" in problem.hint


def test_a_kept_reference_outlives_the_component_it_named(store: wakeful.Store) -> None:
    store.deploy(vocab(book={}, loan={"book": {"type": "string", "ref": "book"}}))
    store.apply([{"entity": {"eid": "b"}, "book": {}}, {"entity": {"eid": "l"}, "loan": {"book": "b"}}])
    store.apply({"entity": {"eid": "b"}, "book": None})
    assert names(store.deploy(vocab(other={}))) == {"added": ["other"], "kept": ["loan"], "dropped": ["book"]}
    assert store.query(".loan")[0]["loan"] == {"book": "b"}
