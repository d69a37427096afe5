"""A compiled query, run against the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from wakeful_compiler.emit.sqlite import emit_sqlite
from wakeful_compiler.plan import Aggregate, Carried
from wakeful_compiler.query import Query
from wakeful_compiler.shown import tally_key

from ..reports import Bundle, Rows
from .records import AMONG, Tables, decoder
from .transaction import Transaction


def run_query(transaction: Transaction, tables: Tables, query: Query, now: datetime, max_rows: int) -> Any:
    """The rows of a query, or its aggregate.  Raises QueryError with `unknown-cursor`."""
    plan = query.plan
    capped = plan.limit is None and plan.aggregate is None
    sql = emit_sqlite(plan, row_cap=max_rows + 1) if capped else query.sql_plan
    if sql.cursor is not None and not transaction.fetch(sql.cursor.text, sql.cursor.bind(query.bounds, now)):
        raise query.unknown_cursor()
    found = transaction.fetch(sql.select.text, sql.select.bind(query.bounds, now))
    if plan.aggregate is not None:
        return _aggregate(plan.aggregate, found)
    rows = Rows()
    if capped and len(found) > max_rows:
        del found[max_rows:]
        rows.cut = True
    decoders = [(part.component.name, _decoder(tables, part), len(part.properties)) for part in sql.carried]
    for line in found:
        bundle: Bundle = {"entity": {"eid": line[1], "num": line[0]}}
        place = 2
        for name, decode, width in decoders:
            end = place + 1 + width
            if line[place] is not None:
                bundle[name] = decode(line[place + 1 : end])
            place = end
        rows.append(bundle)
    if plan.carry_all:
        _carry_all(transaction, tables, rows)
    for part in sql.later:
        _carry_later(transaction, tables, rows, part)
    return rows


def query_plan(transaction: Transaction, query: Query, now: datetime) -> list[str]:
    """How SQLite goes about a query, in its own words, one line a step, nested steps indented."""
    sql = query.sql_plan
    depths: dict[int, int] = {0: -1}
    lines: list[str] = []
    for step, parent, _, detail in transaction.fetch(
        f"EXPLAIN QUERY PLAN {sql.select.text}", sql.select.bind(query.bounds, now)
    ):
        depths[step] = depths.get(parent, -1) + 1
        lines.append("  " * depths[step] + str(detail))
    return lines


def _decoder(tables: Tables, part: Carried) -> Callable[[Sequence[Any]], dict[str, Any]]:
    table = tables[part.component.name]
    return table.decode if table.properties == part.properties else decoder(part.properties)


def _aggregate(asked: Aggregate, found: list[tuple[Any, ...]]) -> dict[str, Any]:
    if asked.property is None:
        return {"count": found[0][0]}
    # Every value is there: aggregates leave missing ones out.
    decode = decoder((asked.property,))
    values = [decode(line)[asked.property.name] for line in found]
    if asked.kind == "distinct":
        return {"distinct": values}
    return {"tally": {tally_key(value): line[1] for value, line in zip(values, found, strict=True)}}


def _carry_later(transaction: Transaction, tables: Tables, rows: Rows, part: Carried) -> None:
    """Bring one component that the statement had no room for."""
    by_num = {row["entity"]["num"]: row for row in rows}
    for num, values in tables[part.component.name].load(transaction, list(by_num)).items():
        by_num[num][part.component.name] = {prop.name: values[prop.name] for prop in part.properties}


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
