"""Who may run which call of a worker, and when: the table `work` (spec/runtime.md, "Workers").

A call stands in `work` from the transaction that makes it due to the one that gives it its result.  Of the calls of
one command and source only the first has an instant (`at`); the others wait in line behind it, with none.  The first
is free (no `token`), or claimed: then `at` is when the claim expires, which its holder puts off while it lives.

An expired claim is a crash: whoever ran the call went away without a word.  Attempts and crashes are counted in the
transaction that claims, before anything runs, so that no crash can lose the count.  A call that kills its process
takes down whatever runs beside it; so one that has crashed before runs alone, and the blame finds who deserves it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from wakeful_compiler.instants import format_instant, parse_instant, stored_instant, stored_to_canonical
from wakeful_compiler.vocab.model import Command

from ..calls import ledger
from ..engines.records import AMONG
from ..engines.transaction import Transaction
from ..retries import after
from ..rows import Row
from ..stage import Stage

CLAIM_SECONDS = 30
"""How long a claim stands unless it is renewed."""

MOST_CRASHES = 3
"""A call whose claims have expired this often is not tried again."""

POISON = f"poison: whoever ran it went away without an answer, {MOST_CRASHES} times"


class Work(NamedTuple):
    """A call of a worker that has become due: its row's num, its command, its line, and when (a stored instant)."""

    num: int
    command: str
    source: str
    at: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that this store is to run now.

    `source` is the eid of the schedule or row that asked for the call, None for a call that nobody else asked for;
    `at` is when the call was written.  `attempt` counts the claims of the call, this one included; `order` is the
    call's place among those that were due; `alone` tells that nothing else may run beside it.
    """

    num: int
    eid: str
    command: Command
    args: dict[str, Any]
    source: str | None
    at: datetime
    attempt: int
    order: tuple[str, int]
    alone: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of running a claim: the value of its result, or why it failed."""

    claim: Claim
    value: dict[str, Any] | None = None
    error: str | None = None
    ms: float = 0


# --- the line -----------------------------------------------------------------------------------


def enqueue(transaction: Transaction, work: Sequence[Work]) -> None:
    """Put calls in line; one that stands there already is moved if it was addressed anew, unless it is running."""
    known = {
        num: (command, source, token)
        for num, command, source, token in transaction.fetch(
            f"SELECT num, command, source, token FROM work WHERE num {AMONG}",
            (json.dumps([call.num for call in work]),),
        )
    }
    fresh = []
    for call in work:
        command, source, token = known.get(call.num, ("", "", None))
        if call.num in known and (token is not None or (command, source) == (call.command, call.source)):
            continue
        fresh.append(call)
    if fresh:
        remove(transaction, [call.num for call in fresh if call.num in known], fresh[0].at)
    transaction.executemany(
        "INSERT INTO work (num, command, source, at) SELECT ?1, ?2, ?3, CASE WHEN EXISTS "
        "(SELECT 1 FROM work WHERE command = ?2 AND source = ?3) THEN NULL ELSE ?4 END",
        fresh,
    )


def in_line(transaction: Transaction, command: str, source: str, but: int) -> bool:
    """Whether a call of this command and source is running or waits to, another one than that of the num `but`."""
    sql = "SELECT 1 FROM work WHERE command = ? AND source = ? AND num <> ? LIMIT 1"
    found = transaction.value(sql, (command, source, but))
    return found is not None


def remove(transaction: Transaction, nums: Sequence[int], at: str) -> None:
    """Take calls out of the line for good; the next of each line may be taken from `at` on, a stored instant."""
    if not nums:
        return
    listed = json.dumps(list(nums))
    gone = transaction.fetch(f"SELECT DISTINCT command, source FROM work WHERE num {AMONG}", (listed,))
    transaction.execute(f"DELETE FROM work WHERE num {AMONG}", (listed,))
    transaction.executemany(
        "UPDATE work SET at = ?3 WHERE at IS NULL AND num = "
        "(SELECT min(num) FROM work WHERE command = ?1 AND source = ?2) "
        "AND NOT EXISTS (SELECT 1 FROM work WHERE command = ?1 AND source = ?2 AND at IS NOT NULL)",
        [(command, source, at) for command, source in gone],
    )


