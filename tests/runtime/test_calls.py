"""Calls: run in the transaction that asks for them, recorded beside the request, alone in their failures."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from runtime.garden import at
from wakeful.engines.transaction import SqlRefused
from wakeful.ids import derived_eid, tool_eid
from wakeful.testing import ManualClock

NOON = "2026-09-26T12:00:00Z"
SAID: dict[str, Any] = {"properties": {"value": {"type": "string", "enum": ["hi", "ho"]}, "n": {"type": "integer"}}}


def command(**entry: Any) -> dict[str, Any]:
    return {"tool": True, "description": "a command", **entry}


ECHO = command(
    input={"value": {"type": "string"}}, apply={"entity": {"eid": "$said"}, "said": {"value": "$value"}}
)  # fmt: skip
ASK = command(
    input={"value": {"type": "string"}}, apply={"entity": {"eid": "$next"}, "call": {"to": "echo", "args": "$args"}}
)  # fmt: skip


def store_of(path: str = ":memory:", **entries: Any) -> tuple[wakeful.Store, ManualClock]:
    clock = ManualClock(at(NOON))
    store = wakeful.open(path, clock=clock, by="ann")
    store.deploy({"$defs": {"said": SAID, "echo": ECHO, **entries}})
    return store, clock


def call(eid: str, to: str = "echo", value: str = "hi", **more: Any) -> dict[str, Any]:
    return {"entity": {"eid": eid}, "call": {"to": to, "args": {"value": value}}, **more}


def said(store: wakeful.Store) -> list[str]:
    return [row["said"]["value"] for row in store.query(".said")]


def states(store: wakeful.Store) -> dict[str, str]:
    return {row["entity"]["eid"]: row["execution"]["state"] for row in store.query(".execution")}


def result_of(store: wakeful.Store, eid: str) -> dict[str, Any]:
    ((found),) = store.query(f'.result.call="{eid}"')
    return dict(found["result"])


def test_a_deploy_plants_a_row_for_each_command_by_which_it_is_found_and_called() -> None:
    store, _ = store_of()
    (tool,) = store.query(".tool.name=echo")
    assert tool["entity"]["eid"] == tool_eid("echo")
    assert tool["tool"] == {"name": "echo", "description": "a command"}
    store.apply(call("c", to=tool["entity"]["eid"]))
    assert said(store) == ["hi"]


def test_the_row_of_a_command_follows_the_vocabulary_and_comes_back_with_it() -> None:
    store, clock = store_of()
    clock.advance(timedelta(minutes=1))
    store.deploy({"$defs": {"said": SAID, "echo": {**ECHO, "description": "louder"}}})
    (tool,) = store.query(".tool ?updated")
    assert tool["tool"]["description"] == "louder"
    assert tool["updated"]["by"] == "deploy"
    store.deploy({"$defs": {"said": SAID}})
    assert store.query(".tool") == []
    store.apply(call("c", to="echo"))
    assert states(store) == {}
    store.deploy({"$defs": {"said": SAID, "echo": ECHO}})
    assert [row["entity"]["eid"] for row in store.query(".tool")] == [tool_eid("echo")]
    assert states(store) == {}
    store.apply({"entity": {"eid": "c"}, "call": {"to": "echo"}})
    assert states(store) == {"c": "done"}


def test_the_name_of_a_command_is_kept_as_its_eid() -> None:
    store, _ = store_of()
    answer = store.apply(call("c"))
    assert answer.changes[0]["call"]["to"] == tool_eid("echo")


def test_the_answer_tells_all_that_the_call_did() -> None:
    store, _ = store_of()
    answer = store.apply({"entity": {"eid": "$c"}, "call": {"to": "echo", "args": {"value": "hi"}}})
    eid = answer.aliases["$c"]
    request, output, result = answer.changes
    assert request["entity"]["eid"] == eid
    assert request["execution"] == {"state": "done", "at": NOON, "error": None}
    assert output["entity"]["eid"] == derived_eid("alias", eid, "$said")
    assert output["created"] == {"at": NOON, "by": "ann"}
    assert result["entity"]["eid"] == derived_eid("result", eid)
    assert result["result"] == {"call": eid, "value": {"aliases": {"$said": output["entity"]["eid"]}}, "ms": 0}


def test_a_dry_run_of_a_call_keeps_nothing() -> None:
    store, _ = store_of()
    assert len(store.apply(call("c"), dry_run=True).changes) == 3
    assert store.query(".call") == []
    assert said(store) == []


def test_a_call_to_nobody_is_left_in_place_and_said() -> None:
    store, _ = store_of()
    (note,) = store.apply(call("c", to="ecko")).notes
    assert note == 'c: no command here is "ecko" (did you mean `echo`?); the call is left as it is'
    assert store.apply(call("c")).notes == []


def test_a_failure_is_recorded_and_disturbs_nothing_else() -> None:
    store, _ = store_of()
    store.apply([call("a"), call("b", value="hum"), call("c", value="ho"), {"entity": {"eid": "d"}, "said": {}}])
    assert sorted(map(str, said(store))) == ["None", "hi", "ho"]
    assert states(store) == {"a": "done", "b": "failed", "c": "done"}
    failed = result_of(store, "b")
    assert failed["value"] is None
    assert "args.value" in store.query('.eid="b" ?execution')[0]["execution"]["error"]


@pytest.mark.parametrize(
    ("args", "error"),
    [({}, "requires it"), ({"value": 5}, "args.value"), ({"valu": "hi"}, "did you mean"), (None, "requires it")],
)
def test_arguments_that_do_not_fit_fail_the_call_alone(args: Any, error: str) -> None:
    store, _ = store_of(echo={**ECHO, "required": ["value"]})
    store.apply({"entity": {"eid": "c"}, "call": {"to": "echo", "args": args}})
    execution = store.query('.eid="c" ?execution')[0]["execution"]
    assert execution["state"] == "failed"
    assert error in execution["error"]


def test_taking_only_the_wake_away_runs_the_call_at_once() -> None:
    store, _ = store_of()
    store.apply(call("c", wake={"every": "1h"}))
    assert said(store) == []
    store.apply({"entity": {"eid": "c"}, "wake": None})
    assert said(store) == ["hi"]


def test_a_one_shot_runs_once_however_often_it_is_set_again() -> None:
    store, clock = store_of()
    store.apply(call("c", wake={"at": NOON}))
    assert store.tick().calls == ["c"]
    clock.advance(timedelta(hours=1))
    store.apply({"entity": {"eid": "c"}, "wake": {"at": "now"}})
    report = store.tick()
    assert (len(report.fired), report.calls) == (1, [])
    assert said(store) == ["hi"]


def test_the_calls_of_a_batch_run_after_its_firings_in_their_order() -> None:
    store, _ = store_of()
    hours = {"a": "11:30", "b": "10:30", "c": "11:00"}
    store.apply([call(eid, wake={"at": f"2026-09-26T{hour}:00Z"}) for eid, hour in hours.items()])
    assert store.tick().calls == ["b", "c", "a"]


def test_the_firing_of_a_one_shot_tells_how_its_call_ended() -> None:
    store, _ = store_of()
    store.apply(call("c", value="hum", wake={"at": NOON}))
    (fired,) = store.tick().fired
    assert fired["execution"]["state"] == "failed"
    assert fired["fired"]["due"] == NOON


def test_an_occurrence_is_asked_for_by_whoever_asked_for_the_schedule() -> None:
    store, _ = store_of()
    store.apply(call("s", wake={"at": NOON, "every": "1h"}), by="bob")
    store.tick()
    (occurrence,) = store.query(".call.source=s ?created")
    assert occurrence["created"]["by"] == "bob"
    assert store.query(".said ?created")[0]["created"]["by"] == "bob"


def test_a_history_that_was_deleted_does_not_run_again() -> None:
    store, _ = store_of()
    store.apply(call("s", wake={"at": NOON, "every": "1h"}))
    store.tick()
    (occurrence,) = store.query(".call.source=s")
    store.apply({"entity": occurrence["entity"], "tombstone": {}})
    assert store.query(".result") == []
    store.apply({"entity": {"eid": "s"}, "wake": {"at": NOON}})
    report = store.tick()
    assert (len(report.fired), report.calls) == (1, [])
    assert store.query(".call.source=s") == []


def test_a_template_may_ask_for_further_calls() -> None:
    pair = command(
        apply=[{"call": {"to": "echo", "args": {"value": "hi"}}}, {"call": {"to": "echo", "args": {"value": "ho"}}}]
    )
    store, _ = store_of(pair=pair)
    store.apply({"entity": {"eid": "c"}, "call": {"to": "pair"}})
    assert said(store) == ["hi", "ho"]
    assert list(states(store).values()) == ["done"] * 3


def test_a_run_that_is_done_again_gives_the_same_rows() -> None:
    lives = []
    for _ in range(2):
        store, clock = store_of()
        store.apply(call("s", wake={"at": NOON, "every": "1h"}))
        for _ in range(3):
            store.tick()
            clock.advance(timedelta(hours=1))
        lives.append(store.query("*"))
        store.close()
    assert lives[0] == lives[1]


def test_rules_act_on_the_output_of_a_call_and_their_refusal_fails_it_alone() -> None:
    store, _ = store_of(
        loud={"rule": True, "match": ".said.value=hi, .said.n!=1, +said.n=1"},
        no_ho={"rule": True, "match": ".said.value=ho", "refuse": "nobody says ho"},
    )
    store.apply([call("a"), call("b", value="ho")])
    assert [row["said"] for row in store.query(".said")] == [{"value": "hi", "n": 1}]
    assert states(store) == {"a": "done", "b": "failed"}
    assert "nobody says ho" in store.query('.eid="b" ?execution')[0]["execution"]["error"]


def test_state_rules_look_at_the_record_of_a_call() -> None:
    store, _ = store_of(
        seen={}, notes_failure={"rule": True, "match": ".execution.state=failed, +!seen"}
    )  # fmt: skip
    store.apply([call("a"), call("b", value="hum")])
    assert [row["entity"]["eid"] for row in store.query(".seen")] == ["b"]


def test_a_standing_call_that_a_rule_refuses_is_kept_back_whole() -> None:
    store, clock = store_of(no={"rule": True, "match": "^call, .call.source=s", "refuse": "not now"})
    store.apply(call("s", wake={"at": NOON, "every": "1h"}))
    report = store.tick()
    assert (report.fired, report.calls) == ([], [])
    assert "not now" in report.refused[0]["error"]
    assert store.query(".call.source=s") == []
    store.deploy({"$defs": {"said": SAID, "echo": ECHO}})
    clock.advance(timedelta(minutes=2))
    assert len(store.tick().calls) == 1


def test_an_argument_is_never_a_bundle_nor_an_alias() -> None:
    link = {"properties": {"to": {"type": "string", "ref": "entity"}}}
    entry = command(input={"to": {"type": "string", "ref": "entity"}}, apply={"link": {"to": "$to"}})
    store, _ = store_of(link=link, bind=entry)
    for eid, argument in {"a": {"said": {"value": "hi"}}, "b": "$link", "c": "nobody"}.items():
        store.apply({"entity": {"eid": eid}, "call": {"to": "bind", "args": {"to": argument}}})
    assert states(store) == {"a": "failed", "b": "failed", "c": "failed"}
    assert store.query(".link") == []
    assert said(store) == []


def test_calls_started_inside_one_apply_are_limited_in_number() -> None:
    many = command(apply=[{"call": {"to": "echo", "args": {"value": "hi"}}} for _ in range(600)])
    store, _ = store_of(many=many)
    store.apply([{"call": {"to": "many"}}, {"call": {"to": "many"}}])
    ended = list(states(store).values())
    assert (ended.count("done"), ended.count("failed")) == (1000, 202)
    errors = [row["execution"]["error"] for row in store.query(".execution.state=failed")]
    assert all("at most 1000 calls" in error for error in errors)


def test_calls_start_one_another_eight_deep() -> None:
    entries = {
        f"step_{n}": command(apply={"call": {"to": f"step_{n + 1}" if n < 12 else "echo", "args": {}}})
        for n in range(1, 13)
    }
    store, _ = store_of(**entries)
    store.apply({"entity": {"eid": "c"}, "call": {"to": "step_1"}})
    ended = [row["execution"]["state"] for row in store.query(".execution .order=entity.num")]
    assert ended == ["done"] * 8 + ["failed"]


def test_a_call_whose_output_sql_turns_down_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = store_of(str(tmp_path / "s.db"))
    from wakeful.engines.records import ComponentTable

    insert = ComponentTable.insert

    def picky(self: ComponentTable, transaction: Any, rows: Any, num_of: Any) -> None:
        if self.component.name == "said" and any(values["value"] == "ho" for _, values in rows):
            raise SqlRefused("the tables do not like ho")
        insert(self, transaction, rows, num_of)

    monkeypatch.setattr(ComponentTable, "insert", picky)
    store.apply([call("a"), call("b", value="ho"), call("c")])
    assert states(store) == {"a": "done", "b": "failed", "c": "done"}
    store.apply([call(eid, value=value, wake={"at": NOON}) for eid, value in {"d": "hi", "e": "ho"}.items()])
    assert store.tick().calls == ["d", "e"]
    assert states(store) == {"a": "done", "b": "failed", "c": "done", "d": "done", "e": "failed"}
    assert said(store) == ["hi"] * 3


def test_ten_calls_on_one_row_each_see_what_the_one_before_did() -> None:
    raises = command(
        input={"row": {"type": "string", "ref": "entity"}}, apply={"entity": {"eid": "$row"}, "said": {"n": 1}}
    )  # fmt: skip
    store, _ = store_of(
        raises=raises, climbs={"rule": True, "match": "^said.n=1, *said.n=.said.n+1"}, total={},
        marks={"rule": True, "match": ".said.n=2, +!total"},
    )  # fmt: skip
    store.apply({"entity": {"eid": "r"}, "said": {}})
    store.apply([{"call": {"to": "raises", "args": {"row": "r"}}} for _ in range(10)])
    assert list(states(store).values()) == ["done"] * 10
    assert store.query('.eid="r" .said ?total')[0]["said"]["n"] == 2


def test_a_call_that_waits_and_is_made_due_anew_runs_once() -> None:
    stop = command(
        input={"who": {"type": "string", "ref": "entity"}}, apply={"entity": {"eid": "$who"}, "wake": None}
    )  # fmt: skip
    store, clock = store_of(stop=stop)
    store.apply({"entity": {"eid": "s"}, "call": {"to": "stop", "args": {"who": "c"}}, "wake": {"every": "30s"}})
    store.apply(call("c", wake={"at": "in-5-minutes"}))
    clock.advance(timedelta(minutes=10))
    report = store.tick()
    assert report.calls[1:] == ["c"]
    assert said(store) == ["hi"]


def test_a_call_that_waits_is_run_on_its_row_as_earlier_calls_left_it() -> None:
    names = command(
        input={"who": {"type": "string", "ref": "entity"}}, required=["who"],
        apply={"entity": {"eid": "$who"}, "said": {"n": 4}},
    )  # fmt: skip
    ends = command(
        input={"who": {"type": "string", "ref": "entity"}}, apply={"entity": {"eid": "$who"}, "tombstone": {}}
    )
    store, _ = store_of(names=names, ends=ends)
    store.apply([
        {"entity": {"eid": "a"}, "call": {"to": "names", "args": {"who": "b"}}},
        {"entity": {"eid": "b"}, "call": {"to": "echo", "args": {"value": "hum"}}},
        {"entity": {"eid": "c"}, "call": {"to": "ends", "args": {"who": "d"}}},
        call("d"),
    ])  # fmt: skip
    assert states(store) == {"a": "done", "b": "failed", "c": "done"}
    (row,) = store.query('.eid="b" .said ?execution')
    assert (row["said"]["n"], row["execution"]["state"]) == (4, "failed")
    assert len(store.query(".said")) == 1


def test_calls_that_a_firing_makes_due_on_other_rows_come_in_the_order_of_the_firings() -> None:
    store, _ = store_of(mayfly={}, dies={"rule": True, "match": "^fired, .mayfly, +tombstone"})
    store.apply({"entity": {"eid": "m"}, "mayfly": {}, "wake": {"at": "1-minute-ago"}})
    store.apply([call("b", wake={"at": NOON}), call("c", wake={"target": "m"})])
    assert store.tick().calls == ["c", "b"]
    assert said(store) == ["hi", "hi"]
