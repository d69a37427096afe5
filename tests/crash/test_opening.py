"""A store that cannot be opened says so at once, and leaves nothing open behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

import wakeful
from crash.engine import Point, Points
from crash.scenarios import EIGHT, clock_at
from crash.sqlite_faults import SqliteCrashes, open_files

ENGINE = SqliteCrashes()
(IO_ERROR,) = [fault for fault in ENGINE.faults if fault.name == "io-error-lasting"]


@pytest.mark.parametrize("sql", ["PRAGMA foreign_keys = ON", "PRAGMA temp_store = MEMORY", "PRAGMA journal_mode = WAL"])
def test_a_disk_that_fails_while_a_store_is_opened(folder: Path, sql: str) -> None:
    place, points = ENGINE.new(folder, "new"), Points()
    points.arm(IO_ERROR, Point(0, sql, 0))
    points.begin(0)
    with ENGINE.failing(points):
        try:
            wakeful.open(place, clock=clock_at(EIGHT))
        except wakeful.StoreError:
            # Not after it: what an error holds on to would be gone by then, and closed with it.
            assert [link for link in open_files() if link.startswith(place)] == []
        else:
            raise AssertionError("opened")
    assert [point.sql for point in points.passed].count(sql) == 1
