"""Health from the command line: its exit code is the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Command

LATER = "2026-09-20T09:02:01Z"


def test_well_until_the_bound(wakeful: Command, garden: str) -> None:
    well = wakeful("health", "--store", garden, "--now", "2026-09-01T00:00:00Z")
    assert (well.code, well.out) == (0, "well; next due 2026-09-20T09:00:00Z\n")
    ill = wakeful("health", "--store", garden, "--now", LATER)
    assert (ill.code, ill.out) == (
        1, "not well: overdue since 2026-09-20T09:00:00Z (2 minutes 1 second ago): does `wakeful run` run?\n"
    )  # fmt: skip
    assert wakeful("health", "--store", garden, "--now", LATER, "--bound", "1h30m").code == 0
    assert wakeful("tick", "--store", garden, "--now", LATER).code == 0
    assert wakeful("health", "--store", garden, "--now", LATER).out == "well; no wake waits\n"
    early = wakeful("health", "--store", garden, "--now", "2026-09-20T09:00:00Z")
    assert (early.code, early.out) == (
        1,
        "not well: 1 row fired in the future: a clock ran ahead (`wakeful query '.fired.at>now'` lists them)\n",
    )


def test_as_json(wakeful: Command, garden: str) -> None:
    answer = wakeful("health", "--store", garden, "--now", LATER, "--json")
    assert answer.code == 1
    assert answer.json == {
        "ok": False, "overdue": "2026-09-20T09:00:00Z", "late": 121, "fired_in_future": 0, "refused": 0, "failed": 0,
        "running": 0, "waiting": 0, "next_due": "2026-09-20T09:00:00Z",
    }  # fmt: skip


@pytest.mark.parametrize("bound", ["", "-1m", "soon", "0 9 * * *", "9" * 20_000, "\x1b", "٣m"])
def test_a_bound_is_a_duration(wakeful: Command, garden: str, bound: str) -> None:
    answer = wakeful("health", "--store", garden, "--bound", bound)
    assert (answer.code, answer.out) == (2, "")
    assert "--bound" in answer.err


def test_no_such_store(wakeful: Command, tmp_path: Path) -> None:
    assert wakeful("health", "--store", tmp_path / "no.db").code == 2
