"""Deleting calls that ended long ago, with their results, where their command says how long to keep them.

The table `ended` has a row for each call of such a command that has ended: looking for the oldest of a command is one
look-up, however many calls of others are kept for good (spec/runtime.md, "Growth").
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from wakeful_compiler.emit.names import column
from wakeful_compiler.instants import canonical_to_stored, stored_instant

from ..apply import Application
from ..bundles import Patch
from ..engines.records import AMONG
from ..engines.transaction import Transaction
from ..errors import Refused
from ..ids import tool_eid
from ..plans import Plans
from ..retries import AUTHOR
from ..rows import Row
from ..writing import Writing
from .due import is_standing
from .ledger import ENDED
from .requests import Request

BATCH = 500
"""The most calls that one transaction deletes, so that writers are never kept waiting."""

BATCH_SECONDS = 0.05
"""The longest that one transaction goes on deleting under a real clock."""

_TOGETHER = 50
"""Calls that are judged in one stage: following references costs more, the more rows one holds."""

OWN = frozenset({"call", "execution", "created", "updated", "wake", "fired"})
"""What a call that is nothing but a call carries; a row with more than that is the app's."""


class Pruned(NamedTuple):
    """What one batch did: how many calls it deleted, and whether nothing that is old is left."""

    deleted: int
    exhausted: bool


def is_due(plans: Plans, transaction: Transaction, now: datetime) -> bool:
    """Whether any call is older than its command wants it kept: a look-up in an index for each such command."""
    return any(
        transaction.value("SELECT 1 FROM ended WHERE command = ? AND at < ? LIMIT 1", (command, cut)) is not None
        for command, cut in _cuts(plans, now).items()
    )


def prune(writing: Writing, size: int, seconds: float | None) -> Pruned:
    """Look at up to `size` calls that are old enough, the oldest first, and delete those that are nothing else.

    It goes on for about `seconds` where that is given.  The others are looked at again when they have been there as
    long once more.
    """
    transaction, now = writing.transaction, writing.now
    found: list[tuple[str, int, str]] = []
    cuts = _cuts(writing.plans, now)
    for command, cut in cuts.items():
        found += transaction.fetch(
            "SELECT at, num, command FROM ended WHERE command = ? AND at < ? ORDER BY at, num LIMIT ?",
            (command, cut, size),
        )
    found = sorted(found)[:size]
    if not found:
        return Pruned(0, True)
    exhausted = len(found) < size
    look = writing.stage(AUTHOR)
    by_num = {num: cuts[command] for _, num, command in found}
    rows = look.find_nums(by_num)
    look.load(rows, ("execution", "wake"))
    doomed = [row for row in rows if _is_doomed(row, by_num[row.num])]
    requests: list[Request] = []
    deleted: set[int] = set()
    deadline = None if seconds is None else time.perf_counter() + seconds
    for start in range(0, len(doomed), _TOGETHER):
        if start and deadline is not None and time.perf_counter() > deadline:
            for row in doomed[start:]:
                del by_num[row.num]
            exhausted = False
            break
        deleted |= _delete(writing, doomed[start : start + _TOGETHER], requests)
    left = [row.num for row in rows if row.num in by_num and row.num not in deleted and "execution" in row.has]
    held = json.dumps(left)
    transaction.execute(f"DELETE FROM ended WHERE num {AMONG} AND num NOT {AMONG}", (json.dumps(list(by_num)), held))
    transaction.execute(f"UPDATE ended SET at = ? WHERE num {AMONG}", (stored_instant(now), held))
    writing.finish(requests)
    return Pruned(len(deleted), exhausted)


def _cuts(plans: Plans, now: datetime) -> dict[str, str]:
    """The instant before which the calls of a command are old, by command, as the tables have it."""
    cuts = {}
    for command, days in plans.keeps.items():
        try:
            cuts[command] = stored_instant(now - timedelta(days=days))
        except OverflowError:  # before the year 1
            continue
    return cuts


def _is_doomed(row: Row, cut: str) -> bool:
    execution, wake = row.bundle.get("execution"), row.bundle.get("wake")
    if execution is None or "call" not in row.has or not OWN.issuperset(row.has):
        return False
    if wake is not None and (wake["at"] is not None or is_standing(wake)):
        return False
    at = execution["at"]
    return execution["state"] in ENDED and at is not None and canonical_to_stored(at) < cut


def _delete(writing: Writing, rows: list[Row], requests: list[Request]) -> set[int]:
    """Delete these rows as an apply would; where a rule refuses that, each by itself, and those it refuses stay.

    The answer is the nums of those that are gone; `requests` gets the calls that rules ask for.
    """
    stage = writing.stage(AUTHOR)
    patches = [Patch(f"/{row.eid}", eid=row.eid, delete=True) for row in rows]
    try:
        Application(stage, patches, lambda patch: str(patch.eid)).run()
    except Refused:
        if len(rows) == 1:
            return set()
        return set().union(*(_delete(writing, [row], requests) for row in rows))
    writing.save(stage)
    requests += writing.requests_of(stage)
    return {row.num for row in rows}


# --- the table ----------------------------------------------------------------------------------


def follow_keeps(plans: Plans, transaction: Transaction, before: Iterable[str]) -> None:
    """Bring the table in line with a new vocabulary; `before` are the commands that had a `keep` until now."""
    before, now = set(before), set(plans.keeps)
    for command in sorted(before - now):
        transaction.execute("DELETE FROM ended WHERE command = ?", (command,))
    to, state, at = column("call", "to"), column("execution", "state"), column("execution", "at")
    for command in sorted(now - before):
        transaction.execute(
            f"INSERT OR REPLACE INTO ended (num, command, at) SELECT c.num, ?, x.{at} FROM c_call c "
            f"JOIN c_execution x ON x.num = c.num WHERE c.{to} IN (?, ?) AND x.{at} IS NOT NULL "
            f"AND x.{state} {AMONG}",
            (command, tool_eid(command), command, json.dumps(sorted(ENDED))),
        )
