"""The pool: what runs when, that no place is ever lost, and how it ends."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import case
from wakeful.engines.transaction import SqlRefused
from wakeful.workers import Call, claims, desk, pool
from workers.app import EIGHT, LONG, App, app, ask, execution, result, waiting, worker, working

QUICK = {"tick": worker("/tick", timeout=1), "slow": worker("/slow", timeout=30)}


def really(path: Path | str = ":memory:", **commands: Any) -> wakeful.Store:
    """A store under the machine's own clock."""
    store = wakeful.open(path)
    store.deploy({"$defs": commands or {"tick": worker("/tick")}})
    return store


@contextmanager
def running(store: wakeful.Store) -> Iterator[None]:
    """The store, running in a thread."""
    stop = threading.Event()
    thread = threading.Thread(target=store.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(LONG)
        assert not thread.is_alive()


def settle(store: wakeful.Store) -> None:
    """Wait until the pool has nothing to do."""
    with store._pool._changed:
        assert store._pool._changed.wait_for(store._pool._idle, LONG)


# --- when calls run -----------------------------------------------------------------------------


def test_a_call_runs_behind_the_commit_that_makes_it_due() -> None:
    with really() as store:
        names: list[str] = []
        done = threading.Event()

        @store.worker("/tick")
        def tick(args: Any) -> None:
            names.append(threading.current_thread().name)
            done.set()

        ask(store, "c")
        assert done.wait(LONG)
        settle(store)
        assert names == ["wakeful-worker"]
        assert execution(store, "c")["state"] == "done"
        (row,) = store.query(".result")
        assert row["result"]["ms"] >= 0


def test_a_dry_run_calls_nobody() -> None:
    with really() as store:
        store.worker("/tick")(lambda args: pytest.fail("called"))
        store.apply({"call": {"to": "tick"}}, dry_run=True)
        settle(store)
        assert waiting(store) == []


def test_under_a_manual_clock_calls_wait_for_a_tick_and_end_in_their_order() -> None:
    store, _ = working()
    with store:
        first = threading.Event()

        @store.worker("/tick")
        def tick(args: Any) -> None:
            # The second call ends before the first.
            first.wait(LONG) if args["n"] == 0 else first.set()

        ask(store, "a", "b")
        assert execution(store, "a") == {}
        assert store.next_due() == store.clock.now()
        store.tick()
        assert store.next_due() is None
        assert [row["result"]["call"] for row in store.query(".result")] == ["a", "b"]


def test_a_running_store_runs_calls_and_their_retries_by_itself() -> None:
    with really(tick=worker("/tick", retry={"attempts": 3, "base": 0.01})) as store, running(store):
        attempts: list[int] = []
        done = threading.Event()

        @store.worker("/tick")
        def tick(args: Any, call: Call) -> None:
            attempts.append(call.attempt)
            if call.attempt < 3:
                raise ValueError("not yet")
            done.set()

        ask(store, "c")
        assert done.wait(LONG)
        settle(store)
        assert attempts == [1, 2, 3]


def test_a_store_that_runs_hears_of_calls_that_another_one_wrote(tmp_path: Path) -> None:
    with really(tmp_path / "s.db") as one, wakeful.open(tmp_path / "s.db") as two:
        done = threading.Event()

        @two.worker("/tick")
        def tick(args: Any) -> None:
            done.set()

        with running(two):
            ask(one, "c")
            assert done.wait(LONG)
        assert execution(one, "c")["state"] == "done"


def test_a_function_registered_late_finds_the_calls_that_wait(tmp_path: Path) -> None:
    with really(tmp_path / "s.db") as store:
        ask(store, "c")
        with running(store):
            done = threading.Event()
            store.worker("/tick")(lambda args: done.set())
            assert done.wait(LONG)


@case("SB15")
def test_a_firing_is_not_held_up_by_a_slow_worker() -> None:
    store, clock = working(commands=QUICK)
    release, begun = threading.Event(), threading.Event()

    @store.worker("/slow")
    def slow(args: Any) -> None:
        begun.set()
        release.wait(LONG)

    with store, running(store):
        fired = threading.Event()
        store.worker("/tick")(lambda args: fired.set())
        ask(store, "s", to="slow")
        clock.advance(timedelta(seconds=1))
        assert begun.wait(LONG)
        store.apply({"call": {"to": "tick"}, "wake": {"at": "2026-09-20T08:00:05Z"}})
        clock.advance(timedelta(seconds=5))
        assert fired.wait(LONG)
        assert execution(store, "s")["state"] == "running"
        release.set()


# --- places -------------------------------------------------------------------------------------


@case("SB46")
def test_no_more_run_at_a_time_than_there_are_threads() -> None:
    store, _ = working(worker_threads=3)
    now: list[str] = []
    most: list[int] = []
    lock = threading.Lock()

    @store.worker("/tick")
    def tick(args: Any, call: Call) -> None:
        with lock:
            now.append(call.eid)
            most.append(len(now))
        with lock:
            now.remove(call.eid)

    with store:
        ask(store, *[f"c{n}" for n in range(100)])
        store.tick()
        assert len(most) == 100
        assert max(most) <= 3
        assert threading.active_count() < 20


@case("SB73")
def test_no_place_is_lost_whatever_becomes_of_calls() -> None:
    store, _ = working(commands=QUICK, worker_threads=2)
    release = threading.Event()

    @store.worker("/tick")
    def tick(args: Any) -> Any:
        kind = args["n"] % 5
        if kind == 0:
            raise ValueError("no")
        if kind == 1:
            raise SystemExit
        if kind == 2 and args["n"] < 10:
            release.wait(LONG)
        return {1} if kind == 3 else None

    with store:
        eids = [f"c{n}" for n in range(60)]
        ask(store, *eids)
        store.tick()
        states = Counter(execution(store, eid)["state"] for eid in eids)
        assert states == {"done": 22, "failed": 38}
        release.set()
        ask(store, "more")
        store.tick()
        assert execution(store, "more")["state"] == "failed"
        assert waiting(store) == []


def test_where_too_many_functions_hang_no_more_are_begun_until_one_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_STUCK", 2)
    store, _ = working(commands={"tick": worker("/tick", timeout=0.5)}, worker_threads=1)
    release, ran = threading.Event(), []

    @store.worker("/tick")
    def tick(args: Any) -> None:
        ran.append(args["n"])
        if args["n"] < 2:
            release.wait(LONG)

    with store:
        ask(store, "a", "b", "c")
        store.tick()
        assert ran == [0, 1]
        assert execution(store, "c") == {}
        release.set()
        with store._pool._changed:
            assert store._pool._changed.wait_for(lambda: store._pool._runners.stuck < 2, LONG)
        store.tick()
        assert execution(store, "c")["state"] == "done"


def test_a_thread_that_cannot_be_made_is_no_fault_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = working(worker_threads=1)
    store.worker("/tick")(lambda args: None)
    start = threading.Thread.start

    def refuses(thread: threading.Thread) -> None:
        if thread.name == "wakeful-worker":
            raise RuntimeError("can't start new thread")
        start(thread)

    with store:
        ask(store, "c")
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuses)
            with pytest.raises(wakeful.StoreError, match="no thread could be made"):
                store.tick()
            assert waiting(store) == [("c", None, 0, 0)]
        store.tick()
        assert execution(store, "c")["state"] == "done"


