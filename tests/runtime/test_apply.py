"""apply: patch semantics, aliases, tombstones, guards, strict types; all or nothing."""

from __future__ import annotations

import math
import uuid
from datetime import datetime
from typing import Any

import pytest

import wakeful
from runtime.garden import at
from wakeful.testing import ManualClock

VOCAB: dict[str, Any] = {
    "$defs": {
        "book": {
            "properties": {
                "pages": {"type": "integer"},
                "status": {"type": "string"},
                "price": {"type": "number"},
                "meta": {"type": "object"},
                "tags": {"type": "array"},
                "seen": {"type": "string", "format": "date-time"},
                "open": {"type": "boolean"},
            }
        },
        "comment": {"properties": {"target": {"type": "string", "ref": "book", "death": "cascade"}}},
        "loan": {
            "properties": {
                "book": {"type": "string", "ref": "book", "death": "detach"},
                "by": {"type": "string"},
            }
        },
        "mark": {"properties": {"book": {"type": "string", "ref": "book", "death": "release"}}},
        "note": {
            "properties": {"book": {"type": "string", "ref": "book"}, "text": {"type": "string"}},
            "required": ["text"],
        },
    }
}


@pytest.fixture
def store() -> wakeful.Store:
    store = wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z")), by="me")
    store.deploy(VOCAB)
    return store


def codes(error: pytest.ExceptionInfo[wakeful.Refused]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def one(store: wakeful.Store, text: str) -> dict[str, Any]:
    (row,) = store.query(text)
    found: dict[str, Any] = row
    return found


def test_a_patch_changes_what_it_names(store: wakeful.Store) -> None:
    store.apply({"entity": {"eid": "b1"}, "book": {"pages": 412, "status": "stocked"}})
    store.apply({"entity": {"eid": "b1"}, "book": {"pages": 500, "status": None}})
    assert one(store, ".book")["book"] == {
        "pages": 500, "status": None, "price": None, "meta": None, "tags": None, "seen": None, "open": None,
    }  # fmt: skip


def test_every_kind_of_value_comes_back_as_it_went_in(store: wakeful.Store) -> None:
    given = {
        "pages": -(2**63), "status": "Straße, \"quoted\" 'n |(more)", "price": 0.1,
        "meta": {"a": [1, {"b": None}], "ü": "é"},
        "tags": [], "seen": "2026-09-20T09:00:00.25Z", "open": False,
    }  # fmt: skip
    store.apply({"entity": {"eid": "b1"}, "book": given})
    assert one(store, ".book")["book"] == given


def test_instants_are_written_in_their_canonical_form(store: wakeful.Store) -> None:
    store.apply({"entity": {"eid": "b1"}, "book": {"seen": "2026-09-20T11:00:00.500+02:00"}})
    assert one(store, ".book")["book"]["seen"] == "2026-09-20T09:00:00.5Z"
    store.apply({"entity": {"eid": "b1"}, "book": {"seen": at("2026-09-20T09:00:00Z")}})
    assert one(store, ".book")["book"]["seen"] == "2026-09-20T09:00:00Z"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"pages": 5.5}, "integer"),
        ({"pages": True}, "integer"),
        ({"pages": 2**63}, "2^63"),
        ({"pages": "5"}, "integer"),
        ({"price": math.nan}, "number"),
        ({"price": 2**53 + 1}, "number"),
        ({"status": 5}, "string"),
        ({"status": "a\0b"}, "NUL"),
        ({"status": "\ud800"}, "surrogate"),
        ({"open": 1}, "boolean"),
        ({"meta": [1]}, "object"),
        ({"tags": {}}, "array"),
        ({"seen": "someday"}, "RFC 3339"),
        ({"seen": "2026-09-20T09:00:00"}, "zone"),
        ({"seen": datetime(2026, 9, 20)}, "naive"),
        ({"meta": {"x": {1, 2}}}, "x"),
    ],
)
def test_types_are_strict_and_the_message_says_which(store: wakeful.Store, values: dict[str, Any], said: str) -> None:
    with pytest.raises(wakeful.Refused) as error:
        store.apply([{"entity": {"eid": "b1"}, "doc": {"title": "x"}}, {"book": values}])
    (problem,) = error.value.problems
    assert said in problem.message
    assert problem.pointer == f"/1/book/{next(iter(values))}"
    assert store.query("*") == []


