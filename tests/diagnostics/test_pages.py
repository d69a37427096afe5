"""Every code has a page, every page a code, and the examples of a page do what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from diagnostics.codes import codes_of_the_source
from diagnostics.judging import ROOT, problems
from wakeful.help.pages import codes, page

_BLOCK = re.compile(r"^```[a-z]+ (?P<kind>[a-z]+) (?P<says>refused|warned|mended)\n(?P<text>.*?)\n?^```$", re.M | re.S)
_INDEX = ROOT / "docs" / "problems.md"


class Example(NamedTuple):
    kind: str
    says: str
    text: str


def examples(code: str) -> list[Example]:
    """The examples of a page that can be run, in their order."""
    found = page(code)
    assert found is not None
    return [Example(block["kind"], block["says"], block["text"]) for block in _BLOCK.finditer(found.text)]


def _parameters() -> Iterator[object]:
    for code in codes():
        for number, example in enumerate(examples(code)):
            yield pytest.param(code, example, id=f"{code} {example.says} {number}")


def test_every_code_has_a_page() -> None:
    assert sorted(codes_of_the_source() - set(codes())) == []


def test_every_page_has_a_code() -> None:
    assert sorted(set(codes()) - codes_of_the_source()) == []


@pytest.mark.parametrize("code", codes())
def test_a_page_says_what_why_and_what_instead(code: str) -> None:
    found = page(code)
    assert found is not None
    assert found.text.startswith(f"# {code}\n\n{found.summary[:40]}")
    assert found.summary.endswith(".")
    assert found.text.count("\n```\n") + found.text.endswith("\n```\n") >= 1
    assert max(map(len, found.text.split("\n"))) <= 150


@pytest.mark.parametrize(("code", "example"), list(_parameters()))
def test_the_examples_of_a_page(code: str, example: Example) -> None:
    found = problems(example.kind, example.text)
    told = [(problem.code, problem.severity) for problem in found]
    match example.says:
        case "refused":
            assert (code, "error") in told, told
        case "warned":
            assert (code, "warning") in told, told
        case _:
            assert told == [], told


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"^\| \[([a-z-]+)\]\(\.\./runtime/wakeful/help/problems/\1\.md\) \| (.*) \|$", _text(), re.M)
    pages = [page(code) for code in codes()]
    assert listed == [(found.code, found.summary) for found in pages if found is not None]


def _text() -> str:
    return Path(_INDEX).read_text(encoding="utf-8")
