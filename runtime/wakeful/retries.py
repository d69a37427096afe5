"""Refused firings: when they are tried again, and the `refusal` row that keeps account of each.

A refused wake keeps its `at`.  A hidden `x_retry_at` is what it is due by (60 s, doubling to one hour); one
`refusal{about,error,at,times}` row a wake is updated in place and goes at the next success.  Any write to the
wake clears the delay (the design's 20-runtime, "Wakes").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wakeful_compiler.instants import stored_instant

from .engines.transaction import Transaction
from .ids import derived_eid
from .reactions import settle_quietly
from .rows import Row
from .stage import Stage

if TYPE_CHECKING:
    from .calls.requests import Request
    from .writing import Writing

AUTHOR = "wake"
"""The author that a firing's stamps name: the store acted by itself, in whichever process."""

FIRST_DELAY, LONGEST_DELAY = 60, 3600


@dataclass(frozen=True, slots=True)
class Failure:
    """A firing that was refused: its row, why, and the delay in seconds that the last refusal set (None: none)."""

    row: Row
    error: str
    delay: int | None


def settle(writing: Writing, failures: Sequence[Failure], recovered: Sequence[Row]) -> list[Request]:
    """Keep account of refused firings, and close the account of those that succeeded after all.

    The answer is the calls that rules ask for over these accounts.
    """
    if not failures and not recovered:
        return []
    ledger, transaction, now = writing.stage(AUTHOR, "refusal"), writing.transaction, writing.now
    ledger.find(writing.plans.rules.targets)
    for row in recovered:
        _forget(transaction, row)
        for account in _accounts(ledger, row):
            ledger.delete(account)
    for failure in failures:
        delay = min(failure.delay * 2, LONGEST_DELAY) if failure.delay else FIRST_DELAY
        transaction.execute(
            "UPDATE c_wake SET x_retry_at = ?, x_delay = ? WHERE num = ?",
            (stored_instant(after(now, delay)), delay, failure.row.num),
        )
        _record(ledger, failure)
    settle_quietly(ledger, [row for row in ledger.rows.values() if row.changes and not row.deleted])
    ledger.finish()
    writing.save(ledger)
    return writing.requests_of(ledger)


def clear_written(stage: Stage, rows: Iterable[Row]) -> list[Row]:
    """See to it that the delay of every wake that was written among these rows ends, and the account of one taken
    away goes.

    The answer is the rows that deleting accounts touched.
    """
    touched: list[Row] = []
    for row in rows:
        if row.deleted or "wake" not in row.before or "wake" not in row.has:
            continue
        if "wake" in row.bundle:
            # The account stays until the next success; the delay begins anew.
            stage.undelayed.append(row.num)
        else:
            for account in _accounts(stage, row):
                touched += stage.delete(account)
    return touched


def after(now: datetime, seconds: float) -> datetime:
    try:
        return now + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _forget(transaction: Transaction, row: Row) -> None:
    transaction.execute("UPDATE c_wake SET x_retry_at = NULL, x_delay = NULL WHERE num = ?", (row.num,))


def _accounts(stage: Stage, row: Row) -> list[Row]:
    table = stage.plans.tables["refusal"]
    return stage.find_nums(table.holders(stage.transaction, table.component.properties["about"], row.num))


def _record(ledger: Stage, failure: Failure) -> None:
    """Write or update the account; what rules say about it goes along unless that is refused in turn."""
    row = failure.row
    accounts = _accounts(ledger, row)
    if accounts:
        account = accounts[0]
    else:
        # The num to come makes the id one of its own each time, and the same one in a forecast.
        account = ledger.create(derived_eid("refusal", row.eid, str(ledger.next_num())))
    ledger.prepare([account], ("refusal",))
    ledger.nums[row.eid] = row.num
    times = (account.bundle.get("refusal") or {}).get("times") or 0
    ledger.name = ("refusal", account.eid, str(times + 1))
    values = {"about": row.eid, "error": failure.error, "at": ledger.now_text, "times": times + 1}
    account.put("refusal", values, ledger.plans.blanks["refusal"])
    settle_quietly(ledger, [account])
