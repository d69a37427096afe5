"""The SQLite engine: one file in WAL mode, durable at every commit, shared by threads and processes."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StoreBusy, StoreClosed, StoreCorrupt, StoreError, StoreForked
from .schema import APPLICATION_ID, SCHEMA_VERSION, create_schema
from .transaction import Transaction, translate

_MAGIC = b"SQLite format 3\x00"


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly: those of threads that have ended go by themselves."""


class SqliteEngine:
    """Connections and transactions of one store file (or `:memory:`)."""

    name = "sqlite"

    def __init__(self, path: str, *, create: bool = True) -> None:
        self.path = path
        self.memory = path == ":memory:"
        self._pid = os.getpid()
        self._closed = False
        self._local = threading.local()
        self._connections: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
        # One writer at a time inside a process waits here, in turn, instead of polling SQLite's lock.
        self._writer = threading.RLock()
        self._shared: sqlite3.Connection | None = None
        if not self.memory:
            self._inspect(Path(path), create=create)
        try:
            self._prepare()
        except sqlite3.Error as error:
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

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
            timeout=5.0,
            factory=_Connection,
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        self._connections.add(connection)
        return connection

    def _prepare(self) -> None:
        connection = self._connection()
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
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        if mode != "wal":
            raise StoreError(
                f"{self.path} lies on a file system that cannot keep SQLite's write-ahead log: move it to a local disk"
            )

    # --- connections ----------------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        if os.getpid() != self._pid:
            raise StoreForked(f"{self.path} was opened before this process was forked: open it again here")
        if self._closed:
            raise StoreClosed(f"{self.path} was closed")
        if self.memory:
            if self._shared is None:
                self._shared = self._connect()
            return self._shared
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        return connection

    def close(self) -> None:
        """Close every connection; a second close does nothing."""
        if self._closed or os.getpid() != self._pid:
            return
        self._closed = True
        for connection in list(self._connections):
            connection.close()

    # --- transactions ---------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one moment of the store and writes nothing."""
        connection = self._connection()
        if self.memory:
            with self._writer:
                yield Transaction(connection)
            return
        if connection.in_transaction:
            # A query made inside a write of the same thread reads that write's own state.
            yield Transaction(connection)
            return
        with self._run(connection, "BEGIN") as transaction:
            yield transaction

    @contextmanager
    def write(self, timeout: float = 5.0) -> Iterator[Transaction]:
        """A transaction that may write: it holds the store's one write lock from its first statement.

        Waits for the lock up to `timeout` seconds, then StoreBusy.  Commits when the block ends, rolls back
        when it raises.
        """
        connection = self._connection()
        started = time.monotonic()
        if not self._writer.acquire(timeout=max(0.0, timeout)):
            raise _busy(timeout)
        try:
            if connection.in_transaction:
                raise StoreError("a write inside a write of the same thread: finish the first one before")
            left = max(0.0, timeout - (time.monotonic() - started))
            try:
                connection.execute(f"PRAGMA busy_timeout = {int(left * 1000)}")
                with self._run(connection, "BEGIN IMMEDIATE") as transaction:
                    yield transaction
            except StoreBusy:
                raise _busy(timeout) from None
        finally:
            self._writer.release()

    @contextmanager
    def _run(self, connection: sqlite3.Connection, begin: str) -> Iterator[Transaction]:
        transaction = Transaction(connection)
        transaction.execute(begin)
        try:
            yield transaction
            if transaction.void:
                raise StoreError("this transaction has failed: nothing of it was kept")
            transaction.execute("COMMIT" if transaction.keep else "ROLLBACK")
        except BaseException:
            if connection.in_transaction:
                try:
                    connection.execute("ROLLBACK")
                except sqlite3.Error as error:
                    raise translate(error) from error
            raise


def _busy(timeout: float) -> StoreBusy:
    return StoreBusy(f"another writer held the store for more than {timeout:g} s: try again, or raise timeout=")
