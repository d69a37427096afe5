"""A store: entities, their components, one vocabulary, and the wakes that come due."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

from wakeful_compiler.instants import BadInstant, as_instant
from wakeful_compiler.vocabulary import Vocab, load

from . import firing
from .alarm import Alarm, OnTick, Stop
from .apply import Application
from .calls import pruning
from .calls.listing import list_calls
from .calls.rerun import rerun
from .calls.tools import plant_tools
from .clock import Bell, Clock, SystemClock
from .conditions.redeployed import recompile
from .deploy import Deployment
from .doorbell import Doorbell, ring
from .engines.query import query_plan, run_query
from .engines.sqlite import SqliteEngine
from .engines.transaction import SqlRefused, Transaction
from .errors import StoreClosed, StoreCorrupt, StoreError
from .health import BOUND, health
from .ids import RandomBytes, eid_problem, fresh_eid
from .plans import Plans
from .refusals import refuse
from .reports import Applied, CallReport, DeployReport, Health, TickReport
from .ticking import fire_due
from .workers.desk import Desk
from .workers.pool import THREADS, Pool
from .workers.registry import Registry, WorkerFunction
from .writing import Writing
from .zonedata import follow_zone_data

if TYPE_CHECKING:
    from .workers.signature import Secrets

MAX_ROWS = 10_000
"""The most rows that a query answers with unless `.limit` says otherwise."""

Source = str | os.PathLike[str] | Mapping[str, Any]


def open(
    path: str | os.PathLike[str], *, clock: Clock | None = None, by: str | None = None,
    random_bytes: RandomBytes = os.urandom, create: bool = True,
    workers: str | None = None, worker_secret: Secrets | None = None, worker_threads: int = THREADS,
) -> Store:  # fmt: skip
    """Open the store at `path`, or make it: a file, or `":memory:"`.

    `clock` tells the time (the machine's own by default), `by` is the author of writes that name none, and
    `random_bytes` is where fresh ids come from.  With `create=False` a missing file is an error.

    `workers` is the base URL of the app whose routes the commands name as their `worker`; calls are signed with
    `worker_secret` (see :func:`wakeful.workers.verify`), where it is a list with each of them.  At most
    `worker_threads` calls of workers run at a time.

    Raises StoreCorrupt for a file that is damaged, foreign, or newer than this version.
    """
    given = os.fspath(path)
    if not isinstance(given, str) or "\0" in given:
        raise StoreError(f"{path!r} is no path of a store: give a text")
    if clock is not None and not all(hasattr(clock, name) for name in ("now", "sleep", "manual")):
        raise StoreError(
            f"`clock` is {clock!r}: leave it out, or give a clock such as wakeful.testing.ManualClock(start)"
        )
    return Store(
        given, clock=clock or SystemClock(), by=by, random_bytes=random_bytes, create=create, workers=workers,
        worker_secret=worker_secret, worker_threads=worker_threads,
    )  # fmt: skip


class Store:
    """An open store.  Made by :func:`open`; a context manager; safe to share between threads."""

    def __init__(
        self, path: str, *, clock: Clock, by: str | None = None, random_bytes: RandomBytes = os.urandom,
        create: bool = True, workers: str | None = None, worker_secret: Secrets | None = None,
        worker_threads: int = THREADS,
    ) -> None:  # fmt: skip
        if path.startswith(("postgresql://", "postgres://")):
            raise StoreError("PostgreSQL comes with a later version: give the path of a file")
        registry = Registry.of(workers, worker_secret)
        if isinstance(worker_threads, bool) or not isinstance(worker_threads, int) or not 1 <= worker_threads <= 1000:
            raise StoreError(f"`worker_threads` is a whole number from 1 to 1,000, not {worker_threads!r}")
        self.path, self.clock, self.by = path, clock, by
        self._random_bytes = random_bytes
        self._engine = SqliteEngine(path, create=create)
        self._plans: Plans | None = None
        self._plans_lock = threading.Lock()
        self._bells: set[Bell] = set()
        self._closing = threading.Event()
        self._registry = registry
        self._desk = Desk(self._engine, self._current, clock, registry, self._ring)
        self._pool = Pool(self._desk, worker_threads)
        try:
            follow_zone_data(self._engine, as_instant(clock.now()))
        except BaseException:
            self._engine.close()
            raise

    # --- vocabulary -----------------------------------------------------------------------------

    @property
    def vocab(self) -> Vocab:
        """The vocabulary as the store has it now, with what it keeps of older ones."""
        with self._engine.read() as transaction:
            return self._current(transaction).vocab

    def _current(self, transaction: Transaction) -> Plans:
        """The plans of the vocabulary that stands: its version is read first in every transaction."""
        version = transaction.value("SELECT value FROM meta WHERE key = 'vocabulary'")
        plans = self._plans
        if plans is None or plans.version != version:
            with self._plans_lock:
                plans = self._plans = Plans(load(_document(transaction, version)), version)
        return plans

    def deploy(self, source: Source, force: bool = False) -> DeployReport:
        """Make a vocabulary the store's own: the path of a vocab.json, its folder, or a mapping.

        Raises VocabError when it has problems, Refused when stored rows stand against it; then nothing is
        changed.  No row is touched and no rule runs.  With `force` it is deployed although stored conditions
        (`wake.while`) can no longer be read: the notes list them, and the firings that need them are refused.
        """
        vocab = load(source)
        with self._engine.write() as transaction:
            plans = self._current(transaction)
            before = plans.keeps
            stored = _document(transaction, plans.version)
            deployment = Deployment(plans, dict(vocab.document), vocab, transaction, self.clock.now())
            report, effective = deployment.run(stored)
            plans = Plans(effective, report.version)
            recompile(plans, transaction, deployment, force=force)
            plant_tools(plans, transaction, as_instant(self.clock.now()))
            pruning.follow_keeps(plans, transaction, before)
        self._plans = plans
        self._ring()
        return report

    # --- writing --------------------------------------------------------------------------------

    def apply(self, bundles: object, by: str | None = None, dry_run: bool = False, timeout: float = 5.0) -> Applied:
        """Write a bundle or a list of bundles: all of it, with everything rules make of it, or nothing.

        `by` is the author that `created` and `updated` name.  `dry_run` answers the same and keeps nothing.
        `timeout` is how long, in seconds, to wait for another writer.

        Raises Refused with every reason, Stale when a guard fails, StoreBusy, StoreFull.
        """
        author = by if by is not None else self.by
        if author is not None and (wrong := eid_problem(author)) is not None:
            raise refuse("type-author", f"`by` names the author: {wrong.replace('an eid', 'an author')}")

        def apply(writing: Writing) -> dict[str, str]:
            stage, now = writing.stage(author), writing.now
            application = Application(
                stage, writing.plans.reader.read(bundles, now), lambda patch: fresh_eid(now, self._random_bytes)
            )
            application.run()
            writing.save(stage)
            writing.notes += application.notes
            writing.finish(writing.requests_of(stage))
            return application.aliases

        return self._write(apply, timeout, dry_run=dry_run)

    def rerun(self, eid: str, timeout: float = 5.0) -> Applied:
        """Run a call again, although it has a result: what it writes goes to the same rows, its result is replaced.

        A worker's call is put in line again.  The answer is what that changed.  Raises Refused for an eid that is no
        call, a standing request (its calls can be run again), a call that runs or waits, and an unknown command.
        """

        def again(writing: Writing) -> dict[str, str]:
            rerun(writing, eid)
            return {}

        return self._write(again, timeout)

    def _write(self, work: Callable[[Writing], dict[str, str]], timeout: float, *, dry_run: bool = False) -> Applied:
        """One transaction, of which `work` makes stages and calls; it answers with the eids behind aliases."""
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout != timeout:
            raise refuse("type-timeout", f"`timeout` is a number of seconds, not {timeout!r}")
        try:
            answer, writing = self._transact(work, timeout, dry_run=dry_run, singly=False)
        except SqlRefused:
            # Where it was a call's output that SQL turned down, that call fails and the rest stands.
            answer, writing = self._transact(work, timeout, dry_run=dry_run, singly=True)
        if not dry_run:
            self._tell(writing)
        return answer

    def _transact(
        self, work: Callable[[Writing], dict[str, str]], timeout: float, *, dry_run: bool, singly: bool
    ) -> tuple[Applied, Writing]:
        with self._engine.write(timeout) as transaction:
            now, timed = self._now(None), not self.clock.manual
            writing = Writing(self._current(transaction), transaction, now, timed=timed, singly=singly)
            aliases = work(writing)
            answer = Applied(list(writing.outcome.by_num().values()), aliases, writing.notes)
            transaction.keep = not dry_run
        return answer, writing

    def _tell(self, writing: Writing) -> None:
        """After the commit: wake whoever runs the store, and the pool, where that has something for them."""
        if writing.rings:
            self._ring()
        if writing.handed_over and not self.clock.manual:
            self._pool.kick()

    def prune(self, now: datetime | None = None, limit: int | None = None) -> int:
        """Delete the calls that are older at `now` than their command's `keep`, with their results; how many.

        At most `limit` when given.  It goes by batches, each a transaction of its own.  A call that waits, a standing
        request, and a row that carries more than its call stay.  :meth:`tick` prunes a batch by itself.
        """
        if limit is not None:
            _check_count(limit, "calls")
        until, count = self._now(now), 0
        while limit is None or count < limit:
            batch = self._prune(until, pruning.BATCH if limit is None else min(pruning.BATCH, limit - count))
            count += batch.deleted
            if batch.exhausted:
                break
            if not self.clock.manual:
                time.sleep(firing.GAP_SECONDS)
        return count

    def _prune_behind(self, now: datetime, ran: int, stopped: Callable[[], bool]) -> None:
        """Prune a batch, and more until as many calls are gone as `ran`, so that no store grows without end."""
        plans = self._plans
        # As of the tick's last transaction: a deploy since then is for the next one.
        while plans is not None and plans.keeps and not stopped():
            batch = self._prune(now, pruning.BATCH)
            ran -= batch.deleted
            if batch.exhausted or not batch.deleted or ran <= 0:
                break
            if not self.clock.manual:
                time.sleep(firing.GAP_SECONDS)

    def _prune(self, now: datetime, size: int) -> pruning.Pruned:
        """Prune one batch, where anything is old enough."""
        with self._engine.read() as transaction:
            if not pruning.is_due(self._current(transaction), transaction, now):
                return pruning.Pruned(0, True)
        with self._engine.write(timeout=60.0) as transaction:
            plans = self._current(transaction)
            timed = not self.clock.manual
            writing = Writing(plans, transaction, now, timed=timed, singly=True)
            pruned = pruning.prune(writing, size, pruning.BATCH_SECONDS if timed else None)
        self._tell(writing)
        return pruned

    # --- reading --------------------------------------------------------------------------------

    def query(self, text: str, now: datetime | None = None) -> Any:
        """The rows that match, as bundles, or the aggregate that a directive asks for.

        At most 10,000 rows unless `.limit` says otherwise; the answer's `cut` tells whether some were left out.
        `now` is the instant that time operands mean (the store's clock by default).  Raises QueryError.
        """
        with self._engine.read() as transaction:
            plans = self._current(transaction)
            query = plans.vocab.query(text)
            return run_query(transaction, plans.tables, query, self._now(now), MAX_ROWS)

    def query_plan(self, text: str, now: datetime | None = None) -> list[str]:
        """How SQLite goes about a query, in its own words, one line a step.  Raises QueryError."""
        with self._engine.read() as transaction:
            query = self._current(transaction).vocab.query(text)
            return query_plan(transaction, query, self._now(now))

    def calls(
        self, state: str | None = None, of: str | None = None, eids: Sequence[str] | None = None, limit: int = 100
    ) -> list[CallReport]:
        """How calls stand, the newest first and at most `limit` of them.

        All, or those that are `waiting`, `running`, `done`, `failed` or `skipped`; `of` names the schedule or row that
        asked for them, `eids` the calls themselves.  Raises Refused.
        """
        _check_count(limit, "calls")
        with self._engine.read() as transaction:
            return list_calls(self._current(transaction), transaction, state, of, eids, limit)

    def next_due(self) -> datetime | None:
        """The earliest instant at which anything is due here, past ones included; None when nothing waits.

        That is a wake, or a worker's call that this store can run: one that waits, is to be tried again, or was
        begun by a process that may have gone away.
        """
        return self._next_due(None)

    def _next_due(self, handed_over: datetime | None) -> datetime | None:
        """The same, without the calls that could be run at `handed_over`: they are the pool's."""
        busy = self._pool.busy
        with self._engine.read() as transaction:
            wake = firing.next_due(transaction)
            call = self._desk.next_at(transaction, busy, handed_over)
        return min((at for at in (wake, call) if at is not None), default=None)

    def due(self, now: datetime | None = None) -> list[tuple[str, str]]:
        """The wakes that a tick at `now` would fire, as (eid, at), in its order."""
        with self._engine.read() as transaction:
            return firing.due_wakes(transaction, self._now(now))

    def health(self, now: datetime | None = None, bound: timedelta = BOUND) -> Health:
        """Whether what is due gets fired: not `ok` with a wake due for longer than `bound`, or fired in the future.

        Wakes that were refused are counted apart.  Raises Refused for what is no instant or no bound.
        """
        with self._engine.read() as transaction:
            return health(transaction, self._now(now), bound)

    # --- firing ---------------------------------------------------------------------------------

    def tick(self, now: datetime | None = None, limit: int | None = None) -> TickReport:
        """Fire every wake that is due at `now` (the clock's by default), as if one by one, oldest first.

        At most `limit` wakes when given.  Missed occurrences of a wake are one firing.  A wake whose firing is
        refused keeps its `at` and is tried again later; the others fire.  Each batch of up to 500 is one
        durable transaction.  Workers' calls that this store can run are run then, and waited for.
        """
        if limit is not None:
            _check_count(limit, "wakes")
        return self._fire(self._now(now), limit, lambda: False, wait=True)

    def _fire(self, now: datetime, limit: int | None, stopped: Callable[[], bool], *, wait: bool) -> TickReport:
        timed = not self.clock.manual
        ticked = fire_due(self._engine, self._current, now, limit, stopped, self._ring, timed=timed)
        self._prune_behind(now, len(ticked.calls), stopped)
        if wait:
            self._pool.drain(now)
            following = self.next_due()
        else:
            if not ticked.stopped:
                self._pool.kick()
            following = self._next_due(now)
        return TickReport(ticked.fired, ticked.refused, ticked.calls, following)

    def run(self, stop: Stop = None, on_tick: OnTick = None) -> None:
        """Fire wakes as they come due, until `stop` (a threading.Event) is set, the store is closed, or a signal comes.

        Signals are SIGTERM and SIGINT, where this is the main thread.  One alarm, armed at :meth:`next_due`; it
        sleeps until then, or until a write in this process or another touches a wake, and never polls.  A busy
        or full store is waited out, and so is an unexpected error in a tick, which is logged with its traceback;
        what `on_tick` raises ends the run.  With a manual clock nothing sleeps: it waits for the clock to be moved.
        `on_tick` is told the report of each tick after its commit, empty ones included.
        """
        if stop is not None and not callable(stop) and not hasattr(stop, "is_set"):
            raise StoreError(f"`stop` is a threading.Event, or leave it out, not {stop!r}")
        if on_tick is not None and not callable(on_tick):
            raise StoreError(f"`on_tick` is a function that takes a TickReport, not {on_tick!r}")
        if self._closing.is_set():
            raise StoreClosed(f"{self._engine.path} was closed")
        door = None if self._engine.memory else Doorbell(self._engine.path)
        bell = Bell(door.socket if door is not None else None)
        self._bells.add(bell)
        try:
            with self._pool.resting_after():
                Alarm(self._tick_until, self.clock, bell).run(stop, on_tick)
        except StoreClosed:
            # Closed by another thread: there is nothing left to run for.
            if not self._closing.is_set():
                raise
        finally:
            self._bells.discard(bell)
            bell.close()
            if door is not None:
                door.close()

    def _tick_until(self, stopped: Callable[[], bool]) -> TickReport:
        return self._fire(self._now(None), None, stopped, wait=False)

    def worker(self, route: str) -> Callable[[WorkerFunction], WorkerFunction]:
        """Let a function of this process do the work of a route: `@store.worker("/tick")`.

        It is called with the arguments of a call, and with a :class:`wakeful.workers.Call` where it takes two; it
        may be async.  What it answers (JSON, or None) is the value of the result; what it raises is why the call
        failed.  It runs on a thread of its own, outside of any transaction.  Raises StoreError for what is no route
        or no such function, and for a route that has one.
        """

        if callable(route):
            raise StoreError('a worker is bound to a route: write `@store.worker("/tick")`, not `@store.worker` alone')

        def register(function: WorkerFunction) -> WorkerFunction:
            self._registry.add(route, function)
            for bell in list(self._bells):
                bell.ring()
            return function

        return register

    def _ring(self) -> None:
        for bell in list(self._bells):
            bell.ring()
        if not self._engine.memory:
            ring(self._engine.path)

    # --- the rest -------------------------------------------------------------------------------

    def _now(self, given: datetime | None) -> datetime:
        if given is None:
            return as_instant(self.clock.now())
        if not isinstance(given, datetime):
            raise refuse("type-now", f"`now` is an aware datetime, not {given!r}")
        try:
            return as_instant(given)
        except BadInstant as error:
            raise refuse("type-now", f"`now` {error}") from None

    def close(self) -> None:
        """Close the store, and end a :meth:`run` in another thread; a second close does nothing.

        Workers' calls that are running are waited for, 10 seconds at most; then others may run them anew.
        """
        self._closing.set()
        try:
            self._pool.close()
            self._engine.close()
        finally:
            # Last: a run that is rung before the engine is closed ticks once more and goes to sleep again.
            for bell in list(self._bells):
                bell.ring()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.path}>"


def _check_count(limit: object, of: str) -> None:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise refuse("type-limit", f"`limit` is a count of {of}, 0 or more, not {limit!r}")


def _document(transaction: Transaction, version: int) -> dict[str, Any]:
    """The vocabulary document of a version as the store keeps it; the empty one before the first deploy."""
    text = transaction.value("SELECT text FROM vocabulary WHERE version = ?", (version,))
    try:
        document: dict[str, Any] = json.loads(text) if text is not None else {"$defs": {}}
    except ValueError:
        raise StoreCorrupt("the store's vocabulary is damaged: restore the file from a backup") from None
    return document
