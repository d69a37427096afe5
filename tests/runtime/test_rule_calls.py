"""Rules that ask for commands: a call of its own for each time a rule acts, derived from rule, row and stage."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import wakeful
from runtime.garden import at
from wakeful.ids import derived_eid, tool_eid
from wakeful.testing import ManualClock

NOON = "2026-09-26T12:00:00Z"
DATE = {"type": "string", "format": "date-time"}
BASE: dict[str, Any] = {
    "invoice": {"properties": {"total": {"type": "number"}, "due": DATE, "stage": {"type": "integer"}}},
    "letter": {"properties": {"about": {"type": "string", "ref": "entity"}, "total": {"type": "number"}, "on": DATE}},
    "asked": {},
    "remind": {
        "tool": True,
        "description": "write a letter about an invoice",
        "input": {"about": {"type": "string", "ref": "entity"}, "total": {"type": "number"}, "on": DATE},
        "required": ["about"],
        "apply": {"letter": {"about": "$about", "total": "$total", "on": "$on"}},
    },
}
ARGS = {"about": "=.entity.eid", "total": "=.invoice.total", "on": "in-1-day"}


def rule(match: str, **more: Any) -> dict[str, Any]:
    return {"rule": True, "match": match, **more}


def store_of(**entries: Any) -> tuple[wakeful.Store, ManualClock]:
    clock = ManualClock(at(NOON))
    store = wakeful.open(":memory:", clock=clock, by="ann")
    store.deploy({"$defs": {**BASE, **entries}})
    return store, clock


def letters(store: wakeful.Store) -> list[dict[str, Any]]:
    return [row["letter"] for row in store.query(".letter")]


def test_a_rule_on_an_occasion_asks_each_time_it_acts() -> None:
    store, _ = store_of(asks=rule("^invoice.total", call="remind", args=ARGS))
    for total in (1, 2):
        answer = store.apply({"entity": {"eid": "i"}, "invoice": {"total": total}})
        eid = derived_eid("rule", "asks", "i", "apply", str(total))
        (request,) = [bundle for bundle in answer.changes if "call" in bundle]
        assert request["entity"]["eid"] == eid
        assert request["created"]["by"] == "ann"
        assert request["execution"]["state"] == "done"
        args = {"about": "i", "total": total, "on": "2026-09-27T12:00:00Z"}
        assert request["call"] == {"to": tool_eid("remind"), "args": args, "source": "i", "due": None}
    assert [letter["total"] for letter in letters(store)] == [1, 2]
    assert letters(store)[0]["on"] == "2026-09-27T12:00:00Z"


def test_a_gated_state_rule_asks_once() -> None:
    store, _ = store_of(asks=rule(".invoice.total>10, +!asked", call="remind", args=ARGS))
    store.apply([{"entity": {"eid": "i"}, "invoice": {"total": 20}}, {"entity": {"eid": "j"}, "invoice": {"total": 5}}])
    store.apply({"entity": {"eid": "i"}, "invoice": {"total": 30}})
    assert [letter["about"] for letter in letters(store)] == ["i"]


def test_a_firing_that_asks_is_named_by_its_occurrence() -> None:
    store, clock = store_of(asks=rule("^fired, .invoice", call="remind", args=ARGS))
    store.apply({"entity": {"eid": "i"}, "invoice": {"total": 1}, "wake": {"at": NOON, "every": "1h"}})
    assert store.tick().calls == [derived_eid("rule", "asks", "i", "fired", NOON, "i")]
    assert len(letters(store)) == 1
    store.apply({"entity": {"eid": "i"}, "wake": {"at": NOON}})
    report = store.tick()
    assert (len(report.fired), report.calls) == (1, [])
    clock.advance(timedelta(hours=1))
    assert len(store.tick().calls) == 1
    assert len(letters(store)) == 2


def test_a_call_that_a_rule_asked_for_and_that_fails_is_recorded_beside_what_stands() -> None:
    store, _ = store_of(
        asks=rule("^invoice.total", call="remind", args=ARGS),
        dear=rule(".letter.total>100", refuse="too dear to write about"),
    )
    answer = store.apply({"entity": {"eid": "i"}, "invoice": {"total": 200}})
    (request,) = [bundle for bundle in answer.changes if "call" in bundle]
    assert request["execution"]["state"] == "failed"
    assert "too dear" in request["execution"]["error"]
    assert letters(store) == []
    assert store.query('.eid="i" .invoice')[0]["invoice"]["total"] == 200


def test_a_firing_that_is_refused_asks_for_nothing() -> None:
    store, _ = store_of(
        asks=rule("^fired, .invoice", call="remind", args=ARGS),
        dear=rule("^fired, .invoice.total>100", refuse="too dear"),
    )
    wake = {"wake": {"at": NOON}}
    store.apply(
        [{"entity": {"eid": eid}, "invoice": {"total": total}, **wake} for eid, total in (("i", 200), ("j", 2))]
    )
    report = store.tick()
    assert [refused["eid"] for refused in report.refused] == ["i"]
    assert [letter["about"] for letter in letters(store)] == ["j"]


def test_a_missing_source_of_a_copy_and_the_rule_does_not_act() -> None:
    store, _ = store_of(asks=rule("^invoice, +asked", call="remind", args=ARGS))
    store.apply({"entity": {"eid": "i"}, "invoice": {"stage": 1}})
    assert letters(store) == []
    assert store.query(".asked") == []


def test_the_call_of_a_rule_sets_off_what_looks_for_calls() -> None:
    store, _ = store_of(
        asks=rule("^invoice.total", call="remind", args=ARGS), noted={}, notes=rule("^call, +noted")
    )  # fmt: skip
    store.apply({"entity": {"eid": "i"}, "invoice": {"total": 1}})
    assert len(store.query(".noted .call")) == 1


def test_a_rule_asks_for_a_command_on_its_own_row() -> None:
    mark = {
        "tool": True, "description": "mark a row", "input": {"row": {"type": "string", "ref": "entity"}},
        "required": ["row"], "apply": {"entity": {"eid": "$row"}, "asked": {}},
    }  # fmt: skip
    store, _ = store_of(mark=mark, asks=rule("^fired, .invoice", call="mark", args={"row": "=.entity.eid"}))
    store.apply([{"entity": {"eid": f"i{n}"}, "invoice": {}, "wake": {"at": NOON}} for n in range(20)])
    assert len(store.tick().calls) == 20
    assert store.query(".asked .invoice .count") == {"count": 20}
    assert store.query(".execution.state=done .count") == {"count": 20}


def test_what_a_rule_asked_for_is_kept_when_its_row_is_gone() -> None:
    vocab = {
        "$defs": {
            "plant": {},
            "drop": {
                "tool": True, "description": "delete it", "input": {"row": {"type": "string", "ref": "entity"}},
                "required": ["row"], "apply": {"entity": {"eid": "$row"}, "tombstone": {}},
            },
            "first": {"rule": True, "match": "^plant", "call": "drop", "args": {"row": "=.entity.eid"}},
            "second": {"rule": True, "match": "^plant", "call": "drop", "args": {"row": "=.entity.eid"}},
        }
    }  # fmt: skip
    store = wakeful.open(":memory:")
    store.deploy(vocab)
    store.apply({"entity": {"eid": "fern"}, "plant": {}})
    states = [row["execution"]["state"] for row in store.query(".execution")]
    assert sorted(states) == ["done", "failed"]
    assert store.query(".plant") == []
