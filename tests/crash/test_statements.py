"""Every statement of every scenario fails in every kind of way, and nothing is lost or doubled.

All kinds strike at the statements that begin and end a transaction or a part of one.  At the others the
process is killed and data is refused each time, and the kinds that end a transaction take turns, as the forms of one
kind do.  With `WAKEFUL_CRASH=all` every form strikes at every statement, and at every row of one that writes many.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crash.engine import Fault
from crash.harness import Harness
from crash.scenarios import SCENARIOS, Scenario
from crash.sqlite_faults import SqliteCrashes

ENGINE = SqliteCrashes()
ALL = os.environ.get("WAKEFUL_CRASH") == "all"
BOUNDS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
ALWAYS = ("kill", "refused")
IN_TURN = ("busy", "error", "full", "interrupt")


def forms(harness: Harness, number: int) -> list[Fault]:
    """The ways in which a point fails."""
    sql = harness.life.points[number].sql
    able = [fault for fault in ENGINE.faults if fault.strikes(sql)]
    if not harness.refusable(number):
        able = [fault for fault in able if fault.kind != "refused"]
    if ALL or sql == "COMMIT":
        return able
    kinds = {fault.kind for fault in able} if sql.startswith(BOUNDS) else {*ALWAYS, IN_TURN[number % 4]}
    found = []
    for kind in sorted(kinds):
        of_kind = [fault for fault in able if fault.kind == kind]
        found += of_kind[number // 4 % max(1, len(of_kind)) :][:1]
    return found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_every_statement_fails_in_every_way(scenario: Scenario, folder: Path) -> None:
    harness = Harness(ENGINE, scenario, folder, every_row=ALL)
    for number, point in enumerate(harness.life.points):
        harness.disturb(forms(harness, number), point)
