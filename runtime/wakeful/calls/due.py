"""Which calls are to run now: those that a stage's write made due, and the occurrence that a firing owes."""

from __future__ import annotations

from ..ids import derived_eid
from ..rows import Row, Values
from ..stage import Stage


def written(stage: Stage) -> list[Row]:
    """The rows of a judged stage whose call its write made due: a call without a wake, or one whose wake was taken.

    A call that has been run, or is running, is not due again.
    """
    return [row for row in stage.rows.values() if row.outcome and not row.deleted and _is_due(row)]


def _is_due(row: Row) -> bool:
    if "call" not in row.has and not any(change[0] == "call" for change in row.outcome):
        return False  # as nearly all rows that fire by the thousand
    changed = {component: after for component, _, after, _ in row.outcome}
    if "call" not in changed and "wake" not in changed:
        return False
    return _carries(row, changed, "call") and not any(_carries(row, changed, name) for name in ("wake", "execution"))


def still_asks(row: Row) -> bool:
    """Whether a call that a firing makes due is to run as its rules have left it: the fired row's own, or the one that
    the firing wrote, which a rule can have stopped or put off."""
    if row.deleted:
        return False
    return _is_due(row) if row.new else _carries(row, {name: after for name, _, after, _ in row.outcome}, "call")


def _carries(row: Row, changed: dict[str, Values | None], component: str) -> bool:
    return changed[component] is not None if component in changed else component in row.has


def is_standing(wake: Values) -> bool:
    """Whether a call under this wake is a standing request, of which each firing writes a call of its own."""
    return wake["every"] is not None or wake["while"] is not None


def occurrence_eid(schedule: str, due: str) -> str:
    """The eid of the call that a standing request owes for the occurrence at `due`."""
    return derived_eid("call", schedule, due)


def write_occurrence(stage: Stage, schedule: Row, due: str) -> Row | None:
    """Write the call of one occurrence, asked for by whoever wrote the schedule; None where it was written before."""
    eid = occurrence_eid(schedule.eid, due)
    if eid in stage.nums or eid in stage.dead:
        return None
    asked = schedule.bundle["call"]
    row = stage.create(eid)
    created = schedule.bundle.get("created")
    row.bundle["created"]["by"] = created["by"] if created is not None else None
    values = {"to": asked["to"], "args": asked["args"], "source": schedule.eid, "due": due}
    row.put("call", values, stage.plans.blanks["call"])
    stage.name_command(row)
    return row
