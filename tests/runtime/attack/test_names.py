"""Names that look like SQL's, like the store's own, or like one another."""

from __future__ import annotations

from typing import Any

from runtime.attack.declared import (
    ARRAY,
    BOOLEAN,
    INSTANT,
    INTEGER,
    NUMBER,
    OBJECT,
    START,
    TEXT,
    has,
    opened,
    ref,
    vocab,
)

NAMES = (
    "num_", "at", "e", "t", "r", "p_", "f_", "x_", "rowid", "oid", "has", "dead", "eid_", "select", "order", "value",
    "values", "row", "num_of", "fold", "a", "a_", "a__", "aa_", "a_a", "n" * 40, "n" * 39 + "_",
)  # fmt: skip
LONG, TWIN = "n" * 40, "n" * 39 + "_"


def test_no_name_collides() -> None:
    store, _ = opened(
        **{LONG: has(**dict.fromkeys(NAMES, TEXT)), TWIN: has(**dict.fromkeys(NAMES, ref(LONG, index=True)))},
        **dict.fromkeys(("c_wake", "wake_", "entity_", "p_", "t0", "t1", "sqlite_x"), has(x=TEXT)),
        meta=has(key=TEXT), vocabulary=has(version=INTEGER), hits=has(x0=INTEGER, place=INTEGER),
    )  # fmt: skip
    others = {
        "c_wake": {"x": "1"},
        "wake_": {"x": "2"},
        "entity_": {},
        "meta": {"key": "k"},
        "vocabulary": {"version": 9},
    }
    upper = {name: name.upper() for name in NAMES}
    store.apply(
        [
            {"entity": {"eid": "q"}, LONG: upper, **others, "hits": {"x0": 4, "place": 2}},
            {"entity": {"eid": "w"}, TWIN: dict.fromkeys(NAMES, "q")},
        ]
    )  # fmt: skip
    first, second = store.query("*")
    assert first[LONG] == upper
    assert second[TWIN] == dict.fromkeys(NAMES, "q")
    for name in NAMES:
        assert len(store.query(f".{LONG}.{name}={name.upper()} .order={LONG}.{name}")) == 1
        assert len(store.query(f".{LONG}.{name}~={name[:3]}")) == 1
        assert len(store.query(f".{TWIN}.{name}=q .order=-{TWIN}.{name}")) == 1
    assert len(store.query(".hits.x0=4 .order=-hits.place .limit=1")) == 1


def test_names_that_differ_by_an_underscore_move_apart() -> None:
    store, _ = opened(a=has(x=TEXT, x_=TEXT), a_=has(x=TEXT))
    store.apply({"entity": {"eid": "q"}, "a": {"x": "1", "x_": "2"}, "a_": {"x": "3"}})
    renamed = vocab(
        a={**has(y={**TEXT, "was": "x_"}, x=TEXT)},
        b={"was": "a_", **has(x_={**TEXT, "was": "x", "index": True})},
    )
    store.deploy(renamed)
    row = store.query("*")[0]
    assert (row["a"], row["b"]) == ({"y": "2", "x": "1"}, {"x_": "3"})


def test_200_properties() -> None:
    kinds = (TEXT, INTEGER, NUMBER, BOOLEAN, OBJECT, ARRAY, INSTANT, ref("p"))
    sample: tuple[Any, ...] = ("s", 1, 1.5, True, {}, [], START, "x")
    store, _ = opened(p=has(**{f"a{n}": kinds[n % 8] for n in range(200)}))
    full = {f"a{n}": sample[n % 8] for n in range(200)}
    store.apply([{"entity": {"eid": "x"}, "p": {}}, {"entity": {"eid": "y"}, "p": full}, *[{"p": {"a0": "z"}}] * 40])
    assert store.query(".eid=y ?p")[0]["p"] == full
    assert store.query("* .eid=y")[0]["p"] == full
    assert store.query(".eid=x ?p")[0]["p"] == dict.fromkeys(full)