def test_a_keeper_that_dies_is_told_of_and_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = working()
    store.worker("/tick")(lambda args: None)

    def dies(self: pool.Pool) -> int:
        raise AssertionError("nobody thought of this")

    with store:
        ask(store, "c")
        with monkeypatch.context() as patched:
            patched.setattr(pool.Pool, "_places", dies)
            with pytest.raises(wakeful.StoreError, match="nobody thought of this"):
                store.tick()
        clock.advance(timedelta(seconds=30))
        store.tick()
        assert execution(store, "c")["state"] == "done"


def test_idle_threads_go_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LINGER_SECONDS", 0.0)
    store, _ = working()
    store.worker("/tick")(lambda args: None)
    with store:
        for eid in ("a", "b"):
            ask(store, eid)
            store.tick()
            for runner in list(store._pool._runners._threads):
                runner.join(LONG)
            with store._pool._changed:
                assert store._pool._changed.wait_for(lambda: store._pool._keeper is None, LONG)
        assert execution(store, "b")["state"] == "done"


def test_what_runs_long_keeps_its_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "RENEW_SECONDS", 0.01)
    store, clock = working(commands=QUICK)
    renewed, release = threading.Event(), threading.Event()
    turn = desk.Desk.turn

    def watched(self: desk.Desk, *given: Any, renewing: bool, **how: Any) -> Any:
        done = turn(self, *given, renewing=renewing, **how)
        if renewing and self.now() == clock.now() != wakeful_start:
            renewed.set()
        return done

    wakeful_start = clock.now()
    monkeypatch.setattr(desk.Desk, "turn", watched)
    begun = threading.Event()

    @store.worker("/slow")
    def slow(args: Any) -> None:
        begun.set()
        release.wait(LONG)

    with store, running(store):
        ask(store, "c", to="slow")
        clock.advance(timedelta(seconds=1))
        assert begun.wait(LONG)
        clock.advance(timedelta(seconds=25))
        renewed.clear()
        assert renewed.wait(LONG)
        with store._engine.read() as transaction:
            assert claims.next_at(transaction, ["slow"]) == clock.now() + timedelta(seconds=30)
        release.set()


# --- trouble ------------------------------------------------------------------------------------