def test_every_fault_of_every_bundle_is_told_at_once(store: wakeful.Store) -> None:
    with pytest.raises(wakeful.Refused) as error:
        store.apply(
            [
                {"book": {"pages": "many", "pges": 3}},
                {"bok": {}},
                {"entity": {"eid": ""}, "book": 7},
                7,
            ]
        )
    assert codes(error) == [
        "type-property", "unknown-property", "unknown-component", "type-eid", "type-component", "type-bundle",
    ]  # fmt: skip
    assert "did you mean `pages`?" in error.value.problems[1].hint
    assert "did you mean `book`?" in error.value.problems[2].hint


def test_aliases_stand_for_one_fresh_entity_in_the_whole_call(store: wakeful.Store) -> None:
    applied = store.apply(
        [
            {"entity": {"eid": "$n"}, "comment": {"target": "$c"}},
            {"entity": {"eid": "$c"}, "doc": {"title": "Cake"}},
            {"entity": {"eid": "$c"}, "book": {"pages": 3}},
        ]
    )
    assert set(applied.aliases) == {"$n", "$c"}
    assert uuid.UUID(applied.aliases["$c"]).version == 7
    assert one(store, ".comment")["comment"]["target"] == applied.aliases["$c"]
    assert one(store, ".book .doc")["doc"]["title"] == "Cake"
    assert [bundle["entity"]["num"] for bundle in applied.changes] == [1, 2]
    with pytest.raises(wakeful.Refused, match="no bundle of this apply is \\$x"):
        store.apply({"comment": {"target": "$x"}})


def test_a_nested_bundle_stands_where_a_reference_takes_an_eid(store: wakeful.Store) -> None:
    store.apply({"comment": {"target": {"entity": {"eid": "b9"}, "book": {"pages": 9}}}, "doc": {"title": "note"}})
    assert one(store, ".comment")["comment"]["target"] == "b9"
    assert one(store, ".book")["book"]["pages"] == 9


def test_an_unknown_target_is_refused(store: wakeful.Store) -> None:
    with pytest.raises(wakeful.Refused) as error:
        store.apply({"comment": {"target": "nobody"}})
    assert codes(error) == ["unknown-entity"]


def test_death_follows_references(store: wakeful.Store) -> None:
    store.apply(
        [
            {"entity": {"eid": "b"}, "book": {}},
            {"entity": {"eid": "c"}, "comment": {"target": "b"}},
            {"entity": {"eid": "l"}, "loan": {"book": "b", "by": "ann"}},
            {"entity": {"eid": "m"}, "mark": {"book": "b"}, "doc": {"title": "kept"}},
            {"entity": {"eid": "n"}, "note": {"book": "b", "text": "t"}},
            {
                "entity": {"eid": "w"},
                "wake": {"at": "2026-10-01T00:00:00Z", "target": "b"},
                "doc": {"title": "holder"},
            },
        ]
    )
    applied = store.apply({"entity": {"eid": "b"}, "tombstone": {}})
    by_eid = {bundle["entity"]["eid"]: bundle for bundle in applied.changes}
    assert set(by_eid) == {"b", "c", "l", "m", "w"}
    assert by_eid["b"]["tombstone"] == by_eid["c"]["tombstone"] == {}
    assert by_eid["l"]["loan"] == {"book": None, "by": "ann"}
    assert by_eid["m"]["mark"] is None
    assert by_eid["w"]["wake"] is None
    assert one(store, ".note")["note"]["book"] == "b"
    assert one(store, ".mark|.doc.title=kept")["doc"]["title"] == "kept"
    assert store.next_due() is None
    for bundle in (
        {"entity": {"eid": "b"}, "book": {}},
        {"comment": {"target": "b"}},
        {"entity": {"eid": "b"}, "tombstone": {}},
    ):
        with pytest.raises(wakeful.Refused):
            store.apply(bundle)


