"""health: whether anybody fires what is due, told by a few look-ups."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

import wakeful
from runtime.garden import at, garden
from wakeful import aio
from workers.app import ask, worker, working

NINE = "2026-09-20T09:00:00Z"
SECOND = timedelta(seconds=1)


def test_a_store_that_owes_nothing_is_well() -> None:
    store, _ = garden()
    assert store.health() == wakeful.Health(True, None, timedelta(0), 0, 0, 0, 0, 0, None)


def test_a_wake_is_overdue_beyond_the_bound() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
    assert store.health().overdue is None
    clock.set(at(NINE) + timedelta(minutes=2))
    found = store.health()
    assert (found.ok, found.overdue, found.late, found.next_due) == (True, at(NINE), timedelta(minutes=2), at(NINE))
    assert not store.health(at(NINE) + timedelta(minutes=2, microseconds=1)).ok
    assert not store.health(bound=timedelta(minutes=1)).ok
    store.tick()
    assert store.health().overdue is None


def test_a_firing_in_the_future_is_not_well() -> None:
    store, clock = garden()
    store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": NINE}})
    store.tick(at(NINE))
    found = store.health()
    assert (found.ok, found.fired_in_future) == (False, 1)
    clock.set(at(NINE))
    assert store.health().ok


def test_a_refused_wake_is_counted_apart() -> None:
    store, clock = garden()
    store.deploy({"$defs": {"pot": {}, "no": {"rule": True, "match": ".pot .fired", "refuse": "never"}}})
    store.apply({"entity": {"eid": "p"}, "pot": {}, "wake": {"at": NINE}})
    clock.set(at(NINE))
    assert len(store.tick().refused) == 1
    found = store.health(at(NINE) + timedelta(hours=5))
    assert (found.ok, found.refused, found.overdue) == (True, 1, None)
    assert found.next_due == at(NINE) + timedelta(minutes=1)


def test_calls_are_counted_as_they_stand() -> None:
    store, _ = working(commands={"here": worker("/here"), "there": worker("/there")})

    def fail(args: object) -> None:
        raise ValueError("no")

    store.worker("/here")(fail)
    ask(store, "a", to="here")
    ask(store, "b", to="there")
    store.tick()
    found = store.health()
    assert (found.failed, found.running, found.waiting) == (1, 0, 1)


@pytest.mark.parametrize("bound", [None, 120, -SECOND])
def test_a_bound_is_a_timedelta(bound: Any) -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused, match="type-bound"):
        store.health(bound=bound)


def test_a_naive_now_is_refused() -> None:
    store, _ = garden()
    with pytest.raises(wakeful.Refused, match="type-now"):
        store.health(datetime(2026, 9, 20))


def test_awaited() -> None:
    async def story() -> None:
        async with await aio.open(":memory:") as store:
            assert (await store.health(bound=SECOND)).ok

    asyncio.run(story())
