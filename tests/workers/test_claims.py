"""Claims against a small model: who may run which call, how often, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

import wakeful
from cases.behaviour import case
from runtime.garden import at
from wakeful.engines.transaction import Transaction
from wakeful.retries import AUTHOR
from wakeful.stage import Stage
from wakeful.testing import ManualClock
from wakeful.workers.claims import POISON, Answer, Claim, claim, finish, next_at, release, renew
from workers.app import EIGHT, ask, execution, result, waiting, worker, working

Found = TypeVar("Found")

COMMANDS = {
    "tick": worker("/tick"),
    "again": worker("/again", retry={"attempts": 3, "base": 4, "cap": 6}),
    "once": worker("/once", overlap="skip"),
}


def staged(store: wakeful.Store, act: Callable[[Stage], Found]) -> Found:
    """What `act` does on a stage of the store's own, committed."""
    with store._engine.write() as transaction:
        stage = Stage(store._current(transaction), transaction, store.clock.now(), AUTHOR)
        found = act(stage)
        stage.finish()
        stage.save()
        return found


def take(store: wakeful.Store, token: str = "a", limit: int = 100, *, idle: bool = True) -> list[Claim]:
    return staged(store, lambda stage: claim(stage, token, list(COMMANDS), limit, idle=idle))[0]


def end(store: wakeful.Store, token: str, *answers: Answer) -> bool:
    return staged(store, lambda stage: finish(stage, token, answers))


def plainly(store: wakeful.Store, act: Callable[[Transaction], Found]) -> Found:
    with store._engine.write() as transaction:
        return act(transaction)


def eids(claims: list[Claim]) -> list[str]:
    return [made.eid for made in claims]


def line(store: wakeful.Store, source: str, *calls: str, to: str = "tick") -> None:
    """Calls of one source."""
    store.apply([{"entity": {"eid": source}, "noted": {}}])
    store.apply([{"entity": {"eid": eid}, "call": {"to": to, "source": source}} for eid in calls])


def test_one_at_a_time_of_each_source_in_the_order_of_the_calls() -> None:
    store, _ = working(commands=COMMANDS)
    line(store, "s", "s1", "s2", "s3")
    line(store, "t", "t1")
    ask(store, "alone", "too")
    claims = take(store)
    assert eids(claims) == ["s1", "t1", "alone", "too"]
    assert take(store) == []
    end(store, "a", Answer(claims[0], {"n": 1}))
    assert eids(take(store)) == ["s2"]
    assert execution(store, "s2")["state"] == "running"
    assert execution(store, "s3") == {}, "a call that waits in line has not begun"


@case("SB68")
def test_a_call_that_waits_for_its_retry_keeps_its_place() -> None:
    store, clock = working(commands=COMMANDS)
    line(store, "s", "s1", "s2", to="again")
    (first,) = take(store)
    assert end(store, "a", Answer(first, error="no"))
    assert take(store) == []
    clock.advance(timedelta(seconds=4))
    assert eids(take(store)) == ["s1"]


@case("SB66")
def test_overlap_skip_records_the_call_that_is_left_out() -> None:
    store, _ = working(commands=COMMANDS)
    line(store, "s", "s1", to="once")
    line(store, "s", "s2", to="once")
    skipped = {"state": "skipped", "at": EIGHT, "error": "the call before it has not finished"}
    assert execution(store, "s2") == skipped
    assert result(store, "s2") is None
    (first,) = take(store)
    line(store, "s", "s3", to="once")
    assert execution(store, "s3") == skipped
    end(store, "a", Answer(first))
    line(store, "s", "s4", "s5", to="once")
    assert eids(take(store)) == ["s4"]
    assert execution(store, "s5")["state"] == "skipped"


