"""A query plan as SQL for SQLite: joins for what must be there, outer joins for what may be.

Each leaf is written so that NULL means false, and a negated leaf so that NULL means true; negation is pushed
down to the leaves, so three-valued logic never reaches a connective.  Every value is a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ..bounds import Bounds
from ..instants import stored_instant
from ..plan import QueryPlan
from ..predicates import (
    AllOf,
    Always,
    AnyOf,
    Bound,
    Comparison,
    Contains,
    HasComponent,
    HasValue,
    Leaf,
    Member,
    Not,
    Predicate,
    PropertyComparison,
    TimeBound,
    implied_components,
    leaf_reads,
    leaves,
)
from ..vocab.model import Component, Property
from .names import column, folded, readable, table

Parameter = str | int | float | TimeBound


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement and its parameters; a parameter that moves with time is a TimeBound until :meth:`bind`."""

    text: str
    params: tuple[Parameter, ...]

    def bind(self, bounds: Bounds, now: datetime | None) -> tuple[str | int | float, ...]:
        """The parameters as SQLite takes them, every time bound worked out for `now`."""
        if not bounds.needed:
            return tuple(value for value in self.params if not isinstance(value, TimeBound))
        instants = dict(zip(bounds.needed, bounds(now), strict=True))
        return tuple(
            stored_instant(instants[value]) if isinstance(value, TimeBound) else value for value in self.params
        )


@dataclass(frozen=True, slots=True)
class Carried:
    """One component of the answer: its properties are the next columns after its presence column."""

    component: Component
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class SqlPlan:
    """A query for the store: the statement, what its columns mean, and how to check the cursor of `.after`."""

    select: Sql
    carried: tuple[Carried, ...]
    cursor: Sql | None = None


def emit_sqlite(plan: QueryPlan, *, row_cap: int | None = None) -> SqlPlan:
    """The SQL of a plan.  Rows come as `num, eid`, then for each carried component its presence and columns.

    `row_cap` limits the answer of a plan that has no limit of its own.
    """
    return _Emitter(plan).emit(row_cap)


