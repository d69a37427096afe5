"""A compiled query, run against the tables."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from wakeful_compiler.emit.sqlite import SqlPlan, emit_sqlite
from wakeful_compiler.query import Query

from ..reports import Bundle, Rows
from .records import AMONG, Tables
from .transaction import Transaction


def run_query(transaction: Transaction, tables: Tables, query: Query, now: datetime, max_rows: int) -> Any:
    """The rows of a query, or its aggregate.  Raises QueryError with `unknown-cursor`."""
    capped = query.plan.limit is None and not query.plan.count
    sql: SqlPlan = emit_sqlite(query.plan, row_cap=max_rows + 1) if capped else query.sql_plan
    if sql.cursor is not None and not transaction.fetch(sql.cursor.text, sql.cursor.bind(query.bounds, now)):
        raise query.unknown_cursor()
    found = transaction.fetch(sql.select.text, sql.select.bind(query.bounds, now))
    if query.plan.count:
        return {"count": found[0][0]}
    rows = Rows()
    if capped and len(found) > max_rows:
        del found[max_rows:]
        rows.cut = True
    decoders = [(part.component.name, tables[part.component.name]) for part in sql.carried]
    for line in found:
        bundle: Bundle = {"entity": {"eid": line[1], "num": line[0]}}
        place = 2
        for name, table in decoders:
            end = place + 1 + len(table.names)
            if line[place] is not None:
                bundle[name] = table.decode(line[place + 1 : end])
            place = end
        rows.append(bundle)
    if query.plan.carry_all:
        _carry_all(transaction, tables, rows)
    return rows


def _carry_all(transaction: Transaction, tables: Tables, rows: Rows) -> None:
    """Bring every component that the rows carry, one statement a component."""
    by_num = {row["entity"]["num"]: row for row in rows}
    listed = transaction.fetch(
        f"SELECT num, has FROM entity WHERE num {AMONG}",
        (json.dumps(list(by_num)),),
    )
    carrying: dict[str, list[int]] = {}
    for num, has in listed:
        for component in has.split(" ") if has else ():
            if component not in by_num[num]:
                carrying.setdefault(component, []).append(num)
    for component in sorted(carrying):
        for num, values in tables[component].load(transaction, carrying[component]).items():
            by_num[num][component] = values
