"""The cases of the area `every`: where a cadence lands next, and what a stretch of downtime leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

import wakeful
from cases import loader
from cases.behaviour import amiss, case, given, of_area
from cases.loader import Case
from cases.world import World, components, instant

NEXT_STRICTLY_AFTER = "next strictly after now="


@pytest.mark.parametrize(
    "case",
    loader.parameters([case for case in of_area("every") if case["when"].startswith(NEXT_STRICTLY_AFTER)]),
)
def test_a_duration_steps_from_its_anchor(case: Case) -> None:
    now = instant(case["when"].removeprefix(NEXT_STRICTLY_AFTER))
    schedule = wakeful.every(case["given"]["every"])
    assert schedule.next(now, anchor=instant(case["given"]["at"])) == instant(case["then"]["next"])


def play(folder: Path, case_id: str, *, written: str, served: str) -> tuple[int, World]:
    """Write the case's wake at one instant, first serve it at another; how often it fired, and the world."""
    told = given(case_id)["given"]
    world = World(folder, components(), now=written)
    world.put("e", wake={"at": told["at"], "every": told["every"]})
    return len(world.tick(served).fired), world


@case("b:7")
def test_exactly_on_a_later_beat_fires_once(tmp_path: Path) -> None:
    fired, world = play(tmp_path, "b:7", written="2026-01-01T09:00:00Z", served="2026-01-01T15:17:00Z")
    assert fired == 1
    assert instant(world.row("e", "wake")["wake"]["at"]) == instant("2026-01-01T17:17:00Z")
    told = given("b:7")["given"]
    after = wakeful.every(told["every"]).next(instant("2026-01-01T15:17:00Z"), anchor=instant(told["at"]))
    assert after == instant("2026-01-01T17:17:00Z")


@case("b:8")
def test_an_anchor_that_lies_ahead_is_the_first_occurrence() -> None:
    told = given("b:8")
    after = wakeful.every(told["given"]["every"]).next(
        instant("2026-01-01T09:16:59.999Z"), anchor=instant(told["given"]["at"])
    )
    assert after == instant(told["then"]["next"])


@case("b:9")
def test_half_an_hour_missed_is_one_firing(tmp_path: Path) -> None:
    fired, world = play(tmp_path, "b:9", written="2026-09-26T09:00:00Z", served="2026-09-26T09:36:10Z")
    assert fired == 1
    assert instant(world.row("e", "wake")["wake"]["at"]) == instant("2026-09-26T09:40:00Z")


@case("b:10")
def test_four_days_missed_are_one_firing(tmp_path: Path) -> None:
    fired, world = play(tmp_path, "b:10", written="2026-09-19T00:00:00Z", served="2026-09-24T08:00:00Z")
    assert fired == 1
    row = world.row("e", "wake", "fired")
    assert instant(row["wake"]["at"]) == instant("2026-09-24T09:00:00Z")
    assert instant(row["fired"]["at"]) == instant("2026-09-24T08:00:00Z")
    assert instant(row["fired"]["due"]) == instant("2026-09-20T09:00:00Z")
    assert world.tick().fired == []


@case("b:11")
def test_a_day_is_24_hours_across_a_change_of_clocks(tmp_path: Path) -> None:
    world = World(tmp_path, components(), now="2026-03-07T13:00:00Z")
    world.put("e", wake={"at": "2026-03-07T14:00:00Z", "every": "1d"})
    assert len(world.tick("2026-03-07T14:00:00Z").fired) == 1
    assert len(world.tick("2026-03-08T14:00:00Z").fired) == 1
    assert instant(world.row("e", "wake")["wake"]["at"]) == instant("2026-03-09T14:00:00Z")


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("every", globals()) == []
