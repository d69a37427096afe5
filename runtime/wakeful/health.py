"""Whether whoever is to fire a store's wakes does: what is overdue, and what was fired by a clock that ran ahead."""

from __future__ import annotations

from datetime import datetime, timedelta

from wakeful_compiler.instants import parse_instant, stored_instant, stored_to_canonical

from . import firing
from .engines.transaction import Transaction
from .refusals import refuse
from .reports import Health

BOUND = timedelta(minutes=2)
"""How late a firing may be: a sleeping clock looks at the time once a minute."""


def health(transaction: Transaction, now: datetime, bound: timedelta) -> Health:
    """How the store stands at `now`, with firings up to `bound` late.  Raises Refused for what is no such bound.

    Look-ups in indexes, but for one pass over the narrow table of `fired`: an index there would cost every firing.
    """
    if not isinstance(bound, timedelta) or bound < timedelta(0):
        raise refuse("type-bound", f"`bound` is a timedelta, zero or more, not {bound!r}")
    first = transaction.value("SELECT min(p_at) FROM c_wake WHERE p_at IS NOT NULL AND x_retry_at IS NULL")
    earliest = None if first is None else parse_instant(stored_to_canonical(first))
    overdue = earliest if earliest is not None and earliest < now else None
    late = timedelta(0) if overdue is None else now - overdue
    ahead = _count(transaction, "c_fired WHERE p_at > ?", stored_instant(now))
    return Health(
        ok=late <= bound and not ahead,
        overdue=overdue,
        late=late,
        fired_in_future=ahead,
        refused=_count(transaction, "c_wake WHERE x_retry_at IS NOT NULL"),
        failed=_count(transaction, "c_execution WHERE p_state = 'failed' AND p_state <> 'done'"),
        running=_count(transaction, "c_execution WHERE p_state = 'running' AND p_state <> 'done'"),
        waiting=_count(
            transaction,
            "work w WHERE NOT EXISTS (SELECT 1 FROM c_execution x WHERE x.num = w.num AND x.p_state = 'running')",
        ),
        next_due=firing.next_due(transaction),
    )


def _count(transaction: Transaction, rows: str, *params: str) -> int:
    return int(transaction.value(f"SELECT count(*) FROM {rows}", params))
