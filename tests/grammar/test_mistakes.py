"""What the parsers say of bad text: code, column, message and hint, and mends that really mend."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wakeful_grammar.problems import LanguageError, caret_lines
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule

_HERE = Path(__file__).parent
_PARSERS: dict[str, Callable[[str], object]] = {"query": parse_query, "rule": parse_rule}


def _cases() -> list[Any]:
    cases = []
    for name in _PARSERS:
        rows = json.loads((_HERE / f"{name}_mistakes.json").read_text(encoding="utf-8"))
        cases += [pytest.param(name, row["text"], row["problems"], id=f"{name} {row['text']!r}") for row in rows]
    return cases


@pytest.mark.parametrize(("language", "text", "expected"), _cases())
def test_a_mistake_is_told_where_it_is_and_how_to_mend_it(
    language: str, text: str, expected: list[dict[str, Any]]
) -> None:
    parse = _PARSERS[language]
    with pytest.raises(LanguageError) as caught:
        parse(text)
    found = [
        {
            "code": problem.code,
            "column": problem.column,
            "message": problem.message,
            "hint": problem.hint,
            "mended": None
            if problem.fix is None
            else text[: problem.span.start] + problem.fix + text[problem.span.end :],
        }
        for problem in caught.value.problems
    ]
    assert found == expected
    if len(found) == 1 and found[0]["mended"] is not None:
        try:
            parse(str(found[0]["mended"]))
        except LanguageError as again:
            # Another mistake may stand further on; the mended one is gone.
            assert again.problems[0].span.start > caught.value.problems[0].span.start


@pytest.mark.parametrize(
    ("text", "carets"),
    [
        (".recipe.cuisine=thai|", "                    ^"),
        (".recipe (.doc", "        ^"),
        (".recipe.minutes=..35", "               ^^^^^"),
        (".recipe\n  lemon", "  ^^^^^"),
    ],
)
def test_carets_stand_under_the_mistake(text: str, carets: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_query(text)
    assert caret_lines(caught.value.problems[0])[1] == carets


def test_line_and_column_of_a_mistake_on_a_later_line() -> None:
    with pytest.raises(LanguageError) as caught:
        parse_query(".recipe\n.doc lemon")
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 6)
