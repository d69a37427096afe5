"""Functions of the process as workers: what they are given, what they answer, and what happens when they do not."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import wakeful
from runtime.garden import at
from wakeful.workers import Call
from workers.app import EIGHT, LONG, ask, execution, result, waiting, worker, working


def answered(answer: Any) -> wakeful.Store:
    """A store whose one call was answered so."""
    store, _ = working()
    store.worker("/tick")(lambda args: answer)
    ask(store, "c")
    store.tick()
    return store


def raised(raise_it: Callable[[], Any]) -> str:
    """The error of a call whose worker did this."""
    store, _ = working()
    store.worker("/tick")(lambda args: raise_it())
    with store:
        ask(store, "c")
        store.tick()
        assert execution(store, "c")["state"] == "failed"
        return str(execution(store, "c")["error"])


def test_a_function_is_given_the_arguments_and_the_call() -> None:
    store, _ = working()
    given: list[tuple[Any, Call]] = []

    @store.worker("/tick")
    def tick(args: dict[str, Any], call: Call) -> dict[str, Any]:
        given.append((args, call))
        return {"next": args["n"] + 1}

    with store:
        ask(store, "c")
        store.apply({"entity": {"eid": "s"}, "call": {"to": "tick"}, "wake": {"at": EIGHT, "every": "1h"}})
        report = store.tick()
        assert sorted(call.eid for _, call in given) == sorted(["c", *report.calls])
        (mine,) = [call for _, call in given if call.eid == "c"]
        assert mine == Call("c", "tick", None, datetime(2026, 9, 20, 8, tzinfo=UTC), 1)
        assert {call.source for _, call in given} == {None, "s"}
        assert result(store, "c") == {"next": 1}
        assert execution(store, report.calls[0])["error"] == "KeyError: 'n'"


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (None, None),
        ({}, {}),
        ({"a": [1, 2.0]}, {"a": [1, 2]}),
        ([], {"value": []}),
        (0, {"value": 0}),
        (False, {"value": False}),
        ("text", {"value": "text"}),
    ],
)
def test_what_it_answers_is_the_value_of_the_result(answer: Any, value: Any) -> None:
    with answered(answer) as store:
        assert execution(store, "c") == {"state": "done", "at": EIGHT, "error": None}
        assert result(store, "c") == value


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"a": {1: 2}}, "the answer.a has the key 1: the keys of an object are strings"),
        ((1, 2), "the answer is a JSON value: a Python tuple is none; write a list"),
        ({"a": float("nan")}, "the answer.a is a finite number: nan is not"),
        ({"at": datetime(2026, 1, 1)}, "the answer.at is a JSON value: a datetime is none; write its RFC 3339 text"),
        ("\ud800", "the answer holds half of a surrogate pair (U+D800), which is no character: take it out"),
        ("x" * 70_000, "the answer has 70,002 bytes; the limit is 65,536 (64 KiB): store it, and answer its eid"),
        (2**64, "the answer lies between -2^63 and 2^63 - 1: 18446744073709551616 does not"),
    ],
)
def test_an_answer_that_cannot_be_kept_is_a_failure(answer: Any, error: str) -> None:
    with answered(answer) as store:
        assert execution(store, "c") == {"state": "failed", "at": EIGHT, "error": error}


def test_async_functions_are_run_to_their_end() -> None:
    store, _ = working()

    @store.worker("/tick")
    async def tick(args: dict[str, Any]) -> int:
        await asyncio.sleep(0)
        return int(args["n"])

    with store:
        ask(store, "c", "d")
        store.tick()
        assert [result(store, eid) for eid in "cd"] == [{"value": 0}, {"value": 1}]


def test_an_exception_is_a_failure_with_its_type_and_message(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is logged goes into the test's report, and no report with a lone surrogate reaches the next process.
    monkeypatch.setattr(logging.getLogger("wakeful"), "disabled", True)

    def boom() -> None:
        raise sqlite3.OperationalError("no such table: plants")

    def leave() -> None:
        raise SystemExit(3)

    def mute() -> None:
        raise KeyError

    def rude() -> None:
        raise ValueError("\ud800\0" + "x" * 5_000)

    assert raised(boom) == "OperationalError: no such table: plants"
    assert raised(leave) == "SystemExit: 3"
    assert raised(mute) == "KeyError"
    assert raised(rude).startswith("ValueError: \\ud800\\0xxx")
    assert len(raised(rude)) < 1_100


def test_a_function_that_does_not_come_back_is_a_failure_and_its_late_answer_is_dropped() -> None:
    store, _ = working(commands={"tick": worker("/tick", timeout=1)}, worker_threads=1)
    release, came_back = threading.Event(), threading.Event()

    @store.worker("/tick")
    def tick(args: dict[str, Any]) -> str:
        if args["n"] == 0:
            release.wait(LONG)
            came_back.set()
        return "answer"

    with store:
        ask(store, "late", "next", "last")
        store.tick()
        assert execution(store, "late")["error"] == "no answer within 1 s"
        assert result(store, "next") == {"value": "answer"}, "its place went to another"
        assert result(store, "last") == {"value": "answer"}
        release.set()
        assert came_back.wait(LONG)
        ask(store, "more")
        store.tick()
        assert result(store, "late") is None
        assert result(store, "more") == {"value": "answer"}


def test_an_async_function_is_stopped_when_its_time_is_up() -> None:
    store, _ = working(commands={"tick": worker("/tick", timeout=0.1)})
    stopped = threading.Event()

    @store.worker("/tick")
    async def tick(args: dict[str, Any]) -> None:
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            stopped.set()
            raise

    with store:
        ask(store, "c")
        store.tick()
        assert execution(store, "c")["error"] == "no answer within 0.1 s"
        assert stopped.wait(LONG)


def test_a_failure_is_tried_again_as_the_command_says() -> None:
    retry = {"attempts": 4, "base": "4s", "cap": "10s"}
    store, clock = working(commands={"tick": worker("/tick", retry=retry)})
    attempts: list[tuple[datetime, int]] = []

    @store.worker("/tick")
    def tick(args: dict[str, Any], call: Call) -> None:
        attempts.append((clock.now(), call.attempt))
        if call.attempt < 4:
            raise ValueError("not yet")

    with store:
        ask(store, "c")
        while (due := store.next_due()) is not None:
            assert store.tick().calls == [], "a retry is no new call"
            clock.set(max(due, clock.now()))
        seconds = [(when - at(EIGHT)).total_seconds() for when, _ in attempts]
        assert seconds == [0, 4, 12, 22]
        assert [attempt for _, attempt in attempts] == [1, 2, 3, 4]
        assert execution(store, "c")["state"] == "done"


def test_each_firing_has_its_own_call_also_while_one_waits_for_its_retry() -> None:
    store, clock = working(commands={"tick": worker("/tick", retry={"attempts": 2, "base": 90})})
    ran: list[str] = []

    @store.worker("/tick")
    def tick(args: dict[str, Any], call: Call) -> None:
        ran.append(call.eid)
        if len(ran) == 1:
            raise ValueError("once")

    with store:
        store.apply({"entity": {"eid": "s"}, "call": {"to": "tick"}, "wake": {"at": EIGHT, "every": "1m"}})
        made: list[str] = []
        for _ in range(4):
            made += store.tick().calls
            clock.advance(timedelta(minutes=1))
        assert len(set(made)) == 4
        assert ran == [made[0], made[0], *made[1:3], made[3]]


def test_a_worker_may_use_the_store_and_tick_it() -> None:
    store, _ = working()

    @store.worker("/tick")
    def tick(args: dict[str, Any], call: Call) -> Any:
        store.apply({"entity": {"eid": f"by-{call.eid}"}, "noted": {"text": "here"}})
        store.tick()
        return {"rows": store.query(".noted .count")["count"]}

    with store:
        ask(store, "c")
        store.tick()
        assert result(store, "c") == {"rows": 1}


def test_a_call_that_nobody_here_can_run_is_left_for_another(tmp_path: Any) -> None:
    path = str(tmp_path / "s.db")
    commands = {"tick": worker("/tick"), "tock": worker("/tock")}
    one, _ = working(path=path, commands=commands)
    two, _ = working(path=path, commands=commands)
    one.worker("/tick")(lambda args: "one")
    two.worker("/tock")(lambda args: "two")
    with one, two:
        ask(one, "c", to="tick")
        ask(one, "d", to="tock")
        one.tick()
        assert one.next_due() is None, "a call that is nothing to this store does not wake it"
        assert two.next_due() == at(EIGHT)
        assert execution(one, "d") == {}
        two.tick()
        assert [result(one, eid) for eid in "cd"] == [{"value": "one"}, {"value": "two"}]
    nobody, _ = working(path=path, commands=commands)
    with nobody:
        ask(nobody, "e")
        nobody.tick()
        assert nobody.next_due() is None
        assert waiting(nobody) == [("e", None, 0, 0)]


@pytest.mark.parametrize("route", ["tick", "", "/a b", "//x", None, 5])
def test_a_route_that_no_command_could_name_is_refused(route: Any) -> None:
    store, _ = working()
    with store, pytest.raises(wakeful.StoreError, match="a route is what a command names"):
        store.worker(route)(lambda args: None)


@pytest.mark.parametrize("function", [lambda: None, lambda a, b, c: None, lambda a, *, c: None, "tick", None])
def test_a_function_that_cannot_be_called_so_is_refused(function: Any) -> None:
    store, _ = working()
    with store, pytest.raises(wakeful.StoreError, match="the worker of /tick is a function"):
        store.worker("/tick")(function)


@pytest.mark.parametrize(
    "function",
    [lambda args, call: call.eid, lambda args, call=None: call.eid, lambda *both: both[1].eid, lambda a, c, d=5: c.eid],
)
def test_a_function_of_two_is_told_of_the_call(function: Any) -> None:
    store, _ = working()
    store.worker("/tick")(function)
    with store:
        ask(store, "c")
        store.tick()
        assert result(store, "c") == {"value": "c"}


def test_a_decorator_without_a_route_is_refused() -> None:
    store, _ = working()
    bare: Any = store.worker
    with store, pytest.raises(wakeful.StoreError, match=r'write `@store\.worker\("/tick"\)`'):
        bare(lambda args: 1)


def test_a_route_has_one_function() -> None:
    store, _ = working()
    store.worker("/tick")(lambda args: 1)
    with store, pytest.raises(wakeful.StoreError, match="has a worker already"):
        store.worker("/tick")(lambda args: 2)