def next_at(
    transaction: Transaction, commands: Iterable[str], busy: Collection[int] = (), later_than: datetime | None = None
) -> datetime | None:
    """The earliest instant at which a call of one of these commands can be claimed, past ones included.

    Those in `busy` are left out, and what can be claimed at `later_than` already.
    """
    found = None
    for command in commands:
        at = transaction.value(
            f"SELECT at FROM work WHERE command = ? AND at > ? AND num NOT {AMONG} ORDER BY at LIMIT 1",
            (command, "" if later_than is None else stored_instant(later_than), json.dumps(list(busy))),
        )
        if at is not None and (found is None or at < found):
            found = at
    return None if found is None else parse_instant(stored_to_canonical(found))


# --- claims -------------------------------------------------------------------------------------


def claim(
    stage: Stage, token: str, commands: Iterable[str], limit: int, busy: Collection[int] = (), *, idle: bool = True
) -> tuple[list[Claim], bool]:
    """Take up to `limit` calls of these commands, the longest due first, and note on their rows that they run.

    `busy` are the calls that this store has in hand already, whatever became of its claims; `idle` tells that none of
    them is running, so that a call that must run alone may.  The second answer tells whether there is no reason to
    ask again before one of those in hand has ended, or time has passed.  Calls that were deleted, were stopped or
    have been run leave the line; those that crashed too often, or whose arguments no longer fit, fail here.
    """
    from wakeful_compiler.commands import BadArguments

    transaction, now = stage.transaction, stored_instant(stage.now)
    found: list[tuple[str, int, str, str | None, int, int]] = []
    for command in commands:
        found += transaction.fetch(
            "SELECT at, num, command, token, attempts, crashes FROM work "
            f"WHERE command = ? AND at <= ? AND num NOT {AMONG} ORDER BY at, num LIMIT ?",
            (command, now, json.dumps(list(busy)), limit),
        )
    found.sort()
    exhausted = len(found) < limit
    found = found[:limit]
    rows = _live(stage, [line[1] for line in found])
    claims: list[Claim] = []
    gone: list[int] = []
    until = stored_instant(after(stage.now, CLAIM_SECONDS))
    taken: list[tuple[str, str, int, int, int]] = []
    for due, num, command, held, attempts, crashes in found:
        row = rows.get(num)
        if row is None or row.deleted or not _addresses(stage, row, command):
            gone.append(num)
            continue
        crashes += held is not None
        if crashes >= MOST_CRASHES:
            _record(stage, row, attempts, "failed", POISON)
            gone.append(num)
            continue
        if crashes and (claims or not idle):
            break
        try:
            made = _claim(stage, row, command, attempts + 1, crashes > 0, due)
        except BadArguments as refused:
            _record(stage, row, attempts, "failed", "; ".join(map(str, refused.problems)))
            gone.append(num)
            continue
        _record(stage, row, attempts + 1, "running", None)
        if row.deleted:  # a rule took the call away when it heard of it
            gone.append(num)
            continue
        taken.append((token, until, attempts + 1, crashes, num))
        claims.append(made)
        if made.alone:
            break
    transaction.executemany("UPDATE work SET token = ?, at = ?, attempts = ?, crashes = ? WHERE num = ?", taken)
    remove(transaction, gone, now)
    return claims, exhausted and not gone


def _live(stage: Stage, nums: Sequence[int]) -> dict[int, Row]:
    """The rows of those of these calls that still ask to be run, by num."""
    rows = [row for row in stage.find_nums(nums) if "call" in row.has and not row.deleted]
    stage.load(rows, ("call", "created"))
    results = {row.num: ledger.result_eid(row.eid) for row in rows}
    stage.find(results.values())
    stage.absent.update(eid for eid in results.values() if eid not in stage.nums and eid not in stage.dead)
    live = [row for row in rows if not _has_result(stage, results[row.num])]
    stage.prepare(live, ("execution", "result"))
    return {row.num: row for row in live}


