"""The crash harness on SQLite: faults raised at the connection, and some that SQLite really meets with.

The engine makes its connections from one class; here they are made from a subclass that stops at every statement.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from crash.engine import Dump, Fault, Points
from wakeful.engines import sqlite
from wakeful.errors import StoreBusy, StoreError, StoreFull
from wakeful_compiler.emit.names import column, table

Connection = sqlite._Connection
Strike = Callable[[Connection, Points, Callable[[], Any]], Any]
"""Lets a statement fail: told the connection, the points, and how to run the statement after all."""


def raised(
    kind: type[BaseException], text: str, code: int | None = None, *, gone: bool = False, done: bool = False
) -> Strike:
    """An error as SQLite's.  With `gone` the transaction has been rolled back inside SQLite; with `done` the statement
    was carried out all the same, and only the word of it is lost."""

    def strike(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
        if done:
            run()
        if gone and connection.in_transaction:
            sqlite3.Connection.execute(connection, "ROLLBACK")
        error = kind(text)
        if isinstance(error, sqlite3.Error) and code is not None:
            error.sqlite_errorcode = code
        raise error

    return strike


def interrupted(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
    """`interrupt` from within the statement; one that has ended before it is heard goes through."""

    def now() -> int:
        connection.interrupt()
        return 1

    connection.set_progress_handler(now, 1)
    try:
        return run()
    finally:
        connection.set_progress_handler(None, 0)


def full(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
    """The file may not grow by another page until the points are healed."""
    pages = sqlite3.Connection.execute(connection, "PRAGMA page_count").fetchone()[0]
    sqlite3.Connection.execute(connection, f"PRAGMA max_page_count = {pages}").fetchone()

    def mend() -> None:
        with suppress(sqlite3.ProgrammingError):  # the connection may have been closed since
            sqlite3.Connection.execute(connection, "PRAGMA max_page_count = 1073741823").fetchone()

    points.mended.append(mend)
    return run()


def unwritable(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
    """The operating system lets no file grow past the log's present size, until the points are healed."""
    path = sqlite3.Connection.execute(connection, "PRAGMA database_list").fetchone()[2]
    log = Path(f"{path}-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    points.mended.append(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size if log.exists() else 0, hard))
    return run()


def stopped(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
    """Ctrl-C, right after the statement."""
    if threading.current_thread() is not threading.main_thread():
        return run()
    run()
    raise KeyboardInterrupt


def killed(connection: Connection, points: Points, run: Callable[[], Any]) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _writes(sql: str) -> bool:
    return sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))


_IOERR, _FULL = sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL
_ERROR = sqlite3.OperationalError

_FAULTS: tuple[tuple[Fault, Strike], ...] = (
    (Fault("error", "io-error", StoreError), raised(_ERROR, "disk I/O error", _IOERR)),
    (Fault("error", "io-error-lasting", StoreError, lasts=True), raised(_ERROR, "disk I/O error", _IOERR)),
    (Fault("error", "io-error-rolled-back", StoreError), raised(_ERROR, "disk I/O error", _IOERR, gone=True)),
    (Fault("error", "io-error-after", StoreError), raised(_ERROR, "disk I/O error", _IOERR, done=True)),
    (Fault("error", "io-error-real", StoreError), unwritable),
    (Fault("error", "no-memory", StoreError), raised(MemoryError, "", gone=True)),
    (Fault("busy", "busy", StoreBusy), raised(_ERROR, "database is locked", sqlite3.SQLITE_BUSY)),
    (Fault("full", "full", StoreFull), raised(_ERROR, "database or disk is full", _FULL, gone=True)),
    (Fault("full", "full-real", StoreFull), full),
    (Fault("interrupt", "interrupt", StoreError), interrupted),
    (Fault("interrupt", "ctrl-c", KeyboardInterrupt), stopped),
    (
        Fault("refused", "refused", StoreError, strikes=_writes),
        raised(sqlite3.IntegrityError, "CHECK constraint failed", sqlite3.SQLITE_CONSTRAINT),
    ),
    (Fault("kill", "kill", SystemExit, kills=True), killed),
)


class SqliteCrashes:
    """Stores in files."""

    name = "sqlite"
    faults = tuple(fault for fault, _ in _FAULTS)

    def new(self, folder: Path, name: str) -> str:
        return str(folder / f"{name}.db")

    def copy(self, place: str, name: str) -> str:
        second = str(Path(place).with_name(f"{name}.db"))
        if Path(place).exists():
            shutil.copyfile(place, second)
        return second

    def forbid(self, place: str, component: str, name: str, value: str | int) -> None:
        told = repr(value)
        with closing(sqlite3.connect(place)) as connection:
            connection.execute(
                f'CREATE TRIGGER "forbid_{component}" BEFORE INSERT ON {table(component)} '
                f"WHEN NEW.{column(component, name)} = {told} BEGIN SELECT RAISE(ABORT, 'SQL says no'); END"
            )
            connection.commit()

    def dump(self, place: str) -> Dump:
        if not Path(place).exists():
            return {}
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            # Whoever failed must have let go of the write lock: this waits for it in vain otherwise.
            connection.execute("BEGIN IMMEDIATE")
            tables = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
            found: Dump = {"": tables}
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                cursor = connection.execute(f'SELECT * FROM "{name}"')
                names = [line[0] for line in cursor.description]
                # By column, so that a scenario can leave one out.
                found[name] = sorted(
                    (tuple((key, _plain(name, key, value)) for key, value in zip(names, row, strict=True)))
                    for row in cursor
                )
            connection.execute("COMMIT")
        return {name: rows for name, rows in found.items() if rows}

    def discard(self, place: str) -> None:
        for tail in ("", "-wal", "-shm"):
            Path(place + tail).unlink(missing_ok=True)

    def check(self, place: str) -> None:
        assert [link for link in open_files() if link.startswith(place)] == []
        with closing(sqlite3.connect(place)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []

    @contextmanager
    def failing(self, points: Points) -> Iterator[None]:
        class Failing(Connection):
            def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
                run = partial(sqlite3.Connection.execute, self, sql, parameters)
                found: sqlite3.Cursor = _pass(self, points, sql, run)
                return found

            def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:
                run = partial(sqlite3.Connection.executemany, self, sql, self._each(sql, list(rows)))
                found: sqlite3.Cursor = _pass(self, points, sql, run)
                return found

            def _each(self, sql: str, rows: Sequence[Any]) -> Iterator[Any]:
                """The rows of one statement that is run for each: it may fail at any of them."""
                for place, row in enumerate(rows):
                    if place and (points.every_row or place == len(rows) - 1):
                        _pass(self, points, sql, lambda: None)
                    yield row

        with mock.patch.object(sqlite, "_Connection", Failing):
            try:
                yield
            finally:
                points.heal()


def _pass(connection: Connection, points: Points, sql: str, run: Callable[[], Any]) -> Any:
    """Run a statement, or fail it if it is the one."""
    strikes = points.strikes(sql)
    try:
        if strikes:
            strike = next(strike for known, strike in _FAULTS if known is points.fault)
            answer = strike(connection, points, run)
        else:
            answer = run()
    except BaseException:
        points.failed = sql
        raise
    points.ran(sql)
    return answer


def open_files() -> list[str]:
    """What this process has open, where the system tells."""
    found = []
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            found.append(str(link.readlink()))
    return found


def _plain(table_name: str, key: str, value: Any) -> Any:
    """A value without what differs from one life to the next: the token of whoever holds a claim."""
    return value is not None if (table_name, key) == ("work", "token") else value
