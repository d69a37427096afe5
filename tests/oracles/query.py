"""What a query over rows in memory answers, worked out a second time from the specification alone."""

from __future__ import annotations

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
                    return {"distinct": sorted(set(self._present_values(path, found)))}
                case Tally(path):
                    return {"tally": dict(Counter(self._present_values(path, found)))}
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
        for directive in fields:
            named |= {self.resolve(path, None)[0][0].name for path in directive.paths}
        carried: dict[str, Any] = {}
        for name in row:
            if name in named and row[name] is not None:
                declared = self.vocab.components[name].properties
                carried[name] = {key: row[name].get(key) for key in declared}
        return carried

    def _named(self, node: Node, within: And | None, everything: set[str]) -> set[str]:
        match node:
            case Present(path) | Request(path):
                return {self.resolve(path, None)[0][0].name}
            case Compare(path):
                return {self.resolve(path, within, bare=True)[0][0].name}
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


def answer(tree: QueryTree, rows: Sequence[Bundle], vocab: Declarations, now: datetime) -> Any:
    """What a query over these rows answers at `now`; raises :class:`OracleError` for one that is refused."""
    return Oracle(vocab, rows, now).answer(tree)