def _has_result(stage: Stage, eid: str) -> bool:
    return eid in stage.nums and "result" in stage.rows[stage.nums[eid]].has


def _record(
    stage: Stage,
    row: Row,
    attempt: int,
    state: str,
    error: str | None,
    value: dict[str, Any] | None = None,
    ms: float = 0,
) -> None:
    # What ids of calls that rules ask for here derive from.
    stage.name = ("running", row.eid, str(attempt)) if state == "running" else ("result", row.eid)
    ledger.record(stage, row, state, error, value, ms)


def _addresses(stage: Stage, row: Row, command: str) -> bool:
    """Whether the call is still one of this command, and the command one of a worker."""
    found = stage.plans.command(row.bundle["call"]["to"])
    return found is not None and found.command.name == command and found.command.does == "worker"


def _claim(stage: Stage, row: Row, command: str, attempt: int, alone: bool, due: str) -> Claim:
    compiled, call = stage.plans.commands[command], row.bundle["call"]
    at = parse_instant(row.bundle["created"]["at"])
    # Counted from when the call was written, so that each attempt is told the same.
    args = compiled.take(call["args"], at)
    return Claim(row.num, row.eid, compiled.command, args, call["source"], at, attempt, (due, row.num), alone)


def renew(transaction: Transaction, token: str, nums: Collection[int], now: datetime) -> None:
    """Put off the expiry of claims that this store still holds."""
    transaction.execute(
        f"UPDATE work SET at = ? WHERE token = ? AND num {AMONG}",
        (stored_instant(after(now, CLAIM_SECONDS)), token, json.dumps(list(nums))),
    )


def release(transaction: Transaction, token: str, nums: Collection[int], now: datetime) -> None:
    """Give claims back as if they had never been taken: another store, or this one, may take them at once."""
    transaction.execute(
        f"UPDATE work SET token = NULL, at = ?, attempts = attempts - 1 WHERE token = ? AND num {AMONG}",
        (stored_instant(now), token, json.dumps(list(nums))),
    )


def finish(stage: Stage, token: str, answers: Sequence[Answer]) -> bool:
    """Put down what came of claims; whether one of the calls is to be tried again later.

    An answer to a claim that no longer stands is dropped.

    A failure is the end of a call unless its command says to try again, and it has not been tried that often.
    """
    transaction = stage.transaction
    listed = json.dumps([answer.claim.num for answer in answers])
    standing = {
        num: (attempts, crashes)
        for num, attempts, crashes in transaction.fetch(
            f"SELECT num, attempts, crashes FROM work WHERE token = ? AND num {AMONG}", (token, listed)
        )
    }
    heard = [answer for answer in answers if standing.get(answer.claim.num, (0, 0))[0] == answer.claim.attempt]
    rows = _live(stage, [answer.claim.num for answer in heard])
    over: list[int] = []
    again: list[tuple[str, int]] = []
    for answer in heard:
        num, row = answer.claim.num, rows.get(answer.claim.num)
        retry = answer.claim.command.retry
        attempts, crashes = standing[num]
        tries = attempts - crashes
        if row is None or row.deleted:
            over.append(num)
        elif answer.error is None:
            _record(stage, row, attempts, "done", None, answer.value, answer.ms)
            over.append(num)
        elif retry is None or tries >= retry.attempts:
            _record(stage, row, attempts, "failed", answer.error, None, answer.ms)
            over.append(num)
        else:
            following = after(stage.now, min(retry.cap, retry.base * 2.0 ** (tries - 1)))
            told = f"attempt {tries} of {retry.attempts}: {answer.error}; again at {format_instant(following)}"
            _record(stage, row, attempts, "running", told)
            again.append((stored_instant(following), num))
    transaction.executemany("UPDATE work SET token = NULL, at = ? WHERE num = ?", again)
    remove(transaction, over, stored_instant(stage.now))
    return bool(again)
