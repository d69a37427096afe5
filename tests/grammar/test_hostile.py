"""Any text at all ends in a tree or in a LanguageError whose problems point into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wakeful_grammar.printer import print_query, print_rule
from wakeful_grammar.problems import LanguageError, QueryError, RuleError, render
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule
from wakeful_grammar.time_operand import parse_time

Tree = TypeVar("Tree")

PIECES = st.sampled_from(
    [
        *".,&|()!?*+^-=<>~\"'\\ \t\n:;#@%/",
        *(
            "a",
            "recipe",
            "count",
            "limit",
            "1",
            "20",
            "..",
            "...",
            ".a",
            ".a.b",
            "!=",
            "~=",
            "null",
            "and",
            "or",
        ),
        *(
            "not",
            "\u00a0",
            "é",
            "\u200b",
            ".limit=",
            ".order=",
            ".fields=",
            ".count",
            "+a",
            "^a",
            "+!a",
            "*a.b=",
        ),
        *("\ud800", "\0", "now", "-7-days", "٣", "\u2028"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=300))

LONG = [
    "(" * 4_000, "!(" * 2_000, ".a=1," * 800, ".a=" + "1," * 1_998, '"' * 4_000, '.a="' + "\\" * 3_990,
    " " * 3_999 + "x", "!" + " " * 3_998 + ")", "a" * 4_000, "a." * 2_000, ".a=x" + " y" * 1_990, "&" * 4_000,
    "." * 4_000, ".a=1" + "..1" * 1_300, "(" * 1_990 + ".a" + ")" * 1_990, "9" * 20_000,
    ".limit=" + "9" * 3_990, ".a|" * 1_300, "not " * 1_000, ".a=.b" + ".b" * 1_990,
    "\u00a0" * 4_000, "x" * 10_000,
    "9" * 20_000 + "-days-ago",
]  # fmt: skip


@given(TEXTS)
@example(".a\ud800")
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    _checked(text, parse_query, QueryError, print_query)


@given(TEXTS)
def test_any_text_is_a_rule_or_a_rule_error(text: str) -> None:
    _checked(text, parse_rule, RuleError, print_rule)


@given(TEXTS)
def test_any_text_is_a_time_or_a_query_error(text: str) -> None:
    try:
        parse_time(text)
    except QueryError as error:
        assert [problem.code for problem in error.problems] == ["type-operand"]


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:8]!r} x{len(text)}")
@pytest.mark.parametrize("parse", [parse_query, parse_rule, parse_time])
def test_long_and_deep_text_ends_in_an_answer_too(text: str, parse: Callable[[str], object]) -> None:
    try:
        parse(text)
    except LanguageError as error:
        assert all(problem.hint for problem in error.problems)


def _checked(text: str, parse: Callable[[str], Tree], kind: type[LanguageError], show: Callable[[Tree], str]) -> None:
    try:
        tree = parse(text)
    except kind as error:
        for problem in error.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)
            assert problem.hint
            assert render(problem)
    else:
        assert parse(show(tree)) == tree
