"""Firings: due wakes are read, judged in memory and written back in batches (the design's 20-runtime, "Wakes").

Each firing is a stage of its own; a batch is many of them in one transaction.  A wake whose firing is refused
is left out before anything is written, keeps its `at`, and is tried again after a delay that doubles.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from wakeful_compiler.emit.names import readable
from wakeful_compiler.instants import parse_instant, stored_instant, stored_to_canonical
from wakeful_compiler.predicates import Read
from wakeful_compiler.schedules import every
from wakeful_grammar.problems import ScheduleError

from .calls import due
from .calls.due import is_standing, occurrence_eid, write_occurrence
from .calls.requests import Request, Root
from .conditions.readings import Readings
from .engines.transaction import SqlRefused, Transaction
from .errors import Refused
from .occasions import Firing
from .plans import Plans
from .reactions import react, settle_rules
from .refusals import refuse
from .retries import AUTHOR, Failure, clear_written, settle
from .rows import Row, Values
from .schedules import follows_zone, next_at
from .stage import Asked
from .wakes import normalise
from .writing import Writing

BATCH = 500
"""The most wakes that one transaction fires, so that writers are never kept waiting."""

BATCH_SECONDS = 0.05
"""The longest that one batch is judged under a real clock."""

GAP_SECONDS = 0.002
"""The pause between two batches under a real clock, in which another process can take its turn to write."""

FIRINGS_AT_ONE_INSTANT = 100

_OWN_WRITE: tuple[Read, ...] = (("fired", "at"), ("fired", "due"), ("wake", "at"))
_FIRST_WRITE: tuple[Read, ...] = (("fired", None), *_OWN_WRITE)


class Batch:
    """One batch of firings under one transaction."""

    def __init__(
        self, plans: Plans, transaction: Transaction, now: datetime, counts: dict[int, int], readings: Readings, *,
        timed: bool,
    ) -> None:  # fmt: skip
        """`readings` are the tick's; `timed` tells whether the results of calls say how long they took."""
        self.plans, self.transaction, self.now = plans, transaction, now
        self.counts, self.readings, self._timed = counts, readings, timed
        self._begin(singly=False)
        self.now_text = self.stage.now_text
        self.fired: list[dict[str, Any]] = []
        self.refused: list[dict[str, str]] = []
        self._requests: list[Request] = []
        self._asking: list[tuple[Row | Asked, Root]] = []
        self._delays: dict[int, int | None] = {}
        self._failed: list[Failure] = []
        self._recovered: list[Row] = []
        self._others: dict[int, Row] = {}
        self._besides: list[Row] = []
        """The rows besides its own that the latest firing touched, whose calls it may have made due."""
        self._calling: set[int] = set()
        """The nums of the calls that firings themselves owe."""

    def run(self, size: int, seconds: float | None) -> int:
        """Fire up to `size` due wakes, for at most `seconds` of judging; how many wakes were dealt with.

        Raises SqlRefused when SQL turns down what wakeful let pass: the batch is then to be fired by
        :meth:`run_singly`.
        """
        rows = self._due(size)
        if not rows:
            return 0
        self.readings.take(self.plans, self.transaction)
        self._load(rows)
        deadline = None if seconds is None else time.perf_counter() + seconds
        done = 0
        for row in rows:
            if done and (_touched(row) or (deadline is not None and time.perf_counter() > deadline)):
                break
            done += 1
            if self._fire(row):
                break
        for row in rows[done:]:
            if not _touched(row):
                self.stage.rows.pop(row.num)
        self._finish_others()
        self.writing.save(self.stage)
        self._request()
        self._finish()
        return done

    def run_singly(self, size: int) -> int:
        """Fire up to `size` due wakes, each under a savepoint: one that SQL refuses is a refused firing."""
        self._begin(singly=True)
        rows = self._due(size)
        self.readings.take(self.plans, self.transaction)
        for row in rows:
            self.stage = self.writing.stage(AUTHOR)
            self._load([self.stage.adopt(row)])
            done = len(self.fired), len(self._recovered)
            self._others.clear()
            try:
                with self.transaction.savepoint():
                    # What it did to other rows may be to those that come next.
                    cut = self._fire(row) or bool(self._others)
                    self._finish_others()
                    self.writing.save(self.stage)
                    self._request()
            except SqlRefused as error:
                self._asking.clear()
                del self.fired[done[0] :], self._recovered[done[1] :]
                cut = False
                row.bundle["wake"] = row.before.get("wake") or {}
                self._refused(row, str(error))
            if cut:
                rows = rows[: rows.index(row) + 1]
                break
        self._finish()
        return len(rows)

    def _begin(self, *, singly: bool) -> None:
        self.writing = Writing(self.plans, self.transaction, self.now, timed=self._timed, singly=singly)
        self.stage = self.writing.stage(AUTHOR)

    def _finish(self) -> None:
        """Keep account of what was refused, then run the calls, after the firings and in their order."""
        accounts = settle(self.writing, self._failed, self._recovered)
        requests = [*self._requests, *accounts]
        self.writing.finish(requests)
        if requests or self.writing.outcome.armed:
            # What a firing's call left beside it is part of what the firing did, and so is what set it due.
            changed = self.writing.outcome.by_num()
            for bundle in self.fired:
                bundle.update(changed[bundle["entity"]["num"]])

    def _load(self, rows: list[Row]) -> None:
        rules = self.plans.rules
        self.stage.find(rules.targets)
        values, presence = rules.closure(("wake", "fired"))
        needed = (values - {"fired", "wake"}) | ({"fired"} if rules.reads_fired else set())
        self.stage.load(rows, sorted(needed), sorted(presence - {"fired", "wake"}))
        calling = [row for row in rows if "call" in row.has]
        if calling:
            self.stage.load(calling, ("call", "created"))
            self.stage.find(
                occurrence_eid(row.eid, wake["at"]) for row in calling if is_standing(wake := row.bundle["wake"])
            )

    # --- one firing -----------------------------------------------------------------------------

    def _fire(self, row: Row) -> bool:
        """Fire one wake or keep its refusal; whether the batch must end here, for what comes next has changed."""
        if not self.plans.rules.plain:
            self.stage.remember()
        asked, undelayed = len(self.stage.asked), len(self.stage.undelayed)
        last = self.stage.next_num() if "call" in row.has else 0
        try:
            called = self.judge(row)
        except Refused as refusal:
            if not self.plans.rules.plain:
                self.stage.go_back()
            del self.stage.asked[asked:]
            del self.stage.undelayed[undelayed:]
            if last and last in self.stage.rows:
                self.stage.forget(self.stage.rows[last])
            self.stage.rows.pop(row.num)
            self._refused(row, "; ".join(str(problem) for problem in refusal.problems))
            return False
        self.fired.append(row.report())
        root = Root()
        if called is not None:
            self._asking.append((called, root))
            self._calling.add(called.num)
        self._asking += [(other, root) for other in self._besides]
        self._asking += [(found, root) for found in self.stage.asked[asked:]]
        if self._delays[row.num] is not None:
            # Its account goes, and that account may carry a wake of this very batch.
            self._recovered.append(row)
            return True
        # A rule that set the row due again puts it before all that is due later.
        at = row.bundle["wake"]["at"] if row.names_at and "wake" in row.bundle else None
        return at is not None and parse_instant(at) <= self.now

    def _refused(self, row: Row, error: str) -> None:
        self._failed.append(Failure(row, error, self._delays[row.num]))
        self.refused.append({"eid": row.eid, "error": error})

    def judge(self, row: Row) -> Row | None:
        """The whole of one firing, in memory: `fired`, the wake moved on, its call, the rules, the stamps.

        The answer is the row whose call is to run: the occurrence that a standing request owed, or the fired row.
        """
        times = self.counts[row.num] = self.counts.get(row.num, 0) + 1
        if times > FIRINGS_AT_ONE_INSTANT:
            raise refuse(
                "limit-firings",
                f"{row.eid} fired {FIRINGS_AT_ONE_INSTANT} times at {self.now_text}",
                "a rule sets its `wake.at` to an instant that is already past",
            )
        wake = row.bundle["wake"]
        owed = wake["at"]
        before = row.bundle.get("fired")
        self.stage.name = ("fired", owed, row.eid)
        # A firing always counts, even one at an equal instant: `fired` is written without a look at what it was.
        row.overwrite("fired", {"at": self.now_text, "due": owed})
        row.before["wake"] = wake.copy()
        wake["at"] = self._next(row, wake)
        row.changes += _OWN_WRITE if "fired" in row.has else _FIRST_WRITE
        called: Row | None = None
        own = [row]
        if "call" in row.has and "call" in row.bundle:
            called = row
            if is_standing(wake):
                called = write_occurrence(self.stage, row, owed)
                own += [called] if called is not None else []
        if self.plans.rules.plain:
            for written in own:
                self.plans.rules.run(written, self.stage)
        else:
            self._react(row, own, before)
        for written in own:
            if not written.deleted:
                normalise(written, self.now, self.plans.conditions)
                written.finish({"at": self.now_text, "by": AUTHOR})
        return called

    def _react(self, row: Row, own: list[Row], fired_before: Values | None) -> None:
        """Let the rules of a vocabulary that has more than plain state rules act on the firing."""
        touched = react(self.stage, own, Firing(row, fired_before))
        held = clear_written(self.stage, touched)
        touched += [*held, *settle_rules(self.stage, held)]
        for other in touched:
            if not other.deleted:
                normalise(other, self.now, self.plans.conditions)
        # Only now is it sure that the firing stands, and with it what it did to other rows.
        self._others.update((other.num, other) for other in touched)
        self._besides = touched

    def _finish_others(self) -> None:
        """Settle the rows that firings touched besides their own."""
        for other in self._others.values():
            other.finish({"at": self.now_text, "by": AUTHOR})
        self._others.clear()

    # --- calls ----------------------------------------------------------------------------------

    def _request(self) -> None:
        """Turn what the firings of the saved stage asked for into requests, and what else their rules made due."""
        asking, self._asking = self._asking, []
        made_due = {row.num: row for row in due.written(self.stage)}
        for found, root in asking:
            if isinstance(found, Asked):
                self._requests.append(Request.of_rule(found, root))
            elif made_due.pop(found.num, None) or (found.num in self._calling and due.still_asks(found)):
                self._requests.append(Request.of_row(found, root))
                self._calling.discard(found.num)
        self._requests += [Request.of_row(row, Root()) for row in made_due.values()]
        self._calling.clear()

    def _next(self, row: Row, wake: dict[str, Any]) -> str | None:
        cadence: str | None = wake["every"]
        if wake["while"] is not None:
            row.cadence = self.readings.cadence(self.plans, self.transaction, row.eid, wake)
            cadence = row.cadence or cadence
        if cadence is None:
            return None
        try:
            schedule = every(cadence)
        except ScheduleError as error:
            found = error.problems[0]
            raise refuse(found.code, f"wake.every of {row.eid}: {found.message}", found.hint) from None
        row.follows_zone = follows_zone(schedule)
        return next_at(schedule, self.now, wake["at"] if schedule.is_duration else None)

    # --- what is due ----------------------------------------------------------------------------

    def _due(self, size: int) -> list[Row]:
        """The due wakes, oldest `at` first, then num; a refused one is due by its `retry_at`."""
        table = self.plans.tables["wake"]
        columns = "".join(f", {readable(prop, 't')}" for prop in table.properties)
        select = f"SELECT t.num, e.eid, e.has, t.x_delay, t.p_at{columns} FROM c_wake t JOIN entity e ON e.num = t.num "
        window = "t.p_at IS NOT NULL AND t.p_at <= ? ORDER BY t.p_at, t.num LIMIT ?"
        now = stored_instant(self.now)
        found = self.transaction.fetch(f"{select} WHERE t.x_retry_at IS NULL AND {window}", (now, size))
        retries = self.transaction.fetch(
            f"{select} WHERE t.x_retry_at IS NOT NULL AND t.x_retry_at <= ? AND {window}", (now, now, size)
        )
        if retries:
            found = sorted([*found, *retries], key=lambda line: (line[4], line[0]))[:size]
        rows = []
        for line in found:
            num, eid, has, delay = line[:4]
            row = self.stage.adopt(Row(num, eid, has))
            row.bundle["wake"] = table.decode(line[5:])
            self._delays[num] = delay
            rows.append(row)
        return rows


