"""Zones: tzdata's list and nothing else, and a wall clock cut exactly where tzdata changes it."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from importlib import resources
from itertools import pairwise

import pytest

from wakeful_compiler.schedules import every
from wakeful_compiler.schedules.wall_pieces import pieces_of_year
from wakeful_compiler.zones import UnknownZone, tzdata_version, zone, zone_names

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


UNLISTED = [
    "", "Z", "utc", "America/new_york", "America", "+01:00", "UTC+1", "GMT-5", "localtime", "posixrules",
    "../zones", "/etc/localtime", "America/../UTC", "America//Detroit", "America/Detroit/", "zone.tab",
    "UTC\0", "America\\Detroit", "__init__.py", "Ünited/Zone", "\ud800", "x" * 200,
]  # fmt: skip


@pytest.mark.parametrize("name", UNLISTED)
def test_a_name_that_tzdata_does_not_list_is_unknown(name: str) -> None:
    with pytest.raises(UnknownZone) as caught:
        zone(name)
    assert caught.value.name == name
    assert caught.value.hint
    if caught.value.near:
        assert caught.value.near in zone_names()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("america/detroit", "America/Detroit"),
        ("Detroit", "America/Detroit"),
        ("New York", "America/New_York"),
        ("America/New-York", "America/New_York"),
        ("Europe/Berlni", "Europe/Berlin"),
        ("Kathmandoo", "Asia/Kathmandu"),
        ("PST", "America/Los_Angeles"),
        ("CEST", "Europe/Berlin"),
        ("utc", "UTC"),
        ("Z", "UTC"),
        ("+05:00", "Etc/GMT-5"),
        ("UTC-3", "Etc/GMT+3"),
        ("+05:30", None),
        ("Mars/Olympus", None),
    ],
)
def test_the_near_name(name: str, near: str | None) -> None:
    with pytest.raises(UnknownZone) as caught:
        zone(name)
    assert caught.value.near == near


def test_the_host_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_host(*_: object) -> None:
        raise AssertionError("the host's zone files were searched")

    monkeypatch.setattr("zoneinfo._tzpath.find_tzfile", no_host)
    zone.cache_clear()
    assert zone("Europe/Vienna").utcoffset(datetime(2026, 7, 1)) == timedelta(hours=2)


def test_every_listed_zone_can_be_used() -> None:
    for name in zone_names():
        if name != "UTC":
            assert zone(name).key == name
            every(f"0 9 * * * {name}")


def test_the_release_is_known() -> None:
    assert tzdata_version()[:2] == "20"


def changes_on_file(name: str) -> list[tuple[int, int, int]]:
    """Each change of offset that the zone's file lists: when, from what, to what, in seconds."""
    data = resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()

    def counts(at: int) -> tuple[int, ...]:
        return struct.unpack(">6l", data[at + 20 : at + 44])

    def size(utc: int, std: int, leap: int, times: int, types: int, chars: int, width: int) -> int:
        return times * (width + 1) + types * 6 + chars + leap * (width + 4) + std + utc

    at = 44 + size(*counts(0), 4)
    _, _, _, times, types, _ = counts(at)
    at += 44
    instants = struct.unpack(f">{times}q", data[at : at + 8 * times])
    kinds = data[at + 8 * times : at + 9 * times]
    offsets = [struct.unpack(">l", data[at + 9 * times + 6 * n :][:4])[0] for n in range(types)]
    listed, before = [], offsets[0]
    for instant, kind in zip(instants, kinds, strict=True):
        if offsets[kind] != before:
            listed.append((instant, before, offsets[kind]))
        before = offsets[kind]
    return listed


SAMPLE = sorted(zone_names())[::9]


@pytest.mark.parametrize("name", SAMPLE)
def test_pieces_are_cut_where_the_file_says(name: str) -> None:
    by_year: dict[int, set[tuple[datetime, timedelta, timedelta]]] = {}
    for instant, before, after in changes_on_file(name):
        cut = EPOCH + timedelta(seconds=instant + max(before, after))
        by_year.setdefault(cut.year, set()).add((cut, timedelta(seconds=before), timedelta(seconds=after)))
    for year, expected in by_year.items():
        found = {(b.start, a.offset, b.offset) for a, b in pairwise(pieces_of_year(name, year))}
        # A change at New Year lies between two years; in the last year listed a rule takes over from it.
        assert {change for change in expected if change[0] != datetime(year, 1, 1, tzinfo=UTC)} <= found
        assert expected >= found or year == max(by_year)


def test_no_piece_is_shorter_than_the_stride_that_looks_for_them() -> None:
    for name in zone_names():
        for (one, _, _), (other, _, _) in pairwise(changes_on_file(name)):
            assert other - one > (3 + 1) * 86_400
        for _, before, after in changes_on_file(name):
            assert abs(after - before) <= 86_400


@pytest.mark.parametrize("name", ["America/New_York", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu"])
def test_pieces_tile_the_years(name: str) -> None:
    for year in (1, 1883, 1986, 2010, 2011, 2012, 2026, 2400, 9999):
        pieces = pieces_of_year(name, year)
        assert pieces[0].start == datetime(year, 1, 1, tzinfo=UTC)
        assert all(one.end == other.start for one, other in pairwise(pieces))
        assert pieces[-1].end == (datetime(year + 1, 1, 1, tzinfo=UTC) if year < 9999 else pieces[-1].end)
        for piece in pieces:
            middle = (piece.start + (piece.end - piece.start) / 2).replace(tzinfo=None)
            assert zone(name).utcoffset(middle) == piece.offset