def test_only_whoever_holds_the_claim_can_answer() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "c")
    (lost,) = take(store, "a")
    clock.advance(timedelta(seconds=30))
    (made,) = take(store, "b")
    assert made.attempt == 2
    end(store, "a", Answer(lost, {"late": True}))
    assert execution(store, "c")["state"] == "running"
    end(store, "b", Answer(made, {"n": 1}))
    end(store, "b", Answer(made, {"n": 2}))
    assert result(store, "c") == {"n": 1}
    assert waiting(store) == []


def test_an_answer_to_an_earlier_claim_of_the_same_store_is_dropped() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "c")
    (lost,) = take(store)
    clock.advance(timedelta(seconds=30))
    (made,) = take(store)
    end(store, "a", Answer(lost, {"late": True}))
    assert execution(store, "c")["state"] == "running"
    end(store, "a", Answer(made, {"n": 1}))
    assert result(store, "c") == {"n": 1}


def test_a_claim_that_is_renewed_does_not_expire() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "c", "d")
    claims = take(store)
    for _ in range(5):
        clock.advance(timedelta(seconds=20))
        plainly(store, lambda transaction: renew(transaction, "a", [claims[0].num], clock.now()))
        plainly(store, lambda transaction: renew(transaction, "b", [claims[1].num], clock.now()))
    assert eids(take(store, "b")) == ["d"], "nobody puts off what another holds"


def test_three_crashes_are_the_end_and_one_is_not() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "c")
    for attempt in (1, 2, 3):
        (made,) = take(store)
        assert made.attempt == attempt
        assert take(store, "b") == []
        clock.advance(timedelta(seconds=30))
    assert take(store) == []
    assert execution(store, "c") == {"state": "failed", "at": "2026-09-20T08:01:30Z", "error": POISON}
    assert result(store, "c") is None
    assert waiting(store) == []


def test_a_call_that_crashed_runs_alone_the_next_time() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "a", "b", "c")
    assert eids(take(store, limit=2)) == ["a", "b"]
    clock.advance(timedelta(seconds=30))
    assert eids(take(store)) == ["c"]
    assert take(store, idle=False) == []
    (made,) = take(store)
    assert (made.eid, made.alone) == ("a", True)
    assert eids(take(store)) == ["b"]


def test_a_crash_is_no_attempt_that_retry_counts() -> None:
    store, clock = working(commands=COMMANDS)
    ask(store, "c", to="again")
    take(store)
    clock.advance(timedelta(seconds=30))
    errors = []
    for wait in (4, 6, 0):
        (made,) = take(store)
        end(store, "a", Answer(made, error="no"))
        errors.append(execution(store, "c")["error"])
        clock.advance(timedelta(seconds=wait))
    assert errors == [
        "attempt 1 of 3: no; again at 2026-09-20T08:00:34Z",
        "attempt 2 of 3: no; again at 2026-09-20T08:00:40Z",
        "no",
    ]
    assert execution(store, "c")["state"] == "failed"


def test_a_claim_given_back_was_no_attempt() -> None:
    store, _ = working(commands=COMMANDS)
    ask(store, "c")
    (made,) = take(store)
    plainly(store, lambda transaction: release(transaction, "a", [made.num], store.clock.now()))
    assert waiting(store) == [("c", None, 0, 0)]
    (made,) = take(store, "b")
    assert made.attempt == 1


def test_what_was_deleted_stopped_or_addressed_anew_leaves_the_line() -> None:
    store, _ = working(commands=COMMANDS)
    line(store, "s", "dead", "stopped", "moved", "last")
    store.apply(
        [
            {"entity": {"eid": "dead"}, "tombstone": {}},
            {"entity": {"eid": "stopped"}, "call": None},
            {"entity": {"eid": "moved"}, "call": {"to": "again"}},
        ]
    )
    assert eids(take(store)) == ["moved"]
    for _ in range(3):
        found = eids(take(store))
        if found:
            break
    assert found == ["last"]
    assert [row[0] for row in waiting(store)] == ["moved", "last"]


