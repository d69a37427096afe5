"""What a sequence of writes makes of `wake.at`: bundles, rules and firings alike."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import wakeful
from runtime.attack.declared import has, opened, rule
from runtime.garden import at

OCTOBER = "2026-10-01T00:00:00Z"
Steps = list[Any]

WRITES: dict[str, tuple[Steps, str | None]] = {
    "a new cadence starts an hour on": ([{"every": "1h"}], "2026-09-20T09:00:00Z"),
    "an empty wake waits for a cadence": ([{}, {"every": "1h"}], "2026-09-20T09:00:00Z"),
    "another spelling moves nothing": ([{"at": OCTOBER, "every": "1h"}, {"every": "60m"}], OCTOBER),
    "another spelling wakes no paused one": (
        [{"every": "@daily"}, {"at": None}, {"every": "0 0 * * * UTC"}],
        None,
    ),
    "days by name or by number are one": (
        [{"every": "0 0 * * *"}, {"at": None}, {"every": "@midnight"}],
        None,
    ),
    "another cadence wakes a paused one": (
        [{"every": "1h", "at": None}, {"every": "2h"}],
        "2026-09-20T10:00:00Z",
    ),
    "there and back in one apply": (
        [{"at": OCTOBER, "every": "1h"}, [{"every": "2h"}, {"every": "1h"}]],
        OCTOBER,
    ),
    "at, then every, in one apply": ([[{"at": OCTOBER}, {"every": "1h"}]], OCTOBER),
    "every, then a pause, in one apply": ([[{"every": "1h"}, {"at": None}]], None),
    "taken away and written anew": (
        [{"at": OCTOBER, "every": "1h"}, [None, {"every": "1h"}]],
        "2026-09-20T09:00:00Z",
    ),
    "taken away and written without": ([{"at": OCTOBER, "every": "1h"}, [None, {"note": "x"}]], None),
    "no cadence any more keeps the instant": ([{"every": "1h"}, {"every": None}], "2026-09-20T09:00:00Z"),
    "a cadence after none": (
        [{"every": "1h"}, {"every": None, "at": None}, {"every": "1h"}],
        "2026-09-20T09:00:00Z",
    ),
    "a century": ([{"every": "5200w"}], "2126-05-19T08:00:00Z"),
    "a month's end": ([{"at": "in-5-months"}], "2027-02-20T08:00:00Z"),
}


@pytest.mark.parametrize("name", WRITES)
def test_bundles(name: str) -> None:
    steps, expected = WRITES[name]
    store, _ = opened(p={})
    for step in steps:
        patches = step if isinstance(step, list) else [step]
        store.apply([{"entity": {"eid": "a"}, "wake": patch} for patch in patches])
    assert store.query(".wake")[0]["wake"]["at"] == expected
    assert store.next_due() == (at(expected) if expected else None)


def test_a_rules_cadence_is_settled_like_a_bundles() -> None:
    store, _ = opened(p={}, hourly=rule(".p, .wake.every!=2h, +wake.every=2h"))
    store.apply({"entity": {"eid": "a"}, "wake": {"every": "1h", "at": None}})
    store.apply({"entity": {"eid": "a"}, "p": {}})
    assert store.next_due() == at("2026-09-20T10:00:00Z")
    # Naming `at` in the bundle holds for the cadence that the rule writes in its wake.
    store.apply({"entity": {"eid": "b"}, "p": {}, "wake": {"at": OCTOBER}})
    store.apply({"entity": {"eid": "a"}, "wake": {"at": None, "every": "1h"}})
    assert store.query(".wake ?p")[0]["wake"] == {
        "at": None, "every": "2h", "note": None, "target": None, "while": None,
    }  # fmt: skip
    assert store.next_due() == at(OCTOBER)


def test_a_firing_whose_rule_changes_the_cadence_starts_it_from_now() -> None:
    store, clock = opened(p={}, slower=rule(".p, .fired, .wake.every!=2h, +wake.every=2h"))
    store.apply({"entity": {"eid": "a"}, "p": {}, "wake": {"at": "2026-09-20T08:30:00Z", "every": "1d"}})
    clock.advance(timedelta(hours=1))
    assert store.tick().next_due == at("2026-09-20T11:00:00Z")


def test_a_firing_whose_rule_names_at_keeps_it() -> None:
    store, clock = opened(p={}, done={}, later=rule(".p, .fired, +!done, +wake.at=in-3-hours"))
    store.apply({"entity": {"eid": "a"}, "p": {}, "wake": {"at": "2026-09-20T08:30:00Z", "every": "1d"}})
    clock.advance(timedelta(hours=1))
    assert store.tick().next_due == at("2026-09-20T12:00:00Z")


def test_far_instants_and_clocks_that_jump() -> None:
    store, clock = opened(":memory:", "2026-01-31T10:00:00Z", p={})
    cadences = {"a": "@monthly", "b": "@yearly Asia/Kathmandu", "c": "5200w"}
    store.apply([{"entity": {"eid": eid}, "wake": {"every": every}} for eid, every in cadences.items()])
    store.apply(
        [
            {"entity": {"eid": "d"}, "wake": {"at": "in-1-month"}},
            {"entity": {"eid": "e"}, "wake": {"at": "9999-12-31T23:59:59.999999Z"}},
        ]
    )
    lived = [
        ("2026-02-01T00:00:00Z", ["a"], "2026-02-28T10:00:00Z"),
        ("1970-01-01T00:00:00Z", [], "2026-02-28T10:00:00Z"),
        ("2126-01-01T00:00:00Z", ["d", "a", "b", "c"], "2126-02-01T00:00:00Z"),
        ("2026-02-01T00:00:00Z", [], "2126-02-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", ["a", "b", "c"], "9999-12-31T23:59:59.999999Z"),
        ("9999-12-31T23:59:59.999999Z", ["e"], None),
    ]  # fmt: skip
    for instant, fired, due in lived:
        clock.set(at(instant))
        report = store.tick()
        assert [bundle["entity"]["eid"] for bundle in report.fired] == fired
        assert report.next_due == (at(due) if due else None)


BAD: dict[str, Any] = {
    "plant": {}, "can": {}, "done": {},
    "log": {**has(text={"type": "string"}, who={"type": "string"}), "required": ["who"]},
    "logs": rule(".plant, .fired, !can, +!done, +log.text=x"),
}  # fmt: skip


def test_a_deploy_that_mends_the_rule_lets_the_wake_fire_at_its_next_try() -> None:
    store, clock = opened(**BAD)
    store.apply(
        [
            {"entity": {"eid": "p"}, "plant": {}, "wake": {"at": "2026-09-20T07:00:00Z", "every": "1h"}},
            {"entity": {"eid": "q"}, "wake": {"at": "2026-09-20T07:30:00Z"}},
        ]
    )
    report = store.tick()
    assert ([row["entity"]["eid"] for row in report.fired], [row["eid"] for row in report.refused]) == (
        ["q"],
        ["p"],
    )
    store.deploy({"$defs": {**BAD, "log": has(text={"type": "string"}, who={"type": "string"})}})
    clock.advance(timedelta(seconds=59, microseconds=999_999))
    assert store.tick().fired == []
    clock.advance(timedelta(microseconds=1))
    report = store.tick()
    assert report.fired[0]["fired"] == {"at": "2026-09-20T08:01:00Z", "due": "2026-09-20T07:00:00Z"}
    assert report.fired[0]["wake"]["at"] == "2026-09-20T09:00:00Z"
    assert store.query(".refusal") == []


def test_retries_stand_in_the_order_of_their_at() -> None:
    store, clock = opened(**BAD)
    base = at("2026-09-19T00:00:00Z")

    def instants(count: int, step: int) -> list[Any]:
        return [base + timedelta(seconds=n * step % 500) for n in range(count)]

    store.apply([{"plant": {}, "wake": {"at": instant}} for instant in instants(700, 7919)])
    assert len(store.tick().refused) == 700
    store.apply([{"entity": {"eid": row["entity"]["eid"]}, "can": {}} for row in store.query(".plant")])
    clock.advance(timedelta(minutes=1))
    store.apply([{"plant": {}, "can": {}, "wake": {"at": instant}} for instant in instants(900, 104_729)])
    report = store.tick()
    order = [(row["fired"]["due"], row["entity"]["num"]) for row in report.fired]
    assert len(order) == 1600 and order == sorted(order)
    assert store.query(".refusal") == [] and report.next_due is None


def test_a_paused_refusal_waits_and_keeps_its_account() -> None:
    store, _ = opened(**BAD)
    due = "2026-09-20T07:00:00Z"
    store.apply({"entity": {"eid": "p"}, "plant": {}, "wake": {"at": due}})
    store.tick()
    store.apply({"entity": {"eid": "p"}, "wake": {"at": None}})
    assert store.next_due() is None
    store.apply({"entity": {"eid": "p"}, "wake": {"at": due}})
    assert store.next_due() == at(due)
    assert store.tick().next_due == at("2026-09-20T08:01:00Z")
    assert [row["refusal"]["times"] for row in store.query(".refusal")] == [2]


def test_rules_see_the_account_of_a_refusal() -> None:
    store, clock = opened(**BAD, alarms=rule(".refusal, +!wake, +wake.at=in-30-seconds"))
    store.apply({"entity": {"eid": "p"}, "plant": {}, "wake": {"at": "2026-09-20T07:00:00Z"}})
    assert store.tick().next_due == at("2026-09-20T08:00:30Z")
    clock.advance(timedelta(seconds=30))
    (fired,) = store.tick().fired
    assert store.query(".refusal")[0]["entity"] == fired["entity"]


def test_a_refused_rule_refuses_the_whole_apply() -> None:
    store, _ = opened(p={}, q={}, log={**has(who={"type": "string"}), "required": ["who"]}, bad=rule(".p, .q, +!log"))
    store.apply({"entity": {"eid": "a"}, "p": {}})
    with pytest.raises(wakeful.Refused, match=r"`log.who`"):
        store.apply([{"entity": {"eid": "z"}, "wake": {"every": "1h"}}, {"entity": {"eid": "a"}, "q": {}}])
    assert [row["entity"]["eid"] for row in store.query("*")] == ["a"] and store.next_due() is None
