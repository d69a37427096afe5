"""A compiled query: a predicate for rows in memory, SQL for a store, and what both depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any

from wakeful_grammar.nodes import QueryTree
from wakeful_grammar.problems import QueryError, WakefulError, problem_at

from .bounds import Bounds
from .emit.python import Matches, emit_python
from .emit.sqlite import Sql, SqlPlan, emit_sqlite
from .plan import QueryPlan
from .predicates import Read, reads, time_bounds
from .resolve import resolve_query
from .select import UnknownCursor, select_rows
from .vocab.model import Component


class UnsupportedEngine(WakefulError):
    """SQL was asked for an engine that has no emitter."""


class Query:
    """A query, read against a vocabulary.

    `matches(bundle, now=None) -> bool` judges one bundle without a database; it is the generated function
    itself.  A query that depends on time needs `now`, an aware datetime (:class:`~.bounds.NowNeeded` else).
    """

    __slots__ = ("_sql", "bounds", "matches", "plan", "text", "tree")

    matches: Matches

    def __init__(self, tree: QueryTree, components: Mapping[str, Component], zone: tzinfo) -> None:
        plan, problems = resolve_query(tree, components)
        if problems:
            raise QueryError(problems)
        self.text = tree.text
        self.tree = tree
        self.plan: QueryPlan = plan
        self.bounds = Bounds(time_bounds(plan.where), zone)
        self.matches = emit_python(plan.where, self.bounds)
        self._sql: SqlPlan | None = None

    @property
    def reads(self) -> frozenset[Read]:
        """The (component, property) pairs that the filter depends on; property None for presence alone."""
        return reads(self.plan.where)

    @property
    def sql_plan(self) -> SqlPlan:
        """The statement for a store, with what its columns mean; emitted once."""
        if self._sql is None:
            self._sql = emit_sqlite(self.plan)
        return self._sql

    def sql(self, engine: str = "sqlite") -> Sql:
        """The query as SQL, for reading and for tests.  Raises :class:`UnsupportedEngine`."""
        if engine != "sqlite":
            raise UnsupportedEngine(f"there is no SQL for {engine!r} in this version: write q.sql('sqlite')")
        return self.sql_plan.select

    def select(self, bundles: Iterable[Mapping[str, Any]], now: datetime | None = None) -> Any:
        """The bundles that match, projected, ordered and windowed; or the aggregate that a directive asks for.

        Raises QueryError with `unknown-cursor` when `.after` names no bundle of the answer.
        """
        matches = self.matches
        if self.plan.count:
            return {"count": sum(1 for bundle in bundles if matches(bundle, now))}
        hits = [bundle for bundle in bundles if matches(bundle, now)]
        try:
            return select_rows(self.plan, hits)
        except UnknownCursor:
            raise self.unknown_cursor() from None

    def unknown_cursor(self) -> QueryError:
        """The error for an `.after` that names no row of the answer."""
        after = self.plan.after
        assert after is not None
        named = after.num if after.num is not None else after.eid
        return QueryError(
            [
                problem_at(
                    self.text,
                    after.span,
                    "unknown-cursor",
                    f"`.after={named}` names no row that this query answers with",
                    "it may be deleted or no longer match: start again without `.after`",
                )
            ]
        )

    def __str__(self) -> str:
        from wakeful_grammar.printer import print_query

        return print_query(self.tree)

    def __repr__(self) -> str:
        return f"Query({self.text!r})"
