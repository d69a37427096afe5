"""A random scene to answer a query in: a vocabulary, rows that fit it, a query that fits both, a `now`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from oracles.query import answer
from oracles.values import OracleError
from strategies import NOWS, Bundle, document, queries, rows, spell, vocabularies
from wakeful_compiler.emit.closures import emit_closures
from wakeful_compiler.emit.python import emit_python
from wakeful_compiler.emit.readers import Matches
from wakeful_compiler.query import Query
from wakeful_compiler.vocab.model import Declarations
from wakeful_compiler.zones import zone
from wakeful_grammar.nodes import QueryTree
from wakeful_grammar.problems import QueryError
from wakeful_grammar.query import parse_query


def compiled(text: str, vocab: Declarations) -> Query:
    """The query, compiled against declarations that no vocab.json was read for."""
    return Query(parse_query(text), vocab.components, zone(vocab.zone))


def judges(query: Query) -> tuple[Matches, Matches]:
    """The two ways in which a plan judges a row in memory: its closures, and the function that is written out."""
    return emit_closures(query.plan.where, query.bounds), emit_python(query.plan.where, query.bounds)


@dataclass(frozen=True, slots=True, repr=False)
class Scene:
    vocab: Declarations
    rows: list[Bundle]
    tree: QueryTree
    text: str
    now: datetime

    def __repr__(self) -> str:
        """As much as it takes to play the scene by hand."""
        return f"query {self.text!r} at {self.now} over {self.rows!r} under {document(self.vocab)!r}"

    def lookup(self, eid: str) -> Bundle | None:
        """The row with this eid."""
        return next((row for row in self.rows if row["entity"]["eid"] == eid), None)

    def expected(self) -> Any:
        """What the oracle answers, or the kind of its error as `{"error": kind}`."""
        try:
            return answer(self.tree, self.rows, self.vocab, self.now)
        except OracleError as error:
            return {"error": error.kind}


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Any scene whose query compiles; it may name a cursor that is not among its rows."""
    vocab = draw(vocabularies())
    now = draw(st.sampled_from(NOWS))
    bundles = draw(rows(vocab, now))
    tree = draw(queries(vocab, now, [bundle["entity"]["eid"] for bundle in bundles]))
    separators = draw(st.sampled_from(((" ",), ("&",), (", ",), ("\t ", ", ", " & "))))
    return Scene(vocab, bundles, tree, spell(tree, separators), now)


def answer_or_kind(ask: Callable[[], Any]) -> Any:
    """The answer, or the kind of the QueryError that was raised instead."""
    try:
        return ask()
    except QueryError as error:
        return {"error": error.problems[0].code.partition("-")[0]}
