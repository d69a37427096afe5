"""Queries: text to :class:`~wakeful_grammar.nodes.QueryTree` (the language is told in spec/queries.md)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .mistaken import PATH, WHITE, Mistake, Mistaken, shown
from .nodes import (
    After,
    And,
    Count,
    Directive,
    Distinct,
    Fields,
    Limit,
    Node,
    Not,
    Or,
    Order,
    Path,
    PropertyOperand,
    QueryTree,
    Scalar,
    Tally,
)
from .problems import QueryError, Span
from .sizes import check_size, check_text

if TYPE_CHECKING:
    from .clauses import Directing, Draft

MAX_ROWS = 2**63 - 1

DIRECTIVE_WORDS = ("order", "limit", "after", "count", "distinct", "tally", "fields")
"""The directives in the order in which a tree and its canonical text list them.

A comparison of one of these names with its leading dot left out (`limit=1`) is read as a comparison; whether
the vocabulary has such a property, or `syntax-directive-dot` is due, is for the compiler to say.
"""

_ORDER_VALUE = re.compile(rf"(-?)({PATH})")
_PATH = re.compile(PATH)
_DIGITS = re.compile(r"[0-9]+")
_AGGREGATES = ("count", "distinct", "tally")


def parse_query(text: str) -> QueryTree:
    """The tree of a query; blank text gives the empty query, which selects nothing.

    Raises :class:`QueryError` with codes `syntax-…` and `limit-…`.  Names are taken as written: whether a
    vocabulary has them is the compiler's question.
    """
    try:
        check_text(text, "query")
        if not text.strip(WHITE):
            return QueryTree(None, (), text)
        from .clauses import read

        draft = read(text)
        check_size(draft, "query")
        directives: list[Directive] = []
        where = _disjunction(draft, directives, inside=False)
        return QueryTree(where, _sorted(directives), text)
    except Mistaken as mistaken:
        raise QueryError(mistaken.problems(text)) from None


def _disjunction(draft: Draft, directives: list[Directive], *, inside: bool) -> Node | None:
    nodes: list[Node] = []
    for conjunction in draft:
        node = _conjunction(conjunction.terms, directives, inside)
        if node is None:
            if len(draft) > 1:
                raise Mistaken(
                    Mistake(
                        "syntax-empty-alternative",
                        conjunction.span,
                        "this alternative holds directives alone",
                        "a directive applies to the whole query and can stand in any alternative; "
                        "for every entity write `*` beside it",
                    )
                )
            return None
        # `a|(b|c)` and `a|b|c` are one query, and so one tree.
        nodes.extend(node.terms if isinstance(node, Or) else (node,))
    return nodes[0] if len(nodes) == 1 else Or(tuple(nodes), nodes[0].span | nodes[-1].span)


def _conjunction(terms: tuple[object, ...], directives: list[Directive], inside: bool) -> Node | None:
    from .clauses import Directing, Group, Marking

    nodes: list[Node] = []
    for term in terms:
        if isinstance(term, Directing):
            if inside:
                raise Mistaken(
                    Mistake(
                        "syntax-directive-place",
                        term.span,
                        f"`.{term.word}` stands inside parentheses",
                        "a directive applies to the whole query: write it outside all parentheses",
                    )
                )
            directives.append(_directive(term, directives))
        elif isinstance(term, Marking):
            from .failures import MARK_IN_QUERY

            raise Mistaken(Mistake("syntax-mark", term.span, *MARK_IN_QUERY))
        elif isinstance(term, Group):
            node = _disjunction(term.alternatives, directives, inside=True)
            assert node is not None, "only directives leave a group without a node, and those were refused"
            if term.negated:
                nodes.append(Not(node, term.span))
            else:
                nodes.extend(node.terms if isinstance(node, And) else (node,))
        else:
            assert isinstance(term, Node)
            nodes.append(term)
    if not nodes:
        return None
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes), nodes[0].span | nodes[-1].span)


# --- directives -----------------------------------------------------------------------------------


def _sorted(directives: list[Directive]) -> tuple[Directive, ...]:
    kinds = (Order, Limit, After, Count, Distinct, Tally, Fields)
    return tuple(sorted(directives, key=lambda directive: kinds.index(type(directive))))


def _directive(term: Directing, earlier: list[Directive]) -> Directive:
    words = [type(directive).__name__.lower() for directive in earlier]
    if term.word in words:
        raise Mistaken(
            Mistake(
                "syntax-directive-twice",
                term.span,
                f"`.{term.word}` stands here a second time",
                "write it once",
            )
        )
    other = next((word for word in words if word in _AGGREGATES), None)
    if term.word in _AGGREGATES and other:
        raise Mistaken(
            Mistake(
                "syntax-two-aggregates",
                term.span,
                f"a query has one aggregate, and `.{other}` already is it",
                "ask for each in a query of its own",
            )
        )
    match term.word:
        case "count":
            return Count(term.span)
        case "limit":
            return Limit(_row_count(term), term.span)
        case "after":
            return _after(term)
        case "order":
            sign, path = _order(term)
            return Order(path, sign == "-", term.span)
        case "fields":
            return Fields(tuple(_path(term, item) for item in term.items), term.span)
        case "distinct":
            return Distinct(_path(term, _single(term)), term.span)
        case _:
            return Tally(_path(term, _single(term)), term.span)


def _single(term: Directing) -> object:
    if len(term.items) > 1:
        raise Mistaken(
            Mistake(
                "syntax-directive-value",
                term.items[0].span | term.items[-1].span,
                f"`.{term.word}` takes one value",
                "write one value; a new clause needs a blank after the comma",
            )
        )
    return term.items[0]


def _wrong_value(term: Directing, item: object, message: str, hint: str, fix: str | None = None) -> Mistaken:
    span: Span = getattr(item, "span", term.span)
    return Mistaken(Mistake("syntax-directive-value", span, message, hint, fix))


def _row_count(term: Directing) -> int:
    item = _single(term)
    digits = item.text if isinstance(item, Scalar) else ""
    if not _DIGITS.fullmatch(digits):
        raise _wrong_value(term, item, "`.limit` takes a whole number of rows", "write for example `.limit=10`")
    assert isinstance(item, Scalar)
    if item.quoted:
        raise _wrong_value(
            term, item, "the number after `.limit` has no quotes", f"write `.limit={digits[:20]}`", digits
        )
    if len(digits.lstrip("0")) > 19 or int(digits) > MAX_ROWS:
        raise Mistaken(
            Mistake(
                "limit-rows",
                item.span,
                f"{shown(digits)} rows are more than the {MAX_ROWS:,} that `.limit` counts to",
                "leave `.limit` out, or write a smaller number",
            )
        )
    return int(digits)


def _after(term: Directing) -> After:
    item = _single(term)
    if not isinstance(item, Scalar):
        raise _wrong_value(
            term,
            item,
            "`.after` takes the num or the eid of one entity",
            "write for example `.after=250`, or quote the eid",
        )
    if item.quoted or not _DIGITS.fullmatch(item.text):
        return After(None, item.text, term.span)
    if len(item.text.lstrip("0")) > 19 or int(item.text) > MAX_ROWS:
        raise Mistaken(
            Mistake(
                "limit-rows",
                item.span,
                f"{shown(item.text)} is more than any num, which ends at {MAX_ROWS:,}",
                f"quote it if it is an eid: {shown(f'.after={chr(34)}{item.text}{chr(34)}', 60)}",
            )
        )
    return After(int(item.text), None, term.span)


def _order(term: Directing) -> tuple[str, Path]:
    item = _single(term)
    found = _ORDER_VALUE.fullmatch(item.text) if isinstance(item, Scalar) and not item.quoted else None
    if found is None:
        raise _path_mistake(term, item, ".order=component.property", ", or with `-` before it for descending")
    from .clauses import path_of

    assert isinstance(item, Scalar)
    return found.group(1), path_of(found.group(2), item.span.start + len(found.group(1)))


def _path(term: Directing, item: object) -> Path:
    from .clauses import path_of

    if not (isinstance(item, Scalar) and not item.quoted and _PATH.fullmatch(item.text)):
        raise _path_mistake(term, item, f".{term.word}=component.property", "")
    return path_of(item.text, item.span.start)


def _path_mistake(term: Directing, item: object, example: str, more: str) -> Mistaken:
    if isinstance(item, PropertyOperand):
        path = item.path.text
        return _wrong_value(
            term,
            item,
            f"the path after `.{term.word}=` has no leading dot",
            f"write `.{term.word}={path}`",
            path,
        )
    if isinstance(item, Scalar) and item.quoted and _ORDER_VALUE.fullmatch(item.text):
        return _wrong_value(
            term,
            item,
            f"the path after `.{term.word}=` has no quotes",
            f"write `.{term.word}={item.text[:60]}`",
            item.text,
        )
    return _wrong_value(term, item, f"`.{term.word}` takes a path", f"write for example `{example}`{more}")
