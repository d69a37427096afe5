"""Conditions, compiled once for a vocabulary and kept by their canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from wakeful_compiler.predicates import (
    AllOf,
    Always,
    AnyOf,
    HasComponent,
    Not,
    Predicate,
    hops,
    leaf_places,
    leaves,
)
from wakeful_compiler.vocabulary import Vocab
from wakeful_grammar.problems import LanguageError

if TYPE_CHECKING:
    from wakeful_compiler.bounds import Bounds
    from wakeful_compiler.earliest import Outlook, Rise
    from wakeful_compiler.emit.readers import Matches
    from wakeful_compiler.emit.sql import Sql
    from wakeful_compiler.query import Query

_CACHED = 20_000


class Condition:
    """One condition, ready to be judged on rows in memory and by SQL."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.text = query.text
        self.moving = query.movement in ("rising", "free")
        """Whether time alone can make it hold."""
        self.far = hops(query.plan.where)
        """Whether it reads through references, so that a change of one row can make another one match."""

    @property
    def where(self) -> Predicate:
        return self.query.plan.where

    @cached_property
    def reads(self) -> frozenset[str]:
        """The components that it depends on.

        One that a row without components may match depends on `entity` too: a birth may be what makes it hold.
        """
        names = {name for name, _ in self.query.reads}
        if True in _on_bare_rows(self.where):
            names.add("entity")
        return frozenset(names)

    @cached_property
    def components(self) -> frozenset[str]:
        """The components of the judged row that it looks at."""
        found = {name for leaf in leaves(self.where) for via, name in leaf_places(leaf) if not via}
        return frozenset(found - {"entity"})

    @property
    def matches(self) -> Matches:
        return self.query.matches

    @cached_property
    def exists(self) -> Sql:
        """Whether any row of the store matches."""
        from wakeful_compiler.emit.sqlite import sqlite_exists

        return sqlite_exists(self.where)

    @cached_property
    def outlook(self) -> Outlook:
        """What time can do to it."""
        from wakeful_compiler.earliest import outlook

        return outlook(self.where)

    @cached_property
    def pending(self) -> tuple[tuple[Rise, Sql, Bounds], ...]:
        """For each leaf that rises, the statement that finds the least value among the rows that it has yet to
        reach and that can match then, with the bounds that it takes."""
        from wakeful_compiler.bounds import Bounds
        from wakeful_compiler.emit.sqlite import sqlite_least
        from wakeful_compiler.predicates import all_of, time_bounds

        found = []
        for rise in self.outlook.rises:
            where = all_of([self.outlook.relaxed, rise.pending()])
            found.append((rise, sqlite_least(where, rise.property), Bounds(time_bounds(where), self.query.bounds.zone)))
        return tuple(found)


class Conditions:
    """The conditions of one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._found: dict[str, Condition] = {}

    def read(self, text: str) -> Condition:
        """The condition that a text states, in whatever spelling.  Raises QueryError."""
        condition = self._found.get(text)
        if condition is None:
            from wakeful_compiler.conditions import read_condition

            query = read_condition(text, self._vocab.components, self._vocab.zone)
            # One condition for all of its spellings.
            condition = self._found.get(query.text) or Condition(query)
            if len(self._found) >= _CACHED:
                self._found.clear()
            self._found[text] = self._found[query.text] = condition
        return condition

    def find(self, text: str) -> Condition | None:
        """The condition of a stored text; None where the vocabulary no longer has what it asks for."""
        try:
            return self.read(text)
        except LanguageError:
            return None


def _on_bare_rows(node: Predicate) -> frozenset[bool]:
    """The answers that a plan may give on rows without components, whatever their eid and num."""
    match node:
        case AllOf(terms):
            each = [_on_bare_rows(term) for term in terms]
            return frozenset({all(True in one for one in each), not any(False in one for one in each)})
        case AnyOf(terms):
            each = [_on_bare_rows(term) for term in terms]
            return frozenset({any(True in one for one in each), not all(False in one for one in each)})
        case Not(term):
            return frozenset(not answer for answer in _on_bare_rows(term))
        case Always(answer):
            return frozenset({answer})
        case HasComponent("entity"):
            return frozenset({True})
        case _:
            own = all(place == ((), "entity") for place in leaf_places(node))
            return frozenset({True, False}) if own else frozenset({False})


def entries_of(wake: Mapping[str, object]) -> list[dict[str, str]]:
    """The entries of a wake's `while`, in order."""
    found = wake["while"]
    assert found is None or isinstance(found, list)
    return found or []