class _Emitter:
    def __init__(self, plan: QueryPlan) -> None:
        self.plan = plan
        self.params: list[Parameter] = []
        self.required = implied_components(plan.where) - {"entity"}
        self.aliases: dict[str, str] = {"entity": "e"}

    def emit(self, row_cap: int | None) -> SqlPlan:
        plan = self.plan
        carried = [] if plan.count else self._carried()
        for component in self._touched():
            self._alias(component)
        cursor = self._cursor() if plan.after is not None else None
        self.params = []
        if plan.count:
            where = self._where()
            return SqlPlan(Sql(f"SELECT count(*)\nFROM {self._from()}{where}", tuple(self.params)), ())
        columns = ["e.num", "e.eid"]
        for part in carried:
            alias = self._alias(part.component.name)
            columns.append(f"{alias}.num")
            columns += [self._readable(prop) for prop in part.properties]
        order = self._order()
        if plan.after is not None and plan.order is not None:
            text = self._ranked(columns, order)
        else:
            where = self._where(after=plan.after is not None)
            text = f"SELECT {', '.join(columns)}\nFROM {self._from()}{where}\nORDER BY {', '.join(order)}"
        limit = plan.limit if plan.limit is not None else row_cap
        if limit is not None:
            text += "\nLIMIT ?"
            self.params.append(limit)
        return SqlPlan(Sql(text, tuple(self.params)), tuple(carried), cursor)

    # --- tables ---------------------------------------------------------------------------------

    def _touched(self) -> Iterable[str]:
        # Required components first: SQLite is free to reorder inner joins among themselves.
        yield from sorted(self.required)
        for leaf in leaves(self.plan.where):
            for component, _ in leaf_reads(leaf):
                yield component
        if self.plan.order is not None:
            yield self.plan.order.component

    def _carried(self) -> list[Carried]:
        return [
            Carried(component, tuple(component.properties.values()))
            for component in self.plan.carried
            if component.name != "entity"
        ]

    def _alias(self, component: str) -> str:
        return self.aliases.setdefault(component, f"t{len(self.aliases)}")

    def _from(self) -> str:
        required = [name for name in self.aliases if name in self.required]
        optional = [name for name in self.aliases if name not in self.required and name != "entity"]
        if required:
            first = self.aliases[required[0]]
            parts = [f"{table(required[0])} {first}"]
            parts += [
                f"JOIN {table(name)} {self.aliases[name]} ON {self.aliases[name]}.num = {first}.num"
                for name in required[1:]
            ]
            parts.append(f"JOIN entity e ON e.num = {first}.num")
        else:
            parts = ["entity e"]
        parts += [
            f"LEFT JOIN {table(name)} {self.aliases[name]} ON {self.aliases[name]}.num = e.num" for name in optional
        ]
        return "\n  ".join(parts)

    def _where(self, *, after: bool = False) -> str:
        # A deleted entity keeps its row and loses its components: only a query that needs none must look.
        terms = [] if self.required else ["e.dead = 0"]
        text = self._condition(self.plan.where, True)
        if text != "TRUE":
            terms.insert(0, text)
        if after:
            terms.append(self._after_num())
        return f"\nWHERE {' AND '.join(terms)}" if terms else ""

    # --- order and windows ----------------------------------------------------------------------

    def _order(self) -> list[str]:
        # NULL sorts before every value in SQLite: "missing first", and last when the order is turned round.
        if self.plan.order is None:
            return ["e.num"]
        return [self._readable(self.plan.order) + (" DESC" if self.plan.descending else ""), "e.num"]

    def _readable(self, prop: Property) -> str:
        return readable(prop, self._alias(prop.component))

    def _cursor_parameter(self) -> bool:
        """Add the cursor's parameter; whether it is a num (and not an eid)."""
        after = self.plan.after
        assert after is not None
        if after.num is not None:
            self.params.append(after.num)
            return True
        self.params.append(after.eid or "")
        return False

    def _cursor(self) -> Sql:
        self.params = []
        where = self._condition(self.plan.where, True)
        test = "e.num = ?" if self._cursor_parameter() else "e.eid = ?"
        return Sql(f"SELECT 1\nFROM {self._from()}\nWHERE {where} AND e.dead = 0 AND {test}", tuple(self.params))

    def _after_num(self) -> str:
        return "e.num > ?" if self._cursor_parameter() else "e.num > (SELECT r.num FROM entity r WHERE r.eid = ?)"

    def _ranked(self, columns: list[str], order: list[str]) -> str:
        names = [f"x{index}" for index in range(len(columns))]
        listed = ", ".join(f"{text} AS {name}" for text, name in zip(columns, names, strict=True))
        where = self._where()
        inner = f"SELECT {listed}, row_number() OVER (ORDER BY {', '.join(order)}) AS place\nFROM {self._from()}{where}"
        test = "x0 = ?" if self._cursor_parameter() else "x1 = ?"
        return (
            f"WITH hits AS (\n{inner}\n)\nSELECT {', '.join(names)}\nFROM hits\n"
            f"WHERE place > (SELECT place FROM hits WHERE {test})\nORDER BY place"
        )

    # --- conditions -----------------------------------------------------------------------------

    def _condition(self, node: Predicate, positive: bool) -> str:
        match node:
            case AllOf(terms) | AnyOf(terms):
                word = " AND " if isinstance(node, AllOf) == positive else " OR "
                return "(" + word.join(self._condition(term, positive) for term in terms) + ")"
            case Not(term):
                return self._condition(term, not positive)
            case _:
                return self._leaf(node, positive)

    def _leaf(self, leaf: Leaf, positive: bool) -> str:
        match leaf:
            case Always(answer):
                return "TRUE" if answer == positive else "FALSE"
            case HasComponent("entity"):
                return "TRUE" if positive else "FALSE"
            case HasComponent(component):
                return f"{self._alias(component)}.num IS {'NOT ' if positive else ''}NULL"
            case HasValue(prop):
                return f"{self._column(prop)} IS {'NOT ' if positive else ''}NULL"
            case Comparison(prop, operator, bound):
                test = f"{self._column(prop)} {operator} {self._parameter(prop, bound)}"
            case Member(prop, values):
                marks = ", ".join(self._parameter(prop, value) for value in values)
                test = f"{self._column(prop)} IN ({marks})"
            case Contains(prop, needle):
                self.params.append(needle)
                shadow = f"{self._alias(prop.component)}.{folded(prop.name)}"
                test = f"instr(coalesce({shadow}, {self._column(prop)}), ?) > 0"
            case PropertyComparison(left, operator, right):
                test = f"{self._readable(left)} {operator} {self._readable(right)}"
        return test if positive else f"({test}) IS NOT TRUE"

    def _column(self, prop: Property) -> str:
        return f"{self._alias(prop.component)}.{column(prop.component, prop.name)}"

    def _parameter(self, prop: Property, bound: Bound) -> str:
        match prop.kind:
            case "reference":
                assert isinstance(bound, str)
                self.params.append(bound)
                return "(SELECT r.num FROM entity r WHERE r.eid = ?)"
            case "boolean":
                self.params.append(1 if bound else 0)
            case "number" if isinstance(bound, int):
                self.params.append(float(bound))
            case _:
                self.params.append(bound)
        return "?"
