"""The one reader of spec/cases: vectors by file, and those that a later version must make pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[2] / "spec" / "cases"
AWAITING = "awaiting"

REASONS = frozenset(
    {
        "hops",
        "!( )",
        "*",
        ".distinct .tally .fields",
        "bare properties but .eid and .num",
        "a property as operand",
        "^ and the mends that name it",
        "removal",
        "commands",
        "while",
        "trash",
        "subscriptions",
        "PostgreSQL",
        "health",
        "migrations",
        "death",
    }
)
"""Why a case may await a later version; any other reason is a bug of this one."""


@dataclass(frozen=True, slots=True)
class Case:
    """One vector: `data` is its object in the file, `id` unique over all files."""

    suite: str
    id: str
    data: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.data[key]


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of vectors; `shared` is what its cases have in common (a vocabulary, rows)."""

    name: str
    shared: Mapping[str, Any]
    cases: tuple[Case, ...]


@cache
def load(name: str) -> Suite:
    """The vectors of spec/cases/NAME.json."""
    document = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    cases = tuple(Case(name, case["id"], case) for case in document["cases"])
    return Suite(name, {key: value for key, value in document.items() if key not in ("about", "cases")}, cases)


def suites() -> list[Suite]:
    """Every file of vectors that there is."""
    return [load(path.stem) for path in sorted(CASES.glob("*.json")) if path.stem != AWAITING]


@cache
def awaiting() -> tuple[tuple[str, str], ...]:
    """The pairs (case id, reason) as listed, twice if listed twice."""
    listed = json.loads((CASES / f"{AWAITING}.json").read_text(encoding="utf-8"))["awaiting"]
    return tuple((case, reason) for reason, cases in listed.items() for case in cases)


def is_awaiting(case: Case) -> bool:
    """Whether a later version must make it pass."""
    return any(case.id == listed for listed, _ in awaiting())


def parameters(cases: Iterator[Case] | list[Case]) -> list[Any]:
    """Cases as pytest parameters that carry their id and are counted at the end of the run."""
    return [pytest.param(case, id=case.id, marks=pytest.mark.vector(case.id)) for case in cases]


def vectors(name: str, only: Callable[[Case], bool] = lambda case: True) -> list[Any]:
    """The cases of one file that must pass now, as pytest parameters; `only` narrows them."""
    return parameters([case for case in load(name).cases if only(case) and not is_awaiting(case)])


def awaited(name: str) -> list[Any]:
    """The cases of one file that must not pass yet, as pytest parameters; they do not count as run."""
    return [pytest.param(case, id=case.id) for case in load(name).cases if is_awaiting(case)]
