"""The apps of examples/apps: each checks clean, is laid out, runs as told, and tells a beginner's mistake."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import wakeful
from apps.timeline import APPS, Firing, pass_time, play, timeline
from wakeful.testing import ManualClock
from wakeful_compiler.vocab.layout import canonical_text
from wakeful_compiler.vocab.source import read_bytes
from wakeful_compiler.vocabulary import check

NAMES = sorted(path.parent.name for path in APPS.glob("*/vocab.json"))
NAIVE = sorted(path.parent.name for path in APPS.glob("*/naive.json"))
STEPS = ("desk", "team", "lead", "head")


def test_they_are_all_there() -> None:
    assert len(NAMES) == 12
    assert len(NAIVE) == 5
    page = (APPS / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[([a-z]+)\]\(\1/\)", page, re.MULTILINE)) == NAMES


@pytest.mark.parametrize("app", NAMES)
def test_it_checks_clean(app: str) -> None:
    vocab, problems = check(APPS / app)
    assert vocab is not None
    assert problems == []


@pytest.mark.parametrize("app", NAMES)
def test_it_runs_as_told(app: str) -> None:
    assert play(app)


@pytest.mark.parametrize("path", sorted(APPS.glob("*/[vn]*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_it_is_laid_out(path: Path) -> None:
    data = path.read_bytes()
    assert canonical_text(read_bytes(data)).encode() == data


@pytest.mark.parametrize("app", NAIVE)
def test_its_naive_version_is_told_the_way_to_the_right_one(app: str) -> None:
    expected = timeline(app)["naive"]
    _, problems = check(APPS / app / "naive.json")
    told = [problem for problem in problems if problem.code == expected["code"]]
    assert told, [problem.code for problem in problems]
    assert expected["leads_to"] in told[0].hint


def test_five_mistakes_are_five_different_ones() -> None:
    assert len({timeline(app)["naive"]["code"] for app in NAIVE}) == len(NAIVE)


def test_a_ticket_climbs_one_step_a_firing_and_never_three() -> None:
    firings = [firing for firing in play("escalation") if firing.eid == "t1"]
    assert len(firings) == len(STEPS) - 1
    levels = _levels(json.loads((APPS / "escalation" / "vocab.json").read_text()))
    assert levels == list(STEPS[1:])


def test_the_naive_ticket_climbs_them_all_in_one() -> None:
    assert _levels(json.loads((APPS / "escalation" / "naive.json").read_text()))[0] == "head"


def _levels(document: dict[str, object]) -> list[str]:
    """The level of a ticket after each of its firings, all of them long overdue."""
    clock = ManualClock(datetime(2026, 9, 1, 10, tzinfo=UTC))
    found = []
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(document)
        store.apply(
            {"entity": {"eid": "t"}, "ticket": {"level": "desk"}, "wake": {"at": "2026-09-01T11:00:00Z", "every": "1h"}}
        )
        firings: list[Firing] = []
        for day in (2, 3, 4):
            pass_time(store, clock, datetime(2026, 9, day, tzinfo=UTC), firings, watched=False)
            found.append(store.query(".ticket")[0]["ticket"]["level"])
        assert [firing.eid for firing in firings] == ["t"] * 3
    return found
