"""Every value that a write takes comes back from the tables as it went in, with the type that is canonical."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import wakeful
from runtime.attack.declared import ARRAY, INSTANT, INTEGER, NUMBER, OBJECT, TEXT, has, opened


@pytest.fixture
def store() -> Iterator[wakeful.Store]:
    found, _ = opened(v=has(n=NUMBER, i=INTEGER, s=TEXT, o=OBJECT, a=ARRAY, d=INSTANT))
    with found:
        yield found


def back(store: wakeful.Store, **values: Any) -> Any:
    store.apply({"entity": {"eid": "x"}, "v": values})
    (name,) = values
    return store.query(".eid=x ?v")[0]["v"][name]


NUMBERS = (
    5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 0.1, 1e16, 1e22, 1 / 3, 2**53 - 1, 1 - 2**53,
    float(2**53), -float(2**53), 2.0**62, 123456789.123456789,
)  # fmt: skip


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers(store: wakeful.Store, value: float) -> None:
    found = back(store, n=value)
    assert found == value
    assert (type(found) is int) == (abs(value) < 2**53 and float(value).is_integer())
    assert store.query(f".v.n={value!r} .count") == {"count": 1}


def test_minus_zero_is_zero(store: wakeful.Store) -> None:
    assert str(back(store, n=-0.0)) == "0"
    assert str(back(store, o={"k": [-0.0]})) == "{'k': [0]}"


@pytest.mark.parametrize("value", [2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), -(2**53) - 1, 0])
def test_integers(store: wakeful.Store, value: int) -> None:
    assert back(store, i=value) == value
    assert store.query(f".v.i={value} .count") == {"count": 1}
    assert store.query(f".v.i>{value} .count") == {"count": 0}


@pytest.mark.parametrize(
    "values",
    [
        {"n": 2**53 + 1}, {"n": 2**63}, {"i": 2**63}, {"i": -(2**63) - 1}, {"n": float("nan")}, {"i": float("inf")},
        {"n": True}, {"i": "1"}, {"i": 5.5}, {"s": "\0"}, {"s": "\ud800"}, {"o": {"\udfff": 1}}, {"a": ["\0"]},
        {"d": "0001-01-01T00:00:00+01:00"}, {"d": "9999-12-31T23:59:59.999999-01:00"}, {"d": "2026-01-01T00:00:60Z"},
        {"d": "2026-01-01T00:00:00.0000001Z"}, {"d": "2026-01-01T00:00:00"}, {"d": "2026-02-29T00:00:00Z"},
    ],
)  # fmt: skip
def test_what_no_engine_could_keep_is_refused(store: wakeful.Store, values: dict[str, Any]) -> None:
    with pytest.raises(wakeful.Refused):
        store.apply({"v": values})
    assert store.query("*") == []


INSTANTS = (
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000001Z", "0999-12-31T00:00:00Z", "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999999Z", "2026-02-28T23:59:59.1Z",
)  # fmt: skip


@pytest.mark.parametrize("value", INSTANTS)
def test_instants(store: wakeful.Store, value: str) -> None:
    assert back(store, d=value) == value
    assert store.query(f".v.d={value} .count") == {"count": 1}


def test_text_of_every_odd_code_point(store: wakeful.Store) -> None:
    points = {
        *range(1, 0x180),
        *range(0x2000, 0x2070),
        0x1E9E,
        0x3A3,
        0x3C2,
        0xFB01,
        0xFEFF,
        0xFFFD,
        0xFFFE,
        0xFFFF,
    }
    points |= {0xE000, 0xFDD0, 0x10000, 0x1F600, 0x10FFFF}
    values = {}
    for point in sorted(points):
        char = chr(point)
        values[f"t{point}"] = {
            "s": f"a{char}b",
            "o": {char: char, "": "", "a.b": [char], "$x": None},
            "a": [char],
        }
    store.apply([{"entity": {"eid": eid}, "v": part} for eid, part in values.items()])
    found = {row["entity"]["eid"]: row["v"] for row in store.query(".v")}
    for eid, part in values.items():
        assert {name: found[eid][name] for name in part} == part


def test_eids_of_odd_code_points_are_found_again(store: wakeful.Store) -> None:
    points = (
        0x20,
        0x22,
        0x27,
        0x5C,
        0x80,
        0x85,
        0xA0,
        0xDF,
        0x130,
        0x2028,
        0xFEFF,
        0xFFFF,
        0x1F600,
        0x10FFFF,
    )
    eids = [f"e{chr(point)}{place}" for point in points for place in (1, 2)]
    store.apply([{"entity": {"eid": eid}, "v": {}} for eid in eids])
    for both in (eids, eids[:1], eids[-1:]):
        changes = store.apply([{"entity": {"eid": eid}, "v": {"i": len(both)}} for eid in both]).changes
        assert [bundle["entity"]["eid"] for bundle in changes] == both
        assert not any("created" in bundle for bundle in changes)


@pytest.mark.parametrize(
    "value",
    [
        {"k": 1e308, "z": 2**63 - 1, "y": -(2**63), "f": 1e16, "t": True, "n": None, "e": [], "o": {}},
        {"b": 1, "a": {"b": {"": [[], {}]}}, "small": 5e-324},
    ],
)
def test_json_keeps_its_order_and_types(store: wakeful.Store, value: dict[str, Any]) -> None:
    assert json.dumps(back(store, o=value)) == json.dumps(value)
    assert store.apply({"entity": {"eid": "x"}, "v": {"o": json.loads(json.dumps(value))}}).changes == []


def test_true_is_not_one_inside_json(store: wakeful.Store) -> None:
    back(store, o={"t": 1})
    with pytest.raises(wakeful.Stale):
        store.apply({"entity": {"eid": "x"}, "$was": {"v": {"o": {"t": True}}}, "v": {"i": 1}})
    assert store.apply({"entity": {"eid": "x"}, "v": {"o": {"t": True}}}).changes != []


def test_nothing_given_or_answered_is_shared_with_the_store(store: wakeful.Store) -> None:
    bundle: dict[str, Any] = {"entity": {"eid": "x"}, "v": {"o": {"k": [1]}}}
    applied = store.apply(bundle)
    bundle["v"]["o"]["k"].append(2)
    applied.changes[0]["v"]["o"]["k"].append(3)
    assert store.query(".v")[0]["v"]["o"] == {"k": [1]}
