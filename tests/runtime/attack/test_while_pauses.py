"""`at: null` beside a write that makes a condition hold: nothing sets the wake due in that transaction."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from runtime.test_calls import NOON, command
from runtime.test_while import one, opened, put, wake


@pytest.mark.parametrize("stands", [{}, {"at": "2026-09-26T12:30:00Z"}], ids=["asleep", "due"])
def test_a_pause_holds_in_its_transaction_whether_or_not_the_wake_was_due(stands: dict[str, Any]) -> None:
    store, _ = opened()
    put(store, "w", wake={**one(".sale.lot=1"), **stands})
    answer = store.apply([{"entity": {"eid": "w"}, "wake": {"at": None}}, {"entity": {"eid": "s"}, "sale": {"lot": 1}}])
    assert wake(store)["at"] is None
    assert answer.notes == ["w: not stopped: the next matching write arms it; `wake: null` stops it"]
    put(store, "s", sale={"lot": 1})
    assert wake(store)["at"] is None  # which changed nothing
    put(store, "t", sale={"lot": 1})
    assert wake(store)["at"] is not None


def test_a_pause_that_a_call_writes_holds_as_well() -> None:
    store, clock = opened()
    pause = command(
        apply=[{"entity": {"eid": "w"}, "wake": {"at": None}}, {"entity": {"eid": "s"}, "sale": {"lot": 1}}]
    )
    store.deploy({"$defs": {**store.vocab.document["$defs"], "pause": pause}})
    put(store, "w", wake=one(".sale.lot=1"))
    put(store, "c", call={"to": "pause"}, wake={"at": NOON})
    clock.advance(timedelta(hours=1))
    store.tick()
    assert wake(store)["at"] is None


def test_a_call_that_writes_beside_a_wake_leaves_its_while_and_its_pause_known() -> None:
    store, _ = opened()
    lot = command(
        input={"row": {"type": "string", "ref": "entity"}, "lot": {"type": "integer"}},
        apply={"entity": {"eid": "$row"}, "sale": {"lot": "$lot"}},
    )
    store.deploy({"$defs": {**store.vocab.document["$defs"], "lot": lot}})
    marks = {"entity": {"eid": "c"}, "call": {"to": "lot", "args": {"row": "w", "lot": 5}}}
    store.apply([{"entity": {"eid": "w"}, "wake": one(".sale.lot=1")}, marks])
    put(store, "s", sale={"lot": 1})
    assert wake(store)["at"] is not None
    holds = {"entity": {"eid": "t"}, "sale": {"lot": 1}}
    marks = {"entity": {"eid": "d"}, "call": {"to": "lot", "args": {"row": "w", "lot": 6}}}
    store.apply([{"entity": {"eid": "w"}, "wake": {"at": None}}, holds, marks])
    assert wake(store)["at"] is None
