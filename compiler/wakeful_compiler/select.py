"""A query over bundles in memory: order, window and projection, or the aggregate in place of rows.

The design's section 2, "Rows carry" and "Order".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .emit.readers import Lookup, reader
from .plan import Aggregate, QueryPlan
from .shown import shown_value, tally_key
from .vocab.model import Property

Bundle = Mapping[str, Any]


class UnknownCursor(Exception):
    """The entity that `.after` names is not among the rows of the query."""


def select_rows(plan: QueryPlan, hits: Iterable[Bundle], lookup: Lookup | None = None) -> list[dict[str, Any]]:
    """The answer of a plan over the bundles that match it, in the query's own order."""
    ordered = sorted(hits, key=_num)
    if plan.order is not None:
        # Python's sort is stable in both directions: ties stay in num order.
        ordered.sort(key=_order_key(plan.order, lookup), reverse=plan.descending)
    if plan.after is not None:
        field, wanted = ("num", plan.after.num) if plan.after.num is not None else ("eid", plan.after.eid)
        place = next((index for index, row in enumerate(ordered) if _entity(row).get(field) == wanted), None)
        if place is None:
            raise UnknownCursor
        ordered = ordered[place + 1 :]
    if plan.limit is not None:
        ordered = ordered[: plan.limit]
    return [project(plan, row) for row in ordered]


def project(plan: QueryPlan, row: Bundle) -> dict[str, Any]:
    """One row of the answer: `entity` and the carried components, unset properties null."""
    answer: dict[str, Any] = {"entity": dict(_entity(row))} if "entity" in row else {}
    for part in plan.carried:
        value = row.get(part.component.name)
        if part.component.name != "entity" and isinstance(value, Mapping):
            answer[part.component.name] = {prop.name: value.get(prop.name) for prop in part.properties}
    if plan.carry_all is not None:
        for name, value in row.items():
            component = plan.carry_all.get(name)
            if component is None:
                answer[name] = value  # nothing is known of it
            elif name != "entity" and isinstance(value, Mapping):
                answer[name] = {key: value.get(key) for key in component.properties}
    return answer


def aggregate(asked: Aggregate, hits: Iterable[Bundle], lookup: Lookup | None = None) -> dict[str, Any]:
    """The answer in place of rows: a count, the distinct values or the rows by value, ascending."""
    if asked.property is None:
        return {"count": sum(1 for _ in hits)}
    prop, read = asked.property, reader(asked.property, lookup)
    found = Counter(value for value in map(read, hits) if value is not None)
    if asked.kind == "distinct":
        return {"distinct": [shown_value(prop.kind, value) for value in sorted(found)]}
    return {"tally": {tally_key(shown_value(prop.kind, value)): found[value] for value in sorted(found)}}


def _entity(row: Bundle) -> Mapping[str, Any]:
    entity = row.get("entity")
    return entity if isinstance(entity, Mapping) else {}


def _num(row: Bundle) -> int:
    # Bundles without a num keep the order in which they were given, behind those that have one.
    num = _entity(row).get("num")
    return num if type(num) is int else 2**63


def _order_key(prop: Property, lookup: Lookup | None) -> Callable[[Bundle], tuple[bool, Any]]:
    read = reader(prop, lookup)

    def key(row: Bundle) -> tuple[bool, Any]:
        value = read(row)
        return value is not None, value if value is not None else 0

    return key
