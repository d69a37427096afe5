"""What one query means, told in sections or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .console import Console

if TYPE_CHECKING:
    from wakeful_compiler.emit.sql import Bindable, Parameter
    from wakeful_compiler.query import Query

MOVEMENTS = {
    "constant": "constant: on a row that stays as it is, the answer never changes",
    "falling": "falling: it moves with time, on a row that stays as it is only from true to false",
    "rising": "rising: it moves with time, on a row that stays as it is only from false to true",
    "free": "free: it moves with time, from true to false and from false to true",
}
ENGINES = {"sqlite": "SQLite", "postgresql": "Postgres"}


def explain_query(query: Query, now: datetime, steps: Sequence[str] | None, as_json: bool, console: Console) -> None:
    """Print what a query means; `now` is what relative times in the SQL's parameters are shown for.

    `steps` is how a SQLite store goes about it, None where no store was asked.
    """
    from .query_tree import tree_json, tree_lines

    reads = sorted(component if name is None else f"{component}.{name}" for component, name in query.reads)
    types = _types(query)
    carried = _carried(query)
    sqls = {engine: query.sql(engine) for engine in ENGINES}
    bound = {engine: [_plain(value) for value in sql.bind(query.bounds, now)] for engine, sql in sqls.items()}
    if as_json:
        told: dict[str, Any] = {
            "query": str(query),
            "tree": tree_json(query.tree),
            "types": types,
            "reads": reads,
            "carries": carried,
            "movement": query.movement,
            "sql": {engine: {"text": sql.text, "params": bound[engine]} for engine, sql in sqls.items()},
        }
        if steps is not None:
            from .index_use import index_use

            told["plan"] = index_use(query, steps)
        console.data(told)
        return
    _section(console, "query", [str(query)])
    _section(console, "tree", tree_lines(query.tree))
    width = max(map(len, types), default=0)
    typed = [f"{path.ljust(width)}  {words}" for path, words in types.items()]
    _section(console, "types", typed or ["none: it asks for no property"])
    _section(console, "reads", [", ".join(reads) or "nothing: it has no filter"])
    _section(console, "carries", [", ".join(carried) or "no rows, a figure"])
    _section(console, "time", [MOVEMENTS[query.movement], *_shown_for(query, now)])
    for engine, title in ENGINES.items():
        sql = sqls[engine]
        mark = "$" if sql.dialect.numbered else "?"
        _section(console, title, [*sql.text.split("\n"), *_shown_parameters(mark, sql.params, bound[engine])])
    if steps is not None:
        from .index_use import index_use

        use = index_use(query, steps)
        _section(console, "plan", [*use["steps"], *_served(use["indexes"])])
        for warning in use["warnings"]:
            console.say(("warning: ", "warn"), warning)


def _types(query: Query) -> dict[str, str]:
    """Each property that the query compares, orders or counts by, with its type in words."""
    from wakeful_compiler.predicates import leaf_properties, leaves
    from wakeful_compiler.vocab.model import KIND_WORDS

    plan = query.plan
    found = [prop for leaf in leaves(plan.where) for prop in leaf_properties(leaf)]
    asked = (plan.order, plan.aggregate.property if plan.aggregate else None)
    return {
        prop.path: KIND_WORDS[prop.kind]
        + (f" that has `{prop.ref}`" if prop.ref not in (None, "entity") else "")
        + (" or null" if prop.nullable else "")
        for prop in (*found, *asked)
        if prop is not None
    }


def _carried(query: Query) -> list[str]:
    """What each row of the answer carries: `*` for all it has, a property alone where the rest is left out."""
    plan = query.plan
    if plan.aggregate is not None:
        return []
    if plan.carry_all is not None:
        return ["*"]
    carried = ["entity"]
    for part in plan.carried:
        name = part.component.name
        if name == "entity":
            continue
        whole = len(part.properties) == len(part.component.properties)
        carried += [name] if whole else [f"{name}.{prop.name}" for prop in part.properties]
    return carried


def _shown_for(query: Query, now: datetime) -> list[str]:
    from wakeful_compiler.instants import format_instant

    if query.movement == "constant":
        return []
    return [f"the parameters below are those of {format_instant(now)}"]


def _plain(value: Bindable) -> str | int | float:
    return value.isoformat() if isinstance(value, datetime) else value


def _shown_parameters(mark: str, raw: tuple[Parameter, ...], bound: list[str | int | float]) -> list[str]:
    moving = [" (moves with time)" if _moves(given) else "" for given in raw]
    return [
        f"{mark}{place} = {value!r}{note}" for place, (value, note) in enumerate(zip(bound, moving, strict=True), 1)
    ]


def _moves(given: Parameter) -> bool:
    from wakeful_compiler.movement import moves
    from wakeful_compiler.predicates import TimeBound

    return isinstance(given, TimeBound) and moves(given)


def _served(indexes: list[str]) -> list[str]:
    return [f"served by the index of {', '.join(indexes)}"] if indexes else []


def _section(console: Console, title: str, lines: list[str]) -> None:
    for place, line in enumerate(lines):
        console.say(("" if place else title).ljust(8) if place else (title.ljust(8), "name"), " ", line)