def test_a_cascade_reaches_through_chains_and_circles(store: wakeful.Store) -> None:
    store.apply(
        [
            {"entity": {"eid": "a"}, "comment": {"target": "b"}},
            {"entity": {"eid": "b"}, "comment": {"target": "c"}},
            {"entity": {"eid": "c"}, "comment": {"target": "a"}},
        ]
    )
    assert len(store.apply({"entity": {"eid": "b"}, "tombstone": {}}).changes) == 3
    assert store.query("*") == []


def test_a_num_is_never_given_again(store: wakeful.Store) -> None:
    store.apply([{"entity": {"eid": "a"}, "doc": {}}, {"entity": {"eid": "b"}, "doc": {}}])
    store.apply({"entity": {"eid": "b"}, "tombstone": {}})
    assert store.apply({"doc": {}}).changes[0]["entity"]["num"] == 3


@pytest.mark.parametrize(
    "bundle",
    [
        {"entity": {"eid": "e1"}, "tombstone": {}, "doc": {"title": "x"}},
        {"entity": {"eid": "$new"}, "tombstone": {}},
        {"tombstone": {}},
        {"entity": {"eid": "nobody", "tombstone": {}}},
        {"entity": {"eid": "e1", "num": 7}},
        {"entity": {"eid": "e1"}, "created": {"at": "2020-01-01T00:00:00Z"}},
        {"entity": {"eid": "e1"}, "updated": {"by": "somebody"}},
        {"call": {"to": "x", "args": {"text": "a" * 70_000}}},
        {"wake": {"while": []}},
    ],
)
def test_what_no_bundle_may_say(store: wakeful.Store, bundle: dict[str, Any]) -> None:
    store.apply({"entity": {"eid": "e1"}, "doc": {"title": "before"}})
    before = store.query("*")
    with pytest.raises(wakeful.Refused):
        store.apply(bundle)
    assert store.query("*") == before


def test_a_row_that_was_read_can_be_written_back(store: wakeful.Store) -> None:
    store.apply({"entity": {"eid": "e1"}, "doc": {"title": "a"}})
    row = one(store, "* .doc")
    row["doc"]["title"] = "b"
    store.apply(row)
    assert one(store, ".doc")["doc"]["title"] == "b"


def test_stamps(store: wakeful.Store) -> None:
    store.apply({"entity": {"eid": "e1"}, "doc": {"title": "a"}}, by="ann")
    store.clock.advance(at("2026-09-21T00:00:00Z") - at("2026-09-20T00:00:00Z"))
    assert store.apply({"entity": {"eid": "e1"}, "doc": {"title": "a"}}).changes == []
    assert one(store, ".doc ?updated ?created").keys() == {"entity", "doc", "created"}
    store.apply({"entity": {"eid": "e1"}, "doc": {"title": "b"}})
    row = one(store, ".doc ?updated ?created")
    assert row["created"] == {"at": "2026-09-20T08:00:00Z", "by": "ann"}
    assert row["updated"] == {"at": "2026-09-21T08:00:00Z", "by": "me"}
    store.apply({"entity": {"eid": "e1"}, "doc": {"title": "c"}}, by="bea")
    assert one(store, ".doc ?updated")["updated"]["by"] == "bea"


