"""Random queries that fit a vocabulary, as the trees that their texts must parse to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from strategies.paths import has_order, properties, reached
from strategies.pools import near, spelled_instant, values
from strategies.vocabularies import own
from wakeful_compiler.vocab.model import Declarations, Kind, Property
from wakeful_grammar.nodes import (
    OPERATORS,
    Absent,
    After,
    And,
    Compare,
    Count,
    Directive,
    Distinct,
    Everything,
    Fields,
    Item,
    Limit,
    Node,
    Not,
    Operator,
    Or,
    Order,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Range,
    Request,
    Scalar,
    Tally,
)

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_UNITS = (
    "s",
    "sec",
    "minute",
    "minutes",
    "m",
    "h",
    "hours",
    "d",
    "day",
    "w",
    "weeks",
    "mo",
    "month",
    "y",
    "years",
)


def number_text(value: float) -> str:
    """A JSON number that reads back as this value."""
    return json.dumps(value)


def scalars(kind: Kind, now: datetime, eids: Sequence[str], *, ordered: bool) -> st.SearchStrategy[Scalar]:
    """Operands that a property of this kind takes; under an order a number in a text must be quoted."""
    match kind:
        case "string":
            return values(kind, now, eids).flatmap(lambda text: _quotings(text, must=ordered))
        case "reference":
            return values(kind, now, eids).flatmap(lambda text: _quotings(text, must=False))
        case "number":
            return values(kind, now, eids).map(lambda value: Scalar(number_text(value)))
        case "integer":
            spelled = values(kind, now, eids).map(number_text)
            return (spelled | st.sampled_from(("35.5", "-0.5", "1e30", "-1e30")) if ordered else spelled).map(Scalar)
        case "boolean":
            return st.sampled_from(("true", "false", "1", "0")).map(Scalar)
        case "instant":
            return times(now).map(Scalar)
        case "object" | "array":
            raise ValueError(kind)


def _quotings(text: str, *, must: bool) -> st.SearchStrategy[Scalar]:
    quoted = Scalar(text, quoted=True)
    # `null` without quotes is refused: it is taken for what has no value.
    plain = _WORD.fullmatch(text) and text.casefold() != "null" and not (must and not text[0].isalpha())
    return st.sampled_from([quoted, Scalar(text)]) if plain else st.just(quoted)


def times(now: datetime) -> st.SearchStrategy[str]:
    """Time operands, moments and stretches alike."""
    counted = st.builds(
        lambda shape, count, unit: shape.format(f"{count}-{unit}"),
        st.sampled_from(("{}-ago", "in-{}", "{}-from-now")),
        st.sampled_from((0, 1, 2, 7, 12, 90)),
        st.sampled_from(_UNITS),
    )
    named = st.builds(
        "-".join,
        st.tuples(
            st.sampled_from(("this", "last", "next")),
            st.sampled_from(("minute", "hour", "day", "week", "month", "year")),
        ),
    )
    words = st.sampled_from(("now", "today", "yesterday", "tomorrow", "9am", "9:30pm", "14:00", "noon", "midnight"))
    stamp = near(now)
    stamps = st.one_of(
        stamp.map(spelled_instant),
        stamp.map(lambda value: value.isoformat()[:10]),
        stamp.map(lambda value: value.isoformat()[:16]),
        stamp.map(lambda value: value.isoformat()[:19]),
        stamp.map(lambda value: value.isoformat()[:16] + "+05:45"),
        stamp.map(lambda value: value.isoformat()[:19] + "-03:30"),
    )
    return counted | named | words | stamps


@st.composite
def _ranges(draw: st.DrawFn, kind: Kind, now: datetime, eids: Sequence[str]) -> Range:
    if kind == "instant":
        days = sorted(draw(st.lists(st.integers(-40, 40), min_size=2, max_size=2)))
        low, high = (Scalar((now + timedelta(days=day)).isoformat()[:10]) for day in days)
        if draw(st.booleans()):
            low = Scalar(f"{draw(st.integers(1, 90))}-hours-ago")
            high = Scalar(draw(st.sampled_from(("now", "today", "in-1-day"))))
    else:
        ends = draw(st.lists(scalars(kind, now, eids, ordered=True), min_size=2, max_size=2))
        key: Callable[[Scalar], Any] = (lambda end: end.text) if kind == "string" else (lambda end: Decimal(end.text))
        low, high = sorted(ends, key=key)
    return Range(low, high, draw(st.booleans()))


@st.composite
def clauses(draw: st.DrawFn, vocab: Declarations, now: datetime, eids: Sequence[str]) -> Node:
    """One clause that fits the vocabulary; a bare property may turn out to belong to several components."""
    shape = draw(
        st.sampled_from(("present", "absent", "request", "compare", "compare", "compare", "bare", "two", "all"))
    )
    if shape in ("compare", "bare"):
        path, prop = draw(reached(vocab, has_order))
        if shape == "bare":
            path = Path((prop.name,))
        return draw(comparisons(prop, now, eids, path))
    if shape == "two":
        return draw(two_properties(vocab))
    if shape == "all":
        return Everything() if draw(st.booleans()) else Absent(Path(("doc", "title")))
    path, prop = draw(reached(vocab))
    if draw(st.booleans()):
        path = Path((prop.component,))
    if shape == "request":
        return Request(Path(path.parts[:2]))
    return Absent(path) if shape == "absent" else Present(path)


@st.composite
def comparisons(
    draw: st.DrawFn, prop: Property, now: datetime, eids: Sequence[str], path: Path | None = None
) -> Compare:
    """A comparison of this property that compiles; `path` is how it is reached."""
    if path is None:
        path = Path((prop.component, prop.name))
    if path.parts in (("entity", "eid"), ("entity", "num")) and draw(st.booleans()):
        path = Path((prop.name,))
    operators: list[Operator] = ["=", "!="]
    if prop.kind == "string":
        operators.append("~=")
    if prop.kind not in ("boolean", "reference"):
        operators += ["<", "<=", ">", ">="]
    operator = draw(st.sampled_from(operators))
    kind: Kind = "reference" if prop.path == "entity.eid" and operator in ("=", "!=") else prop.kind
    plain: st.SearchStrategy[Item] = scalars(kind, now, eids, ordered=operator in ("<", "<=", ">", ">="))
    if operator in ("=", "!="):
        if prop.kind not in ("boolean", "reference"):
            plain = plain | plain | _ranges(prop.kind, now, eids)
        items = draw(st.lists(plain, min_size=1, max_size=3))
    else:
        items = draw(st.lists(plain, min_size=1, max_size=3 if operator == "~=" else 1))
    return Compare(path, operator, tuple(items), dotted=len(path.parts) > 1)


@st.composite
def two_properties(draw: st.DrawFn, vocab: Declarations) -> Compare:
    """A comparison of one property with another whose values are like its own."""
    path, prop = draw(reached(vocab, has_order))
    operators: list[Operator] = (
        ["=", "!="] if prop.kind in ("boolean", "reference") else ["=", "!=", "<", "<=", ">", ">="]
    )
    operator = draw(st.sampled_from(operators))
    alike = {"number": ("number", "integer"), "integer": ("number", "integer"), "reference": ("reference", "string")}
    kinds = (*alike.get(prop.kind, (prop.kind,)), *(("reference",) if operator in ("=", "!=") else ()))
    if prop.kind not in ("string", "reference"):
        kinds = tuple(kind for kind in kinds if kind != "reference")
    other = draw(st.sampled_from([each for each in properties(vocab) if each.kind in kinds] or [prop]))
    return Compare(path, operator, (PropertyOperand(Path((other.component, other.name))),))


@st.composite
def filters(draw: st.DrawFn, vocab: Declarations, now: datetime, eids: Sequence[str], depth: int = 3) -> Node:
    """Conjunctions and alternatives in turn, so that a tree has one spelling and a spelling one tree."""

    def node(depth: int, inside: str) -> Node:
        if depth == 0 or draw(st.integers(0, 2)) == 1:
            return draw(clauses(vocab, now, eids))
        if draw(st.integers(0, 4)) == 2:
            return Not(node(depth - 1, ""))
        kind = {"and": "or", "or": "and"}.get(inside) or draw(st.sampled_from(("and", "or")))
        terms = tuple(node(depth - 1, kind) for _ in range(draw(st.integers(2, 3))))
        return And(terms) if kind == "and" else Or(terms)

    return node(depth, "")


@st.composite
def directives(draw: st.DrawFn, vocab: Declarations, eids: Sequence[str]) -> tuple[Directive, ...]:
    """An order, a cursor, a limit, an aggregate, fields: each at most once."""
    found: list[Directive] = []
    if draw(st.booleans()):
        path, _ = draw(reached(vocab, has_order))
        found.append(Order(path, draw(st.booleans())))
    if draw(st.integers(0, 3)) == 2:
        by_num = draw(st.booleans())
        found.append(
            After(draw(st.integers(1, len(eids))), None) if by_num else After(None, draw(st.sampled_from(list(eids))))
        )
    if draw(st.integers(0, 2)) == 1:
        found.append(Limit(draw(st.integers(0, 4))))
    match draw(st.integers(0, 8)):
        case 5:
            found.append(Count())
        case 6:
            found.append(Distinct(draw(reached(vocab, has_order))[0]))
        case 7:
            found.append(Tally(draw(reached(vocab, has_order))[0]))
    if draw(st.integers(0, 5)) == 5:
        paths = draw(st.lists(st.sampled_from(properties(vocab)), min_size=1, max_size=3))
        found.append(
            Fields(tuple(Path((each.component, each.name)[: draw(st.sampled_from((1, 2, 2)))]) for each in paths))
        )
    return tuple(draw(st.permutations(found)))


@st.composite
def queries(draw: st.DrawFn, vocab: Declarations, now: datetime, eids: Sequence[str]) -> QueryTree:
    """A query that fits the vocabulary, as the tree that its text must parse to."""
    where = draw(filters(vocab, now, eids)) if draw(st.integers(0, 9)) != 5 else None
    return QueryTree(where, draw(directives(vocab, eids)))


@st.composite
def misfits(draw: st.DrawFn, vocab: Declarations, now: datetime) -> QueryTree:
    """One comparison of any property by any operator with an operand made for any type; some name nothing."""
    components = [*own(vocab), vocab.components["wake"]]
    prop = draw(st.sampled_from([prop for component in components for prop in component.properties.values()]))
    kinds: list[Kind] = ["string", "number", "integer", "boolean", "instant"]
    if prop.kind not in ("object", "array"):
        kinds += [prop.kind] * 5
    made_for = draw(st.sampled_from(kinds))
    operator = draw(st.sampled_from(OPERATORS))
    scalar = draw(scalars(made_for, now, ("fern",), ordered=draw(st.booleans())))
    path = (prop.component, prop.name)
    if draw(st.integers(0, 9)) == 5:
        path = draw(st.sampled_from(((prop.component, "nonesuch"), ("nonesuch", prop.name))))
    return QueryTree(Compare(Path(path), operator, (scalar,)))
