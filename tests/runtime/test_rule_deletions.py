"""What rules take away: properties, components, and rows with all that hangs on them."""

from __future__ import annotations

import pytest

import wakeful
from runtime.garden import at
from runtime.ruled import EIGHT, NINE, part, put, ref, refusing, ruled
from wakeful import firing

SHELVES = {
    "shelf": {},
    "closed": {},
    "book": {"of": ref("shelf", "detach"), "title": "string"},
    "label": {"of": ref("shelf", "cascade")},
    "loan": {"of": ref("shelf", "release")},
    "orphan": {},
}


def test_state_rules_clear_and_remove() -> None:
    store, _ = ruled(
        {"invoice": {"status": "string", "note": "string"}, "paid": {}, "open": {}},
        {
            "closes": ".paid, .open, *open=null",
            "forgets": ".paid, .invoice.note, *invoice.note=null",
            "reopens": ".invoice, !paid, +!open",
        },
    )
    put(store, "i", invoice={"note": "n", "status": "s"})
    assert part(store, "i", "open") == {}
    (changed,) = put(store, "i", paid={}).changes
    assert changed["open"] is None
    assert changed["invoice"] == {"status": "s", "note": None}
    put(store, "i", paid=None)
    assert part(store, "i", "open") == {}


def test_a_required_property_is_not_cleared() -> None:
    vocab = {
        "$defs": {
            "c": {"properties": {"p": {"type": "string"}}, "required": ["p"]},
            "clears": {"rule": True, "match": ".c.p=x, *c.p=null"},
        }
    }
    with pytest.raises(wakeful.VocabError, match="cannot be cleared"):
        wakeful.load(vocab)


def test_a_tombstone_deletes_the_row_and_its_death_follows() -> None:
    store, _ = ruled(SHELVES, {"ends": ".shelf, .closed, +tombstone", "orphans": ".book, !book.of, +!orphan"})
    store.apply(
        [
            {"entity": {"eid": "s"}, "shelf": {}},
            {"entity": {"eid": "b"}, "book": {"of": "s", "title": "t"}},
            {"entity": {"eid": "l"}, "label": {"of": "s"}},
            {"entity": {"eid": "o"}, "loan": {"of": "s"}},
        ]
    )
    changes = put(store, "s", closed={}).changes
    assert [(bundle["entity"]["eid"], "tombstone" in bundle) for bundle in changes] == [
        ("s", True), ("b", False), ("l", True), ("o", False)
    ]  # fmt: skip
    assert part(store, "b", "orphan") == {}
    assert part(store, "b", "book") == {"of": None, "title": "t"}
    assert part(store, "o", "loan") is None
    with pytest.raises(wakeful.Refused, match="dead"):
        put(store, "s", shelf={})


def test_a_row_under_a_tombstone_matches_no_further_rule() -> None:
    store, _ = ruled(
        {"a": {}, "b": {}, "need": {"x": "string"}},
        {
            "a_ends": ".a, .b, +tombstone",
            "z_late": refusing(".a, .b", "never judged on a dead row"),
            "z_writes": ".b, +!need, +need.x=y",
        },
    )
    changes = put(store, "i", a={}, b={}).changes
    assert [set(bundle) for bundle in changes] == [{"entity", "tombstone"}]


def test_deletions_go_on_until_nothing_more_is_deleted() -> None:
    """Each row of a chain is deleted by a state rule that the deletion of the next one sets off."""
    store, _ = ruled(
        {"link": {"to": ref("entity", "detach")}, "end": {}},
        {"falls": ".link, !link.to, !end, +tombstone", "ends": ".end, .link, +tombstone"},
    )
    rows = [{"entity": {"eid": f"e{n}"}, "link": {"to": f"e{n + 1}"}} for n in range(50)]
    store.apply([*rows, {"entity": {"eid": "e50"}, "end": {}}])
    changes = put(store, "e50", link={}).changes
    assert len(changes) == 51
    assert store.query("*") == []


def test_an_occasion_deletes_too() -> None:
    store, _ = ruled(SHELVES, {"ends": "^closed, .shelf, +tombstone", "marks": "^closed, +orphan"})
    put(store, "s", shelf={})
    assert put(store, "s", closed={}).changes == [{"entity": {"eid": "s", "num": 1}, "tombstone": {}}]
    put(store, "t", closed={})
    assert part(store, "t", "orphan") == {}


# --- in a firing -------------------------------------------------------------------------------------


def test_a_firing_that_deletes_its_row() -> None:
    store, _ = ruled(SHELVES, {"ends": "^fired, .shelf, +tombstone"})
    put(store, "s", shelf={}, wake={"at": NINE, "every": "1d"})
    report = store.tick(at(NINE))
    assert report.fired == [{"entity": {"eid": "s", "num": 1}, "tombstone": {}}]
    assert report.next_due is None
    assert store.query("*") == []


