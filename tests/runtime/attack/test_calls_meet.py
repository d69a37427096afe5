"""Calls that meet other writes of their transaction: what they were asked with has changed when their turn comes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import wakeful
from runtime.test_calls import NOON, call, command, said, states, store_of

WORK = command(input={"value": {"type": "string"}}, worker="/work")


def meets(**entries: Any) -> wakeful.Store:
    store, _ = store_of(work=WORK, **entries)
    store.worker("/work")(lambda args: {"did": args["value"]})
    return store


def rule(match: str) -> dict[str, Any]:
    return {"rule": True, "match": match}


def both(store: wakeful.Store, to: str) -> None:
    """`a` meddles with `b`, which was asked for in the same breath and comes after it."""
    store.apply([{"entity": {"eid": "a"}, "call": {"to": "meddle"}}, call("b", to)])
    store.tick()


@pytest.mark.parametrize("to", ["echo", "work"])
@pytest.mark.parametrize(
    "change",
    [{"tombstone": {}}, {"call": None}, {"call": {"to": "nobody"}}, {"wake": {"at": "in-1-hour"}}, {"wake": {}}],
    ids=["deleted", "stopped", "readdressed", "put off", "paused"],
)
def test_a_call_that_one_before_it_stopped_does_not_run(change: dict[str, Any], to: str) -> None:
    store = meets(meddle=command(apply={"entity": {"eid": "b"}, **change}))
    both(store, to)
    assert states(store) == {"a": "done"}
    assert said(store) == []
    assert len(store.query(".result")) == 1


def test_a_call_that_one_before_it_put_off_runs_when_it_is_due() -> None:
    store, clock = store_of(meddle=command(apply={"entity": {"eid": "b"}, "wake": {"at": "in-1-hour"}}))
    both(store, "echo")
    clock.advance(timedelta(hours=1))
    store.tick()
    assert states(store) == {"a": "done", "b": "done"}
    assert said(store) == ["hi"]


def test_a_call_that_one_before_it_rewrote_runs_once_as_it_now_is() -> None:
    store = meets(meddle=command(apply={"entity": {"eid": "b"}, "call": {"args": {"value": "ho"}}}))
    both(store, "echo")
    assert said(store) == ["ho"]
    assert states(store) == {"a": "done", "b": "done"}
    (row,) = store.query('.eid="b" ?call ?updated')
    assert (row["call"]["args"], row["updated"]["by"]) == ({"value": "ho"}, "wake")


def test_a_call_that_one_before_it_handed_to_a_worker_is_the_workers() -> None:
    store = meets(meddle=command(apply={"entity": {"eid": "b"}, "call": {"to": "work"}}))
    both(store, "echo")
    assert said(store) == []
    assert {row["result"]["call"]: row["result"]["value"] for row in store.query(".result")}["b"] == {"did": "hi"}


def test_a_call_that_one_before_it_only_touched_runs() -> None:
    store = meets(meddle=command(apply={"entity": {"eid": "b"}, "doc": {"title": "mine"}}))
    both(store, "echo")
    (row,) = store.query('.eid="b" ?doc ?execution')
    assert (row["doc"]["title"], row["execution"]["state"]) == ("mine", "done")


@pytest.mark.parametrize("to", ["echo", "work"])
@pytest.mark.parametrize(
    ("match", "wake"),
    [
        ("^fired, .call, *call=null", {"at": NOON}),
        ("^call.due, *call=null", {"at": NOON, "every": "1h"}),
        ("^call.due, +wake.at=in-2-hours", {"at": NOON, "every": "1d"}),
        ("^call.due, +tombstone", {"at": NOON, "every": "1h"}),
    ],
)
def test_a_call_that_a_rule_of_the_firing_stopped_does_not_run(match: str, wake: dict[str, Any], to: str) -> None:
    store = meets(stops=rule(match))
    store.apply([call("c", to, wake=wake), {"entity": {"eid": "other"}, "wake": {"at": NOON}}])
    report = store.tick()
    assert [fired["entity"]["eid"] for fired in report.fired] == ["c", "other"]
    assert report.calls == []
    assert (said(store), store.query(".result")) == ([], [])


@pytest.mark.parametrize("to", ["echo", "work"])
def test_the_call_of_a_rule_that_loses_its_call_disturbs_nothing(to: str) -> None:
    store = meets(
        asks={"rule": True, "match": "^doc", "call": to, "args": {"value": "hi"}},
        stops=rule("^call.source, *call=null"),
    )
    store.apply({"entity": {"eid": "d"}, "doc": {"title": "x"}})
    store.tick()
    assert store.query(".call") == []


def test_a_call_in_line_that_is_written_again_is_not_what_keeps_itself_out() -> None:
    store, _ = store_of(work={**WORK, "overlap": "skip"})
    store.apply(call("c", "work"))
    store.apply(call("c", "work", "ho"))
    store.worker("/work")(lambda args: {"did": args["value"]})
    store.tick()
    assert states(store) == {"c": "done"}
    assert [row["result"]["value"] for row in store.query(".result")] == [{"did": "ho"}]


@pytest.mark.parametrize("to", ["echo", "work"])
def test_a_call_that_goes_with_the_account_of_a_refusal_does_not_run(to: str) -> None:
    about = {"type": "string", "ref": "refusal", "death": "cascade"}
    store, clock = store_of(
        work=WORK,
        stuck={"properties": {}},
        follow={"properties": {"account": about}},
        no={"rule": True, "match": "^fired, .stuck", "refuse": "not now"},
    )
    store.worker("/work")(lambda args: {"did": args["value"]})
    store.apply({"entity": {"eid": "w"}, "stuck": {}, "wake": {"at": NOON, "every": "1d"}})
    store.tick()
    (account,) = store.query(".refusal")
    store.deploy({"$defs": {**store.vocab.document["$defs"], "no": rule("^fired, .stuck, +said.n=1")}})
    clock.advance(timedelta(hours=1))
    earlier = "2026-09-26T11:00:00Z"
    store.apply(call("c", to, wake={"at": earlier}, follow={"account": account["entity"]["eid"]}))
    report = store.tick()
    assert [fired["entity"]["eid"] for fired in report.fired] == ["c", "w"]
    assert store.query(".call") == []
    assert store.query(".result") == []
    assert states(store) == {}
