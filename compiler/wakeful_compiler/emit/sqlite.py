"""A query plan as SQL for SQLite."""

from __future__ import annotations

from ..instants import stored_instant
from ..plan import QueryPlan
from ..predicates import Predicate
from ..vocab.model import Property
from .dialect import Dialect
from .sql import Sql, SqlPlan, emit_exists, emit_least, emit_sql

SQLITE = Dialect(
    name="sqlite",
    numbered=False,
    collate="",  # its own order of texts is by code point
    alive="{}.dead = 0",
    find="instr",
    ascending="",  # its own order puts NULL first, and last when it is turned round
    descending=" DESC",
    booleans=False,
    instant=stored_instant,
    exact=lambda integer, operator, double: f"{integer} {operator} {double}",  # it compares the two exactly
    most_tables=48,  # it joins 64
    most_columns=1_500,  # it answers with 2,000
)


def emit_sqlite(plan: QueryPlan, *, row_cap: int | None = None) -> SqlPlan:
    """The SQL of a plan for SQLite (:func:`~.sql.emit_sql`)."""
    return emit_sql(plan, SQLITE, row_cap=row_cap)


def sqlite_exists(where: Predicate) -> Sql:
    """Whether any row matches, for SQLite (:func:`~.sql.emit_exists`)."""
    return emit_exists(where, SQLITE)


def sqlite_least(where: Predicate, prop: Property) -> Sql:
    """The least value of a property, for SQLite (:func:`~.sql.emit_least`)."""
    return emit_least(where, prop, SQLITE)
