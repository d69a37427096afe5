"""A query over bundles in memory: filter, order, window and projection (the design's section 2, "Rows carry")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .emit.readers import READERS
from .plan import QueryPlan
from .vocab.model import Component, Property

Bundle = Mapping[str, Any]


class UnknownCursor(Exception):
    """The entity that `.after` names is not among the rows of the query."""


def select_rows(plan: QueryPlan, hits: Iterable[Bundle]) -> list[dict[str, Any]]:
    """The answer of a plan over the bundles that match it, in the query's own order."""
    ordered = sorted(hits, key=_num)
    if plan.order is not None:
        # Python's sort is stable in both directions: ties stay in num order.
        ordered.sort(key=_order_key(plan.order), reverse=plan.descending)
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
    carried: Iterable[Component] = plan.carried
    for component in carried:
        value = row.get(component.name)
        if component.name != "entity" and isinstance(value, Mapping):
            answer[component.name] = {name: value.get(name) for name in component.properties}
    if plan.carry_all:
        for name, value in row.items():
            answer.setdefault(name, value)
    return answer


def _entity(row: Bundle) -> Mapping[str, Any]:
    entity = row.get("entity")
    return entity if isinstance(entity, Mapping) else {}


def _num(row: Bundle) -> int:
    # Bundles without a num keep the order in which they were given, behind those that have one.
    num = _entity(row).get("num")
    return num if type(num) is int else 2**63


def _order_key(prop: Property) -> Callable[[Bundle], tuple[bool, Any]]:
    read = READERS[prop.kind]

    def key(row: Bundle) -> tuple[bool, Any]:
        component = row.get(prop.component)
        value = read(component.get(prop.name)) if isinstance(component, Mapping) else None
        return value is not None, value if value is not None else 0

    return key
