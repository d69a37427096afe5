"""What a query over rows in memory answers, worked out a second time from the specification alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from oracles.filters import Bundle, Filters
from oracles.values import OracleError
from wakeful_compiler.vocab.model import Declarations
from wakeful_grammar.nodes import (
    Absent,
    After,
    And,
    Compare,
    Count,
    Distinct,
    Everything,
    Fields,
    Limit,
    Node,
    Not,
    Or,
    Order,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Request,
    Tally,
)


@dataclass(frozen=True, slots=True)
class Oracle(Filters):
    """Answers queries: filters, order, windows, aggregates and what each row carries."""

    def answer(self, tree: QueryTree) -> Any:
        """The rows, projected, ordered and cut; or the aggregate that a directive asks for."""
        self.check(tree)
        if tree.empty:
            return []
        found = [row for row in self.rows if tree.where is None or self.holds(tree.where, row, None)]
        found.sort(key=lambda row: row["entity"]["num"])
        for directive in tree.directives:
            match directive:
                case Count():
                    return {"count": len(found)}
                case Distinct(path):
                    return {"distinct": [shown(value) for value in sorted(set(self._present_values(path, found)))]}
                case Tally(path):
                    counts = Counter(self._present_values(path, found))
                    return {"tally": {key(value): counts[value] for value in sorted(counts)}}
                case _:
                    pass
        for directive in tree.directives:
            if isinstance(directive, Order):
                found = self._ordered(directive, found)
        found = self._cut(tree, found)
        return [self.projected(tree, row) for row in found]

    def _present_values(self, path: Path, found: list[Bundle]) -> Iterator[Any]:
        values = (self.value(row, path, None) for row in found)
        return (value for value in values if value is not None)

    def _ordered(self, order: Order, found: list[Bundle]) -> list[Bundle]:
        missing = [row for row in found if self.value(row, order.path, None) is None]
        there = [row for row in found if self.value(row, order.path, None) is not None]
        there.sort(key=lambda row: self.value(row, order.path, None), reverse=order.descending)
        if order.descending:  # a reversed sort keeps ties in their order, which is by num already
            return there + missing
        return missing + there

    def _cut(self, tree: QueryTree, found: list[Bundle]) -> list[Bundle]:
        for directive in tree.directives:
            if isinstance(directive, After):
                places = [
                    place
                    for place, row in enumerate(found)
                    if directive.eid == row["entity"]["eid"] or directive.num == row["entity"]["num"]
                ]
                if not places:
                    raise OracleError("unknown", "cursor")
                found = found[places[0] + 1 :]
        for directive in tree.directives:
            if isinstance(directive, Limit):
                found = found[: directive.count]
        return found

    def projected(self, tree: QueryTree, row: Bundle) -> dict[str, Any]:
        """The row as the answer carries it: `entity`, what the query names, unset properties null."""
        fields = [directive for directive in tree.directives if isinstance(directive, Fields)]
        named = {"entity"}
        if tree.where is not None:
            named |= self._named(tree.where, None, set(row))
        kept: dict[str, set[str]] = {name: set(self.vocab.components[name].properties) for name in named}
        if fields:
            kept = {"entity": {"eid", "num"}}
            for path in fields[0].paths:
                whole = set(self.vocab.components[path.parts[0]].properties)
                kept.setdefault(path.parts[0], set()).update(path.parts[1:] or whole)
        return {
            name: {key: row[name].get(key) for key in keys} for name, keys in kept.items() if row.get(name) is not None
        }

    def _named(self, node: Node, within: And | None, everything: set[str]) -> set[str]:
        match node:
            case Present(path) | Request(path):
                return {self.resolve(path, None)[0][0].name}
            case Compare(path, _, items):
                others = [item.path for item in items if isinstance(item, PropertyOperand)]
                named = {self.resolve(other, None)[0][0].name for other in others}
                return named | {self.resolve(path, within, bare=True)[0][0].name}
            case Absent():
                return set()
            case Everything():
                return everything
            case And(terms):
                return set[str]().union(*(self._named(term, node, everything) for term in terms))
            case Or(terms):
                return set[str]().union(*(self._named(term, None, everything) for term in terms))
            case Not(term):
                return self._named(term, None, everything)
            case _:
                assert_never(node)


def shown(value: Any) -> Any:
    """A value as JSON has it: instants as text, integral doubles as integers."""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat()
        return (text.rstrip("0") if "." in text else text) + "Z"
    return int(value) if isinstance(value, float) and abs(value) < 2**53 and value == int(value) else value


def key(value: Any) -> str:
    """A value as the key of a tally."""
    plain = shown(value)
    return plain if isinstance(plain, str) else json.dumps(plain)


def answer(tree: QueryTree, rows: Sequence[Bundle], vocab: Declarations, now: datetime) -> Any:
    """What a query over these rows answers at `now`; raises :class:`OracleError` for one that is refused."""
    return Oracle(vocab, rows, now).answer(tree)
