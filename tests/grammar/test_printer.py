"""Canonical text: a fixed point of parsing and printing, for every tree that a text can give."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_grammar.nodes import (
    OPERATORS,
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
    Path,
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
from wakeful_grammar.printer import print_query, print_rule
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule

NAMES = st.sampled_from(["a", "b2", "recipe", "Minutes", "_x", "order", "limit", "null", "and"])
ODD = st.text(alphabet=st.sampled_from(list(".,&|()!?*+^=<>~\"'\\ \t\n\u00a0éß1a-%")), max_size=6)
LETTERS = re.compile(r"[A-Za-z0-9_@%:/\\'\"*+-]*")


@st.composite
def paths(draw: st.DrawFn, sizes: tuple[int, ...] = (1, 2, 4, 10)) -> Path:
    return Path(tuple(draw(NAMES) for _ in range(draw(st.sampled_from(sizes)))))


def bare(text: str) -> bool:
    """Plainly a word: letters and harmless signs, no quote or bracket first."""
    return LETTERS.fullmatch(text) is not None and bool(text) and text[0] not in "'\"+*^"


SCALARS = st.one_of(
    st.builds(
        Scalar,
        st.one_of(ODD, st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)),
        st.just(True),
    ),
    st.builds(
        Scalar,
        st.one_of(ODD.filter(bare), st.sampled_from(["thai", "20.0", ".5", "it's", "-1", "now", "a.b"])),
    ),
)
RANGES = st.builds(
    Range,
    SCALARS,
    SCALARS.filter(lambda scalar: not scalar.text.startswith(".") or scalar.quoted),
    st.booleans(),
)
OPERANDS = st.builds(PropertyOperand, paths(sizes=(2,)))


@st.composite
def compares(draw: st.DrawFn) -> Compare:
    operator = draw(st.sampled_from(OPERATORS))
    kinds: list[st.SearchStrategy[Item]] = [SCALARS, OPERANDS]
    if operator in ("=", "!="):
        kinds.append(RANGES)
    items = draw(st.lists(st.one_of(kinds), min_size=1, max_size=3 if operator in ("=", "!=", "~=") else 1))
    return Compare(draw(paths()), operator, tuple(items))


LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.builds(Present, paths()),
    st.builds(Absent, paths()),
    st.builds(Request, paths()),
    compares(),
    st.just(Everything()),
)


def _joined(kind: Callable[[tuple[Node, ...]], And | Or], other: type) -> Callable[[list[Node]], Node]:
    return lambda terms: kind(tuple(term if not isinstance(term, other) else Not(term) for term in terms))


def _grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(st.builds(Not, inner), pairs.map(_joined(And, And)), pairs.map(_joined(Or, Or)))


def _depth(node: Node) -> int:
    match node:
        case Not(term):
            return 1 + _depth(term)
        case And(terms) | Or(terms):
            return 1 + max(map(_depth, terms))
        case _:
            return 0


NODES = st.recursive(LEAVES, _grown, max_leaves=12).filter(lambda node: _depth(node) <= 7)


@st.composite
def trees(draw: st.DrawFn) -> QueryTree:
    directives: list[Directive | None] = [
        draw(st.none() | st.builds(Order, paths(), st.booleans())),
        draw(st.none() | st.builds(Limit, st.integers(0, 2**63 - 1))),
        draw(
            st.none()
            | st.builds(After, st.integers(0, 2**63 - 1), st.none())
            | st.builds(After, st.none(), SCALARS.map(lambda scalar: scalar.text))
        ),
        draw(st.none() | st.just(Count()) | st.builds(Distinct, paths()) | st.builds(Tally, paths())),
        draw(st.none() | st.lists(paths(), min_size=1, max_size=3).map(lambda some: Fields(tuple(some)))),
    ]
    return QueryTree(draw(st.none() | NODES), tuple(one for one in directives if one is not None))


@st.composite
def writes(draw: st.DrawFn) -> Mark:
    component = draw(NAMES)
    kind = draw(st.sampled_from(["value", "bare", "remove", "gate", "tombstone", "occasion"]))
    sign: Literal["+", "*"] = draw(st.sampled_from(("+", "*")))
    if kind == "value":
        amounts = st.sampled_from([(0, ""), (1, "1"), (-1, "7-days"), (-1, "1.5"), (1, "2h")])
        copies = st.builds(lambda path, by: Copy(path, *by), paths(sizes=(2,)), amounts)
        return Write(sign, component, draw(NAMES), draw(SCALARS | copies))
    if kind == "bare":
        return Write(sign, component)
    if kind == "remove":
        return Write("*", component, None, Scalar("null"))
    if kind == "gate":
        return Gate(component)
    if kind == "tombstone":
        return Tombstone()
    path = draw(paths(sizes=(1, 2)))
    compared = draw(compares())
    clauses: list[Present | Absent | Compare] = [
        Present(path),
        Absent(Path((component,))),
        Compare(Path((component, "p")), compared.operator, compared.items),
    ]
    return Occasion(draw(st.sampled_from(clauses)))


CLAUSES = st.one_of(st.builds(Present, paths()), st.builds(Absent, paths()), compares())


@given(trees())
def test_a_printed_query_parses_back_to_its_tree(tree: QueryTree) -> None:
    text = print_query(tree)
    parsed = parse_query(text)
    assert parsed == tree
    assert print_query(parsed) == text


@given(st.lists(CLAUSES, max_size=3), st.lists(writes(), max_size=3))
def test_a_printed_rule_parses_back_to_its_tree(clauses: list[Present | Absent | Compare], marks: list[Mark]) -> None:
    if not clauses and not marks:
        return
    tree = RuleTree(tuple(clauses), tuple(marks))
    text = print_rule(tree)
    parsed = parse_rule(text)
    assert parsed == tree
    assert print_rule(parsed) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("  recipe.minutes>=20 ,  .doc ", ".recipe.minutes>=20 .doc"),
        (".a&.b|(.c)", ".a .b|.c"),
        (".a, (.b | .c)", ".a (.b|.c)"),
        ("!( .a & .b )", "!(.a .b)"),
        (".a='x','it\\'s'", '.a="x","it\'s"'),
        ('.a="say \\"x\\""', '.a="say \\"x\\""'),
        (".limit=5 .a .order=-a.b", ".a .order=-a.b .limit=5"),
        ("limit=1", "limit=1"),
        (".limit!=1", ".limit!=1"),
        ("order.total=1", ".order.total=1"),
        (".after='12'", '.after="12"'),
        (".after='x-1'", ".after=x-1"),
        (".a=1...5,.b.c", ".a=1...5,.b.c"),
        ("*, .count", "* .count"),
    ],
)
def test_canonical_spelling(text: str, canonical: str) -> None:

    assert print_query(parse_query(text)) == canonical


def test_canonical_spelling_of_a_rule() -> None:
    text = "+watered.by=wake .plant&+!watered  recipe.minutes>=20"
    assert print_rule(parse_rule(text)) == ".plant, .recipe.minutes>=20, +watered.by=wake, +!watered"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (".a ^fired !b ^c.d>1 +e", "^fired, ^c.d>1, .a, !b, +e"),
        ("+e .a ^fired", ".a, +e, ^fired"),
        ("^!a,*b=null", "^!a, *b=null"),
    ],
)
def test_what_sets_a_rule_off_comes_first(text: str, canonical: str) -> None:
    assert print_rule(parse_rule(text)) == canonical


def test_words_that_must_be_quoted_are() -> None:
    for text in ("a,b", "a b", "(", "x|y", "=5", ".b.c", "..", "a..b", "b=c", "?doc", "'x", "", "\u00a0"):
        tree = QueryTree(Compare(Path(("a",)), "=", (Scalar(text),)))
        parsed = parse_query(print_query(tree)).where
        assert parsed == Compare(Path(("a",)), "=", (Scalar(text, True),))
