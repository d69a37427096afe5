"""A query's syntax tree, as lines for people and as JSON, each node with its place in the text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from wakeful_grammar.nodes import (
    Absent,
    After,
    And,
    Compare,
    Count,
    Distinct,
    Everything,
    Fields,
    Item,
    Limit,
    Node,
    Not,
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
from wakeful_grammar.problems import Span, line_and_column


def tree_json(tree: QueryTree) -> dict[str, Any]:
    """The tree as JSON: each node an object with its kind in `node` and `[start, end)` in `span`."""
    return {
        "where": None if tree.where is None else _json(tree.where),
        "directives": [_json(directive) for directive in tree.directives],
    }


def _json(value: Any) -> Any:
    if isinstance(value, Path):
        return value.text
    if isinstance(value, Span):
        return [value.start, value.end]
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if is_dataclass(value):
        members = {field.name: _json(getattr(value, field.name)) for field in fields(value)}
        return {"node": type(value).__name__.lower(), **members}
    return value


def tree_lines(tree: QueryTree) -> list[str]:
    """The tree as indented lines, the place of each node (line:column, from 1) in front."""
    found: list[tuple[Span, str]] = []
    if tree.where is not None:
        # Nesting is limited, but a stack costs nothing and never ends in a RecursionError.
        waiting: list[tuple[Node, int]] = [(tree.where, 0)]
        while waiting:
            node, depth = waiting.pop()
            found.append((node.span, "  " * depth + _words(node)))
            below = node.terms if isinstance(node, And | Or) else (node.term,) if isinstance(node, Not) else ()
            waiting += [(term, depth + 1) for term in reversed(below)]
    found += [(directive.span, _words(directive)) for directive in tree.directives]
    if not found:
        return ["nothing: the empty query selects nothing"]
    places = [_place(tree.text, span) for span, _ in found]
    width = max(map(len, places))
    return [f"{place.ljust(width)}  {words}" for place, (_, words) in zip(places, found, strict=True)]


def _place(text: str, span: Span) -> str:
    line, column = line_and_column(text, span.start)
    last_line, last_column = line_and_column(text, max(span.start, span.end - 1))
    if last_line != line:
        return f"{line}:{column} to {last_line}:{last_column}"
    return f"{line}:{column}" if last_column <= column else f"{line}:{column}-{last_column}"


def _words(node: object) -> str:
    match node:
        case And():
            return "all of"
        case Or():
            return "any of"
        case Not():
            return "not"
        case Everything():
            return "every row, whole"
        case Present(path):
            return f"has {path.text}"
        case Absent(path):
            return f"lacks {path.text}"
        case Request(path):
            return f"carry {path.text}"
        case Compare(path, operator, items):
            return f"{path.text} {operator} {', '.join(_item(item) for item in items)}"
        case Order(path, descending):
            return f"order by {path.text}{', descending' if descending else ''}"
        case Limit(count):
            return f"at most {count} rows"
        case After(num, eid):
            return f"after {num if num is not None else eid}"
        case Count():
            return "count the rows"
        case Distinct(path):
            return f"the distinct values of {path.text}"
        case Tally(path):
            return f"the rows for each value of {path.text}"
        case Fields(paths):
            return f"only {', '.join(path.text for path in paths)}"
    raise AssertionError(node)


def _item(item: Item) -> str:
    match item:
        case Scalar(text, quoted):
            return repr(text) if quoted else text
        case Range(low, high, open_end):
            return f"{_item(low)} {'up to, without,' if open_end else 'to'} {_item(high)}"
        case PropertyOperand(path):
            return f".{path.text}"
