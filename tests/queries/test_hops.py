"""Paths that go on through references: what they mean, in memory and in SQLite, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import wakeful
from wakeful.testing import ManualClock
from wakeful_compiler.emit.readers import LookupNeeded

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
VOCAB: dict[str, Any] = {
    "$defs": {
        "comment": {
            "properties": {
                "target": {"type": "string", "ref": "entity"},
                "text": {"type": "string"},
                "likes": {"type": "integer"},
            }
        },
        "shop": {
            "properties": {
                "owner": {"type": "string", "ref": "person"},
                "rent": {"type": "integer"},
                "opened": {"type": "string", "format": "date-time"},
            }
        },
        "person": {"properties": {"boss": {"type": "string", "ref": "person"}, "age": {"type": "integer"}}},
    }
}
ROWS: dict[str, dict[str, Any]] = {
    "lemon": {"doc": {"title": "Lemon drizzle"}},
    "plain": {"doc": {}},
    "ada": {"person": {"boss": None, "age": 40}, "doc": {"title": "Ada"}},
    "bob": {"person": {"boss": "ada", "age": 30}, "doc": {"title": "Bob"}},
    "cyd": {"person": {"boss": "bob", "age": 20}},
    "dee": {"person": {"boss": "cyd"}},
    "kiosk": {"shop": {"owner": "bob", "rent": 35, "opened": "2026-09-26T09:00:00Z"}},
    "stall": {"shop": {"owner": "dee", "rent": 10}},
    "c1": {"comment": {"target": "lemon", "likes": 1}},
    "c2": {"comment": {"target": "plain", "likes": 2}},
    "c3": {"comment": {"target": "kiosk", "likes": 3}},
    "c4": {"comment": {"text": "about nothing"}},
    "c5": {"comment": {"target": "gone", "likes": 5}},
}
LOADED = wakeful.load(VOCAB)
BUNDLES = {eid: {"entity": {"eid": eid, "num": num}, **row} for num, (eid, row) in enumerate(ROWS.items(), start=1)}


@pytest.fixture(scope="module")
def store() -> Iterator[wakeful.Store]:
    with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
        store.deploy(VOCAB)
        gone = {"entity": {"eid": "gone"}, "doc": {"title": "Lemon of old"}}
        store.apply([*({"entity": {"eid": eid}, **row} for eid, row in ROWS.items()), gone])
        store.apply({"entity": {"eid": "gone"}, "tombstone": {}})
        yield store


def in_memory(text: str) -> Any:
    return LOADED.query(text).select(BUNDLES.values(), now=NOW, lookup=BUNDLES.get)


@pytest.mark.parametrize(
    ("text", "eids"),
    [
        (".comment.target.doc.title~=LEMON", "c1"),
        (".comment.target.doc.title", "c1"),
        (".comment.target.doc.body", ""),
        (".comment !comment.target.doc.title", "c2 c3 c4 c5"),
        ("!comment.target.doc.title .comment.likes<3", "c2"),
        (".comment.target.doc.title!=x .comment", "c1 c2 c3 c4 c5"),
        ('.comment !(.comment.target.doc.title="Lemon drizzle")', "c2 c3 c4 c5"),
        (".comment.target.shop.rent>=30", "c3"),
        (".comment.target.shop.rent=30..40,50", "c3"),
        (".comment.target.shop.owner=bob", "c3"),
        (".comment.target.shop.owner.person.boss=ada", "c3"),
        (".comment.target.shop.owner.person.boss.person.age=40", "c3"),
        (".comment.target.shop.owner.person.boss.doc.title=Ada", "c3"),
        (".shop.owner.person.boss.person.boss.person.boss.doc.title=Ada", "stall"),
        (".shop.owner.person.boss.person.boss.person.boss.person.age=40", "stall"),
        (".comment.target.shop.opened=today", "c3"),
        (".comment.target.shop.opened<1-hour-ago", "c3"),
        (".shop.owner.person.age<.shop.rent", "kiosk"),
        (".person.boss.person.age>.person.age", "bob cyd"),
        (".comment.target.entity.eid=lemon", "c1"),
        (".comment.target.entity.eid", "c1 c2 c3"),
        (".comment.target.entity.num>1", "c2 c3"),
        # The entity is deleted, and the reference stays what it was.
        (".comment.target", "c1 c2 c3 c5"),
        (".comment !comment.target.entity.eid", "c4 c5"),
        (".comment.likes=5|.comment.target.doc.title~=of", "c5"),
        # The same reference by which two entities are asked, and two by which one is.
        (".comment.target.doc.title~=lemon !comment.target.doc.body", "c1"),
        (".comment.target.doc.title~=lemon|.comment.target.shop.rent=35", "c1 c3"),
        (".comment !(.comment.target.doc.title|.comment.target.shop.rent)", "c2 c4 c5"),
    ],
)
def test_a_path_reads_through_references(store: wakeful.Store, text: str, eids: str) -> None:
    assert [row["entity"]["eid"] for row in in_memory(text)] == eids.split()
    assert store.query(text) == in_memory(text)


@pytest.mark.parametrize(
    ("text", "eids"),
    [
        (".comment .order=comment.target.doc.title", "c2 c3 c4 c5 c1"),
        (".comment .order=-comment.target.shop.rent", "c3 c1 c2 c4 c5"),
        (".shop .order=shop.owner.person.boss", "kiosk stall"),
        (".comment .order=comment.target.doc.title .after=c3 .limit=2", "c4 c5"),
    ],
)
def test_rows_are_ordered_through_references(store: wakeful.Store, text: str, eids: str) -> None:
    assert [row["entity"]["eid"] for row in in_memory(text)] == eids.split()
    assert store.query(text) == in_memory(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (".comment .distinct=comment.target.doc.title", {"distinct": ["Lemon drizzle"]}),
        (".comment .tally=comment.target.shop.rent", {"tally": {"35": 1}}),
        (".person .tally=person.boss.person.age", {"tally": {"20": 1, "30": 1, "40": 1}}),
        (".comment.target.shop.rent=35 .count", {"count": 1}),
    ],
)
def test_values_are_counted_through_references(store: wakeful.Store, text: str, answer: Any) -> None:
    assert in_memory(text) == answer
    assert store.query(text) == answer


def test_a_row_carries_its_own_component_and_not_the_target_s(store: wakeful.Store) -> None:
    (row,) = store.query(".comment.target.doc.title~=lemon")
    assert row == {
        "entity": {"eid": "c1", "num": 9},
        "comment": {"target": "lemon", "text": None, "likes": 1},
    }


def test_what_a_hop_depends_on_is_each_reference_and_the_property() -> None:
    assert LOADED.query(".comment.target.shop.owner.person.age=1").reads == {
        ("comment", "target"),
        ("shop", "owner"),
        ("person", "age"),
    }


@pytest.mark.parametrize(
    "text", [".comment.target.doc.title", "!comment.target.doc.title", ".a .b|.shop.owner.doc.title"]
)
def test_a_hop_in_memory_needs_a_lookup_and_says_so(text: str) -> None:
    vocab = wakeful.load({"$defs": {**VOCAB["$defs"], "a": {}, "b": {}}})
    query = vocab.query(text)
    with pytest.raises(LookupNeeded, match="lookup="):
        query.matches({})
    with pytest.raises(wakeful.WakefulError, match="lookup="):
        query.select([{}])


def test_an_order_through_a_reference_needs_a_lookup_too() -> None:
    with pytest.raises(LookupNeeded):
        LOADED.query(".comment .order=comment.target.doc.title").select([])
    with pytest.raises(LookupNeeded):
        LOADED.query(".comment .tally=comment.target.doc.title").select([])


def test_a_query_without_hops_never_asks_the_lookup() -> None:
    def lookup(eid: str) -> Any:
        raise AssertionError(eid)

    query = LOADED.query(".comment.target=lemon")
    assert query.matches(BUNDLES["c1"], lookup=lookup)
    assert query.matches(BUNDLES["c1"])


def test_the_row_itself_is_asked_before_another_is_looked_up() -> None:
    asked: list[str] = []

    def lookup(eid: str) -> Any:
        asked.append(eid)
        return BUNDLES.get(eid)

    query = LOADED.query(".comment.target.doc.title .comment.target.doc.body=x .comment.likes=1")
    assert not query.matches(BUNDLES["c3"], lookup=lookup)
    assert asked == []
    assert not query.matches(BUNDLES["c1"], lookup=lookup)
    assert asked == ["lemon"]


@pytest.mark.parametrize(
    "odd",
    [
        {"comment": {"target": 5}},
        {"comment": {"target": None}},
        {"comment": {"target": ["lemon"]}},
        {"comment": {"target": "nobody"}},
        {"comment": {"target": "odd"}},
        {"comment": 5},
        {},
    ],
)
def test_what_leads_nowhere_counts_as_missing(odd: dict[str, Any]) -> None:
    def lookup(eid: str) -> Any:
        return {"odd": {"doc": "no object"}}.get(eid)

    assert not LOADED.query(".comment.target.doc.title").matches(odd, lookup=lookup)
    assert LOADED.query("!comment.target.doc.title").matches(odd, lookup=lookup)
    assert LOADED.query(".comment.target.doc.title!=x").matches(odd, lookup=lookup)
    assert not LOADED.query(".comment.target.doc.title~=x").matches(odd, lookup=lookup)


@pytest.mark.parametrize(
    ("text", "code", "says", "fix"),
    [
        (".comment.text.doc.title=x", "type-hop", "`comment.text` is a string", "comment.target.doc.title"),
        (".comment.target.doc.title.doc.body", "type-hop", "`doc.title` is a string", None),
        (".comment.target.dok.title=x", "unknown-component", "comment.target.doc.title", "comment.target.doc.title"),
        (".comment.target.doc.titel=x", "unknown-property", "comment.target.doc.title", "comment.target.doc.title"),
        (".coment.target.doc.title=x", "unknown-component", "comment.target.doc.title", "comment.target.doc.title"),
        (".comment.targt.doc.title=x", "unknown-property", "comment.target.doc.title", "comment.target.doc.title"),
        ("?comment.target.doc.title", "type-hop", "`?comment.target`", "comment.target"),
        (".comment .fields=comment.target.doc.title", "type-hop", "`.fields=comment.target`", "comment.target"),
        (".comment.target.shop.rent=many", "type-operand", "`comment.target.shop.rent` is an integer", None),
        (".comment.text=.comment.target.doc.title", "syntax-operand", "beyond the row", None),
    ],
)
def test_a_mistaken_hop_is_explained(text: str, code: str, says: str, fix: str | None) -> None:
    with pytest.raises(wakeful.QueryError) as caught:
        LOADED.query(text)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert says in problem.message + problem.hint
    assert problem.fix == fix
    if fix is not None:
        start, end = problem.span.start, problem.span.end
        LOADED.query(text[:start] + fix + text[end:])
