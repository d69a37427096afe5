"""The async twins answer as the calls behind them do, and never hold up the loop's other tasks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import wakeful
from runtime.garden import GARDEN, at
from wakeful import aio
from wakeful.testing import ManualClock


def test_calls_awaited() -> None:
    async def story() -> None:
        async with await aio.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z"))) as store:
            greet = {
                "tool": True,
                "description": "say hello",
                "apply": {"doc": {"title": "hello"}},
                "keep": {"days": 1},
            }
            store.store.deploy({"$defs": {"greet": greet}})
            await store.apply({"entity": {"eid": "c"}, "call": {"to": "greet"}})
            assert (await store.rerun("c")).notes == []
            assert [call.state for call in await store.calls("done")] == ["done"]
            assert await store.prune(at("2026-09-22T08:00:00Z")) == 1

    asyncio.run(story())


def test_the_garden_awaited(tmp_path: Path) -> None:
    async def story() -> None:
        async with await aio.open(tmp_path / "g.db", clock=ManualClock(at("2026-09-20T08:00:00Z"))) as store:
            store.store.deploy(GARDEN)
            applied = await asyncio.gather(
                *(store.apply({"plant": {}, "wake": {"at": "2026-09-20T09:00:00Z"}}, by="ada") for _ in range(20))
            )
            assert {one.changes[0]["created"]["by"] for one in applied} == {"ada"}
            assert len((await store.tick(at("2026-09-20T09:00:00Z"))).fired) == 20
            assert await store.query(".watered .count") == {"count": 20}
            with pytest.raises(wakeful.Refused):
                await store.apply({"plnt": {}})
        with pytest.raises(wakeful.StoreClosed):
            store.store.next_due()

    asyncio.run(story())
