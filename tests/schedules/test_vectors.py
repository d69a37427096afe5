"""Every vector of spec/cases/schedule.json, in both dialects."""

from __future__ import annotations

from datetime import datetime

import pytest

from cases import loader
from cases.loader import Case
from wakeful_compiler.schedules import Schedule, ScheduleError, cron_trigger, every

COMPILE = {"wake": every, "trigger": cron_trigger}


def compiled(case: Case) -> Schedule:
    return COMPILE[case["dialect"]](case["every"])


def refused_as(error: str | None) -> list[object]:
    return loader.vectors("schedule", lambda case: case.data.get("error") == error)


@pytest.mark.parametrize("case", refused_as("unreadable"))
def test_is_refused_with_a_place_and_a_mend(case: Case) -> None:
    with pytest.raises(ScheduleError) as caught:
        compiled(case)
    for problem in caught.value.problems:
        assert problem.code.startswith(("schedule-", "limit-"))
        assert problem.message and problem.hint
        assert 0 <= problem.span.start <= problem.span.end <= len(case["every"])


@pytest.mark.parametrize("case", refused_as("never"))
def test_names_no_date(case: Case) -> None:
    schedule = compiled(case)
    assert schedule.never
    assert schedule.next(datetime.fromisoformat("2026-01-01T00:00:00Z")) is None
    assert schedule.previous(datetime.fromisoformat("2026-01-01T00:00:00Z")) is None


@pytest.mark.parametrize("case", refused_as(None))
def test_comes_next(case: Case) -> None:
    schedule = compiled(case)
    anchor = datetime.fromisoformat(case["anchor"]) if "anchor" in case.data else None
    moment = datetime.fromisoformat(case["after"])
    for expected in case["next"]:
        found = schedule.next(moment, anchor)
        assert found == datetime.fromisoformat(expected)
        moment = found
    assert not schedule.never
