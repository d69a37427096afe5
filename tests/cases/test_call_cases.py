"""The cases of the area `call`: what a vocabulary may say of commands, and what becomes of a request to run one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import NOON, World, components
from wakeful.ids import derived_eid
from wakeful_compiler.commands import CompiledCommand
from workers.app import app, nowhere


def refusal(folder: Path, command: dict[str, Any]) -> wakeful.VocabError:
    """The error that deploying a vocabulary with this command raises."""
    entry = {"tool": True, "description": "x", **command}
    with pytest.raises(wakeful.VocabError) as caught:
        World(folder).deploy({"$defs": {"tick": entry}})
    return caught.value


@case("b:340")
def test_a_worker_is_an_absolute_path(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, given("b:340")["given"]["command"]).problems
    assert "`worker` is an absolute path of letters, digits, _ - and /" in problem.message


@case("b:341")
def test_a_command_does_one_thing(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, given("b:341")["given"]["command"]).problems
    assert "does one thing" in problem.message


@case("b:347")
def test_a_tools_json_is_told_where_its_entries_belong(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("{}", encoding="utf-8")
    with pytest.raises(wakeful.VocabError) as caught:
        World(tmp_path).deploy({"$defs": {}})
    assert "commands are entries of vocab.json" in str(caught.value)


ECHO = {
    "tool": True,
    "description": "say it again",
    "input": {"value": {"type": "string"}},
    "apply": {"entity": {"eid": "$said"}, "said": {"value": "$value"}},
}
FIRST, SECOND = "2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"


def echoing(folder: Path, **commands: dict[str, Any]) -> World:
    """A store that knows `echo`, these commands besides, and the rows `said{value}` that they write."""
    vocab = components(said={"value": {"type": "string", "enum": ["hi", "ho"]}})
    vocab["$defs"] |= {"echo": ECHO, **commands}
    return World(folder, vocab)


def results(world: World, call: str) -> list[dict[str, Any]]:
    return [row["result"] for row in world.store.query(f'.result.call="{call}"')]


def state(world: World, call: str) -> dict[str, Any]:
    return dict(world.row(call, "execution")["execution"])


@case("b:322")
def test_a_call_without_a_wake_runs_as_soon_as_it_is_written(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("c", call=given("b:322")["given"]["call"])
    (result,) = results(world, "c")
    assert isinstance(result["ms"], (int, float))
    assert state(world, "c") == {"state": "done", "at": "2026-09-26T12:00:00Z", "error": None}
    assert [row["said"]["value"] for row in world.store.query(".said")] == ["hi"]


@case("b:323")
def test_a_call_with_a_wake_waits_for_its_firing(tmp_path: Path) -> None:
    world, told = echoing(tmp_path), given("b:323")["given"]
    world.put("c", call={**told["call"], "args": {"value": "hi"}}, wake=told["wake"])
    assert results(world, "c") == []
    report = world.tick(FIRST)
    assert report.calls == ["c"]
    assert report.fired[0]["execution"]["state"] == "done"
    assert len(results(world, "c")) == 1


@case("b:324")
def test_a_standing_call_writes_a_call_of_its_own_each_time(tmp_path: Path) -> None:
    world, told = echoing(tmp_path), given("b:324")["given"]
    world.put(told["eid"], call={**told["call"], "args": {"value": "hi"}}, wake=told["wake"])
    for instant in (FIRST, SECOND):
        world.tick(instant)
    calls = world.store.query(".call.source=daily, ?execution")
    assert [call["call"]["due"] for call in calls] == [FIRST, SECOND]
    assert [call["entity"]["eid"] for call in calls] == [derived_eid("call", "daily", due) for due in (FIRST, SECOND)]
    assert [len(results(world, call["entity"]["eid"])) for call in calls] == [1, 1]
    assert [call["execution"]["state"] for call in calls] == ["done", "done"]
    assert results(world, "daily") == []
    assert "execution" not in world.row("daily", "execution")


@case("b:325")
def test_the_same_occurrence_twice_is_the_same_call(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("daily", call={"to": "echo", "args": {"value": "hi"}}, wake={"at": FIRST, "every": "1d"})
    world.tick(SECOND)
    rows = world.store.query("*")
    world.put("daily", wake={"at": FIRST})
    assert len(world.tick().fired) == 1
    assert len(world.store.query("*")) == len(rows)
    assert len(world.store.query(".call.source=daily")) == 1


@case("b:328")
def test_a_call_to_what_nobody_here_has_is_left_as_written(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("c", call={"to": "not-here", "args": {"value": "hi"}})
    row = world.row("c", "execution", "call")
    assert "execution" not in row
    assert row["call"] == {"to": "not-here", "args": {"value": "hi"}, "source": None, "due": None}
    assert results(world, "c") == []


@case("b:331")
def test_a_refused_output_is_a_failed_call_and_leaves_nothing(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("c", call={"to": "echo", "args": {"value": "hum"}})
    execution = state(world, "c")
    assert execution["state"] == "failed"
    assert "said.value" in execution["error"]
    assert len(results(world, "c")) == 1
    assert world.store.query(".said") == []


@case("b:332")
def test_what_a_call_writes_is_stamped_with_its_author(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    call = {"entity": {"eid": "c"}, "call": {"to": "echo", "args": {"value": "hi"}}}
    world.store.apply(call, by=given("b:332")["given"]["call"]["created.by"])
    (said,) = world.store.query(".said ?created")
    assert said["created"]["by"] == "p1"


@case("b:333")
def test_a_call_that_has_a_result_never_runs_again(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("c", call={"to": "echo", "args": {"value": "hi"}})
    stored = results(world, "c")
    world.pass_time(minutes=1)
    world.put("c", call={"args": {"value": "ho"}})
    world.put("c", execution=None)
    world.put("c", call={"args": {"value": "hi"}})
    assert results(world, "c") == stored
    assert [row["said"]["value"] for row in world.store.query(".said")] == ["hi"]


@case("b:336")
def test_a_standing_call_is_stopped_by_taking_call_and_wake_away(tmp_path: Path) -> None:
    world = echoing(tmp_path)
    world.put("c", call={"to": "echo", "args": {"value": "hi"}}, wake=given("b:336")["given"]["standing call"]["wake"])
    world.put("c", call=None, wake=None)
    world.pass_time(days=1)
    assert world.tick().calls == []
    assert world.store.query(".said") == []


def told_command(*inputs: str, **entry: Any) -> CompiledCommand:
    """The command of a case, its inputs texts where the case does not say."""
    declared = {name: {"type": "string"} for name in inputs}
    does = {"apply": {"doc": {}}} if entry.keys().isdisjoint(("apply", "query")) else {}
    command = {"tool": True, "description": "x", "input": declared, **does, **entry}
    vocab = components(jog={})
    vocab["$defs"]["told"] = command
    return wakeful.load(vocab).compiled_commands["told"]


@case("b:343")
def test_an_argument_is_of_the_type_of_its_input() -> None:
    told = given("b:343")["given"]
    command = told_command(input=told["input"], required=told["required"])
    (problem,) = command.problems(told["args"])
    assert "args.miles is a number" in problem.message


@case("b:345")
def test_an_argument_of_a_query_is_one_value() -> None:
    told, then = given("b:345")["given"], given("b:345")["then"]["query"]
    command = told_command("since", query=told["query"])
    query = command.query(told["args"])
    by_hand = wakeful.load(components(jog={})).query(then.removesuffix(" as one bound operand"))
    assert query.plan == by_hand.plan
    assert str(query) == str(by_hand)


@case("b:346")
def test_two_dollars_are_one() -> None:
    told = given("b:346")["given"]
    command = told_command(apply=told["apply"], input={"n": {"type": "integer"}})
    (bundle,) = command.fill(told["args"])
    assert bundle["doc"]["title"].value == given("b:346")["then"]["title"]


def worked(folder: Path, command: dict[str, Any], url: str) -> dict[str, Any]:
    """The execution of a scheduled call to a worker at this base URL."""
    entry = {"tool": True, "description": "x", **command}
    with World(folder, {"$defs": {"tick": entry}}, workers=url).store as store:
        store.apply({"entity": {"eid": "c"}, "call": {"to": "tick"}, "wake": {"at": NOON}})
        store.tick()
        (row,) = store.query(".eid=c .execution")
        return dict(row["execution"])


@case("b:337")
def test_a_worker_that_is_missing_fails_the_call(tmp_path: Path) -> None:
    told = given("b:337")
    execution = worked(tmp_path, told["given"]["command"], nowhere())
    assert execution["state"] == told["then"]["execution.state"]
    assert "nothing answers there" in execution["error"]


@case("b:338")
def test_a_worker_that_answers_an_error_fails_the_call(tmp_path: Path) -> None:
    told = given("b:338")
    with app(told["given"]["route answers"]) as running:
        execution = worked(tmp_path, told["given"]["command"], running.url)
    assert execution["state"] == told["then"]["execution.state"]
    assert execution["error"] == "answered 500 Internal Server Error"


@case("b:349")
def test_a_query_command_reads_and_restamps_nothing(tmp_path: Path) -> None:
    world = echoing(tmp_path, find={"tool": True, "description": "what was said", "query": ".said"})
    world.put("s", said={"value": "hi"})
    world.pass_time(minutes=1)
    world.put("c", call={"to": "find"})
    (result,) = results(world, "c")
    ((found,),) = result["value"].values()
    assert (found["entity"]["eid"], found["said"]) == ("s", {"value": "hi"})
    assert "updated" not in world.row("s", "updated")


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("call", globals()) == []
