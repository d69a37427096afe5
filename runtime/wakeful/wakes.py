"""What a write means for a wake: when it starts, when it pauses, and what is worth saying about it.

The rules of the design's 20-runtime, "Wakes"; the same for a wake that a bundle wrote and one that a rule wrote.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from wakeful_compiler.instants import parse_instant
from wakeful_compiler.schedules import Schedule, every

from .conditions.compiled import Conditions
from .conditions.entries import read_entries, same_entries
from .errors import Refused
from .refusals import refuse
from .rows import Row, Values
from .schedules import cadence_problem, follows_zone, next_at, same_cadence

_STEADY = {"@hourly": "1h", "@daily": "1d", "@midnight": "1d", "@weekly": "1w"}


def normalise(row: Row, now: datetime, conditions: Conditions) -> list[str]:
    """Settle `wake.at` of a row whose wake was touched; the notes worth giving.

    A cadence that changes without `at` being named starts at its first occurrence after `now`; naming the one
    that already stands moves nothing.  A `while` that changes puts a wake without `every` to sleep, which the end of
    the transaction may arm.  Raises Refused for what cannot be read, or a cadence that never comes.
    """
    wake = row.bundle.get("wake")
    if wake is None or "wake" not in row.before:
        return []
    before = None if row.readded_wake else row.before["wake"]
    notes: list[str] = []
    if wake["while"] is not None:
        notes = _settle_conditions(row, wake, None if before is None else before["while"], conditions)
    if wake["every"] is not None:
        notes += _settle_cadence(row, wake, None if before is None else before["every"], now)
    return notes


def _settle_conditions(row: Row, wake: Values, old: Any, conditions: Conditions) -> list[str]:
    """Bring a `while` that was written into its canonical form, and say what a pause is to it."""
    if wake["while"] is not old:
        entries, problems = read_entries(wake["while"], conditions, "")
        if problems:
            raise Refused([replace(each, message=f"{row.eid}: {each.message}", pointer=None) for each in problems])
        wake["while"] = entries
        if wake["every"] is None and not row.names_at and not same_entries(old, entries):
            wake["at"] = None
    if row.names_at and wake["at"] is None:
        return [f"{row.eid}: not stopped: the next matching write arms it; `wake: null` stops it"]
    return []


def _settle_cadence(row: Row, wake: Values, old: str | None, now: datetime) -> list[str]:
    """Start a cadence that changed."""
    if old == wake["every"] and not row.names_at:
        return []
    found = cadence_problem(wake["every"])
    if found is not None:
        raise refuse(found.code, f"wake.every of {row.eid}: {found.message}", found.hint)
    schedule = every(wake["every"])
    if not row.names_at:
        if not same_cadence(old, wake["every"]):
            wake["at"] = next_at(schedule, now, None)
            row.follows_zone, row.cadence = follows_zone(schedule), None
        return []
    return _notes(row.eid, wake, schedule)


def _notes(eid: str, wake: Values, schedule: Schedule) -> list[str]:
    """A calendar cadence ignores `at` after the first firing: say so where the two differ."""
    if wake["at"] is None or schedule.is_duration:
        return []
    at = parse_instant(wake["at"])
    try:
        if schedule.next(at - timedelta(microseconds=1)) == at:
            return []
    except OverflowError:
        return []
    word = wake["every"].split(" ")[0]
    steady = _STEADY.get(word, "1d")
    return [
        f"{eid}: after {wake['at']} this fires {schedule.describe()}; "
        f"write a duration such as `{steady}` to keep the time of `at`"
    ]
