"""A query plan as SQL: joins for what must be there, outer joins for what may be.

Each leaf is written so that NULL means false, and a negated leaf so that NULL means true; negation is pushed
down to the leaves, so three-valued logic never reaches a connective.  Every value is a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from wakeful_grammar.node import field, node

from ..bounds import Bounds
from ..plan import Carried, QueryPlan
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
    implied_places,
    leaf_places,
    leaves,
    property_places,
)
from ..vocab.model import Property
from .dialect import Dialect
from .names import folded
from .tables import Tables

Parameter = str | int | float | TimeBound
Bindable = str | int | float | datetime

_LONGEST_CHAIN = 100


@node
class Sql:
    """A statement and its parameters; a parameter that moves with time is a TimeBound until :meth:`bind`."""

    text: str
    params: tuple[Parameter, ...]
    dialect: Dialect

    def bind(self, bounds: Bounds, now: datetime | None) -> tuple[Bindable, ...]:
        """The parameters as the engine takes them, every time bound worked out for `now`."""
        if not bounds.needed:
            return tuple(value for value in self.params if not isinstance(value, TimeBound))
        instants = dict(zip(bounds.needed, bounds(now), strict=True))
        return tuple(
            self.dialect.instant(instants[value]) if isinstance(value, TimeBound) else value for value in self.params
        )


@node
class SqlPlan:
    """A query for a store: the statement, what its columns mean, and how to check the cursor of `.after`.

    Rows come as `num, eid`, then for each of `carried` its presence and its properties; the components of `later`
    did not fit and are read row by row.  An aggregate comes as one count, as values, or as values with counts.
    """

    select: Sql
    carried: tuple[Carried, ...] = ()
    later: tuple[Carried, ...] = ()
    cursor: Sql | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """What each table's alias stands for: a component, behind the references that lead to it."""


def emit_sql(plan: QueryPlan, dialect: Dialect, *, row_cap: int | None = None) -> SqlPlan:
    """The SQL of a plan.  `row_cap` limits the rows of a plan that has no limit of its own."""
    return _Emitter(plan, dialect).emit(row_cap)


def emit_exists(where: Predicate, dialect: Dialect) -> Sql:
    """The SQL that answers with one row where any row of the store matches, and with none else."""
    return _Emitter(QueryPlan(where), dialect).exists()


def emit_least(where: Predicate, prop: Property, dialect: Dialect) -> Sql:
    """The SQL of the least value of a property among the rows that match; NULL where none has one."""
    return _Emitter(QueryPlan(where), dialect).least(prop)


