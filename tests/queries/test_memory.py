"""A plan in memory: closures for the first rows, then a function of its own, with one answer throughout."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import FunctionType
from typing import Any

import pytest

import wakeful
from wakeful_compiler.bounds import NowNeeded
from wakeful_compiler.emit.memory import OFTEN
from wakeful_compiler.emit.readers import LookupNeeded

NOW = datetime(2026, 9, 26, 12, tzinfo=UTC)
VOCAB: Mapping[str, Any] = {
    "$defs": {
        "plant": {
            "properties": {
                "size": {"type": "number"},
                "seen": {"type": "string", "format": "date-time"},
                "mother": {"type": "string", "ref": "plant"},
            }
        }
    }
}
ROWS: tuple[dict[str, Any], ...] = (
    {"plant": {"size": 7, "seen": "2026-09-26T11:59:30Z", "mother": "fern"}},
    {"plant": {"size": 7, "seen": "2026-09-26T11:00:00Z", "mother": "fern"}},
    {"plant": {"size": 3, "seen": "2026-09-26T11:59:30Z", "mother": "moss"}},
    {"plant": {"size": "7", "seen": 5, "mother": ["fern"]}},
    {"plant": 7},
    {},
)


def lookup(eid: str) -> Any:
    return {"fern": {"plant": {"size": 20}}, "moss": {"plant": None}}.get(eid)


@pytest.mark.parametrize(
    "text",
    [
        ".plant",
        ".plant.size>5",
        "!(.plant.size=7,8|.plant.size<2)",
        ".plant.seen>=1-minute-ago .plant.size=7",
        ".plant.mother.plant.size>10",
        "!plant.mother.plant.size .plant.size=3",
    ],
)
def test_a_plan_answers_alike_before_and_after_it_is_written_out(text: str) -> None:
    matches = wakeful.load(VOCAB).query(text).matches
    assert isinstance(matches, FunctionType)
    early = matches.__code__
    expected = [matches(row, NOW, lookup) for row in ROWS]
    assert True in expected and False in expected
    assert matches.__code__ is early
    while matches.__code__ is early:
        assert [matches(row, NOW, lookup) for row in ROWS] == expected
    assert [matches(row, NOW, lookup) for row in ROWS] == expected


def test_it_is_written_out_at_the_row_that_makes_it_often() -> None:
    matches = wakeful.load(VOCAB).query(".plant.size>5").matches
    assert isinstance(matches, FunctionType)
    early = matches.__code__
    for _ in range(OFTEN - 1):
        assert matches(ROWS[0])
    assert matches.__code__ is early
    assert matches(ROWS[0])
    assert matches.__code__ is not early


def test_what_an_evaluation_lacks_is_said_before_and_after() -> None:
    vocab = wakeful.load(VOCAB)
    moving, hopping = vocab.query(".plant.seen>=1-minute-ago").matches, vocab.query("!plant.mother.plant.size").matches
    for _ in range(OFTEN + 10):
        with pytest.raises(NowNeeded):
            moving({})
        with pytest.raises(LookupNeeded):
            hopping({}, NOW)
