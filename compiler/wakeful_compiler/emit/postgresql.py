"""A query plan as SQL for PostgreSQL.

Parameters are `$1`, `$2`, as the server itself has them.  Texts are `text`, numbers `double precision`, integers
`bigint`, instants `timestamptz`, references the `bigint` num of their target.
"""

from __future__ import annotations

from ..instants import as_instant
from ..plan import QueryPlan
from .dialect import Dialect
from .sql import SqlPlan, emit_sql


def _exact(integer: str, operator: str, double: str) -> str:
    """A bigint against a double, exactly: the server itself would round the bigint to a double first.

    Rounding keeps the order, so only where the rounded one equals the double does the bigint itself decide; and
    2^63, to which the greatest are rounded, lies above every bigint.
    """
    rounded = f"CAST({integer} AS double precision)"
    return (
        f"CASE WHEN {rounded} <> {double} THEN {rounded} {operator} {double}"
        f" WHEN {double} = 9223372036854775808 THEN {'TRUE' if operator in ('<', '<=') else 'FALSE'}"
        f" ELSE {integer} {operator} CAST({double} AS bigint) END"
    )


POSTGRESQL = Dialect(
    name="postgresql",
    numbered=True,
    collate=' COLLATE "C"',
    alive="NOT {}.dead",
    find="strpos",
    ascending=" NULLS FIRST",
    descending=" DESC NULLS LAST",
    booleans=True,
    instant=as_instant,
    exact=_exact,
    most_tables=48,  # it joins more, but plans them badly
    most_columns=1_500,  # it answers with 1,664
)


def emit_postgresql(plan: QueryPlan, *, row_cap: int | None = None) -> SqlPlan:
    """The SQL of a plan for PostgreSQL (:func:`~.sql.emit_sql`)."""
    return emit_sql(plan, POSTGRESQL, row_cap=row_cap)
