"""`$was`, `$absent`, tombstones and stamps, each in the corner where it is likeliest to break."""

from __future__ import annotations

from typing import Any

import pytest

import wakeful
from runtime.attack.declared import INTEGER, OBJECT, START, has, opened, ref, rule

A = {"entity": {"eid": "a"}}
OUTCOMES: list[tuple[str, Any, str]] = [
    ("holds", {**A, "$was": {"p": {"x": 1, "o": None}}, "q": {}}, "ok"),
    ("another value", {**A, "$was": {"p": {"x": 2}}, "q": {}}, "stale"),
    ("absent as promised", {**A, "$was": {"q": None}, "q": {}}, "ok"),
    ("absent has no value", {**A, "$was": {"q": {"n": None}}, "q": {}}, "ok"),
    ("there after all", {**A, "$was": {"p": None}, "q": {}}, "stale"),
    ("a fresh entity has nothing", {"entity": {"eid": "new"}, "$was": {"p": {"x": 1}}, "p": {}}, "stale"),
    ("a fresh alias has nothing", {"entity": {"eid": "$n"}, "$was": {"p": None}, "p": {}}, "ok"),
    ("guards come before writes", [{**A, "p": {"x": 5}}, {**A, "$was": {"p": {"x": 1}}, "p": {"x": 6}}], "ok"),
    ("the later value is not yet", [{**A, "p": {"x": 5}}, {**A, "$was": {"p": {"x": 5}}, "p": {"x": 6}}], "stale"),
    ("stamps may be guarded", {**A, "$was": {"created": {"at": START}, "entity": {"num": 1}}, "q": {}}, "ok"),
    ("a guarded deletion", {**A, "$was": {"p": {"x": 2}}, "tombstone": {}}, "stale"),
    ("faults before guards", [{**A, "$was": {"p": {"x": 2}}}, {"created": {"by": "me"}}], "refused"),
    ("stamps as stored", {**A, "created": {"at": START, "by": None}, "entity": {"eid": "a", "num": 1}, "q": {}}, "ok"),
    ("stamps made up", {**A, "created": {"at": "2020-01-01T00:00:00Z"}}, "refused"),
    ("stamps of the unborn", {"entity": {"eid": "new"}, "created": {"at": START}}, "refused"),
    ("a num made up", {"entity": {"eid": "a", "num": 2}}, "refused"),
    ("a tombstone inside", {"entity": {"eid": "a", "tombstone": {}}}, "ok"),
    ("twice dead", [{**A, "tombstone": {}}, {**A, "tombstone": {}}], "ok"),
    ("dead, then written", [{**A, "tombstone": {}}, {**A, "q": {}}], "refused"),
    ("written, then dead", [{**A, "q": {}}, {**A, "tombstone": {}}], "ok"),
    ("a reference to the dying", [{**A, "tombstone": {}}, {"l": {"to": "a"}}], "refused"),
    ("a tombstone with company", {**A, "tombstone": {}, "q": {}}, "refused"),
    ("a tombstone of nobody", {"entity": {"eid": "nobody"}, "tombstone": {}}, "refused"),
    ("a tombstone of the dead", {"entity": {"eid": "gone"}, "tombstone": {}}, "refused"),
    ("a write to the dead", {"entity": {"eid": "gone"}, "q": {}}, "refused"),
    ("a reference to the dead", {"l": {"to": "gone"}}, "refused"),
    ("a forward reference", [{"l": {"to": "soon"}}, {"entity": {"eid": "soon"}, "q": {}}], "ok"),
    ("left out, guard and all", {**A, "$absent": True, "$was": {"p": {"x": 9}}, "l": {"to": "nobody"}}, "skipped"),
    ("the dead are known", {"entity": {"eid": "gone"}, "$absent": True, "q": {}}, "skipped"),
    ("one of a list is there", {**A, "$absent": ["q", "p"], "q": {}}, "skipped"),
    ("none of a list is there", {**A, "$absent": ["q", "l"], "q": {}}, "ok"),
    ("two for one absent entity", [{"entity": {"eid": "k"}, "$absent": True, "p": {"x": n}} for n in (1, 2)], "ok"),
    ("a deletion left out", {**A, "$absent": True, "tombstone": {}}, "skipped"),
]  # fmt: skip


@pytest.mark.parametrize(("bundles", "outcome"), [case[1:] for case in OUTCOMES], ids=[case[0] for case in OUTCOMES])
def test_one_apply(bundles: Any, outcome: str) -> None:
    store, _ = opened(p=has(x=INTEGER, o=OBJECT), q=has(n=INTEGER), l=has(to=ref("p")))
    store.apply([{**A, "p": {"x": 1}}, {"entity": {"eid": "gone"}}])
    store.apply({"entity": {"eid": "gone"}, "tombstone": {}})
    before = store.query("*")
    try:
        applied = store.apply(bundles)
    except wakeful.Stale:
        found = "stale"
    except wakeful.Refused:
        found = "refused"
    else:
        found = "skipped" if applied.notes else "ok"
    assert found == outcome
    assert (store.query("*") == before) == (outcome != "ok")


def test_born_and_dead_in_one_apply_is_dead_for_good() -> None:
    store, _ = opened(p=has(x=INTEGER), l=has(to=ref("p")))
    born = {"entity": {"eid": "n"}, "p": {"x": 1}}
    applied = store.apply([born, {"l": {"to": "n"}}, {"entity": {"eid": "n"}, "tombstone": {}}])
    assert applied.changes[0] == {"entity": {"eid": "n", "num": 1}, "tombstone": {}}
    assert store.query("?l")[0]["l"] == {"to": "n"}
    with pytest.raises(wakeful.Refused, match="was deleted"):
        store.apply(born)
    assert store.apply({"p": {}}).changes[0]["entity"]["num"] == 3


