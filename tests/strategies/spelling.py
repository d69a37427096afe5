"""The text of a syntax tree, spelled apart from the grammar's own printer."""

from __future__ import annotations

from collections.abc import Sequence

from wakeful_grammar.nodes import (
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
    Or,
    Order,
    Present,
    PropertyOperand,
    QueryTree,
    Range,
    Request,
    Scalar,
    Tally,
)


def spell(tree: QueryTree, separators: Sequence[str] = (" ",)) -> str:
    """The text of a query; conjunctions take the separators in turn (` `, `&`, `, `)."""
    turn = [*separators]

    def between() -> str:
        turn.append(turn.pop(0))
        return turn[-1]

    def join(parts: list[str]) -> str:
        text = parts[0]
        for part in parts[1:]:
            text += between() + part
        return text

    def node(each: Node, *, inside: bool) -> str:
        match each:
            case And(terms):
                return join([node(term, inside=True) for term in terms])
            case Or(terms):
                text = "|".join(node(term, inside=False) for term in terms)
                return f"({text})" if inside else text
            case Not(term):
                return f"!({node(term, inside=False)})"
            case _:
                return _clause(each)

    ends = [_directive(each) for each in tree.directives]
    if tree.where is None:
        return join(ends) if ends else ""
    return join([node(tree.where, inside=bool(ends)), *ends])


def _clause(node: Node) -> str:
    match node:
        case Present(path):
            return f".{path.text}"
        case Absent(path):
            return f"!{path.text}"
        case Request(path):
            return f"?{path.text}"
        case Everything():
            return "*"
        case Compare(path, operator, items):
            dot = "." if node.dotted else ""
            return f"{dot}{path.text}{operator}{','.join(_item(item) for item in items)}"
        case _:
            raise ValueError(node)


def _item(item: Item) -> str:
    match item:
        case Scalar(text, quoted):
            return quote(text) if quoted else text
        case Range(low, high, open_end):
            return f"{_item(low)}{'...' if open_end else '..'}{_item(high)}"
        case PropertyOperand(path):
            return f".{path.text}"
        case _:
            raise ValueError(item)


def quote(text: str) -> str:
    """The text as a quoted scalar: in single quotes where that saves escapes."""
    mark = "'" if '"' in text and "'" not in text else '"'
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


def _directive(each: Directive) -> str:
    match each:
        case Order(path, descending):
            return f".order={'-' if descending else ''}{path.text}"
        case After(num, eid):
            return f".after={num}" if eid is None else f".after={quote(eid)}"
        case Limit(count):
            return f".limit={count}"
        case Count():
            return ".count"
        case Distinct(path):
            return f".distinct={path.text}"
        case Tally(path):
            return f".tally={path.text}"
        case Fields(paths):
            return f".fields={','.join(path.text for path in paths)}"
        case _:
            raise ValueError(each)
