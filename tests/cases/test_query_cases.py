"""Every query vector, on rows in memory and on a SQLite store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases import loader
from cases.loader import Case
from cases.world import NOON, Bundle, instant, vocab_file
from wakeful.testing import ManualClock

SUITE = "query"


def rows_of(case: Case) -> dict[str, Bundle]:
    """The case's own rows, or the shared ones that it names."""
    rows = case["rows"]
    return dict(loader.load(SUITE).shared["rows"][rows] if isinstance(rows, str) else rows)


def in_memory(case: Case, vocab: Path) -> Any:
    """The answer over bundles that no store has seen; a null component or property is left as it is."""
    bundles = [
        {"entity": {"eid": eid, "num": number}, **components}
        for number, (eid, components) in enumerate(rows_of(case).items(), start=1)
    ]
    return wakeful.load(vocab).query(case["query"]).select(bundles, now=instant(case.data.get("now", NOON)))


def in_sqlite(case: Case, vocab: Path) -> Any:
    """The answer of a store that was given the same rows in the same order."""
    store = wakeful.open(":memory:", clock=ManualClock(instant(case.data.get("now", NOON))))
    store.deploy(vocab)
    store.apply([{"entity": {"eid": eid}, **components} for eid, components in rows_of(case).items()])
    return store.query(case["query"])


EVALUATORS = {"memory": in_memory, "sqlite": in_sqlite}


@pytest.fixture
def vocab(tmp_path: Path) -> Path:
    return vocab_file(tmp_path, loader.load(SUITE).shared["vocab"])


def check(case: Case, evaluator: str, vocab: Path) -> None:
    """Raise AssertionError unless the answer, or the kind of the error, is the vector's."""
    then = case["then"]
    if "error" in then:
        with pytest.raises(wakeful.QueryError) as caught:
            EVALUATORS[evaluator](case, vocab)
        code = caught.value.problems[0].code
        assert code.startswith(then["error"] + "-"), caught.value
        return
    answer = EVALUATORS[evaluator](case, vocab)
    if "eids" not in then:
        assert answer == then
        return
    assert [row["entity"]["eid"] for row in answer] == then["eids"]
    for eid, carried in then.get("carried", {}).items():
        (row,) = [row for row in answer if row["entity"]["eid"] == eid]
        assert set(row) == {"entity", *carried}


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("case", loader.vectors(SUITE))
def test_vector(case: Case, evaluator: str, vocab: Path) -> None:
    check(case, evaluator, vocab)


def test_no_query_awaits_a_later_version() -> None:
    """Every form of the language stands: a new vector must pass or be refused by name."""
    assert loader.awaited(SUITE) == []
