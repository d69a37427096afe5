"""Async twins of a store's calls: each runs in a thread of a small pool, so that no event loop waits for a disk."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .clock import Clock
from .health import BOUND
from .reports import Applied, CallReport, Health, TickReport
from .store import Store as SyncStore
from .store import open as open_store

if TYPE_CHECKING:
    from .workers.signature import Secrets

Answer = TypeVar("Answer")

_THREADS = 4
"""Readers beside one writer; each thread keeps a connection of its own."""


class Store:
    """A store for programs that await; `store` is the synchronous one behind it.

    An async context manager; the calls and their errors are those of :class:`wakeful.Store`.
    """

    def __init__(self, store: SyncStore) -> None:
        self.store = store
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="wakeful-aio")

    async def _run(self, call: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def apply(
        self, bundles: object, by: str | None = None, dry_run: bool = False, timeout: float = 5.0
    ) -> Applied:
        """Write a bundle or a list of bundles, with everything rules make of it, or nothing."""
        return await self._run(lambda: self.store.apply(bundles, by, dry_run, timeout))

    async def query(self, text: str, now: datetime | None = None) -> Any:
        """The rows that match, or the aggregate that a directive asks for."""
        return await self._run(lambda: self.store.query(text, now))

    async def tick(self, now: datetime | None = None, limit: int | None = None) -> TickReport:
        """Fire what is due."""
        return await self._run(lambda: self.store.tick(now, limit))

    async def rerun(self, eid: str, timeout: float = 5.0) -> Applied:
        """Run a call again, although it has a result."""
        return await self._run(lambda: self.store.rerun(eid, timeout))

    async def calls(
        self, state: str | None = None, of: str | None = None, eids: Sequence[str] | None = None, limit: int = 100
    ) -> list[CallReport]:
        """How calls stand, the newest first."""
        return await self._run(lambda: self.store.calls(state, of, eids, limit))

    async def prune(self, now: datetime | None = None, limit: int | None = None) -> int:
        """Delete the calls that are older than their command's `keep`; how many."""
        return await self._run(lambda: self.store.prune(now, limit))

    async def health(self, now: datetime | None = None, bound: timedelta = BOUND) -> Health:
        """Whether whoever runs the store does."""
        return await self._run(lambda: self.store.health(now, bound))

    async def close(self) -> None:
        """Close the store once the calls under way are done."""
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)
        self.store.close()

    async def __aenter__(self) -> Store:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def open(
    path: str | os.PathLike[str],
    *,
    clock: Clock | None = None,
    by: str | None = None,
    create: bool = True,
    workers: str | None = None,
    worker_secret: Secrets | None = None,
) -> Store:
    """Open a store as :func:`wakeful.open` does, off the event loop."""

    def opened() -> SyncStore:
        return open_store(path, clock=clock, by=by, create=create, workers=workers, worker_secret=worker_secret)

    return Store(await asyncio.to_thread(opened))
