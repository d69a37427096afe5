"""Which index serves a query on SQLite, and what to do when none does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from wakeful_compiler.predicates import AllOf, AnyOf, Comparison, Member, Not, Predicate
from wakeful_compiler.query import Query
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Property

_STEP = re.compile(r"(SCAN|SEARCH) (\w+)\b(?: USING (?:COVERING )?INDEX (\S+))?")


def index_use(query: Query, steps: Sequence[str]) -> dict[str, Any]:
    """SQLite's steps with components for aliases, the properties whose indexes it uses, and warnings.

    A scan is no fault by itself: `.plant` asks for every plant.  It is one where the query compares a property and
    reads every row to do so.
    """
    aliases = query.sql_plan.aliases
    told = [_named(step, aliases) for step in steps]
    used: dict[str, None] = {}
    scanned: list[str] = []
    # The nested steps are those of subqueries: what is read for each row, or once.
    for found in filter(None, (_STEP.match(step) for step in steps)):
        how, alias, index = found.groups()
        name = _indexed(index)
        if name is not None:
            used[name] = None
        elif how == "SCAN" and alias in aliases:
            scanned.append(aliases[alias])
    warnings = [_unserved(query, scanned[0])] if scanned and _compared(query) else []
    return {"steps": told, "indexes": list(used), "warnings": warnings}


def _named(step: str, aliases: Any) -> str:
    found = _STEP.search(step)
    if found is None or found[2] not in aliases:
        return step
    return f"{step[: found.start(2)]}{found[2]} ({aliases[found[2]]}){step[found.end(2) :]}"


def _indexed(index: str | None) -> str | None:
    """The property whose index this is; the one that `entity.eid` has by itself is `entity.eid`'s."""
    if index is None:
        return None
    if index.startswith("sqlite_autoindex_entity"):
        return "entity.eid"
    return index.removeprefix("i_")


def _compared(query: Query) -> list[Property]:
    """The properties that the query compares with values which an index could look up."""
    return list(dict.fromkeys(_lookups(query.plan.where)))


def _lookups(predicate: Predicate) -> Iterator[Property]:
    match predicate:
        case AllOf(terms) | AnyOf(terms):
            for term in terms:
                yield from _lookups(term)
        case Comparison(prop) | Member(prop):
            yield prop
        case Not():
            return
        case _:
            return


def _unserved(query: Query, scanned: str) -> str:
    compared = _compared(query)
    # Only a component of the app's own can be declared with an index.
    bare = [
        prop
        for prop in compared
        if not prop.index and prop.kind != "reference" and prop.component not in builtin_components()
    ]
    reads_all = f"no index serves this filter: every entity that has `{scanned}` is read"
    if scanned == "entity":
        reads_all = "no index serves this filter: every entity is read"
    if scanned == "entity" and isinstance(query.plan.where, AnyOf):
        return f"{reads_all}; its alternatives are about different components: ask for each by itself"
    if not bare:
        return reads_all
    names = " or ".join(f"`{prop.component}.{prop.name}`" for prop in bare[:3])
    return f'{reads_all}; declare {names} with "index": true'
