"""Running the calls of one transaction (the design's 20-runtime, "Calls and commands").

Each call is a stage of its own, judged in memory like any other.  The stages of many calls are written together:
a call that reads the tables, or a row that an earlier one touched, has what came before it written first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from wakeful_compiler.commands import BadArguments, CompiledCommand
from wakeful_compiler.emit.names import column, table
from wakeful_compiler.instants import stored_instant
from wakeful_grammar.problems import LanguageError

from ..apply import Application
from ..bundles import MAX_BUNDLE_SIZE, UNNAMED, Patch
from ..engines.query import run_query
from ..engines.records import AMONG
from ..engines.transaction import SqlRefused, Transaction
from ..errors import Refused
from ..ids import derived_eid, tool_eid
from ..plans import Plans
from ..refusals import refuse
from ..reports import Rows
from ..retries import AUTHOR
from ..rows import Row
from ..stage import Asked, Nums, Stage
from ..workers.claims import Work, enqueue, in_line
from . import due, ledger
from .requests import Request, Root, Waiting, renew

MAX_DEPTH, MAX_CALLS, MAX_ROWS = 8, 1_000, 10_000

Saved = Callable[[Stage], None]
"""Told of every stage once it is in the tables."""


class CallRun:
    """The calls of one transaction."""

    def __init__(
        self, plans: Plans, transaction: Transaction, now: datetime, nums: Nums, saved: Saved, *, timed: bool,
        singly: bool = False,
    ) -> None:  # fmt: skip
        """`timed` tells whether `result.ms` is measured: under a manual clock it is 0, so that lives can be compared.
        `singly` runs each call under a savepoint, so that one that SQL refuses fails alone."""
        self.plans, self.transaction, self.now, self.nums = plans, transaction, now, nums
        self.timed, self.singly = timed, singly
        self.ran: list[str] = []
        """The eids of the calls that were run or handed to workers, in order."""
        self.handed_over = False
        """Whether a worker's call waits for the commit."""
        self.notes: list[str] = []
        self._saved = saved
        self._waiting = Waiting()
        self._judged = self._stage()
        self._ledger = self._stage()
        self._work: list[Work] = []
        self._recording = False

    def run(self, requests: Iterable[Request]) -> None:
        """Run these calls, and those that they ask for in turn, in order; everything is written when it returns."""
        self._take(list(requests))
        while self._waiting:
            request = self._waiting.take()
            if request.row is not None and request.row.num in self._ledger.rows:
                request.stale = True
            if renew(request, self._stage()):
                request.root.calls += 1
                if self.singly:
                    self._run_under_savepoint(request)
                else:
                    self._run(request)
            if not self._waiting:
                self._write()  # which may find that what was recorded asks for more

    # --- taking requests ------------------------------------------------------------------------

    def _take(self, requests: list[Request]) -> None:
        """Queue the requests that have not been run before, looking all of them up at once."""
        old = [found.row for found in requests if found.row is not None and not found.fresh and not found.again]
        if old:
            self._stage().load(old, ("call", "created"))
        asked = [request.eid for request in requests if request.asked is not None]
        known = self._run_before(old) | self._there(asked)
        for request in requests:
            if request.eid in known:
                self.notes.append(f"{request.eid}: this occurrence already ran")
            else:
                self._waiting.add(request)

    def _run_before(self, rows: list[Row]) -> set[str]:
        """The eids of those of these calls that have a result."""
        if not rows:
            return set()
        name = column("result", "call")
        sql = f"SELECT e.eid FROM {table('result')} t JOIN entity e ON e.num = t.{name} WHERE t.{name} {AMONG}"
        return {line[0] for line in self.transaction.fetch(sql, (json.dumps([row.num for row in rows]),))}

    def _there(self, eids: list[str]) -> set[str]:
        """Those of these eids that an entity has, or had."""
        if not eids:
            return set()
        sql = f"SELECT eid FROM entity WHERE eid {AMONG}"
        return {line[0] for line in self.transaction.fetch(sql, (json.dumps(eids),))}

    # --- one call -------------------------------------------------------------------------------

    def _run_under_savepoint(self, request: Request) -> None:
        self._write()
        waiting = len(self._waiting)
        try:
            with self.transaction.savepoint():
                self._run(request)
                self._write()
        except SqlRefused as error:
            self._waiting.cut(waiting)
            self._judged, self._ledger, self._work = self._stage(), self._stage(), []
            self._record(request, "failed", str(error), None, 0)
            self._write()

    def _run(self, request: Request) -> None:
        command = self.plans.command(request.asked.command if request.asked is not None else _to(request))
        if command is None:
            return  # a name that no vocabulary here knows: left as it is, another runner may own it
        began = time.perf_counter()
        self.ran.append(request.eid)
        try:
            value = self._perform(request, command)
        except (Refused, LanguageError, BadArguments) as refusal:
            error = "; ".join(str(problem) for problem in refusal.problems)
            self._record(request, "failed", error, None, self._since(began))
            return
        if command.command.does == "worker":
            self._hand_over(request, command)
        else:
            self._record(request, "done", None, value, self._since(began))

    def _since(self, began: float) -> float:
        return round((time.perf_counter() - began) * 1000, 3) if self.timed else 0

    def _perform(self, request: Request, command: CompiledCommand) -> dict[str, Any] | None:
        """Do what a command does inside the store; the value of its result.  Raises what refuses it."""
        _check_limits(request)
        args = _args(request)
        does = command.command.does
        patches: list[Patch] = []
        if request.asked is not None:
            patches.append(_call_patch(request.asked))
        if does == "apply":
            patches += self.plans.reader.read_filled(command.fill(args, self.now), self.now)
        aliases = self._apply(request, patches) if patches else {}
        if does == "apply":
            return {"aliases": aliases}
        if does == "query":
            return self._query(command, args)
        command.take(args)  # what a worker would be sent is refused before it waits for one
        return None

    def _apply(self, request: Request, patches: list[Patch]) -> dict[str, str]:
        """Judge the patches of a call as a stage of its own; the eids behind the aliases of its template."""
        eid, author = request.eid, _author(request)
        stage = Stage(self.plans, self.transaction, self.now, author, self.nums, ("call", eid))
        if request.asked is not None:
            stage.absent.add(eid)
        application = Application(
            stage,
            patches,
            lambda patch: derived_eid("alias", eid, patch.alias or patch.pointer),
            derived=not request.fresh,
        )
        application.run()
        judged = self._judged
        judged.rows.update((num, row) for num, row in stage.rows.items() if row.outcome or row.deleted or row.names_at)
        judged.nums.update(stage.nums)
        judged.undelayed += stage.undelayed
        self._waiting.touched(stage.rows.values())
        self.transaction.unwritten = self._write
        self.notes += application.notes
        self._settle_row(request, stage)
        followers = [row for row in due.written(stage) if row.eid != eid]
        requests = [Request.of_row(row, request.root, request.depth + 1) for row in followers]
        requests += [Request.of_rule(asked, request.root, request.depth + 1) for asked in stage.asked]
        self._take(requests)
        return {name: found for name, found in application.aliases.items() if not name.startswith(UNNAMED)}

    def _settle_row(self, request: Request, stage: Stage) -> None:
        """Where the stage touched the call's own row, go on with what it became."""
        num = stage.nums.get(request.eid)
        row = stage.rows.get(num) if num is not None else None
        if row is not None and (row.outcome or row.deleted):
            request.row = None if row.deleted else row.settled()
            request.asked = None

    def _query(self, command: CompiledCommand, args: dict[str, Any]) -> dict[str, Any]:
        found = run_query(self.transaction, self.plans.tables, command.query(args, self.now), self.now, MAX_ROWS)
        value: dict[str, Any] = found
        if isinstance(found, Rows):
            value = {"rows": list(found), "cut": True} if found.cut else {"rows": list(found)}
        size = len(json.dumps(value))
        if size > MAX_BUNDLE_SIZE:
            raise refuse(
                "limit-result-size",
                f"a result holds at most {MAX_BUNDLE_SIZE} bytes; the rows of this query come to {size}",
                "let the command's query ask for less: `.limit=100`, `.fields=…` or `.count`",
            )
        return value

    def _hand_over(self, request: Request, command: CompiledCommand) -> None:
        row = request.row
        if row is not None and "call" in row.bundle:
            name, source = command.command.name, row.bundle["call"]["source"] or row.eid
            if command.command.overlap == "skip" and self._stands_before(name, source, row.num):
                self._record(request, "skipped", "the call before it has not finished", None, 0)
                return
            self._work.append(Work(row.num, name, source, stored_instant(self.now)))
            self.handed_over = True
            self.transaction.unwritten = self._write

    def _stands_before(self, command: str, source: str, num: int) -> bool:
        """Whether another call of this command and source than `num` is running, or waits to."""
        mine = any(work.command == command and work.source == source for work in self._work)
        return mine or in_line(self.transaction, command, source, num)

    # --- what is kept ---------------------------------------------------------------------------

    def _record(self, request: Request, state: str, error: str | None, value: Any, ms: float) -> None:
        """Put down what became of a call, beside its row; the calls that rules make of that are taken in turn."""
        self._recording = True
        try:
            book, row = self._ledger, request.row
            if request.asked is not None:
                row = _row_of(book, request.asked)
            if row is None:
                return  # the call deleted its own row: there is nothing left to record it beside
            if request.fresh:
                book.absent.add(ledger.result_eid(request.eid))
            book.name = ("result", request.eid)
            asked = len(book.asked)
            ledger.record(book, row, state, error, value, ms)
        finally:
            self._recording = False
        self.transaction.unwritten = self._write
        self._take([Request.of_rule(found, request.root, request.depth + 1) for found in book.asked[asked:]])

    def _stage(self) -> Stage:
        return Stage(self.plans, self.transaction, self.now, AUTHOR, self.nums, ("result",))

    def _write(self) -> None:
        """Write what has been judged and recorded so far."""
        self.transaction.unwritten = None
        if self._judged.rows:
            judged, self._judged = self._judged, self._stage()
            judged.save()
            self._saved(judged)
        if self._recording:
            return
        if self._ledger.rows:
            book, self._ledger = self._ledger, self._stage()
            book.finish()
            book.save()
            self._saved(book)
            self._waiting.touched(book.rows.values())
            self._take([Request.of_row(row, Root(), 2) for row in due.written(book)])
        if self._work:
            work, self._work = self._work, []
            enqueue(self.transaction, work)


