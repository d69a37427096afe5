"""Answers that are cut, ordered and paged."""

from __future__ import annotations

import pytest

import wakeful
from runtime.attack.declared import INTEGER, has, opened, ref


@pytest.fixture(scope="module")
def many() -> wakeful.Store:
    store, _ = opened(p=has(x=INTEGER))
    for start in range(0, 10_000, 1000):
        store.apply([{"p": {"x": start + n}} for n in range(1000)])
    return store


def test_ten_thousand_rows_are_whole_and_one_more_is_cut(many: wakeful.Store) -> None:
    assert (len(many.query(".p")), many.query(".p").cut) == (10_000, False)
    many.apply({"entity": {"eid": "last"}, "p": {}})
    for text in (".p", "*", ".p .order=-p.x"):
        rows = many.query(text)
        assert (len(rows), rows.cut) == (10_000, True), text
    rows = many.query(".p .limit=20000 .order=p.x")
    assert (len(rows), rows.cut, rows[0]["entity"]["eid"]) == (10_001, False, "last")
    assert many.query(".p .count") == {"count": 10_001}


def test_pages_meet_without_a_gap(many: wakeful.Store) -> None:
    seen: list[int] = []
    page = many.query(".p.x<500 .order=-p.x .limit=70")
    while page:
        seen += [row["p"]["x"] for row in page]
        page = many.query(f".p.x<500 .order=-p.x .limit=70 .after={page[-1]['entity']['num']}")
    assert seen == list(range(499, -1, -1))


@pytest.mark.parametrize("cursor", ['"nope"', "0", "999999", "9223372036854775807"])
def test_an_unknown_cursor(many: wakeful.Store, cursor: str) -> None:
    with pytest.raises(wakeful.QueryError, match="unknown-cursor"):
        many.query(f".p .after={cursor}")


def test_order_by_a_reference_dead_ones_included() -> None:
    store, _ = opened(book={}, loan=has(book=ref("book")))
    store.apply([{"entity": {"eid": eid}, "book": {}} for eid in ("zz", "aa", "mm")])
    store.apply([{"entity": {"eid": f"l{eid}"}, "loan": {"book": eid}} for eid in ("zz", "aa", "mm")])
    store.apply([{"entity": {"eid": "none"}, "loan": {}}, {"entity": {"eid": "aa"}, "tombstone": {}}])

    def eids(text: str) -> list[str]:
        return [row["entity"]["eid"] for row in store.query(text)]

    assert eids(".loan .order=loan.book") == ["none", "laa", "lmm", "lzz"]
    assert eids(".loan .order=-loan.book") == ["lzz", "lmm", "laa", "none"]
    assert eids(".loan .order=loan.book .after=laa") == ["lmm", "lzz"]
    with pytest.raises(wakeful.QueryError, match="unknown-cursor"):
        store.query("* .after=aa")
