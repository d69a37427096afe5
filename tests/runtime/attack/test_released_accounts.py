"""A firing that ends another wake takes the account of its refusals along; what rules make of that is part of it."""

from __future__ import annotations

from typing import Any

import pytest

import wakeful
from runtime.test_calls import NOON, said, store_of
from wakeful.ids import derived_eid

ACCOUNT = {"type": "string", "ref": "refusal", "death": "release"}
LATER = "2026-09-26T13:00:00Z"


def rule(match: str, **more: Any) -> dict[str, Any]:
    return {"rule": True, "match": match, **more}


def followed() -> wakeful.Store:
    """`h` was refused and points at `x`, which goes when it fires; `k` follows the account of the refusal."""
    store, _ = store_of(
        stuck={"properties": {}},
        follow={"properties": {"account": ACCOUNT}},
        mine={"properties": {}},
        lost={"properties": {}},
        no=rule("^fired, .stuck", refuse="not now"),
        goes=rule("^fired, .doc, +tombstone"),
        asks=rule(".mine, !follow, +!lost", call="echo", args={"value": "hi"}),
    )
    store.apply({"entity": {"eid": "x"}, "doc": {"title": "x"}, "wake": {"at": LATER}})
    store.apply({"entity": {"eid": "h"}, "stuck": {}, "wake": {"at": NOON, "target": "x"}})
    assert [refused["eid"] for refused in store.tick().refused] == ["h"]
    (account,) = store.query(".refusal")
    store.apply({"entity": {"eid": "k"}, "mine": {}, "follow": {"account": account["entity"]["eid"]}})
    return store


@pytest.mark.parametrize("others", [0, 3])
def test_a_call_that_rules_ask_for_over_it_is_made(others: int) -> None:
    store = followed()
    store.apply({"entity": {"eid": "x"}, "wake": {"at": NOON}})
    if others:
        store.apply([{"entity": {"eid": f"o{n}"}, "wake": {"at": NOON}} for n in range(others)])
    report = store.tick()
    assert store.query(".refusal") == []
    assert said(store) == ["hi"]
    # The call is named by the firing that it comes from, whatever else fires in its batch.
    assert report.calls == [derived_eid("rule", "asks", "k", "fired", NOON, "x")]