def test_a_call_that_was_stopped_while_it_ran_gets_no_result() -> None:
    store, _ = working(commands=COMMANDS)
    ask(store, "c", "d")
    claims = take(store)
    store.apply([{"entity": {"eid": "c"}, "call": None}, {"entity": {"eid": "d"}, "tombstone": {}}])
    end(store, "a", *[Answer(made, {"n": 1}) for made in claims])
    assert store.query(".result") == []
    assert waiting(store) == []


def test_arguments_that_no_longer_fit_fail_the_call() -> None:
    store, _ = working(commands=COMMANDS)
    ask(store, "c", "d")
    stricter = {**COMMANDS, "tick": worker("/tick", input={"n": {"type": "integer", "minimum": 1}})}
    store.deploy({"$defs": {"noted": {"properties": {"text": {"type": "string"}}}, **stricter}})
    assert eids(take(store)) == ["d"]
    assert execution(store, "c")["state"] == "failed"
    assert "args.n" in execution(store, "c")["error"]


def test_a_call_is_claimed_for_the_commands_of_the_caller_alone() -> None:
    store, _ = working(commands=COMMANDS)
    ask(store, "c")
    ask(store, "d", to="again")
    claims, exhausted = staged(store, lambda stage: claim(stage, "a", ["again"], 10))
    assert eids(claims) == ["d"]
    assert exhausted
    with store._engine.read() as transaction:
        assert next_at(transaction, ["again"]) == at("2026-09-20T08:00:30Z")
        assert next_at(transaction, ["again"], [claims[0].num]) is None
        assert next_at(transaction, ["tick"]) == at(EIGHT)
        assert next_at(transaction, ["tick"], later_than=at(EIGHT)) is None


def test_state_rules_hear_of_executions() -> None:
    store, _ = working(
        commands=COMMANDS,
        rules={
            "starts": {"rule": True, "match": ".execution.state=running, +!noted, +noted.text=begun"},
            "fails": {"rule": True, "match": ".execution.state=failed, +!doc, +doc.title=failed"},
        },
    )
    ask(store, "c")
    (made,) = take(store)
    assert store.query(".eid=c ?noted")[0]["noted"] == {"text": "begun"}
    end(store, "a", Answer(made, error="no"))
    assert store.query(".eid=c ?doc")[0]["doc"]["title"] == "failed"


def test_a_rule_that_deletes_a_call_as_it_begins_keeps_it_from_running() -> None:
    store, _ = working(
        commands=COMMANDS,
        rules={"forbids": {"rule": True, "match": ".execution.state=running, +tombstone"}},
    )
    ask(store, "c")
    assert take(store) == []
    assert waiting(store) == []


# --- against a model ----------------------------------------------------------------------------

LEAST_WAIT = {"tick": None, "again": (3, 4.0, 6.0)}


@dataclass
class Known:
    """A call as the model has it."""

    command: str
    source: str
    due: datetime | None
    token: str | None = None
    attempts: int = 0
    crashes: int = 0


