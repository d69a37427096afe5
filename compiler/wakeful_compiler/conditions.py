"""Conditions: queries that only filter, in one canonical text each.

A condition is stored, so its text must mean the same for as long as it stands: every property is written with its
component, and nothing is in it that does not filter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import assert_never

from wakeful_grammar.nodes import (
    Absent,
    And,
    Compare,
    Everything,
    Item,
    Node,
    Not,
    Or,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Request,
)
from wakeful_grammar.printer import print_node, print_query
from wakeful_grammar.problems import Problem, QueryError, Span, problem_at
from wakeful_grammar.query import parse_query

from .names import Names
from .query import Query
from .resolve import naming_paths
from .vocab.model import Component

Rename = Callable[[Path], Path]


def read_condition(text: str, components: Mapping[str, Component], zone: tzinfo) -> Query:
    """The condition that a text states, compiled from its canonical text, which the answer's `text` is.

    Raises QueryError with the query's own problems, or with `type-while` for what does not filter.
    """
    tree = parse_query(text)
    Query(tree, components, zone)  # all that is wrong with the query comes first, in its own words
    problems = list(_not_filters(tree))
    if problems:
        raise QueryError(problems)
    assert tree.where is not None
    canonical = print_query(QueryTree(_qualified(tree.where, (), Names(text, components))))
    return Query(parse_query(canonical), components, zone)


def renamed_condition(text: str, components: Mapping[str, str], properties: Mapping[tuple[str, str], str]) -> str:
    """A canonical text with names in place of older ones: `components` by the older name, `properties` by the
    component's new name and the older name."""

    def rename(path: Path) -> Path:
        parts = list(path.parts)
        for at in range(0, len(parts), 2):
            parts[at] = components.get(parts[at], parts[at])
            if at + 1 < len(parts):
                parts[at + 1] = properties.get((parts[at], parts[at + 1]), parts[at + 1])
        return replace(path, parts=tuple(parts))

    tree = parse_query(text)
    return text if tree.where is None else print_query(QueryTree(_mapped(tree.where, rename)))


def _not_filters(tree: QueryTree) -> list[Problem]:
    """What stands in a query and filters nothing."""

    def told(span: Span, what: str) -> Problem:
        return problem_at(
            tree.text, span, "type-while", f"a condition only filters, and {what} does not", "leave it out"
        )  # fmt: skip

    if tree.empty:
        return [
            problem_at(
                tree.text, Span(0, len(tree.text)), "type-while", "the empty query finds nothing, so it never holds",
                "write what must be there, for example `.player.seen>=1-minute-ago`",
            )
        ]  # fmt: skip
    found = [told(each.span, f"`{print_query(QueryTree(None, (each,)))}`") for each in tree.directives]
    if tree.where is not None:
        found += [told(each.span, f"`{print_node(each)}`") for each in _requests(tree.where)]
    return found


def _requests(node: Node) -> list[Request]:
    match node:
        case Request():
            return [node]
        case And(terms) | Or(terms):
            return [found for term in terms for found in _requests(term)]
        case Not(term):
            return _requests(term)
        case _:
            return []


def _qualified(node: Node, beside: tuple[Node, ...], names: Names) -> Node:
    """The node with the component of every bare property written out; `beside` as in the query's own resolution."""
    match node:
        case And(terms):
            return replace(node, terms=tuple(_qualified(term, terms, names) for term in terms))
        case Or(terms):
            return replace(node, terms=tuple(_qualified(term, (term,), names) for term in terms))
        case Not(term):
            return replace(node, term=_qualified(term, (term,), names))
        case Compare(path) if len(path.parts) == 1:
            prop = names.compared(node, tuple(naming_paths(beside or (node,))))
            assert prop is not None, "the query was compiled before"
            return replace(node, path=replace(path, parts=(prop.component, prop.name)))
        case _:
            return node


def _mapped(node: Node, rename: Rename) -> Node:
    """The node with every path renamed."""
    match node:
        case And(terms) | Or(terms):
            return replace(node, terms=tuple(_mapped(term, rename) for term in terms))
        case Not(term):
            return replace(node, term=_mapped(term, rename))
        case Present(path) | Absent(path) | Request(path):
            return replace(node, path=rename(path))
        case Compare(path, _, items):
            return replace(node, path=rename(path), items=tuple(_mapped_item(item, rename) for item in items))
        case Everything():
            return node
        case _:
            assert_never(node)


def _mapped_item(item: Item, rename: Rename) -> Item:
    return replace(item, path=rename(item.path)) if isinstance(item, PropertyOperand) else item
