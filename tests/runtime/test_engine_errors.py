"""Engine errors are never taken for data errors: the whole transaction is void, and the data is as before."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

import wakeful
from cases.behaviour import case
from runtime.garden import GARDEN, garden


def test_a_void_transaction_takes_no_further_statement(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    with store:
        with pytest.raises(wakeful.StoreError), store._engine.write() as transaction:
            with pytest.raises(wakeful.StoreError):
                transaction.execute("SELECT nothing FROM nowhere")
            transaction.execute("INSERT INTO meta VALUES ('late', 1)")
        with sqlite3.connect(tmp_path / "g.db") as connection:
            assert connection.execute("SELECT count(*) FROM meta WHERE key = 'late'").fetchone()[0] == 0


def test_busy_is_named_after_the_timeout_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    store, _ = garden(path=str(path))
    with store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(wakeful.StoreBusy, match=r"0\.05 s"):
            store.apply({"plant": {}}, timeout=0.05)
        other.execute("ROLLBACK")
        other.close()
        store.apply({"plant": {}}, timeout=0.05)
        assert store.query(".plant .count") == {"count": 1}


def test_a_second_thread_waits_for_the_first(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store._engine.write():
            inside.set()
            leave.wait(10)

    with store:
        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait(10)
        with pytest.raises(wakeful.StoreBusy):
            store.apply({"plant": {}}, timeout=0.02)
        leave.set()
        thread.join()
        store.apply({"plant": {}})


def test_files_that_are_no_store(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("just some notes, long enough to be read as a header")
    with pytest.raises(wakeful.StoreCorrupt, match="not an SQLite file"):
        wakeful.open(text)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(wakeful.StoreCorrupt, match="another program"):
        wakeful.open(foreign)
    with sqlite3.connect(foreign) as connection:
        assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["theirs"]
    with pytest.raises(wakeful.StoreError, match="folder"):
        wakeful.open(tmp_path)
    with pytest.raises(wakeful.StoreError, match="no store at"):
        wakeful.open(tmp_path / "missing.db", create=False)
    with pytest.raises(wakeful.StoreError, match="make it first"):
        wakeful.open(tmp_path / "nowhere" / "app.db")


@case("SB82")
def test_a_newer_file_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    with wakeful.open(path) as store:
        store.deploy(GARDEN)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(wakeful.StoreCorrupt, match="schema 99; this one knows 1"):
        wakeful.open(path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    with wakeful.open(path) as store:
        store.deploy(GARDEN)
        store.apply([{"plant": {"window": "w" * 500}} for _ in range(200)])
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(wakeful.StoreCorrupt), wakeful.open(path) as store:
        store.query(".plant")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    store.close()
    store.close()
    with pytest.raises(wakeful.StoreClosed):
        store.next_due()
