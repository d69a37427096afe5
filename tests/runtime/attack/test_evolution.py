"""Deploys over data: renames, kept names that come back, retypes, in chains."""

from __future__ import annotations

from typing import Any

import pytest

import wakeful
from runtime.attack.declared import INSTANT, INTEGER, NUMBER, OBJECT, START, TEXT, has, opened, ref, vocab


def test_everything_is_renamed_at_once_and_again_and_again() -> None:
    store, _ = opened(a=has(x={**TEXT, "index": True}, r=ref("a"), n=INTEGER, o=OBJECT, t=INSTANT))
    store.apply(
        [
            {"entity": {"eid": "q"}, "a": {"x": "É", "n": 2**40, "o": {"k": 1}, "t": START}},
            {"entity": {"eid": "w"}, "a": {"r": "q"}},
        ]
    )
    moved = has(
        y={**TEXT, "was": "x"}, s=ref("b", death="cascade", was="r"), m={**NUMBER, "was": "n"},
        u={**INSTANT, "was": "t", "index": True},
    )  # fmt: skip
    report = store.deploy(vocab(b={"was": "a", **moved}))
    assert report.kept == ["b.o"] and len(report.renamed) == 5
    assert store.query(".b.y~=é .b.m>1e9 .b.u>=2026-01-01T00:00:00Z")[0]["b"] == {
        "y": "É", "s": None, "m": 2**40, "u": START, "o": {"k": 1},
    }  # fmt: skip
    last = "b"
    for name in ("c", "d", "e"):
        store.deploy(vocab(**{name: {"was": last, **has(y=TEXT, s=ref(name, death="cascade"), m=NUMBER, u=INSTANT)}}))
        last = name
    assert len(store.query(".e.s=q")) == 1
    assert len(store.apply({"entity": {"eid": "q"}, "tombstone": {}}).changes) == 2
    assert store.query("*") == []


def test_a_was_may_stay_in_the_file() -> None:
    store, _ = opened(a=has(x=INTEGER))
    store.apply({"entity": {"eid": "q"}, "a": {"x": 1}})
    for _ in range(3):
        store.deploy(vocab(a=has(y={**INTEGER, "was": "x"})))
    assert store.deploy(vocab(a=has(z={**INTEGER, "was": "y"}))).renamed == ["a.y -> a.z"]
    assert store.query(".a")[0]["a"] == {"z": 1}


def test_what_is_kept_comes_back_with_its_data() -> None:
    store, _ = opened(a=has(x=INTEGER), b=has(y=INTEGER))
    store.apply([{"entity": {"eid": "q"}, "a": {"x": 1}}, {"entity": {"eid": "w"}, "b": {"y": 2}}])
    assert store.deploy(vocab(a=has(z=INTEGER))).kept == ["a.x", "b"]
    with pytest.raises(wakeful.Refused, match=r"a\.x.*cannot turn from integer into string"):
        store.deploy(vocab(a=has(x=TEXT)))
    report = store.deploy(vocab(a=has(x=NUMBER), b=has(y=INTEGER, w=TEXT)))
    assert (report.added, report.kept, report.dropped) == (["b.w"], [], ["a.z"])
    assert [row.get("a") or row.get("b") for row in store.query("?a ?b")] == [{"x": 1}, {"y": 2, "w": None}]


def test_what_is_kept_asks_for_nothing() -> None:
    store, _ = opened(a={**has(x=INTEGER, y=INTEGER), "required": ["x"]})
    store.apply({"entity": {"eid": "q"}, "a": {"x": 1}})
    assert store.deploy(vocab(a=has(y=INTEGER))).kept == ["a.x"]
    store.apply([{"a": {"y": 1}}, {"entity": {"eid": "q"}, "a": {"x": None}}])
    assert store.deploy(vocab(a=has(y=INTEGER))).dropped == ["a.x"]


RETYPES: dict[str, tuple[dict[str, Any], Any, dict[str, Any], bool]] = {
    "integer to number": (INTEGER, 7, NUMBER, True),
    "number to integer": (NUMBER, 7, INTEGER, False),
    "string to nullable": (TEXT, "s", {"type": ["string", "null"]}, True),
    "nullable integer to number": ({"type": ["integer", "null"]}, 7, NUMBER, True),
    "string to reference": (TEXT, "q", ref("a"), False),
    "string to date-time": (TEXT, START, INSTANT, False),
    "object to array": (OBJECT, {}, {"type": "array"}, False),
}


@pytest.mark.parametrize("name", RETYPES)
@pytest.mark.parametrize("index", [False, True])
def test_retypes(name: str, index: bool) -> None:
    before, value, after, allowed = RETYPES[name]
    more = {"index": True} if index and before.get("type") not in ("object",) else {}
    store, _ = opened(a=has(x={**before, **more}))
    store.apply({"entity": {"eid": "q"}, "a": {"x": value}})
    target = vocab(a=has(x={**after, **more}))
    if allowed:
        store.deploy(target)
        assert store.query(".a")[0]["a"] == {"x": value}
        return
    with pytest.raises(wakeful.Refused, match="1 row holds"):
        store.deploy(target)
    assert store.query(".a")[0]["a"] == {"x": value}
    store.apply({"entity": {"eid": "q"}, "a": {"x": None}})
    store.deploy(target)
    assert store.query(".a")[0]["a"] == {"x": None}


def test_a_reference_to_what_is_gone_still_follows_its_death() -> None:
    store, _ = opened(a={}, b=has(r=ref("a")))
    store.apply([{"entity": {"eid": "q"}, "a": {}}, {"entity": {"eid": "w"}, "b": {"r": "q"}}])
    assert store.deploy(vocab()).kept == ["a", "b"]
    assert store.deploy(vocab(b=has(r=ref("b", death="cascade")))).kept == ["a"]
    store.apply({"entity": {"eid": "q"}, "tombstone": {}})
    assert store.query("*") == []