def test_a_row_written_back_as_read_changes_nothing() -> None:
    store, clock = opened(p=has(x=INTEGER), l=has(to=ref("p")))
    store.apply([{**A, "p": {"x": 1}}, {"entity": {"eid": "b"}, "l": {"to": "a"}, "wake": {"every": "1h"}}])
    clock.set(store.next_due() or clock.now())
    store.tick()
    assert store.apply(store.query("*")).changes == []


def test_deaths_rules_and_wakes_in_one_apply() -> None:
    store, _ = opened(
        b={}, mark={}, orphan={}, lost={},
        loan=has(to=ref("b", death="detach")), rel=has(to=ref("b", death="release")),
        casc=has(to=ref("b", death="cascade")),
        orphans=rule(".loan, !loan.to, +!orphan"), loses=rule(".mark, !rel, +!lost, +wake.every=1h"),
    )  # fmt: skip

    def entity(eid: str, **parts: Any) -> dict[str, Any]:
        return {"entity": {"eid": eid}, **parts}

    store.apply(
        [
            entity("b", b={}), entity("l", loan={"to": "b"}), entity("m", mark={}, rel={"to": "b"}),
            entity("c", casc={"to": "b"}), entity("c2", casc={"to": "c"}), entity("lc", loan={"to": "c2"}),
            entity("w", wake={"at": "2027-01-01T00:00:00Z", "target": "c2", "every": "1d"}),
        ]
    )  # fmt: skip
    kill = [entity("n", casc={"to": "b"}), entity("n2", loan={"to": "n"}), entity("b", tombstone={})]
    promised = store.apply(kill, dry_run=True)
    applied = store.apply(kill)
    assert promised == applied
    changes = {bundle["entity"]["eid"]: bundle for bundle in applied.changes}
    assert {eid for eid, bundle in changes.items() if "tombstone" in bundle} == {"b", "c", "c2", "n"}
    assert {eid for eid, bundle in changes.items() if "orphan" in bundle} == {"l", "lc", "n2"}
    assert changes["m"]["rel"] is None and changes["m"]["wake"]["at"] == "2026-09-20T09:00:00Z"
    assert changes["w"]["wake"] is None
    assert store.due(store.next_due()) == [("m", "2026-09-20T09:00:00Z")]


HOSTILE: list[Any] = [
    None, 5, "x", [None], [[{}]], {1: 2}, {"entity": 5}, {"entity": {"eid": 5}}, {"entity": {"eid": ""}},
    {"entity": {"eid": "x" * 201}}, {"entity": {"eid": "a\nb"}}, {"entity": {"eid": "\ud800"}},
    {"entity": {"eid": "$"}},
    {"entity": {"eid": "$é"}}, {"entity": {"eid": "$a\n"}}, {"p": {1: 2}}, {"p": []}, {"$was": 5}, {"$was": {}},
    {"$absent": False}, {"$absent": []}, {"$absent": [5]}, {"\ud800": 1}, {"p": {"\ud800": 1}}, {"p": {"o": {1: 1}}},
    {"p": {"o": (1,)}}, iter([{}]), {"p": {"x": b"x"}}, {"tombstone": True}, {"entity": {"eid": "q", "num": 2**70}},
    {"wake": {"while": []}}, {"call": {"to": 5}}, {"wake": {"every": "x" * 10_000}}, {"wake": {"every": "\ud800"}},
    {"wake": {"at": "9" * 20_000}}, {"x" * 100_000: 1}, {"l": {"to": {"l": {"to": 5}}}}, {"l": {"to": "$nobody"}},
]  # fmt: skip


@pytest.mark.parametrize("bundle", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bundles_are_refused_with_a_reason(bundle: Any) -> None:
    store, _ = opened(p=has(x=INTEGER, o=OBJECT), l=has(to=ref("p")))
    with pytest.raises(wakeful.Refused) as error:
        store.apply(bundle)
    assert all(problem.code and problem.message for problem in error.value.problems)


def test_what_holds_itself_is_refused() -> None:
    store, _ = opened(p=has(x=INTEGER, o=OBJECT), l=has(to=ref("p")))
    ring: dict[str, Any] = {}
    ring["k"] = ring
    with pytest.raises(wakeful.Refused, match="levels"):
        store.apply({"p": {"o": ring}})
    bundle: dict[str, Any] = {}
    bundle["l"] = {"to": bundle}
    with pytest.raises(wakeful.Refused, match="nest at most"):
        store.apply(bundle)


def test_a_thousand_bundles_and_thirty_levels() -> None:
    store, _ = opened(p=has(x=INTEGER), l=has(to=ref("p")), done={}, big=rule(".p.x>=500, +!done"))
    aliased = [{"entity": {"eid": f"$a{n}"}, "p": {"x": n}, "l": {"to": f"$a{n * 7 % 1000}"}} for n in range(1000)]
    applied = store.apply(aliased)
    assert [bundle["entity"]["num"] for bundle in applied.changes] == list(range(1, 1001))
    assert store.query(".done .count") == {"count": 500}
    deep: dict[str, Any] = {"p": {"x": 1}}
    for _ in range(30):
        deep = {"l": {"to": deep}}
    assert len(store.apply([deep] * 20).changes) == 620
    with pytest.raises(wakeful.Refused, match="touches 10000 entities"):
        store.apply([deep] * 400)
