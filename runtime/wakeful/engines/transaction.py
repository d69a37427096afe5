"""One transaction on SQLite, and the translation of SQLite's errors into ours.

Engine errors are not data errors: a full disk, an I/O error, lack of memory or an interrupt may end the whole
transaction inside SQLite, after which a further statement would commit by itself.  So every error passes
through here, and a transaction that no longer stands is void for good (the design's 20-runtime, "Storage").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import StoreBusy, StoreCorrupt, StoreError, StoreFull

Params = Sequence[Any]

_FULL = sqlite3.SQLITE_FULL
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

ENGINE_ERRORS = (sqlite3.Error, MemoryError)
"""What a statement may raise: Python has an error of its own for SQLite's lack of memory."""


class SqlRefused(StoreError):
    """SQL turned data down that wakeful had let pass: undone by savepoint, the transaction stands."""


def translate(error: sqlite3.Error | MemoryError) -> StoreError:
    """Our error for one of SQLite's, by its primary result code."""
    if isinstance(error, MemoryError):
        return StoreError("there was not enough memory for the store to finish its work: try again")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in BUSY:
        return StoreBusy("another writer holds the store: try again, or raise timeout=")
    if code == _FULL:
        return StoreFull(f"there is no room left for the store ({error}): free some space, then try again")
    if code in _CORRUPT:
        return StoreCorrupt(f"the store's file is damaged ({error}): restore it from a backup")
    if isinstance(error, sqlite3.IntegrityError | sqlite3.DataError):
        return SqlRefused(f"the store's tables refused a value ({error})")
    return StoreError(f"the store could not finish its work: {error}")


class Transaction:
    """The statements of one transaction.  Made by an engine; not kept past its end."""

    __slots__ = ("_connection", "_savepoints", "keep", "unwritten", "void")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._savepoints = 0
        self.void = False
        self.keep = True
        """Whether the end of the block commits; a dry run turns it off."""
        self.unwritten: Callable[[], None] | None = None
        """Writes what has been judged in memory and is not in the tables yet; called before the next statement."""

    def execute(self, sql: str, params: Params = ()) -> sqlite3.Cursor:
        """Run one statement.  Raises a StoreError; the transaction is then void unless a savepoint caught it."""
        self._check()
        try:
            return self._connection.execute(sql, params)
        except ENGINE_ERRORS as error:
            raise self._failed(error) from error

    def executemany(self, sql: str, rows: Iterable[Params]) -> int:
        """Run one statement for many rows; how many rows it changed."""
        self._check()
        try:
            return self._connection.executemany(sql, rows).rowcount
        except ENGINE_ERRORS as error:
            raise self._failed(error) from error

    def fetch(self, sql: str, params: Params = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        self._check()
        try:
            return self._connection.execute(sql, params).fetchall()
        except ENGINE_ERRORS as error:
            raise self._failed(error) from error

    def value(self, sql: str, params: Params = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.fetch(sql, params)
        return rows[0][0] if rows else None

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside when it raises, as long as the transaction itself still stands."""
        self._savepoints += 1
        name = f"s{self._savepoints}"
        self.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            if not self.void:
                self.execute(f"ROLLBACK TO {name}")
                self.execute(f"RELEASE {name}")
            raise
        self.execute(f"RELEASE {name}")

    def _check(self) -> None:
        if self.void:
            raise StoreError("this transaction has already failed: nothing of it was kept")
        if self.unwritten is not None:
            write, self.unwritten = self.unwritten, None
            write()

    def _failed(self, error: sqlite3.Error | MemoryError) -> StoreError:
        translated = translate(error)
        # Only refused data leaves a transaction sound; and even then, ask SQLite whether it still stands.
        if not isinstance(translated, SqlRefused) or not self._connection.in_transaction:
            self.void = True
            if isinstance(translated, SqlRefused):
                return StoreError(f"the transaction was lost: {error}")
        return translated
