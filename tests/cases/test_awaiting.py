"""The list of cases that await a later version is exact, and no two cases share an id."""

from __future__ import annotations

from collections import Counter

from cases import behaviour, loader


def test_no_id_is_used_twice() -> None:
    ids = Counter(case.id for suite in loader.suites() for case in suite.cases)
    assert [case for case, count in ids.items() if count > 1] == []


def test_every_awaiting_case_exists() -> None:
    ids = {case.id for suite in loader.suites() for case in suite.cases}
    assert [case for case, _ in loader.awaiting() if case not in ids] == []


def test_no_case_awaits_twice() -> None:
    listed = Counter(case for case, _ in loader.awaiting())
    assert [case for case, count in listed.items() if count > 1] == []


def test_every_reason_is_one_that_a_later_version_brings() -> None:
    assert {reason for _, reason in loader.awaiting()} <= loader.REASONS


def test_every_area_of_behaviour_is_told_or_awaits_as_a_whole() -> None:
    elsewhere = [case for case in loader.load(behaviour.SUITE).cases if case["area"] not in behaviour.TOLD_HERE]
    assert [case.id for case in elsewhere if not loader.is_awaiting(case)] == []
