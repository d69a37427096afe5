"""A compiled query: a predicate for rows in memory, SQL for a store, and what both depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any

from wakeful_grammar.nodes import QueryTree
from wakeful_grammar.problems import QueryError, WakefulError, problem_at

from .bounds import Bounds
from .emit.memory import emit_matches
from .emit.postgresql import emit_postgresql
from .emit.readers import Lookup, Matches
from .emit.sql import Sql, SqlPlan
from .emit.sqlite import emit_sqlite
from .movement import Movement, movement
from .plan import QueryPlan
from .predicates import Read, reads, time_bounds
from .resolve import resolve_query
from .select import UnknownCursor, aggregate, select_rows
from .vocab.model import Component


class UnsupportedEngine(WakefulError):
    """SQL was asked for an engine that has no emitter."""


class Query:
    """A query, read against a vocabulary."""

    def __init__(self, tree: QueryTree, components: Mapping[str, Component], zone: tzinfo) -> None:
        plan, problems = resolve_query(tree, components)
        if problems:
            raise QueryError(problems)
        self.text = tree.text
        self.tree = tree
        self.plan: QueryPlan = plan
        self.bounds = Bounds(time_bounds(plan.where), zone)

    @cached_property
    def matches(self) -> Matches:
        """`matches(bundle, now=None, lookup=None) -> bool` judges one bundle without a database.

        It is made when it is first asked for, and written out as Python once it has judged a number of rows
        (`emit/memory.py`).  A query that depends on time needs `now`, an aware datetime
        (:class:`~.bounds.NowNeeded` else); one that reads through references needs `lookup`, a function from an
        eid to that entity's bundle or None (:class:`~.emit.readers.LookupNeeded` else).
        """
        return emit_matches(self.plan.where, self.bounds)

    @property
    def reads(self) -> frozenset[Read]:
        """The (component, property) pairs that the filter depends on; property None for presence alone.

        A path through references depends on each of them and on the property in which it ends.
        """
        return reads(self.plan.where)

    @property
    def movement(self) -> Movement:
        """How the answer on an unchanged row moves as time passes: constant, falling, rising or free."""
        return movement(self.plan.where)

    @cached_property
    def sql_plan(self) -> SqlPlan:
        """The statement for a SQLite store, with what its columns mean; emitted once."""
        return emit_sqlite(self.plan)

    def sql(self, engine: str = "sqlite") -> Sql:
        """The query as SQL for `"sqlite"` or `"postgresql"`, for reading and for tests.

        Raises :class:`UnsupportedEngine` for any other engine.
        """
        match engine:
            case "sqlite":
                return self.sql_plan.select
            case "postgresql":
                return emit_postgresql(self.plan).select
        raise UnsupportedEngine(f"there is no SQL for {engine!r}: write q.sql('sqlite') or q.sql('postgresql')")

    def select(
        self, bundles: Iterable[Mapping[str, Any]], now: datetime | None = None, lookup: Lookup | None = None
    ) -> Any:
        """The bundles that match, projected, ordered and windowed; or the aggregate that a directive asks for.

        Raises QueryError with `unknown-cursor` when `.after` names no bundle of the answer; NowNeeded and
        LookupNeeded as `matches` does.
        """
        matches = self.matches
        hits = [bundle for bundle in bundles if matches(bundle, now, lookup)]
        if self.plan.aggregate is not None:
            return aggregate(self.plan.aggregate, hits, lookup)
        try:
            return select_rows(self.plan, hits, lookup)
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