def test_trouble_of_the_engine_is_told_to_the_tick_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = working()
    ran: list[str] = []
    store.worker("/tick")(lambda args, call: ran.append(call.eid))
    turn = desk.Desk.turn
    left = [0]

    def troubled(self: desk.Desk, answers: Any, **how: Any) -> Any:
        if answers and left[0]:
            left[0] -= 1
            raise wakeful.StoreFull("no room")
        return turn(self, answers, **how)

    with store:
        monkeypatch.setattr(desk.Desk, "turn", troubled)
        ask(store, "c")
        left[0] = 2
        with pytest.raises(wakeful.StoreFull):
            store.tick()
        while left[0]:
            try:
                store.tick()
            except wakeful.StoreFull:
                continue
        store.tick()
        assert execution(store, "c")["state"] == "done"
        assert ran == ["c"], "an answer is kept until there is room for it"


def test_one_answer_that_cannot_be_kept_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = working()
    store.worker("/tick")(lambda args: {"n": args["n"]})
    finish = claims.finish

    def refuses(stage: Any, token: str, answers: Any) -> bool:
        if any(answer.value == {"n": 1} for answer in answers):
            raise SqlRefused("no such value")
        return finish(stage, token, answers)

    with store:
        monkeypatch.setattr(desk, "finish", refuses)
        ask(store, "a", "b", "c")
        store.tick()
        assert [execution(store, eid)["state"] for eid in "abc"] == ["done", "failed", "done"]
        assert execution(store, "b")["error"] == "the answer could not be kept: no such value"


def test_many_calls_due_at_once_are_late_and_not_failed() -> None:
    store, _ = working(worker_threads=4)
    store.worker("/tick")(lambda args: None)
    with store:
        for start in range(0, 2000, 500):
            ask(store, *[f"c{n}" for n in range(start, start + 500)])
        store.tick()
        assert store.query(".execution.state=done .count") == {"count": 2000}


# --- the end ------------------------------------------------------------------------------------


def test_closing_waits_for_what_runs(tmp_path: Path) -> None:
    store = really(tmp_path / "s.db")
    begun = threading.Event()

    @store.worker("/tick")
    def tick(args: Any) -> str:
        begun.set()
        closing.wait(LONG)
        return "to the end"

    closing = store._closing
    ask(store, "c")
    assert begun.wait(LONG)
    store.close()
    with wakeful.open(tmp_path / "s.db") as again:
        assert result(again, "c") == {"value": "to the end"}


def test_what_does_not_end_in_time_is_given_back_when_the_store_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "GRACE_SECONDS", 0.05)
    store = really(tmp_path / "s.db", **QUICK)
    begun, release = threading.Event(), threading.Event()

    @store.worker("/slow")
    def slow(args: Any) -> None:
        begun.set()
        release.wait(LONG)

    ask(store, "c", to="slow")
    assert begun.wait(LONG)
    store.close()
    release.set()
    with wakeful.open(tmp_path / "s.db") as again:
        assert waiting(again) == [("c", None, 0, 0)]
        again.worker("/slow")(lambda args: "anew")
        again.tick()
        assert result(again, "c") == {"value": "anew"}


def test_a_worker_may_close_the_store(tmp_path: Path) -> None:
    store = really(tmp_path / "s.db")
    closed = threading.Event()

    @store.worker("/tick")
    def tick(args: Any) -> None:
        store.close()
        closed.set()

    ask(store, "c")
    assert closed.wait(LONG)
    with wakeful.open(tmp_path / "s.db") as again:
        assert [row[0] for row in waiting(again)] == ["c"]


def test_a_run_that_was_stopped_leaves_what_waits(tmp_path: Path) -> None:
    with really(tmp_path / "s.db", **QUICK) as store:
        begun, release = threading.Event(), threading.Event()
        ran: list[str] = []

        @store.worker("/slow")
        def slow(args: Any, call: Call) -> None:
            ran.append(call.eid)
            begun.set()
            release.wait(LONG)

        store.apply({"entity": {"eid": "line"}, "call": {"to": "slow"}})
        assert begun.wait(LONG)
        with running(store):
            store.apply([{"entity": {"eid": f"c{n}"}, "call": {"to": "slow", "source": "line"}} for n in range(3)])
            release.set()
        settle(store)
        assert execution(store, "line")["state"] == "done"


def test_a_fork_has_no_pool(tmp_path: Path) -> None:
    with really(tmp_path / "s.db") as store:
        store.worker("/tick")(lambda args: None)
        ask(store, "c")
        settle(store)
        pid = os.fork()
        if pid == 0:
            try:
                store._pool.kick()
                store._pool.drain(store.clock.now())
                store.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0


@pytest.fixture(scope="module")
def told() -> Iterator[App]:
    with app() as found:
        yield found


def test_both_kinds_of_workers_beside_each_other(told: App) -> None:
    store, _ = working(commands={"tick": worker("/tick"), "ok": worker("/ok")}, workers=told.url)
    store.worker("/tick")(lambda args: "function")
    with store:
        ask(store, "c")
        ask(store, "d", to="ok")
        store.tick()
        assert result(store, "c") == {"value": "function"}
        assert result(store, "d") == {"got": {"n": 0}}
        assert execution(store, "d")["at"] == EIGHT