def test_a_firing_that_deletes_a_row_which_is_due_itself() -> None:
    """As if the wakes fired one by one: what an earlier firing deleted does not fire."""
    store, _ = ruled(SHELVES, {"ends": "^fired, .shelf, +tombstone"})
    store.apply({"entity": {"eid": "s"}, "shelf": {}, "wake": {"at": EIGHT}})
    store.apply([{"label": {"of": "s"}, "wake": {"at": NINE}} for _ in range(3)])
    store.apply({"entity": {"eid": "book"}, "book": {"of": "s"}, "wake": {"at": NINE}})
    report = store.tick(at(NINE))
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["s", "book"]
    assert report.fired[1]["fired"] == {"at": NINE, "due": NINE}
    assert part(store, "book", "book")["of"] is None
    assert store.query(".wake .count") == {"count": 1}


def test_what_a_firing_did_to_other_rows_is_undone_when_it_is_refused() -> None:
    store, clock = ruled(
        {**SHELVES, "stuck": {}},
        {"ends": "^fired, .shelf, +tombstone", "no": refusing("!book.of, .book, .stuck", "a stuck book has a shelf")},
    )
    store.apply(
        [
            {"entity": {"eid": "a"}, "shelf": {}, "wake": {"at": EIGHT}},
            {"entity": {"eid": "b"}, "shelf": {}, "wake": {"at": EIGHT}},
            {"entity": {"eid": "la"}, "label": {"of": "a"}},
            {"entity": {"eid": "ba"}, "book": {"of": "a"}, "stuck": {}},
            {"entity": {"eid": "bb"}, "book": {"of": "b"}},
        ]
    )
    report = store.tick()
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["b"]
    assert [refusal["eid"] for refusal in report.refused] == ["a"]
    assert "a stuck book has a shelf (rule `no`, ba)" in report.refused[0]["error"]
    assert part(store, "ba", "book")["of"] == "a"
    assert part(store, "la", "label") == {"of": "a"}
    assert part(store, "bb", "book")["of"] is None
    assert part(store, "a", "wake")["at"] == EIGHT
    put(store, "ba", stuck=None)
    clock.set(at("2026-09-20T08:01:00Z"))
    assert [bundle["entity"]["eid"] for bundle in store.tick().fired] == ["a"]
    assert store.query(".refusal") == [] and store.query(".label") == []


def test_a_row_that_two_firings_of_a_batch_touch() -> None:
    store, _ = ruled(
        {"shelf": {}, "book": {"of": ref("shelf", "detach"), "spare": ref("shelf", "detach")}},
        {"ends": "^fired, .shelf, +tombstone"},
    )
    store.apply([{"entity": {"eid": eid}, "shelf": {}, "wake": {"at": EIGHT}} for eid in "ab"])
    store.apply({"entity": {"eid": "book"}, "book": {"of": "a", "spare": "b"}})
    store.apply({"entity": {"eid": "early"}, "book": {"of": "b"}, "wake": {"at": "2026-09-20T07:00:00Z"}})
    report = store.tick()
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["early", "a", "b"]
    assert part(store, "book", "book") == {"of": None, "spare": None}
    assert part(store, "early", "book")["of"] is None
    assert part(store, "early", "fired")["due"] == "2026-09-20T07:00:00Z"
    assert part(store, "early", "updated") == {"at": EIGHT, "by": "wake"}


def test_many_rows_are_deleted_by_their_own_firings() -> None:
    store, _ = ruled({"session": {}}, {"ends": "^fired, .session, +tombstone"})
    for _ in range(2):
        store.apply([{"session": {}, "wake": {"at": EIGHT}} for _ in range(firing.BATCH)])
    assert len(store.tick().fired) == 2 * firing.BATCH
    assert store.query("*") == []


def test_a_firing_that_ends_its_own_wake() -> None:
    store, _ = ruled({"once": {}}, {"ends": "^fired, .once, *wake=null"})
    put(store, "i", once={}, wake={"at": EIGHT, "every": "1h"})
    (bundle,) = store.tick().fired
    assert bundle["wake"] is None
    assert bundle["fired"] == {"at": EIGHT, "due": EIGHT}
    assert store.next_due() is None


def test_an_account_that_a_rule_deletes() -> None:
    """A rule may have its own idea of how long a refusal is worth keeping."""
    store, clock = ruled({"bad": {}}, {"no": refusing("^fired, .bad", "no"), "tidies": ".refusal.times>=2, +tombstone"})
    put(store, "i", bad={}, wake={"at": EIGHT})
    found = []
    for _ in range(4):
        assert len(store.tick().refused) == 1
        found += [row["refusal"]["times"] for row in store.query(".refusal")] or [0]
        moment = store.next_due()
        assert moment is not None
        clock.set(moment)
    assert found == [1, 0, 1, 0]
