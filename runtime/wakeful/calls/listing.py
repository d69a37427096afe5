"""The calls of a store as one reads them: when, what, how they stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wakeful_compiler.instants import stored_to_canonical

from ..engines.records import AMONG
from ..engines.transaction import Transaction
from ..ids import eid_problem, tool_eid
from ..plans import Plans
from ..refusals import refuse
from ..reports import CallReport

STATES = ("waiting", "running", "done", "failed", "skipped")
"""How a call can stand; `waiting` is one that has not been run yet."""

# A standing request is never run itself: what it asks for are its calls.
_CALLS = """
SELECT e.eid, c.p_to, s.eid, c.p_due, x.p_state, x.p_error,
  coalesce(x.p_at, w.p_at, b.p_at), (SELECT r.p_ms FROM c_result r WHERE r.p_call = c.num LIMIT 1)
FROM c_call c JOIN entity e ON e.num = c.num
LEFT JOIN c_execution x ON x.num = c.num
LEFT JOIN c_wake w ON w.num = c.num
LEFT JOIN c_created b ON b.num = c.num
LEFT JOIN entity s ON s.num = c.p_source
WHERE (x.num IS NOT NULL OR w.num IS NULL OR (w.p_every IS NULL AND w.p_while IS NULL))"""

_MOST = 2**31

_STATE = {
    "waiting": " AND x.p_state IS NULL",
    "done": " AND x.p_state = 'done'",
}


def list_calls(
    plans: Plans, transaction: Transaction, state: str | None, of: str | None, eids: Sequence[str] | None, limit: int
) -> list[CallReport]:
    """The newest `limit` calls: all, or those in a state, of a source, or with these eids.  Raises Refused."""
    sql, params = _CALLS, list[Any]()
    for eid in (*(() if of is None else (of,)), *(eids or ())):
        if (wrong := eid_problem(eid)) is not None:
            raise refuse("type-eid", wrong)
    if state is not None:
        if state not in STATES:
            raise refuse("type-state", f"a call is {', '.join(STATES)}, not {state!r}")
        # The index is of those that are not done, and SQLite has to be told that these are not.
        sql += _STATE.get(state, f" AND x.p_state = '{state}' AND x.p_state <> 'done'")
    if of is not None:
        source = transaction.value("SELECT num FROM entity WHERE eid = ?", (of,))
        if source is None:
            raise refuse("unknown-entity", f"there is no entity {of}", "name the schedule or the row that asked")
        sql += " AND c.p_source = ?"
        params.append(source)
    if eids is not None:
        sql += f" AND e.eid {AMONG}"
        params.append(json.dumps(list(eids)))
    sql += " ORDER BY 7 DESC, c.num DESC LIMIT ?"
    names = {tool_eid(name): name for name in plans.vocab.commands}
    return [
        CallReport(
            eid=eid,
            command=names.get(to, to),
            state=found or "waiting",
            at=_instant(at),
            ms=None if ms is None else int(ms) if float(ms).is_integer() else ms,
            error=error,
            source=source_eid,
            due=_instant(due),
        )
        for eid, to, source_eid, due, found, error, at, ms in transaction.fetch(sql, (*params, min(limit, _MOST)))
    ]


def _instant(stored: str | None) -> str | None:
    return None if stored is None else stored_to_canonical(stored)
