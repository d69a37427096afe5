"""Trees to text: the one canonical spelling of a query or a rule's match, which parses back to the same tree.

One blank parts the clauses of a query, `|` its alternatives; a comma and a blank part those of a rule.
Every path has its dot; values stand bare where they may and are quoted where they were or must be; directives
come last, in the order of `DIRECTIVE_WORDS`.
"""

from __future__ import annotations

from itertools import takewhile
from typing import assert_never

from .nodes import (
    Absent,
    After,
    And,
    Compare,
    Copy,
    Count,
    Directive,
    Distinct,
    Everything,
    Fields,
    Gate,
    Item,
    Limit,
    Mark,
    Node,
    Not,
    Occasion,
    Or,
    Order,
    Present,
    PropertyOperand,
    QueryTree,
    Range,
    Request,
    RuleTree,
    Scalar,
    Tally,
    Tombstone,
    Write,
)

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def print_query(tree: QueryTree) -> str:
    """The canonical text of a query.

    It is a fixed point of parsing and printing.  A text near the 4,000-character limit may print longer than
    it was, by the dots and escapes it left out.
    """
    parts = [] if tree.where is None else [print_node(tree.where)]
    parts.extend(_directive(directive) for directive in tree.directives)
    return " ".join(parts)


def print_rule(tree: RuleTree) -> str:
    """The canonical text of a rule's match: what sets it off, the clauses, the other marks, each in the order written.

    An occasion behind a mark that writes stays there: the tree keeps the order of marks.
    """
    occasions = list(takewhile(lambda mark: isinstance(mark, Occasion), tree.marks))
    rest = tree.marks[len(occasions) :]
    return ", ".join([*map(print_mark, occasions), *map(print_node, tree.clauses), *map(print_mark, rest)])


def print_node(node: Node) -> str:
    """One clause or group."""
    match node:
        case Present(path):
            return "." + path.text
        case Absent(path):
            return "!" + path.text
        case Request(path):
            return "?" + path.text
        case Compare():
            return _compare(node)
        case Everything():
            return "*"
        case And(terms):
            return " ".join(f"({print_node(term)})" if isinstance(term, Or) else print_node(term) for term in terms)
        case Or(terms):
            return "|".join(map(print_node, terms))
        case Not(term):
            return f"!({print_node(term)})"
    assert_never(node)


def print_mark(mark: Mark) -> str:
    """One mark of a rule."""
    match mark:
        case Write(sign, component, prop, value):
            target = component if prop is None else f"{component}.{prop}"
            return f"{sign}{target}" + ("" if value is None else f"={_written(value)}")
        case Gate(component):
            return f"+!{component}"
        case Tombstone():
            return "+tombstone"
        case Occasion(clause):
            text = print_node(clause)
            return "^" + (text if isinstance(clause, Absent) else text.removeprefix("."))
    assert_never(mark)


def print_item(item: Item) -> str:
    """One value, range or property to compare with."""
    match item:
        case Scalar():
            return _scalar(item)
        case Range(low, high, open_end):
            # A dot beside the range's own dots would run together with them.
            start = quoted(low.text) if low.text.endswith(".") else _scalar(low)
            end = quoted(high.text) if high.text.startswith(".") else _scalar(high)
            return start + ("..." if open_end else "..") + end
        case PropertyOperand(path):
            return "." + path.text
    assert_never(item)


def quoted(text: str) -> str:
    """A text in double quotes, as a value may be written anywhere."""
    return f'"{text.translate(_ESCAPES)}"'


def _compare(node: Compare) -> str:
    from .query import DIRECTIVE_WORDS

    # `.limit=1` would be a directive; a property of that name is compared without its dot.
    bare = node.operator == "=" and len(node.path.parts) == 1 and node.path.text in DIRECTIVE_WORDS
    return f"{'' if bare else '.'}{node.path.text}{node.operator}{','.join(map(print_item, node.items))}"


def _written(value: Scalar | Copy) -> str:
    if isinstance(value, Scalar):
        return _scalar(value)
    sign = {-1: "-", 0: "", 1: "+"}[value.sign]
    return f".{value.path.text}{sign}{value.amount}"


def _scalar(scalar: Scalar) -> str:
    from .clauses import word_pattern

    if scalar.quoted or not word_pattern().fullmatch(scalar.text):
        return quoted(scalar.text)
    return scalar.text


def _directive(directive: Directive) -> str:
    match directive:
        case Order(path, descending):
            return f".order={'-' if descending else ''}{path.text}"
        case Limit(count):
            return f".limit={count}"
        case After(num, eid):
            return f".after={num if eid is None else _eid(eid)}"
        case Count():
            return ".count"
        case Distinct(path):
            return f".distinct={path.text}"
        case Tally(path):
            return f".tally={path.text}"
        case Fields(paths):
            return f".fields={','.join(path.text for path in paths)}"
    assert_never(directive)


def _eid(eid: str) -> str:
    only_digits = bool(eid) and not eid.strip("0123456789")
    return quoted(eid) if only_digits else _scalar(Scalar(eid))