def test_was_guards_are_compared_before_anything_is_written(store: wakeful.Store) -> None:
    store.apply({"entity": {"eid": "b1"}, "book": {"pages": 1, "seen": "2026-01-01T00:00:00Z"}})
    good = {
        "entity": {"eid": "b1"},
        "$was": {"book": {"pages": 1, "seen": "2026-01-01T01:00:00+01:00"}, "doc": None},
        "book": {"pages": 2},
    }
    store.apply(good)
    with pytest.raises(wakeful.Stale) as error:
        store.apply([{"doc": {"title": "lost"}}, good])
    assert error.value.current["b1"]["book"]["pages"] == 2
    assert store.query(".doc") == []


def test_absent_leaves_a_bundle_out_and_says_so(store: wakeful.Store) -> None:
    setup = [
        {
            "entity": {"eid": "settings"},
            "$absent": True,
            "doc": {"title": "defaults"},
            "loan": {"book": {"entity": {"eid": "$b"}, "book": {}}},
        },
    ]
    assert store.apply(setup).notes == []
    again = store.apply(setup)
    assert again.changes == [] and "settings: left out" in again.notes[0]
    with pytest.raises(wakeful.Stale):
        store.apply([*setup, {"comment": {"target": "$b"}}])
    assert store.apply({"entity": {"eid": "settings"}, "$absent": ["book"], "book": {"pages": 1}}).notes == []
    assert store.apply({"entity": {"eid": "settings"}, "$absent": ["book"], "book": {"pages": 2}}).changes == []


def test_required_is_asked_for_when_added_and_when_cleared(store: wakeful.Store) -> None:
    with pytest.raises(wakeful.Refused, match="requires `text`"):
        store.apply({"note": {}})
    store.apply({"entity": {"eid": "n"}, "note": {"text": "t"}})
    store.apply({"entity": {"eid": "n"}, "note": {}})
    with pytest.raises(wakeful.Refused, match="requires `text`"):
        store.apply({"entity": {"eid": "n"}, "note": {"text": None}})
    store.apply({"entity": {"eid": "n"}, "note": None})


def test_a_dry_run_answers_the_same_and_keeps_nothing(store: wakeful.Store) -> None:
    bundle = {"entity": {"eid": "b1"}, "book": {"pages": 1}, "wake": {"every": "1h"}}
    dry = store.apply(bundle, dry_run=True)
    assert store.query("*") == [] and store.next_due() is None
    assert store.apply(bundle).changes == dry.changes


def test_limits_are_named_with_their_figures(store: wakeful.Store) -> None:
    with pytest.raises(wakeful.Refused, match="1000 bundles; this one has 1001"):
        store.apply([{"doc": {}}] * 1001)
    with pytest.raises(wakeful.Refused):
        store.apply({"doc": {"body": "x" * (2**20 + 1)}})
    nested: dict[str, Any] = {"doc": {}}
    for _ in range(500):
        nested = {"comment": {"target": nested}}
    with pytest.raises(wakeful.Refused, match="nest at most 32"):
        store.apply(nested)
    with pytest.raises(wakeful.Refused, match="`by`"):
        store.apply({"doc": {}}, by="")


def test_mutating_the_answer_touches_nothing(store: wakeful.Store) -> None:
    given = {"entity": {"eid": "b"}, "book": {"meta": {"a": [1]}}}
    applied = store.apply(given)
    applied.changes[0]["book"]["meta"]["a"].append(2)
    assert one(store, ".book")["book"]["meta"] == {"a": [1]}


def test_a_gate_that_a_rule_closes_at_once_is_noted() -> None:
    store = wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z")))
    store.deploy({"$defs": {"plant": {}, "watered": {}, "r": {"rule": True, "match": ".plant, .fired, +!watered"}}})
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": "2026-09-20T08:00:00Z"}})
    store.tick()
    applied = store.apply({"entity": {"eid": "fern"}, "watered": None})
    assert applied.changes == []
    assert "fern: a rule wrote `watered` again" in applied.notes[0]
    assert store.apply({"entity": {"eid": "fern"}, "watered": None, "fired": None}).notes == []
