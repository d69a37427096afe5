"""Firings: one transaction each occurrence, catch-up in one, refused ones left out and tried again."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest

import wakeful
from cases.behaviour import case
from runtime.garden import GARDEN, at, garden
from wakeful import firing
from wakeful.testing import ManualClock

NINE = "2026-09-20T09:00:00Z"


def wake(store: wakeful.Store, eid: str) -> dict[str, Any]:
    (row,) = store.query(f'.eid="{eid}" ?wake')
    found: dict[str, Any] = row["wake"]
    return found


def test_the_fern_in_one_change() -> None:
    store, _ = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {"window": "north"}, "wake": {"at": NINE, "note": "water me"}})
    assert store.tick(at("2026-09-20T08:59:59Z")).fired == []
    report = store.tick(at(NINE))
    (bundle,) = report.fired
    assert bundle == {
        "entity": {"eid": "fern", "num": 1},
        "fired": {"at": NINE, "due": NINE},
        "wake": {"at": None, "every": None, "note": "water me", "target": None, "while": None},
        "watered": {"by": "wake"},
        "updated": {"at": NINE, "by": "wake"},
    }
    assert report.next_due is None
    assert store.tick(at(NINE)).fired == []


def test_missed_occurrences_are_one_firing_on_the_phase() -> None:
    store, _ = garden()
    store.apply({"entity": {"eid": "sweep"}, "wake": {"at": "2026-09-20T09:00:00Z", "every": "1d"}})
    report = store.tick(at("2026-09-24T08:00:00Z"))
    assert [bundle["fired"] for bundle in report.fired] == [
        {"at": "2026-09-24T08:00:00Z", "due": "2026-09-20T09:00:00Z"}
    ]
    assert report.next_due == at("2026-09-24T09:00:00Z")


def test_five_minutes_catch_up_half_an_hour() -> None:
    store, _ = garden()
    store.apply({"entity": {"eid": "world"}, "wake": {"at": "2026-09-26T09:05:00Z", "every": "5m"}})
    seen = [store.tick(at(f"2026-09-26T{time}Z")).next_due for time in ("09:05:00", "09:36:10", "09:40:00")]
    assert seen == [at(f"2026-09-26T{time}:00Z") for time in ("09:10", "09:40", "09:45")]


@case("SB52")
def test_a_clock_that_steps_back_fires_nothing_early_and_nothing_twice() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "hourly"}, "wake": {"at": NINE, "every": "1h"}})
    assert len(store.tick(at("2026-09-20T09:30:00Z")).fired) == 1
    clock.set(at("2026-09-20T09:00:00Z"))
    assert store.tick().fired == []
    assert store.next_due() == at("2026-09-20T10:00:00Z")


def test_oldest_first_then_num_over_many_batches() -> None:
    store, _ = garden()
    base = at(NINE)
    bundles = [{"plant": {}, "wake": {"at": base - timedelta(seconds=n * 7919 % 1000)}} for n in range(1000)]
    store.apply(bundles)
    store.apply(bundles[:400])
    report = store.tick(base)
    keys = [(bundle["fired"]["due"], bundle["entity"]["num"]) for bundle in report.fired]
    assert len(keys) == 1400
    assert [num for _, num in keys] == [num for _, num in sorted(keys, key=lambda key: (at(key[0]), key[1]))]


def test_limit_fires_the_oldest_only() -> None:
    store, _ = garden()
    store.apply([{"wake": {"at": f"2026-09-20T08:{minute:02}:00Z"}} for minute in range(30)])
    report = store.tick(at(NINE), limit=7)
    assert [bundle["entity"]["num"] for bundle in report.fired] == [1, 2, 3, 4, 5, 6, 7]
    assert report.next_due == at("2026-09-20T08:07:00Z")
    assert store.tick(at(NINE), limit=0).fired == []


def test_a_rule_that_sets_a_wake_makes_a_schedule_that_fires() -> None:
    store = wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z")))
    store.deploy({"$defs": {"order": {}, "repeats": {"rule": True, "match": ".order, +!wake, +wake.every=@daily"}}})
    applied = store.apply({"entity": {"eid": "o"}, "order": {}})
    assert applied.changes[0]["wake"]["at"] == "2026-09-21T00:00:00Z"
    assert [bundle["wake"]["at"] for bundle in store.tick(at("2026-09-21T00:00:00Z")).fired] == ["2026-09-22T00:00:00Z"]


def test_a_row_may_fire_again_within_one_tick_but_not_for_ever() -> None:
    vocab = {
        "$defs": {
            "step": {"properties": {"n": {"type": "integer"}}},
            **{
                f"step{n}": {
                    "rule": True,
                    "match": f".step.n={n}, .fired, +step.n={n + 1}, +wake.at=2026-09-20T08:00:00Z",
                }
                for n in range(1)
            },
        }
    }
    store = wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z")))
    store.deploy(vocab)
    store.apply({"entity": {"eid": "s"}, "step": {"n": 0}, "wake": {"at": "2026-09-20T08:30:00Z"}})
    report = store.tick(at(NINE))
    assert [bundle["fired"]["due"] for bundle in report.fired] == [
        "2026-09-20T08:30:00Z",
        "2026-09-20T08:00:00Z",
    ]


def strict() -> tuple[wakeful.Store, ManualClock]:
    """A garden whose rule cannot always water: a plant without a can lacks what `watered` requires."""
    vocab = copy.deepcopy(GARDEN)
    vocab["$defs"]["can"] = {}
    vocab["$defs"]["watered"]["required"] = ["by"]
    vocab["$defs"]["waters"]["match"] = ".plant, .wake, .fired, .can, +!watered, +watered.by=wake"
    vocab["$defs"]["spills"] = {"rule": True, "match": ".plant, .fired, !can, +!watered"}
    clock = ManualClock(at("2026-09-20T05:00:00Z"))
    store = wakeful.open(":memory:", clock=clock)
    store.deploy(vocab)
    return store, clock


def test_a_refused_firing_is_left_out_and_tried_again_later() -> None:
    store, clock = strict()
    due = "2026-09-20T05:00:00Z"
    store.apply(
        [
            {"entity": {"eid": f"p{n}"}, "plant": {}, "wake": {"at": due}, **({"can": {}} if n % 333 else {})}
            for n in range(1000)
        ]
    )
    report = store.tick()
    assert len(report.fired) == 996
    assert [refusal["eid"] for refusal in report.refused] == ["p0", "p333", "p666", "p999"]
    assert "watered.by" in report.refused[0]["error"]
    assert wake(store, "p333")["at"] == due
    assert store.query(".fired !watered") == []
    assert report.next_due == at("2026-09-20T05:01:00Z")
    rows = store.query(".refusal")
    assert [(row["refusal"]["about"], row["refusal"]["times"]) for row in rows] == [
        (f"p{n}", 1) for n in (0, 333, 666, 999)
    ]
    # Tried again after 60 s, then 120, doubling to an hour; never in between, never a second row.
    assert store.tick().refused == []
    expected = [60, 120, 240, 480, 960, 1920, 3600, 3600]
    for times, delay in enumerate(expected, start=2):
        moment = store.next_due()
        assert moment is not None and moment - clock.now() == timedelta(seconds=expected[times - 2]), times
        clock.set(moment)
        assert len(store.tick().refused) == 4, delay
    assert store.query(".refusal.times=9 .count") == {"count": 4}
    # Once the reason is gone they fire at the next try, and the account is closed.
    store.apply({"entity": {"eid": "p333"}, "can": {}})
    clock.advance(timedelta(hours=1))
    report = store.tick()
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["p333"]
    assert report.fired[0]["fired"]["due"] == due
    assert store.query(".refusal.about=p333") == []
    assert store.query(".refusal .count") == {"count": 3}


def test_any_write_to_the_wake_clears_the_delay() -> None:
    store, clock = strict()
    store.apply({"entity": {"eid": "p"}, "plant": {}, "wake": {"at": "2026-09-20T05:00:00Z"}})
    store.tick()
    assert store.next_due() == at("2026-09-20T05:01:00Z")
    store.apply({"entity": {"eid": "p"}, "wake": {"note": "hurry"}})
    assert store.next_due() == at("2026-09-20T05:00:00Z")
    assert len(store.tick().refused) == 1
    assert store.next_due() == at("2026-09-20T05:01:00Z")
    assert store.query(".refusal")[0]["refusal"]["times"] == 2
    store.apply({"entity": {"eid": "p"}, "wake": None})
    assert store.query(".refusal") == [] and store.next_due() is None
    clock.advance(timedelta(days=1))
    assert store.tick() == wakeful.TickReport([], [], [], None)


def test_the_account_goes_with_the_entity() -> None:
    store, _ = strict()
    store.apply({"entity": {"eid": "p"}, "plant": {}, "wake": {"at": "2026-09-20T05:00:00Z"}})
    store.tick()
    store.apply({"entity": {"eid": "p"}, "tombstone": {}})
    assert store.query("*") == [] and store.next_due() is None


@case("SB76")
def test_501_refused_wakes_do_not_hold_up_the_one_behind() -> None:
    store, _ = strict()
    store.apply([{"plant": {}, "wake": {"at": "2026-09-20T04:00:00Z"}} for _ in range(firing.BATCH + 1)])
    store.apply({"entity": {"eid": "last"}, "wake": {"at": "2026-09-20T05:00:00Z"}})
    report = store.tick()
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["last"]
    assert len(report.refused) == firing.BATCH + 1


def test_an_unreadable_cadence_in_the_file_is_one_refusal() -> None:
    store, _ = garden()
    store.apply(
        [
            {"entity": {"eid": "bad"}, "wake": {"at": NINE, "every": "1h"}},
            {"entity": {"eid": "good"}, "wake": {"at": NINE}},
        ]
    )
    with store._engine.write() as transaction:
        transaction.execute("UPDATE c_wake SET p_every = 'once in a while' WHERE num = 1")
    report = store.tick(at(NINE))
    assert [bundle["entity"]["eid"] for bundle in report.fired] == ["good"]
    assert [refusal["eid"] for refusal in report.refused] == ["bad"]


@pytest.mark.parametrize("every", ["every so often", "0 0 31 2 *", "5 years", "61 * * * *", ""])
def test_a_cadence_is_checked_where_it_is_written(every: str) -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused, match=r"wake\.every") as error:
        store.apply({"wake": {"every": every}})
    assert error.value.problems[0].pointer == "/wake/every"


def test_far_ahead_instants_are_ordinary() -> None:
    store, _ = garden()
    store.apply([{"wake": {"at": "9999-12-31T23:59:59.999999Z", "every": "100w"}}, {"wake": {"every": "0 0 29 2 *"}}])
    assert store.next_due() == at("2028-02-29T00:00:00Z")
    report = store.tick(at("9999-12-31T23:59:59.999999Z"))
    assert [bundle["wake"]["at"] for bundle in report.fired] == [None, None]


def test_notes_tell_what_a_calendar_cadence_makes_of_at() -> None:
    store, _ = garden()
    applied = store.apply({"entity": {"eid": "m"}, "wake": {"at": "2026-09-21T09:00:00Z", "every": "@weekly"}})
    (note,) = applied.notes
    assert "m: after 2026-09-21T09:00:00Z" in note and "`1w`" in note
    assert store.apply({"wake": {"at": "2026-09-27T00:00:00Z", "every": "@weekly"}}).notes == []
    assert store.apply({"wake": {"at": "2026-09-21T09:00:00Z", "every": "1w"}}).notes == []


def test_pause_resume_end() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "p"}, "wake": {"every": "1h"}})
    assert wake(store, "p")["at"] == "2026-09-20T09:00:00Z"
    store.apply({"entity": {"eid": "p"}, "wake": {"at": None}})
    assert store.next_due() is None
    for spelling in ("1h", "60m"):
        store.apply({"entity": {"eid": "p"}, "wake": {"every": spelling}})
        assert store.next_due() is None
    store.apply({"entity": {"eid": "p"}, "wake": {"every": "2h"}})
    assert store.next_due() == at("2026-09-20T10:00:00Z")
    store.apply({"entity": {"eid": "p"}, "wake": {"at": "2026-09-20T01:00:00Z"}})
    assert store.next_due() == at("2026-09-20T01:00:00Z")
    clock.set(at("2026-09-20T08:10:00Z"))
    assert store.tick().fired[0]["wake"]["at"] == "2026-09-20T09:00:00Z"
    store.apply({"entity": {"eid": "p"}, "wake": None})
    assert store.next_due() is None
    assert store.query(".eid=p ?fired")[0]["fired"]["at"] == "2026-09-20T08:10:00Z"


def test_a_wake_taken_away_and_written_anew_starts_afresh() -> None:
    store, _ = garden()
    store.apply({"entity": {"eid": "p"}, "wake": {"at": None, "every": "1h"}})
    store.apply([{"entity": {"eid": "p"}, "wake": None}, {"entity": {"eid": "p"}, "wake": {"every": "1h"}}])
    assert store.next_due() == at("2026-09-20T09:00:00Z")


def test_moments_in_a_bundle_are_counted_from_the_write() -> None:
    store, _ = garden()
    store.apply({"entity": {"eid": "p"}, "wake": {"at": "in-90-minutes"}})
    assert wake(store, "p")["at"] == "2026-09-20T09:30:00Z"
