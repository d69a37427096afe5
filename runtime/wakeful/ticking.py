"""A tick: batch after batch of firings, each a transaction of its own, until nothing more is due."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from .conditions.readings import Readings
from .engines.sqlite import SqliteEngine
from .engines.transaction import SqlRefused, Transaction
from .firing import BATCH, BATCH_SECONDS, GAP_SECONDS, Batch
from .plans import Plans
from .reports import Bundle

PATIENCE = 60.0
"""Seconds that a tick waits for another writer."""


@dataclass(slots=True)
class Ticked:
    """What the batches of one tick did; `stopped` tells that it ended before everything due had fired."""

    fired: list[Bundle] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    stopped: bool = False


def fire_due(
    engine: SqliteEngine,
    current: Callable[[Transaction], Plans],
    now: datetime,
    limit: int | None,
    stopped: Callable[[], bool],
    ring: Callable[[], None],
    *,
    timed: bool,
) -> Ticked:
    """Fire what is due at `now`, at most `limit` wakes, oldest first.

    `stopped` is asked before each batch, `ring` called after one that made something due; `timed` tells that a real
    clock rules, so that a batch is bounded in time and other writers get their turn between two.
    """
    ticked, readings, counts = Ticked(), Readings(now), dict[int, int]()
    left = sys.maxsize if limit is None else limit
    while left > 0:
        ticked.stopped = stopped()
        if ticked.stopped:
            break
        size = min(BATCH, left)
        try:
            with engine.write(PATIENCE) as transaction:
                batch = Batch(current(transaction), transaction, now, counts, readings, timed=timed)
                done = batch.run(size, BATCH_SECONDS if timed else None)
        except SqlRefused:
            with engine.write(PATIENCE) as transaction:
                batch = Batch(current(transaction), transaction, now, counts, readings, timed=timed)
                done = batch.run_singly(size)
        ticked.fired += batch.fired
        ticked.refused += batch.refused
        ticked.calls += batch.writing.calls
        if batch.writing.handed_over or batch.writing.outcome.armed:
            ring()
        if not done:
            break
        left -= done
        if timed:
            time.sleep(GAP_SECONDS)
    return ticked
