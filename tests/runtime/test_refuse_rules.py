"""Rules that refuse: when they are judged, what they turn down, and what becomes of a wake that they hold up."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

import wakeful
from runtime.ruled import EIGHT, part, put, refusing, ruled

INVOICE = {"status": "string", "stage": "integer"}


def test_a_match_refuses_the_apply_with_the_text() -> None:
    store, _ = ruled({"invoice": INVOICE}, {"positive": refusing(".invoice.stage<0", "a stage is never negative")})
    put(store, "i", invoice={"stage": 1})
    with pytest.raises(wakeful.Refused) as error:
        store.apply(
            [{"entity": {"eid": "i"}, "invoice": {"stage": -1}}, {"entity": {"eid": "j"}, "invoice": {"stage": -2}}]
        )
    assert [(found.code, found.message) for found in error.value.problems] == [
        ("rule-refused", "a stage is never negative (rule `positive`, i)"),
        ("rule-refused", "a stage is never negative (rule `positive`, j)"),
    ]
    assert part(store, "i", "invoice")["stage"] == 1
    assert store.query(".invoice .count") == {"count": 1}


def test_only_rows_are_judged_on_which_something_it_reads_has_changed() -> None:
    store, _ = ruled({"invoice": INVOICE, "note": {"text": "string"}}, {})
    put(store, "old", invoice={"stage": -1})
    store.deploy(
        {
            "$defs": {
                "invoice": {"properties": {"status": {"type": "string"}, "stage": {"type": "integer"}}},
                "note": {"properties": {"text": {"type": "string"}}},
                "positive": {"rule": True, "match": ".invoice.stage<0", "refuse": "no"},
            }
        }
    )
    put(store, "old", note={"text": "it stands as it did"})
    put(store, "old", invoice={"status": "open"})
    put(store, "old", invoice={"stage": -1})
    with pytest.raises(wakeful.Refused):
        put(store, "old", invoice={"stage": -2})


def test_it_is_judged_when_all_other_rules_are_done() -> None:
    store, _ = ruled(
        {"invoice": INVOICE},
        {
            "mends": ".invoice.stage<0, *invoice.stage=0",
            "breaks": "^invoice.status=broken, *invoice.stage=5",
            "positive": refusing(".invoice.stage<0", "no"),
            "small": refusing(".invoice.stage>4", "too far"),
        },
    )
    put(store, "i", invoice={"stage": -1})
    assert part(store, "i", "invoice")["stage"] == 0
    with pytest.raises(wakeful.Refused, match="too far"):
        put(store, "i", invoice={"status": "broken"})


def test_on_an_occasion() -> None:
    store, _ = ruled(
        {"invoice": INVOICE},
        {
            "locked": refusing("^invoice.stage, .invoice.status=paid", "a paid invoice keeps its stage"),
            "kept": refusing("^!invoice", "an invoice is deleted, not taken off"),
        },
    )
    put(store, "i", invoice={"stage": 1, "status": "open"})
    put(store, "i", invoice={"status": "paid"})
    with pytest.raises(wakeful.Refused, match="keeps its stage"):
        put(store, "i", invoice={"stage": 2})
    with pytest.raises(wakeful.Refused, match="deleted, not taken off"):
        put(store, "i", invoice=None)
    store.apply({"entity": {"eid": "i"}, "tombstone": {}})


def test_what_the_own_write_made_so_counts_though_a_rule_changes_it_after() -> None:
    store, _ = ruled(
        {"invoice": INVOICE},
        {
            "moves": "^invoice.status=sold, *invoice.status=archived",
            "no": refusing("^invoice.status=sold", "not sold here"),
        },
    )
    put(store, "i", invoice={"status": "open"})
    with pytest.raises(wakeful.Refused, match="not sold here"):
        put(store, "i", invoice={"status": "sold"})
    put(store, "i", invoice={"status": "archived"})


def test_the_command_says_why(tmp_path: Any) -> None:
    store, _ = ruled({"bad": {}}, {"no": refusing("^fired, .bad", "it is bad")}, path=str(tmp_path / "s.db"))
    put(store, "i", bad={}, wake={"at": EIGHT})
    assert store.tick().refused == [{"eid": "i", "error": "it is bad (rule `no`, i)"}]


# --- firings -----------------------------------------------------------------------------------------


def thousand() -> tuple[wakeful.Store, Any]:
    """A thousand wakes, all due, of which a rule refuses three."""
    store, clock = ruled(
        {"job": {"n": "integer"}, "held": {}, "done": {"n": "integer"}},
        {
            "does": "^fired, .job, +done.n=.job.n",
            "holds": refusing("^fired, .held", "it is held"),
        },
    )
    store.apply(
        [
            {
                "entity": {"eid": f"j{n}"},
                "job": {"n": n},
                "wake": {"at": EIGHT},
                **({"held": {}} if n % 400 == 7 else {}),
            }
            for n in range(1000)
        ]
    )
    return store, clock


HELD = ["j7", "j407", "j807"]


def test_three_of_a_thousand_are_held_up() -> None:
    store, clock = thousand()
    report = store.tick()
    assert len(report.fired) == 997
    assert report.refused == [{"eid": eid, "error": f"it is held (rule `holds`, {eid})"} for eid in HELD]
    assert store.query(".done .count") == {"count": 997}
    assert [part(store, eid, "wake")["at"] for eid in HELD] == [EIGHT] * 3
    assert store.query(".held .done") == [] and store.query(".held .fired") == []
    for times in range(1, 6):
        rows = [row["refusal"] for row in store.query(".refusal")]
        assert [(row["about"], row["times"]) for row in rows] == [(eid, times) for eid in HELD]
        assert all("it is held" in row["error"] for row in rows)
        assert store.tick().refused == []
        moment = store.next_due()
        assert moment is not None and moment - clock.now() == timedelta(seconds=min(60 * 2 ** (times - 1), 3600))
        clock.set(moment)
        assert len(store.tick().refused) == 3
    store.apply([{"entity": {"eid": eid}, "held": None} for eid in HELD])
    clock.advance(timedelta(hours=1))
    report = store.tick()
    assert [bundle["entity"]["eid"] for bundle in report.fired] == HELD
    assert {bundle["fired"]["due"] for bundle in report.fired} == {EIGHT}
    assert store.query(".refusal") == []
    assert store.query(".done .count") == {"count": 1000}
    assert store.next_due() is None


def test_run_does_not_spin_on_what_is_refused() -> None:
    store, clock = thousand()
    reports: list[wakeful.TickReport] = []
    stop, told = threading.Event(), threading.Event()

    def on_tick(report: wakeful.TickReport) -> None:
        reports.append(report)
        told.set()

    runner = threading.Thread(target=lambda: store.run(stop, on_tick))
    runner.start()
    try:
        seen = 0
        for _ in range(4):
            assert told.wait(20)
            told.clear()
            seen += 1
            moment = store.next_due()
            assert moment is not None and moment > clock.now()
            clock.set(moment)
        assert told.wait(20)
    finally:
        stop.set()
        clock.advance(timedelta(0))
        runner.join(20)
    assert not runner.is_alive()
    assert [len(report.refused) for report in reports if report.refused] == [3] * len([r for r in reports if r.refused])
    # One tick for each time that something was due, and perhaps one on stopping.
    assert seen + 1 <= len(reports) <= seen + 2
    assert sum(len(report.fired) for report in reports) == 997
