"""The SQLite engine: one file in WAL mode, durable at every commit, shared by threads and processes."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StoreBusy, StoreClosed, StoreCorrupt, StoreError, StoreForked
from .schema import APPLICATION_ID, SCHEMA_VERSION, create_schema
from .transaction import BUSY, ENGINE_ERRORS, Transaction, translate

_MAGIC = b"SQLite format 3\x00"
_READ_PATIENCE = 5000
"""Milliseconds that a reader waits for SQLite itself, which recovers a log after a crash."""

_FIRST_WAIT, _LONGEST_WAIT = 0.0002, 0.005
"""Seconds between two tries for the write lock.  SQLite's own waits grow to 100 ms, and starve whoever waits."""


class _Connection(sqlite3.Connection):
    """One thread's connection, and how many transactions of that thread are under way on it."""

    depth = 0
    patience = -1

    def wait_up_to(self, milliseconds: int) -> None:
        """Let SQLite wait that long for a lock before it says that it is busy."""
        if self.patience != milliseconds:
            self.run(f"PRAGMA busy_timeout = {milliseconds}")
            self.patience = milliseconds

    def run(self, sql: str) -> None:
        """Execute a statement that stands outside of every transaction.  Raises StoreError."""
        try:
            self.execute(sql)
        except ENGINE_ERRORS as error:
            raise translate(error) from error