def _to(request: Request) -> str | None:
    assert request.row is not None
    to: str | None = request.row.bundle["call"]["to"]
    return to


def _args(request: Request) -> dict[str, Any]:
    if request.asked is not None:
        return request.asked.args
    assert request.row is not None
    return request.row.bundle["call"]["args"] or {}


def _author(request: Request) -> str | None:
    """Who asked for the call: its writes are theirs."""
    if request.asked is not None:
        return request.asked.by
    assert request.row is not None
    created = request.row.bundle.get("created")
    author: str | None = created["by"] if created is not None else None
    return author


def _check_limits(request: Request) -> None:
    if request.depth > MAX_DEPTH:
        raise refuse(
            "limit-call-depth",
            f"calls start one another {MAX_DEPTH} deep at most, and this one is number {request.depth} in its chain",
            "let a command write what it wants done, instead of asking for a further command",
        )
    if request.root.calls > MAX_CALLS:
        raise refuse(
            "limit-calls",
            f"one apply or firing starts at most {MAX_CALLS} calls; this is number {request.root.calls}",
            "ask for them in several applies, or let one command do the work of many",
        )


def _call_patch(asked: Asked) -> Patch:
    """The row of a call that a rule asked for, as a patch of the call's own stage."""
    values = {"to": tool_eid(asked.command), "args": asked.args, "source": asked.source}
    return Patch("/call", eid=asked.eid, components={"call": values})


def _row_of(book: Stage, asked: Asked) -> Row:
    """The row of a call that a rule asked for and that failed: what its own stage wrote is gone with it."""
    book.absent.add(asked.eid)
    book.find((asked.source,))
    row = book.create(asked.eid, asked.by)
    values = {"to": tool_eid(asked.command), "args": asked.args, "source": asked.source}
    row.put("call", values, book.plans.blanks["call"])
    return row
