"""The exhaustive job in small, so that it still runs when somebody needs it: `make exhaustive` is the whole of it."""

from __future__ import annotations

import pytest

from exhaustive.days import check_forms
from exhaustive.peers import check_expressions
from exhaustive.transitions import changes, check_zone, distinct_zones


def test_zones_that_share_their_rules_are_looked_at_once() -> None:
    zones = dict(distinct_zones("New_York|US/Eastern|Lord_Howe"))
    assert zones == {"America/New_York": 2, "Australia/Lord_Howe": 1}
    assert sum(shared for _, shared in distinct_zones("")) > 590


def test_the_changes_of_a_year_are_found() -> None:
    found = [f"{change.instant:%Y-%m-%dT%H:%M:%S}" for change in changes("America/New_York", 2026, 2026)]
    assert found == ["2026-03-08T07:00:00", "2026-11-01T06:00:00"]


@pytest.mark.parametrize("zone", ["Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia"])
def test_nothing_differs_at_changes(zone: str) -> None:
    counted, tried, differing = check_zone(zone, 1970, 2013, 1)
    assert counted and tried == 14 * counted
    assert differing == []


def test_nothing_differs_from_peers() -> None:
    dated, differing = check_expressions(300, "small")
    assert dated > 290
    assert differing == []


def test_nothing_differs_in_forms_of_days() -> None:
    looked_at, differing = check_forms([("L-3", "MON#2"), ("15W", "*"), ("*", "6L"), ("LW", "FRI#5")])
    assert looked_at == 4 * 35 * 365 + 4 * 7
    assert differing == []
