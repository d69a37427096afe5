"""Ties tests to the cases of spec/cases/behaviour.json, which say in words what happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest

from cases import loader
from cases.loader import Case

SUITE = "behaviour"
TOLD_HERE = ("every", "vocab", "rule", "apply", "wake", "while", "call")
"""The areas whose cases have a test each; all other areas await a later version as a whole."""

Test = TypeVar("Test", bound=Callable[..., None])


def case(case_id: str) -> Callable[[Test], Test]:
    """Marks the test that tells this case."""

    def mark(test: Test) -> Test:
        marked: Test = pytest.mark.vector(case_id)(test)
        return marked

    return mark


def of_area(area: str) -> list[Case]:
    """The cases of one area, in the order of the file."""
    return [case for case in loader.load(SUITE).cases if case["area"] == area]


def given(case_id: str) -> Case:
    """One case by its id."""
    (found,) = [case for case in loader.load(SUITE).cases if case.id == case_id]
    return found


def _told(namespace: Mapping[str, Any]) -> list[str]:
    ids: list[str] = []
    for name, value in namespace.items():
        if not name.startswith("test_"):
            continue
        for mark in getattr(value, "pytestmark", ()):
            if mark.name == "vector":
                ids.append(mark.args[0])
            elif mark.name == "parametrize":
                marks = [inner for parameter in mark.args[1] for inner in getattr(parameter, "marks", ())]
                ids += [inner.args[0] for inner in marks if inner.name == "vector"]
    return ids


def amiss(area: str, namespace: Mapping[str, Any]) -> list[str]:
    """What is wrong between an area and a module of tests: cases untold, told twice, foreign, awaiting."""
    told = _told(namespace)
    expected = {case.id for case in of_area(area) if not loader.is_awaiting(case)}
    return [
        *(f"{case_id} has no test and does not await a later version" for case_id in sorted(expected - set(told))),
        *(f"{case_id} awaits a later version or is of another area" for case_id in sorted(set(told) - expected)),
        *(f"{case_id} has two tests" for case_id in sorted({case_id for case_id in told if told.count(case_id) > 1})),
    ]