class SqliteEngine:
    """Connections and transactions of one store file (or `:memory:`)."""

    name = "sqlite"

    def __init__(self, path: str, *, create: bool = True) -> None:
        self.memory = path == ":memory:"
        # A later change of the working directory must not lead a new thread to another file.
        self.path = path if self.memory else os.path.abspath(path)  # noqa: PTH100 - keeps links as they are
        self._pid = os.getpid()
        self._closed = False
        self._local = threading.local()
        self._connections: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._state = threading.Lock()
        # One writer at a time inside a process waits here, in turn, instead of asking SQLite again and again.
        self._writer = threading.RLock()
        self._shared: _Connection | None = None
        if not self.memory:
            self._inspect(Path(self.path), create=create)
        try:
            self._prepare()
        except ENGINE_ERRORS as error:
            self.close()
            raise translate(error) from error
        except BaseException:
            self.close()
            raise

    # --- opening --------------------------------------------------------------------------------

    def _inspect(self, path: Path, *, create: bool) -> None:
        if path.is_dir():
            raise StoreError(f"{path} is a folder: give the path of a file, for example {path / 'app.db'}")
        if not path.exists():
            if not create:
                raise StoreError(f"there is no store at {path}")
            if not path.parent.exists():
                raise StoreError(f"the folder {path.parent} does not exist: make it first")
            return
        try:
            with path.open("rb") as file:
                head = file.read(16)
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}") from None
        if head and head != _MAGIC:
            raise StoreCorrupt(f"{path} is no store: it is not an SQLite file")

    def _connect(self) -> _Connection:
        try:
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, cached_statements=512, factory=_Connection
            )
        except ENGINE_ERRORS as error:
            raise translate(error) from error
        try:
            connection.run("PRAGMA foreign_keys = ON")
            connection.run("PRAGMA synchronous = FULL")
            connection.run("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
        self._connections.add(connection)
        return connection

    def _prepare(self) -> None:
        with self._using() as connection:
            connection.wait_up_to(_READ_PATIENCE)
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            objects = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if application != APPLICATION_ID and (application or objects):
                raise StoreCorrupt(f"{self.path} is an SQLite file of another program, not a wakeful store")
            if version > SCHEMA_VERSION:
                raise StoreCorrupt(
                    f"{self.path} was written by a newer wakeful (schema {version}; this one knows {SCHEMA_VERSION}): "
                    "upgrade wakeful to open it"
                )
            if not self.memory:
                self._enter_wal(connection)
        with self.write(timeout=30.0) as transaction:
            create_schema(transaction)

    def _enter_wal(self, connection: sqlite3.Connection) -> None:
        # Two processes that open a new file together collide over the mode switch: it wants a short retry.
        deadline = time.monotonic() + 10.0
        while True:
            try:
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                break
            except sqlite3.OperationalError as error:
                code = error.sqlite_errorcode & 0xFF
                if code not in (*BUSY, sqlite3.SQLITE_PROTOCOL) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        if mode != "wal":
            raise StoreError(
                f"{self.path} lies on a file system that cannot keep SQLite's write-ahead log: move it to a local disk"
            )

    # --- connections ----------------------------------------------------------------------------

    def _connection(self) -> _Connection:
        if os.getpid() != self._pid:
            raise StoreForked(f"{self.path} was opened before this process was forked: open it again here")
        if self.memory:
            if self._shared is None:
                self._shared = self._connect()
            return self._shared
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        return connection

    @contextmanager
    def _using(self) -> Iterator[_Connection]:
        """This thread's connection, which nobody closes until the block ends; after a close it goes by itself."""
        with self._state:
            if self._closed:
                raise StoreClosed(f"{self.path} was closed")
            connection = self._connection()
            connection.depth += 1
        try:
            yield connection
        finally:
            with self._state:
                connection.depth -= 1
                if self._closed and not connection.depth:
                    connection.close()

    def close(self) -> None:
        """Close the store; a second close does nothing.  A call under way in another thread ends as it would have."""
        if os.getpid() != self._pid:
            return
        with self._state:
            self._closed = True
            for connection in list(self._connections):
                if not connection.depth:
                    connection.close()

    # --- transactions ---------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one moment of the store and writes nothing."""
        with self._using() as connection:
            if self.memory:
                with self._writer:
                    yield Transaction(connection)
            elif self._writing():
                # A query made inside a write of the same thread reads that write's own state.
                yield Transaction(connection)
            else:
                self._clear(connection)
                connection.wait_up_to(_READ_PATIENCE)
                with self._run(connection, "BEGIN") as transaction:
                    yield transaction

    @contextmanager
    def write(self, timeout: float = 5.0) -> Iterator[Transaction]:
        """A transaction that may write: it holds the store's one write lock from its first statement.

        Waits for the lock up to `timeout` seconds, then StoreBusy.  Commits when the block ends, rolls back
        when it raises.
        """
        deadline = time.monotonic() + timeout
        if self._writing():
            raise StoreError("a write inside a write of the same thread: finish the first one before")
        with self._using() as connection:
            acquired = False
            try:
                acquired = self._writer.acquire(timeout=min(max(0.0, timeout), threading.TIMEOUT_MAX))
                if not acquired:
                    raise _busy(timeout)
                self._local.writing = True
                self._clear(connection)
                connection.wait_up_to(0)
                with self._run(connection, "BEGIN IMMEDIATE", deadline, timeout) as transaction:
                    yield transaction
            finally:
                self._local.writing = False
                if acquired:
                    self._writer.release()

    def _writing(self) -> bool:
        """Whether this thread is inside a write of this store."""
        return getattr(self._local, "writing", False)

    def _clear(self, connection: _Connection) -> None:
        """End a transaction that failed, or that an interrupt left open between two of our statements."""
        if not connection.in_transaction:
            return
        try:
            connection.run("ROLLBACK")
        except BaseException:
            # Kept open, it would go on holding the write lock; closed, SQLite rolls back by itself.
            if not self.memory:
                self._local.connection = None
                connection.close()
            raise

    @contextmanager
    def _run(
        self, connection: _Connection, begin: str, deadline: float = 0.0, timeout: float = 0.0
    ) -> Iterator[Transaction]:
        transaction = Transaction(connection)
        try:
            self._begin(connection, begin, deadline, timeout)
            yield transaction
            if transaction.void:
                raise StoreError("this transaction has failed: nothing of it was kept")
            transaction.execute("COMMIT" if transaction.keep else "ROLLBACK")
        except BaseException:
            self._clear(connection)
            raise

    def _begin(self, connection: _Connection, begin: str, deadline: float, timeout: float) -> None:
        wait = _FIRST_WAIT
        while True:
            try:
                connection.execute(begin)
                return
            except ENGINE_ERRORS as error:
                translated = translate(error)
                if not isinstance(translated, StoreBusy):
                    raise translated from error
                if time.monotonic() >= deadline:
                    raise _busy(timeout) from None
            # A random wait, so that two who wait for each other do not stay in step.
            time.sleep(random.uniform(_FIRST_WAIT, wait))
            wait = min(wait * 2, _LONGEST_WAIT)


def _busy(timeout: float) -> StoreBusy:
    return StoreBusy(f"another writer held the store for more than {timeout:g} s: try again, or raise timeout=")