class Claims(RuleBasedStateMachine):
    """Two stores take, lose and answer calls; the model is told the same."""

    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.store, self.clock = working(commands=COMMANDS)
        store_line = [{"entity": {"eid": name}, "noted": {}} for name in ("s", "t")]
        self.store.apply(store_line)
        self.calls: dict[str, Known] = {}
        self.ended: dict[str, str] = {}
        self.number = 0

    def teardown(self) -> None:
        self.store.close()

    def now(self) -> datetime:
        return self.clock.now()

    def leave(self, eid: str) -> None:
        gone = self.calls.pop(eid)
        mates = [known for known in self.calls.values() if (known.command, known.source) == (gone.command, gone.source)]
        if mates and all(known.due is None for known in mates):
            mates[0].due = self.now()

    @rule(command=st.sampled_from(["tick", "again"]), source=st.sampled_from(["s", "t", None]))
    def writes(self, command: str, source: str | None) -> None:
        self.number += 1
        eid = f"c{self.number}"
        self.store.apply({"entity": {"eid": eid}, "call": {"to": command, "source": source}})
        mates = [known for known in self.calls.values() if (known.command, known.source) == (command, source or eid)]
        self.calls[eid] = Known(command, source or eid, None if mates else self.now())

    @rule(seconds=st.sampled_from([1, 4, 6, 15, 30, 31]))
    def passes(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))

    @rule(target=claims, token=st.sampled_from("ab"), limit=st.integers(1, 4), idle=st.booleans())
    def takes(self, token: str, limit: int, idle: bool) -> Any:
        order = list(self.calls)
        ready = [
            (known.due, order.index(eid), eid)
            for eid, known in self.calls.items()
            if known.due is not None and known.due <= self.now()
        ]
        expected = []
        for _, _, eid in sorted(ready)[:limit]:
            known = self.calls[eid]
            crashes = known.crashes + (known.token is not None)
            if crashes == 3:
                self.ended[eid] = "poison"
                self.leave(eid)
                continue
            if crashes and (expected or not idle):
                break
            known.crashes = crashes
            known.token, known.attempts, known.due = token, known.attempts + 1, self.now() + timedelta(seconds=30)
            expected.append((eid, known.attempts))
            if crashes:
                break
        found = take(self.store, token, limit, idle=idle)
        assert [(made.eid, made.attempt) for made in found] == expected
        return multiple(*[(token, made) for made in found])

    @rule(held=consumes(claims), error=st.sampled_from([None, "no"]), twice=st.booleans())
    def answers(self, held: tuple[str, Claim], error: str | None, twice: bool) -> None:
        token, made = held
        known = self.calls.get(made.eid)
        if known is not None and (known.token, known.attempts) == (token, made.attempt):
            tries = known.attempts - known.crashes
            retry = LEAST_WAIT[known.command]
            if error is None or retry is None or tries >= retry[0]:
                self.ended[made.eid] = error or "done"
                self.leave(made.eid)
            else:
                known.token = None
                known.due = self.now() + timedelta(seconds=min(retry[2], retry[1] * 2 ** (tries - 1)))
        for _ in range(1 + twice):
            end(
                self.store,
                token,
                Answer(made, {"call": made.eid}, error) if error is None else Answer(made, None, error),
            )

    @rule(held=claims)
    def renews(self, held: tuple[str, Claim]) -> None:
        token, made = held
        known = self.calls.get(made.eid)
        if known is not None and known.token == token:
            known.due = self.now() + timedelta(seconds=30)
        plainly(self.store, lambda transaction: renew(transaction, token, [made.num], self.now()))

    @rule(held=consumes(claims))
    def gives_back(self, held: tuple[str, Claim]) -> None:
        token, made = held
        known = self.calls.get(made.eid)
        if known is not None and known.token == token:
            known.token, known.due, known.attempts = None, self.now(), known.attempts - 1
        plainly(self.store, lambda transaction: release(transaction, token, [made.num], self.now()))

    @precondition(lambda self: self.calls)
    @rule()
    def agrees_on_what_is_next(self) -> None:
        due = [known.due for known in self.calls.values() if known.due is not None]
        with self.store._engine.read() as transaction:
            assert next_at(transaction, list(COMMANDS)) == min(due)

    @invariant()
    def is_as_the_model_says(self) -> None:
        assert waiting(self.store) == [
            (eid, known.token, known.attempts, known.crashes) for eid, known in self.calls.items()
        ]
        found = {row["result"]["call"] for row in self.store.query(".result")}
        assert found == set(self.ended)
        for eid, how in self.ended.items():
            told = execution(self.store, eid)
            assert told["state"] == ("done" if how == "done" else "failed")
            assert told["error"] == {"done": None, "poison": POISON}.get(how, how)


TestClaims = Claims.TestCase


def test_a_clock_at_the_end_of_the_calendar_claims_all_the_same() -> None:
    store, _ = working(start="9999-12-31T23:59:59Z", commands=COMMANDS)
    ask(store, "c", to="again")
    (made,) = take(store)
    end(store, "a", Answer(made, error="no"))
    assert isinstance(store.clock, ManualClock)
