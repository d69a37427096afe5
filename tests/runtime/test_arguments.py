"""Arguments of the wrong kind: a wakeful error in plain words, never a TypeError from somewhere inside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import wakeful
from wakeful.testing import ManualClock

START = datetime(2026, 9, 20, 9, tzinfo=UTC)

CALLS: dict[str, tuple[Callable[[Any], object], str]] = {
    "query(None)": (lambda store: store.query(None), "a query is a text such as"),
    "vocab.query(5)": (lambda store: store.vocab.query(5), "a query is a text such as"),
    "run(True)": (lambda store: store.run(True), "`stop` is a threading.Event"),
    "run(on_tick=1)": (lambda store: store.run(lambda: True, 1), "`on_tick` is a function"),
    "set(text)": (lambda store: store.clock.set("2026-09-20T09:00:00Z"), "is an aware datetime"),
    "advance(5)": (lambda store: store.clock.advance(5), "by a timedelta, such as timedelta(minutes=5)"),
    "advance(far)": (lambda store: store.clock.advance(timedelta.max), "the years 0001 to 9999"),
    "ManualClock(None)": (lambda store: ManualClock(None), "is an aware datetime"),
    "deploy([1])": (lambda store: store.deploy([1]), "a vocabulary is the path of a vocab.json"),
    "load(None)": (lambda store: wakeful.load(None), "a vocabulary is the path of a vocab.json"),
    "tick(limit=-1)": (lambda store: store.tick(limit=-1), "0 or more, not -1"),
    "open(clock=now)": (lambda store: wakeful.open(":memory:", clock=datetime.now), "`clock` is"),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_the_wrong_kind_is_a_wakeful_error(name: str) -> None:
    call, words = CALLS[name]
    with wakeful.open(":memory:", clock=ManualClock(START)) as store, pytest.raises(wakeful.WakefulError) as caught:
        call(store)
    assert words in str(caught.value)