def _touched(row: Row) -> bool:
    """Whether an earlier firing of the batch changed or deleted a row that has not fired in it yet."""
    return row.deleted or bool(row.before)


def next_due(transaction: Transaction) -> datetime | None:
    """The earliest instant at which any wake is due: two look-ups in two indexes, however many wakes wait."""
    first = transaction.value("SELECT min(p_at) FROM c_wake WHERE p_at IS NOT NULL AND x_retry_at IS NULL")
    retry = transaction.value("SELECT min(x_retry_at) FROM c_wake WHERE x_retry_at IS NOT NULL")
    found = min((value for value in (first, retry) if value is not None), default=None)
    return None if found is None else parse_instant(stored_to_canonical(found))


def due_wakes(transaction: Transaction, now: datetime) -> list[tuple[str, str]]:
    """Every due wake as (eid, at), in the order in which a tick would fire them."""
    rows = transaction.fetch(
        "SELECT e.eid, t.p_at FROM c_wake t JOIN entity e ON e.num = t.num WHERE t.p_at IS NOT NULL AND t.p_at <= ? "
        "AND (t.x_retry_at IS NULL OR t.x_retry_at <= ?) ORDER BY t.p_at, t.num",
        (stored_instant(now), stored_instant(now)),
    )
    return [(eid, stored_to_canonical(at)) for eid, at in rows]
