"""A store follows new zone data: what it derived from a zone's clock moves, what a writer named stays."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import wakeful
from runtime.garden import at, garden
from wakeful import zonedata


def test_derived_instants_move_and_named_ones_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "g.db")
    store, clock = garden(path=path)
    with store:
        nine = "0 9 * * * Europe/Berlin"
        store.apply(
            [
                {"entity": {"eid": "derived"}, "wake": {"every": nine}},
                {
                    "entity": {"eid": "fired"},
                    "wake": {"at": "2026-09-20T08:00:00Z", "every": "0 9 * * * Europe/Berlin"},
                },
                {
                    "entity": {"eid": "named"},
                    "wake": {"at": "2026-09-21T05:00:00Z", "every": nine},
                },
                {"entity": {"eid": "utc"}, "wake": {"every": "0 9 * * *"}},
                {"entity": {"eid": "steady"}, "wake": {"every": "1h"}},
            ]
        )
        assert len(store.tick().fired) == 1
        assert store.query(".eid=derived,fired .wake.at=2026-09-21T07:00:00Z .count") == {"count": 2}
    # As if an older release had Berlin an hour further west.
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE c_wake SET p_at = '2026-09-21T08:00:00.000000Z', x_followed = '2026-09-21T08:00:00.000000Z' "
            "WHERE p_at = '2026-09-21T07:00:00.000000Z'"
        )
        connection.execute("UPDATE meta SET value = '1970a' WHERE key = 'tzdata'")
    with wakeful.open(path, clock=clock) as store:
        due = {row["entity"]["eid"]: row["wake"]["at"] for row in store.query(".wake")}
        assert due == {
            "derived": "2026-09-21T07:00:00Z",
            "fired": "2026-09-21T07:00:00Z",
            "named": "2026-09-21T05:00:00Z",
            "utc": "2026-09-20T09:00:00Z",
            "steady": "2026-09-20T09:00:00Z",
        }
    monkeypatch.setattr(zonedata, "tzdata_version", lambda: "2099z")
    with wakeful.open(path, clock=clock) as store:
        assert {row["entity"]["eid"]: row["wake"]["at"] for row in store.query(".wake")} == due


def test_what_is_overdue_stays_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "g.db")
    store, clock = garden(path=path)
    with store:
        store.apply({"wake": {"every": "0 9 * * * Europe/Berlin"}})
    clock.set(at("2026-10-20T00:00:00Z"))
    monkeypatch.setattr(zonedata, "tzdata_version", lambda: "2099z")
    with wakeful.open(path, clock=clock) as store:
        assert store.next_due() == at("2026-09-21T07:00:00Z")
        assert store.tick().fired[0]["fired"]["due"] == "2026-09-21T07:00:00Z"
