"""Growth: calls run again, calls that are old pruned, and how calls are listed."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from runtime.garden import at
from runtime.test_calls import ECHO, call, command, result_of, said, states, store_of
from wakeful import Refused, StoreFull
from wakeful.calls import pruning
from wakeful.engines.transaction import Transaction
from wakeful.ids import derived_eid, tool_eid
from wakeful.testing import ManualClock

NOON = "2026-09-26T12:00:00Z"
DAY = timedelta(days=1)
KEPT = {**ECHO, "keep": {"days": 30}}
WORK = command(worker="/work", input={"value": {"type": "string"}})


def kept_store(path: str = ":memory:", **entries: Any) -> tuple[wakeful.Store, ManualClock]:
    return store_of(path, **{"echo": KEPT, **entries})


def eids(store: wakeful.Store, query: str = ".call") -> list[str]:
    return [row["entity"]["eid"] for row in store.query(query)]


def code_of(refused: pytest.ExceptionInfo[Refused]) -> str:
    return refused.value.problems[0].code


# --- rerun --------------------------------------------------------------------------------------


def test_a_call_run_again_patches_the_same_rows_and_replaces_its_result() -> None:
    store, clock = store_of()
    store.apply(call("c"))
    (output,) = store.query(".said ?created")
    store.apply({"entity": {"eid": output["entity"]["eid"]}, "said": {"value": "ho", "n": 7}})
    clock.advance(timedelta(minutes=5))
    store.apply({"entity": {"eid": "c"}, "call": {"args": {"value": "hi"}}})
    assert said(store) == ["ho"]

    answer = store.rerun("c")
    (row,) = store.query(".said ?created")
    assert row["entity"] == output["entity"]
    assert row["said"] == {"value": "hi", "n": 7}
    assert row["created"] == output["created"]
    (request,) = store.query('.eid="c" ?execution')
    assert request["execution"] == {"state": "done", "at": "2026-09-26T12:05:00Z", "error": None}
    assert len(store.query(".result")) == 1
    assert {change["entity"]["eid"] for change in answer.changes} >= {"c", output["entity"]["eid"]}


def test_what_failed_can_be_run_again_once_its_cause_is_gone() -> None:
    store, _ = store_of()
    store.apply(call("c", value="hum"))
    assert states(store) == {"c": "failed"}
    store.apply({"entity": {"eid": "c"}, "call": {"args": {"value": "hi"}}})
    assert states(store) == {"c": "failed"}
    store.rerun("c")
    assert states(store) == {"c": "done"}
    assert store.query('.eid="c" ?execution')[0]["execution"]["error"] is None
    assert result_of(store, "c")["value"] == {"aliases": {"$said": derived_eid("alias", "c", "$said")}}


def test_a_rerun_that_fails_is_recorded_over_what_was_done() -> None:
    store, _ = store_of()
    store.apply(call("c"))
    store.apply({"entity": {"eid": derived_eid("alias", "c", "$said")}, "tombstone": {}})
    store.rerun("c")
    assert states(store) == {"c": "failed"}
    assert result_of(store, "c")["value"] is None
    assert said(store) == []


def test_a_rerun_writes_in_the_name_of_who_asked_for_the_call() -> None:
    store, _ = store_of()
    store.apply(call("c"), by="eve")
    store.rerun("c")
    assert store.query(".said ?created ?updated")[0]["created"]["by"] == "eve"


def test_rules_see_a_rerun_and_state_rules_its_outcome() -> None:
    store, _ = store_of(
        mark={"properties": {"n": {"type": "integer"}}},
        counts={"rule": True, "match": "^said.n=1, +mark.n=1"},
        mourns={"rule": True, "match": ".call, .execution.state=failed, +!sad"},
        cheers={"rule": True, "match": ".call, .execution.state=done, *sad=null"},
        sad={},
        echo=command(apply={"entity": {"eid": "$said"}, "said": {"value": "$value", "n": 1}}, input=ECHO["input"]),
    )
    store.apply(call("c", value="hum"))
    assert eids(store, ".sad") == ["c"]
    store.apply({"entity": {"eid": "c"}, "call": {"args": {"value": "hi"}}})
    store.rerun("c")
    assert eids(store, ".sad") == []
    assert eids(store, ".mark") == [derived_eid("alias", "c", "$said")]


def test_calls_that_a_call_asked_for_are_not_run_again_with_it() -> None:
    store, _ = store_of(
        log={"properties": {"n": {"type": "integer"}}},
        note=command(apply={"log": {"n": 1}}),
        tells={"rule": True, "match": "^said.value=hi", "call": "note"},
    )
    store.apply(call("c"))
    assert len(store.query(".log")) == 1
    store.apply({"entity": {"eid": derived_eid("alias", "c", "$said")}, "said": {"value": None}})
    answer = store.rerun("c")
    assert said(store) == ["hi"]
    assert len(store.query(".log")) == 1
    assert len(store.query(".call")) == 2
    assert any("already ran" in note for note in answer.notes)


def test_a_query_is_run_again_on_what_stands_now() -> None:
    store, _ = store_of(tell=command(query=".said .count"))
    store.apply({"entity": {"eid": "q"}, "call": {"to": "tell"}})
    assert result_of(store, "q")["value"] == {"count": 0}
    store.apply({"said": {}})
    store.rerun("q")
    assert result_of(store, "q")["value"] == {"count": 1}


def test_an_occurrence_can_be_run_again() -> None:
    store, clock = store_of()
    store.apply(call("weekly", wake={"every": "@daily"}))
    clock.advance(DAY)
    store.tick()
    occurrence = derived_eid("call", "weekly", "2026-09-27T00:00:00Z")
    store.rerun(occurrence)
    assert states(store) == {occurrence: "done"}
    assert len(store.query(".said")) == 1


def test_a_standing_request_is_refused_with_its_latest_occurrence() -> None:
    store, clock = store_of()
    store.apply(call("weekly", wake={"every": "@daily"}))
    with pytest.raises(Refused) as refused:
        store.rerun("weekly")
    assert code_of(refused) == "call-standing"
    assert "has not fired yet" in str(refused.value.problems[0].hint)
    for _ in range(2):
        clock.advance(DAY)
        store.tick()
    with pytest.raises(Refused) as refused:
        store.rerun("weekly")
    assert derived_eid("call", "weekly", "2026-09-28T00:00:00Z") in refused.value.problems[0].hint
    # Paused it is still one.
    store.apply({"entity": {"eid": "weekly"}, "wake": {"at": None}})
    with pytest.raises(Refused):
        store.rerun("weekly")


def test_a_request_that_stands_while_something_holds_is_refused_too() -> None:
    store, clock = store_of()
    store.apply(call("s", wake={"while": [{"match": ".said.value=hi", "every": "1m"}]}))
    store.apply({"said": {"value": "hi"}})
    clock.advance(timedelta(minutes=1))
    store.tick()
    with pytest.raises(Refused) as refused:
        store.rerun("s")
    assert code_of(refused) == "call-standing"
    assert derived_eid("call", "s", "2026-09-26T12:01:00Z") in refused.value.problems[0].hint
    assert [found.eid for found in store.calls()] == [derived_eid("call", "s", "2026-09-26T12:01:00Z")]


def test_a_rerun_and_a_pruned_call_set_due_what_they_bring_to_hold() -> None:
    store, clock = store_of(
        echo={**ECHO, "keep": {"days": 1}},
        note={"properties": {"about": {"type": "string", "ref": "entity", "death": "detach"}}},
        lost={"properties": {"n": {"type": "integer"}}},
        loses={"rule": True, "match": "^note.about, !note.about, +lost.n=1"},
    )
    store.apply(call("c", value="hum"))
    store.apply({"entity": {"eid": "n"}, "note": {"about": "c"}})
    store.apply([{"entity": {"eid": "w"}, "wake": {"while": [{"match": ".said.value=hi", "every": "1h"}]}},
                 {"entity": {"eid": "v"}, "wake": {"while": [{"match": ".lost.n=1", "every": "2h"}]}}])  # fmt: skip
    store.apply({"entity": {"eid": "c"}, "call": {"args": {"value": "hi"}}})
    assert store.next_due() is None
    store.rerun("c")
    assert store.next_due() == at("2026-09-26T13:00:00Z")
    store.apply({"entity": {"eid": "w"}, "wake": None})
    clock.advance(2 * DAY)
    store.tick()
    assert store.query(".call") == []
    assert store.next_due() == at("2026-09-28T14:00:00Z")


@pytest.mark.parametrize(
    ("eid", "code"), [("nobody", "unknown-call"), ("plain", "unknown-call"), ("dead", "unknown-call"),
                      ("stranger", "unknown-command"), ("later", "call-pending"), ("", "type-eid")],
)  # fmt: skip
def test_what_is_no_call_that_ran_is_refused(eid: str, code: str) -> None:
    store, _ = store_of()
    store.apply([{"entity": {"eid": "plain"}, "said": {}}, call("dead"), call("stranger", to="nowhere"),
                 call("later", wake={"at": "2026-10-01T00:00:00Z"})])  # fmt: skip
    store.apply({"entity": {"eid": "dead"}, "tombstone": {}})
    before = store.query("*")
    with pytest.raises(Refused) as refused:
        store.rerun(eid)
    assert code_of(refused) == code
    assert refused.value.problems[0].hint or code == "type-eid"
    assert store.query("*") == before


def test_a_call_to_a_command_that_came_later_is_run() -> None:
    store, _ = store_of()
    store.apply(call("c", to="later"))
    assert states(store) == {}
    store.deploy({"$defs": {"said": {"properties": {"value": {"type": "string"}}}, "echo": ECHO, "later": ECHO}})
    store.rerun("c")
    assert states(store) == {"c": "done"}


def test_a_rerun_rings_when_it_moves_a_wake(monkeypatch: pytest.MonkeyPatch) -> None:
    wakes = {"entity": {"eid": "$w"}, "wake": {"at": "in-1-hour"}}
    store, clock = store_of(plan=command(apply=wakes))
    store.apply({"entity": {"eid": "c"}, "call": {"to": "plan"}})
    rung: list[int] = []
    monkeypatch.setattr(store, "_ring", lambda: rung.append(1))
    clock.advance(timedelta(minutes=1))
    store.rerun("c")
    assert rung == [1]
    assert store.next_due() == at("2026-09-26T13:01:00Z")


def test_a_workers_call_is_put_in_line_again_and_its_new_answer_counts() -> None:
    store, clock = store_of(work={**WORK, "overlap": "skip"})
    answers: list[Any] = [{"n": 1}, {"n": 2}]
    heard: list[str] = []

    @store.worker("/work")
    def work(args: dict[str, Any], asked: Any) -> Any:
        heard.append(asked.eid)
        return answers[len(heard) - 1]

    store.apply(call("c", to="work"))
    with pytest.raises(Refused, match="waits for its worker"):
        store.rerun("c")
    store.tick()
    (first,) = store.query(".result")
    assert first["result"]["value"] == {"n": 1}

    clock.advance(timedelta(minutes=1))
    store.rerun("c")
    assert store.query(".result") == []
    assert [found.state for found in store.calls()] == ["waiting"]
    store.tick()
    (second,) = store.query(".result")
    assert second["entity"] == first["entity"]
    assert second["result"]["value"] == {"n": 2}
    assert heard == ["c", "c"]
    assert store.query('.eid="c" ?execution')[0]["execution"] == {
        "state": "done", "at": "2026-09-26T12:01:00Z", "error": None,
    }  # fmt: skip
    store.close()


def test_a_workers_call_that_is_running_is_refused() -> None:
    store, _ = store_of(work=WORK)
    refused: list[str] = []

    @store.worker("/work")
    def work(args: dict[str, Any]) -> None:
        try:
            store.rerun("c")
        except Refused as error:
            refused.append(error.problems[0].message)

    store.apply(call("c", to="work"))
    store.tick()
    assert refused == ["c is running"]
    assert states(store) == {"c": "done"}
    store.close()


def test_arguments_that_a_worker_cannot_take_fail_the_rerun() -> None:
    store, _ = store_of(work=WORK)
    store.worker("/work")(lambda args: {"n": 1})
    store.apply(call("c", to="work"))
    store.tick()
    store.apply({"entity": {"eid": "c"}, "call": {"args": {"value": 5}}})
    store.rerun("c")
    assert states(store) == {"c": "failed"}
    assert result_of(store, "c")["value"] is None
    assert len(store.query(".result")) == 1
    store.close()


def test_calls_of_workers_are_pruned_too() -> None:
    store, clock = store_of(work={**WORK, "keep": {"days": 2}})
    store.worker("/work")(lambda args: {"n": 1})
    store.apply([call("c", to="work"), call("d", to="work", value="ho")])
    store.tick()
    clock.advance(2 * DAY)
    store.tick()
    assert eids(store) == ["c", "d"]
    clock.advance(timedelta(seconds=1))
    store.tick()
    assert eids(store) == eids(store, ".result") == []
    store.close()


# --- prune --------------------------------------------------------------------------------------


def test_calls_are_kept_for_their_days_and_not_a_moment_longer() -> None:
    store, clock = kept_store()
    store.apply([call("a"), call("b", value="hum")])
    clock.advance(30 * DAY)
    assert store.prune() == 0
    clock.advance(timedelta(microseconds=1))
    assert store.prune() == 2
    assert store.query(".call | .result | .execution") == []
    assert said(store) == ["hi"]
    assert store.prune() == 0


def test_a_command_without_keep_keeps_its_calls() -> None:
    store, clock = kept_store(say=ECHO)
    store.apply([call("a"), call("b", to="say")])
    clock.advance(365 * DAY)
    assert store.prune() == 1
    assert eids(store) == ["b"]


def test_each_command_has_days_of_its_own() -> None:
    store, clock = kept_store(say={**ECHO, "keep": {"days": 1}})
    store.apply([call("a"), call("b", to="say")])
    clock.advance(2 * DAY)
    assert store.prune() == 1
    assert eids(store) == ["a"]


def test_a_standing_request_stays_and_its_old_calls_go() -> None:
    store, clock = kept_store()
    store.apply(call("daily", wake={"every": "1d"}))
    for _ in range(100):
        clock.advance(DAY)
        store.tick()
    assert "daily" in eids(store)
    assert len(store.query(".call.source=daily")) == 31
    assert len(store.query(".result")) == 31
    store.apply({"entity": {"eid": "daily"}, "wake": {"at": None}})
    clock.advance(100 * DAY)
    assert store.prune() == 31
    assert eids(store) == ["daily"]


def test_a_pruned_occurrence_never_runs_again() -> None:
    store, clock = kept_store()
    store.apply(call("daily", wake={"every": "1d", "at": "2026-09-27T12:00:00Z"}))
    clock.advance(DAY)
    store.tick()
    clock.advance(40 * DAY)
    assert store.prune() == 1
    store.apply({"entity": {"eid": "daily"}, "wake": {"at": "2026-09-27T12:00:00Z"}})
    report = store.tick()
    assert [row["entity"]["eid"] for row in report.fired] == ["daily"]
    assert report.calls == []
    assert eids(store) == ["daily"]
    assert len(said(store)) == 1
    with pytest.raises(Refused) as refused:
        store.rerun(derived_eid("call", "daily", "2026-09-27T12:00:00Z"))
    assert code_of(refused) == "unknown-call"


def test_a_spent_one_shot_goes_and_one_set_again_stays() -> None:
    store, clock = kept_store()
    store.apply([call(eid, wake={"at": "2026-09-27T12:00:00Z", "note": "once"}) for eid in ("a", "b")])
    clock.advance(DAY)
    store.tick()
    store.apply({"entity": {"eid": "b"}, "wake": {"at": "2027-09-27T12:00:00Z"}})
    clock.advance(31 * DAY)
    assert store.prune() == 1
    assert eids(store) == ["b"]
    clock.advance(timedelta(days=300))
    assert store.prune() == 0
    store.apply({"entity": {"eid": "b"}, "wake": {"at": None}})
    clock.advance(31 * DAY)
    assert store.prune() == 1


def test_a_row_that_carries_more_than_its_call_is_the_apps_and_stays_whole() -> None:
    store, clock = kept_store()
    store.apply([call("a", doc={"title": "the first digest"}), call("b", said={"value": "ho"}), call("c")])
    clock.advance(31 * DAY)
    assert store.prune() == 1
    assert eids(store, ".call, .execution, ?result") == ["a", "b"]
    assert len(store.query(".result")) == 2
    assert store.prune() == 0
    # What no longer carries more goes when it has been there as long once more.
    store.apply({"entity": {"eid": "a"}, "doc": None})
    clock.advance(31 * DAY)
    assert store.prune() == 1


def test_calls_that_wait_or_run_stay() -> None:
    store, clock = kept_store(work={**WORK, "keep": {"days": 1}})
    store.apply([call("w", to="work"), call("x", to="nowhere"), call("later", wake={"at": "2028-01-01T00:00:00Z"})])
    clock.advance(365 * DAY)
    assert store.prune() == 0
    assert len(eids(store)) == 3


def test_references_and_rules_follow_a_pruned_call() -> None:
    link = {"type": "string", "ref": "entity"}
    store, clock = kept_store(
        gone={},
        note={"properties": {"about": {**link, "death": "detach"}, "n": {"type": "integer"}}},
        child={"properties": {"of": {**link, "death": "cascade"}}},
        orphaned={"rule": True, "match": ".note, !note.about, +!gone"},
    )
    store.apply([call("a"), {"entity": {"eid": "n"}, "note": {"about": "a", "n": 1}},
                 {"entity": {"eid": "k"}, "child": {"of": "a"}}])  # fmt: skip
    clock.advance(31 * DAY)
    assert store.prune() == 1
    (note,) = store.query(".note, ?gone, ?updated")
    assert note["note"] == {"about": None, "n": 1}
    assert note["gone"] == {}
    assert note["updated"] == {"at": "2026-10-27T12:00:00Z", "by": "wake"}
    assert store.query(".child") == []


def test_a_call_that_a_rule_does_not_let_go_stays_alone() -> None:
    store, clock = kept_store(
        note={"properties": {"about": {"type": "string", "ref": "entity", "death": "detach"}}},
        holds={"rule": True, "match": ".note, !note.about", "refuse": "a note is about something"},
    )
    store.apply([call("a"), call("b"), call("c"), {"note": {"about": "b"}}])
    clock.advance(31 * DAY)
    assert store.prune() == 2
    assert eids(store) == ["b"]
    assert store.prune() == 0


def test_a_rule_may_ask_for_a_call_when_a_pruned_one_lets_go() -> None:
    store, clock = kept_store(
        note={"properties": {"about": {"type": "string", "ref": "entity", "death": "detach"}}},
        log=command(apply={"entity": {"eid": "$l"}, "said": {"value": "ho"}}),
        tells={"rule": True, "match": "^note.about, !note.about", "call": "log"},
    )
    store.apply([call("a"), {"entity": {"eid": "n"}, "note": {"about": "a"}}])
    clock.advance(31 * DAY)
    assert store.prune() == 1
    assert sorted(said(store)) == ["hi", "ho"]


def test_prune_goes_by_batches_and_stops_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = kept_store()
    store.apply([call(f"c{number}") for number in range(25)])
    clock.advance(31 * DAY)
    monkeypatch.setattr(pruning, "BATCH", 10)
    assert store.prune(limit=0) == 0
    assert store.prune(limit=12) == 12
    assert eids(store)[0] == "c12"
    assert store.prune() == 13
    for limit in (-1, True, "5"):
        with pytest.raises(Refused, match="limit"):
            store.prune(limit=limit)


def test_a_tick_prunes_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = kept_store()
    store.apply([call(f"c{number}") for number in range(25)])
    clock.advance(31 * DAY)
    monkeypatch.setattr(pruning, "BATCH", 10)
    assert store.tick().fired == []
    assert len(eids(store)) == 15
    store.tick(now=at("2026-09-27T00:00:00Z"))
    assert len(eids(store)) == 15
    store.tick()
    store.tick()
    assert eids(store) == []


def test_a_store_that_calls_more_than_a_batch_a_day_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = kept_store(echo={**ECHO, "keep": {"days": 3}})
    store.apply([call(f"s{number}", wake={"every": "1d"}) for number in range(25)])
    monkeypatch.setattr(pruning, "BATCH", 10)
    sizes = []
    for _ in range(8):
        clock.advance(DAY)
        store.tick()
        sizes.append(len(store.query(".execution")))
    assert sizes == [25, 50, 75, 100, 100, 100, 100, 100]


def test_under_a_real_clock_a_batch_is_cut_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH_SECONDS", -1)
    monkeypatch.setattr(pruning, "_TOGETHER", 4)
    with wakeful.open(":memory:") as store:
        store.deploy({"$defs": {"said": {"properties": {"value": {"type": "string"}}}, "echo": KEPT}})
        store.apply([call(f"c{number}") for number in range(10)])
        later = datetime.now(at(NOON).tzinfo) + 40 * DAY
        assert store._prune(later, 500) == (4, False)
        assert store.prune(later) == 6
        assert store.query(".call") == []


def test_prune_judges_by_the_instant_it_is_given() -> None:
    store, _ = kept_store()
    store.apply(call("a"))
    assert store.prune(now=datetime.min.replace(tzinfo=at(NOON).tzinfo)) == 0
    assert store.prune(now=at("2026-12-01T00:00:00Z")) == 1


def test_a_keep_that_is_declared_later_counts_for_calls_that_were_there() -> None:
    store, clock = store_of()
    store.apply([call("a"), call("b", value="hum"), call("c", to="nowhere")])
    clock.advance(31 * DAY)
    assert store.prune() == 0
    document = dict(store.vocab.document)
    defs = {name: entry for name, entry in document["$defs"].items() if name != "echo"}
    store.deploy({"$defs": {**defs, "echo": KEPT}})
    store.apply(call("d"))
    assert store.prune() == 2
    assert eids(store) == ["c", "d"]
    store.deploy({"$defs": {**defs, "echo": ECHO}})
    clock.advance(31 * DAY)
    assert store.prune() == 0
    store.deploy({"$defs": {**defs, "echo": {**ECHO, "keep": {"days": 100}}}})
    assert store.prune() == 0


def test_a_call_run_again_is_kept_from_then_on() -> None:
    store, clock = kept_store()
    store.apply(call("a"))
    clock.advance(20 * DAY)
    store.rerun("a")
    clock.advance(20 * DAY)
    assert store.prune() == 0
    clock.advance(11 * DAY)
    assert store.prune() == 1


def test_a_deleted_call_leaves_nothing_to_prune() -> None:
    store, clock = kept_store()
    store.apply([call("a"), call("b")])
    store.apply({"entity": {"eid": "a"}, "tombstone": {}})
    clock.advance(31 * DAY)
    assert store.prune() == 1


def test_a_look_that_finds_nothing_reads_an_index_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    store, clock = kept_store(path, say=ECHO)
    store.apply([call(f"s{number}", to="say") for number in range(50)])
    clock.advance(400 * DAY)
    store.apply(call("a"))
    store.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT command FROM ended").fetchall() == [("echo",)]
        sql = "EXPLAIN QUERY PLAN SELECT 1 FROM ended WHERE command = ? AND at < ? LIMIT 1"
        plan = " ".join(row[3] for row in connection.execute(sql, ("echo", "")))
    connection.close()
    assert "i_ended.oldest" in plan
    assert "SEARCH" in plan


@pytest.mark.parametrize("what", ["rerun", "prune"])
def test_whichever_statement_fails_all_of_it_is_done_or_nothing(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepared() -> wakeful.Store:
        store, clock = kept_store(
            log=command(apply={"entity": {"eid": "$l"}, "said": {"value": "ho"}}),
            tells={"rule": True, "match": "^said.n, !said.n", "call": "log"},
        )
        store.apply([call("a"), call("b", value="hum")])
        store.apply({"entity": {"eid": derived_eid("alias", "a", "$said")}, "said": {"value": None, "n": 1}})
        clock.advance(31 * DAY)
        return store

    def act(store: wakeful.Store) -> None:
        if what == "rerun":
            store.rerun("a")
        else:
            store.prune()

    store = prepared()
    before = store.query("*")
    act(store)
    after = store.query("*")
    assert before != after
    check, left = Transaction._check, [0]

    def failing(transaction: Transaction) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise StoreFull("no room is left")
        check(transaction)

    monkeypatch.setattr(Transaction, "_check", failing)
    failed = 0
    while True:
        store = prepared()
        left[0] = failed + 1
        try:
            act(store)
        except StoreFull:
            failed += 1
            assert store.query("*") == before
            act(store)
            assert store.query("*") == after
            continue
        assert left[0] > 0  # there were not that many statements
        break
    assert failed > 10


# --- the list -----------------------------------------------------------------------------------


def test_calls_are_listed_newest_first() -> None:
    store, clock = store_of()
    store.apply([call("a"), call("b", value="hum")])
    clock.advance(timedelta(minutes=1))
    store.apply([call("later", wake={"at": "2026-09-27T00:00:00Z"}), call("weekly", wake={"every": "@weekly"}),
                 {"entity": {"eid": "c"}, "call": {"to": "nowhere", "source": "weekly"}}])  # fmt: skip
    listed = store.calls()
    assert [(found.eid, found.command, found.state) for found in listed] == [
        ("later", "echo", "waiting"), ("c", "nowhere", "waiting"), ("b", "echo", "failed"), ("a", "echo", "done"),
    ]  # fmt: skip
    assert listed[-1] == wakeful.CallReport("a", "echo", "done", NOON, 0, None, None, None)
    assert "args.value" in str(listed[2].error)
    assert [found.eid for found in store.calls(limit=2)] == ["later", "c"]
    assert [found.eid for found in store.calls("failed")] == ["b"]
    assert [found.eid for found in store.calls("done")] == ["a"]
    assert [found.eid for found in store.calls("waiting")] == ["later", "c"]
    assert store.calls("running") == store.calls("skipped") == []
    assert [found.eid for found in store.calls(eids=["a", "weekly", "?"])] == ["a"]


def test_the_calls_of_a_schedule() -> None:
    store, clock = store_of()
    store.apply([call("daily", wake={"every": "@daily"}), call("a")])
    for _ in range(3):
        clock.advance(DAY)
        store.tick()
    listed = store.calls(of="daily")
    assert [found.due for found in listed] == [f"2026-09-{day}T00:00:00Z" for day in (29, 28, 27)]
    assert {found.source for found in listed} == {"daily"}
    assert listed[0].eid == derived_eid("call", "daily", "2026-09-29T00:00:00Z")
    wrong: list[dict[str, Any]] = [
        {"of": "nobody"}, {"of": "\ud800"}, {"of": 5}, {"eids": ["\ud800"]}, {"state": "late"}, {"limit": -1},
    ]  # fmt: skip
    for arguments in wrong:
        with pytest.raises(Refused):
            store.calls(**arguments)
    assert len(store.calls(limit=10**30)) == 4


def test_failed_calls_are_found_through_an_index(tmp_path: Path) -> None:
    from wakeful.calls.listing import _CALLS

    path = str(tmp_path / "s.db")
    store, _ = store_of(path)
    store.close()
    with sqlite3.connect(path) as connection:
        sql = f"EXPLAIN QUERY PLAN {_CALLS} AND x.p_state = 'failed' AND x.p_state <> 'done' ORDER BY 7 LIMIT 9"
        plan = [row[3] for row in connection.execute(sql)]
    connection.close()
    assert any("i_execution.open" in line for line in plan), plan


def test_a_command_is_named_by_its_row_too() -> None:
    store, _ = store_of()
    store.apply(call("a", to=tool_eid("echo")))
    assert store.calls()[0].command == "echo"
