"""New zone data: instants that were worked out from a zone's clock are worked out again.

Governments change clocks; a release of tzdata tells.  The store remembers the release it used.  When another one is
installed, every wake whose coming `at` the store itself derived from a zoned cadence is derived anew from now; one
that a writer named stays (the design's 10-language, section 5).
"""

from __future__ import annotations

from datetime import datetime

from wakeful_compiler.instants import stored_instant
from wakeful_compiler.schedules import ScheduleError, every
from wakeful_compiler.zones import tzdata_version

from .conditions.stored import judge_at_once
from .engines.sqlite import SqliteEngine

_KEY = "tzdata"


def follow_zone_data(engine: SqliteEngine, now: datetime) -> int:
    """Bring the store to the installed zone data; how many wakes moved."""
    installed = tzdata_version()
    with engine.read() as transaction:
        if transaction.value("SELECT value FROM meta WHERE key = ?", (_KEY,)) == installed:
            return 0
    with engine.write(timeout=30.0) as transaction:
        moved = []
        for num, at, cadence in transaction.fetch(
            "SELECT num, p_at, coalesce(x_cadence, p_every) FROM c_wake WHERE p_at = x_followed AND p_at > ?",
            (stored_instant(now),),
        ):
            try:
                coming = every(cadence).next(now)
            except ScheduleError:
                continue  # the zone is gone: its firing will be refused, and say so
            if coming is not None and stored_instant(coming) != at:
                moved.append((stored_instant(coming), num))
        transaction.executemany("UPDATE c_wake SET p_at = ?1, x_followed = ?1 WHERE num = ?2", moved)
        # Days begin at other instants now, and conditions may look at what has moved.
        judge_at_once(transaction, "true")
        transaction.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, installed))
    return len(moved)