class _Emitter:
    def __init__(self, plan: QueryPlan, dialect: Dialect) -> None:
        self.plan, self.dialect = plan, dialect
        self.params: list[Parameter] = []
        self.tables = Tables(dialect, implied_places(plan.where))

    def emit(self, row_cap: int | None) -> SqlPlan:
        plan = self.plan
        asked = plan.aggregate.property if plan.aggregate is not None else plan.order
        self._read_filter()
        self.tables.read_from([] if asked is None else property_places(asked))
        if plan.aggregate is not None:
            return SqlPlan(self._aggregate(asked, plan.aggregate.kind), aliases=self.tables.aliases())
        self.tables.show_entity()
        carried, later = self._carried()
        cursor = self._cursor() if plan.after is not None else None
        return SqlPlan(self._rows(carried, row_cap), carried, later, cursor, self.tables.aliases())

    def exists(self) -> Sql:
        self._read_filter()
        return self._sql(f"SELECT 1\nFROM {self.tables.source()}{self._where()}\nLIMIT 1")

    def least(self, prop: Property) -> Sql:
        self._read_filter()
        self.tables.read_from(property_places(prop))
        return self._sql(f"SELECT min({self.tables.value(prop)})\nFROM {self.tables.source()}{self._where()}")

    def _read_filter(self) -> None:
        self.tables.read_from([place for leaf in leaves(self.plan.where) for place in leaf_places(leaf)])

    def _carried(self) -> tuple[tuple[Carried, ...], tuple[Carried, ...]]:
        """What the answer's columns bring, and what does not fit into one statement."""
        carried: list[Carried] = []
        later: list[Carried] = []
        columns = 2
        for part in self.plan.carried:
            if part.component.name == "entity":
                continue
            columns += 1 + len(part.properties)
            fits = columns <= self.dialect.most_columns and self.tables.add(((), part.component.name))
            (carried if fits else later).append(part)
        return tuple(carried), tuple(later)

    def _sql(self, text: str) -> Sql:
        sql = Sql(text, tuple(self.params), self.dialect)
        self.params = []
        return sql

    def _mark(self, value: Parameter) -> str:
        self.params.append(value)
        return f"${len(self.params)}" if self.dialect.numbered else "?"

    # --- rows and aggregates --------------------------------------------------------------------

    def _rows(self, carried: Iterable[Carried], row_cap: int | None) -> Sql:
        plan = self.plan
        columns = ["e.num", "e.eid"]
        for part in carried:
            columns.append(self.tables.num(((), part.component.name)))
            columns += [self._readable(prop) for prop in part.properties]
        if plan.after is not None and plan.order is not None:
            text = self._ranked(columns)
        else:
            where = self._where(after=plan.after is not None)
            text = f"SELECT {', '.join(columns)}\nFROM {self.tables.source()}{where}\nORDER BY {self._order()}"
        limit = plan.limit if plan.limit is not None else row_cap
        if limit is not None:
            text += f"\nLIMIT {self._mark(limit)}"
        return self._sql(text)

    def _aggregate(self, prop: Property | None, kind: str) -> Sql:
        if prop is None:
            return self._sql(f"SELECT count(*)\nFROM {self.tables.source()}{self._where()}")
        value = self._ordered(prop)
        there = f"{self.tables.value(prop)} IS NOT NULL"
        where = self._where(also=there)
        if kind == "distinct":
            return self._sql(f"SELECT DISTINCT {value}\nFROM {self.tables.source()}{where}\nORDER BY 1")
        return self._sql(f"SELECT {value}, count(*)\nFROM {self.tables.source()}{where}\nGROUP BY 1\nORDER BY 1")

    def _where(self, *, after: bool = False, also: str = "") -> str:
        terms = [self._condition(self.plan.where, True)]
        # A deleted entity keeps its row and loses its components: only a query that needs none must look.
        if not self.tables.joined_first:
            terms.append(self.dialect.alive.format("e"))
        if also:
            terms.append(also)
        if after:
            terms.append(self._after_num())
        terms = [term for term in terms if term != "TRUE"]
        return f"\nWHERE {' AND '.join(terms)}" if terms else ""

    # --- order and windows ----------------------------------------------------------------------

    def _order(self) -> str:
        plan, dialect = self.plan, self.dialect
        if plan.order is None:
            return f"{self.tables.first}.num"
        way = dialect.descending if plan.descending else dialect.ascending
        return f"{self._ordered(plan.order)}{way}, {self.tables.first}.num"

    def _readable(self, prop: Property) -> str:
        """A value as an answer shows it: for a reference, the target's eid."""
        value = self.tables.value(prop)
        return f"(SELECT r.eid FROM entity r WHERE r.num = {value})" if prop.kind == "reference" else value

    def _ordered(self, prop: Property) -> str:
        """A value as rows are ordered by it."""
        textual = prop.kind in ("string", "reference")
        return self._readable(prop) + (self.dialect.collate if textual else "")

    def _cursor_test(self, num: str, eid: str) -> str:
        after = self.plan.after
        assert after is not None
        if after.num is not None:
            return f"{num} = {self._mark(after.num)}"
        return f"{eid} = {self._mark(after.eid or '')}"

    def _cursor(self) -> Sql:
        where = self._where()
        test = self._cursor_test("e.num", "e.eid")
        return self._sql(
            f"SELECT 1\nFROM {self.tables.source()}{f'{where} AND' if where else f'{chr(10)}WHERE'} {test}"
        )

    def _after_num(self) -> str:
        after = self.plan.after
        assert after is not None
        if after.num is not None:
            return f"{self.tables.first}.num > {self._mark(after.num)}"
        return f"{self.tables.first}.num > (SELECT r.num FROM entity r WHERE r.eid = {self._mark(after.eid or '')})"

    def _ranked(self, columns: list[str]) -> str:
        names = [f"x{index}" for index in range(len(columns))]
        listed = ", ".join(f"{text} AS {name}" for text, name in zip(columns, names, strict=True))
        inner = (
            f"SELECT {listed}, row_number() OVER (ORDER BY {self._order()}) AS place\n"
            f"FROM {self.tables.source()}{self._where()}"
        )
        return (
            f"WITH hits AS (\n{inner}\n)\nSELECT {', '.join(names)}\nFROM hits\n"
            f"WHERE place > (SELECT place FROM hits WHERE {self._cursor_test('x0', 'x1')})\nORDER BY place"
        )

    # --- conditions -----------------------------------------------------------------------------

    def _condition(self, node: Predicate, positive: bool) -> str:
        match node:
            case AllOf(terms) | AnyOf(terms):
                parts = [self._condition(term, positive) for term in terms]
                if isinstance(node, AllOf) == positive:
                    return _chain(" AND ", [part for part in parts if part != "TRUE"])
                return _chain(" OR ", parts)
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
            case HasComponent(component) if self.tables.surely(((), component)):
                return "TRUE" if positive else "FALSE"
            case HasComponent(component):
                return f"{self.tables.num(((), component))} IS {'NOT ' if positive else ''}NULL"
            case HasValue(prop):
                return f"{self.tables.value(prop)} IS {'NOT ' if positive else ''}NULL"
            case Comparison(prop, operator, bound):
                collate = self.dialect.collate if prop.kind == "string" and operator != "=" else ""
                test = f"{self.tables.value(prop)}{collate} {operator} {self._parameter(prop, bound)}"
            case Member(prop, values):
                marks = ", ".join(self._parameter(prop, value) for value in values)
                test = f"{self.tables.value(prop)} IN ({marks})"
            case Contains(prop, needle):
                shadow = self.tables.read(prop, folded(prop.name))
                text = f"coalesce({shadow}, {self.tables.value(prop)})"
                test = f"{self.dialect.find}({text}, {self._mark(needle)}) > 0"
            case PropertyComparison(left, operator, right):
                test = self._two_properties(left, operator, right)
        return test if positive else f"({test}) IS NOT TRUE"

    def _two_properties(self, left: Property, operator: str, right: Property) -> str:
        kinds = (left.kind, right.kind)
        if kinds == ("reference", "reference"):
            return f"{self.tables.value(left)} {operator} {self.tables.value(right)}"
        first, second = self._readable(left), self._readable(right)
        if kinds == ("integer", "number"):
            return self.dialect.exact(first, operator, second)
        if kinds == ("number", "integer"):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
            return self.dialect.exact(second, turned, first)
        collate = self.dialect.collate if left.kind == "string" and operator != "=" else ""
        return f"{first}{collate} {operator} {second}"

    def _parameter(self, prop: Property, bound: Bound) -> str:
        match prop.kind:
            case "reference":
                assert isinstance(bound, str)
                return f"(SELECT r.num FROM entity r WHERE r.eid = {self._mark(bound)})"
            case "boolean":
                return self._mark(bool(bound) if self.dialect.booleans else int(bool(bound)))
            case "number" if isinstance(bound, int):
                return self._mark(float(bound))
            case _:
                return self._mark(bound)


def _chain(word: str, parts: list[str]) -> str:
    """Terms under one connective; a long row of them in groups, because engines limit how deep a tree may be."""
    if len(parts) < 2:
        return parts[0] if parts else "TRUE"
    while len(parts) > _LONGEST_CHAIN:
        parts = [
            f"({word.join(parts[first : first + _LONGEST_CHAIN])})" for first in range(0, len(parts), _LONGEST_CHAIN)
        ]
    return f"({word.join(parts)})"
