"""What is said of the mistakes that people make, word for word.

Each `.txt` beside this file holds inputs of one language, each with its message, in the form

    === what the mistake is
    the input
    ---
    the message

`pytest tests/goldens --update-goldens` writes the messages anew; a person reads the difference, as somebody would who
has never seen this language: what is wrong, where, and what to write instead must be plain without any manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from diagnostics.judging import problems
from wakeful_grammar.problems import Problem, render

HERE = Path(__file__).parent
KINDS = {
    "bundles": "bundle",
    "queries": "query",
    "rules": "rule",
    "schedules": "every",
    "triggers": "trigger",
    "vocabularies": "vocab",
}
COMMONEST = (
    ("queries", "a missing dot"),
    ("queries", "the double equals sign of programming languages"),
    ("queries", "blanks round ="),
    ("queries", "the word AND"),
    ("queries", "a comma list with blanks"),
    ("queries", "an unknown component"),
    ("queries", "a misspelt property"),
    ("queries", "text against a number"),
    ("rules", "an ungated rule"),
    ("bundles", "a zone-less date"),
)
"""The ten mistakes that people make most."""


@dataclass(frozen=True, slots=True)
class Golden:
    """One input of a file, and the message that is to be given."""

    file: str
    title: str
    text: str
    message: str


@cache
def goldens(file: str) -> tuple[Golden, ...]:
    """The inputs of one file, in its order."""
    found = []
    content = "\n" + (HERE / f"{file}.txt").read_text(encoding="utf-8")
    for part in content.split("\n=== ")[1:]:
        title, _, rest = part.partition("\n")
        text, _, message = rest.partition("\n---\n") if not rest.startswith("---\n") else ("", "", rest[4:])
        found.append(Golden(file, title, text, message.strip("\n")))
    return tuple(found)


def told(golden: Golden) -> str:
    """What is said of the input now."""
    return "\n".join(_shown(problem) for problem in problems(KINDS[golden.file], golden.text))


def _shown(problem: Problem) -> str:
    if problem.excerpt or not problem.pointer:
        return render(problem)
    hint = f"\n    {problem.hint}" if problem.hint else ""
    return f"{problem.pointer}: {problem.severity} {problem.code}: {problem.message}{hint}"


def _parameters() -> Iterator[object]:
    for file in KINDS:
        yield from (pytest.param(golden, id=f"{file}: {golden.title}") for golden in goldens(file))


@pytest.fixture(scope="session", autouse=True)
def _update(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--update-goldens"):
        return
    for file in KINDS:
        parts = [f"=== {golden.title}\n{golden.text}\n---\n{told(golden)}\n" for golden in goldens(file)]
        (HERE / f"{file}.txt").write_text("\n".join(parts), encoding="utf-8")
    goldens.cache_clear()


@pytest.mark.parametrize("golden", list(_parameters()))
def test_the_message_is_the_golden_one(golden: Golden) -> None:
    (expected,) = [now.message for now in goldens(golden.file) if now.title == golden.title]
    found = told(golden)
    assert found == expected
    assert found, "this input has no mistake"


@pytest.mark.parametrize("golden", list(_parameters()))
def test_every_message_says_what_to_write(golden: Golden) -> None:
    for problem in problems(KINDS[golden.file], golden.text):
        # A value's message says itself what the property or the input takes.
        assert problem.hint or problem.code in ("type-property", "type-args"), problem
        assert not problem.message.endswith("."), problem


def test_the_ten_commonest_are_there() -> None:
    titles = {(golden.file, golden.title) for file in KINDS for golden in goldens(file)}
    assert [one for one in COMMONEST if one not in titles] == []
