"""What a write means for a wake: when it starts, when it pauses, and what is worth saying about it.

The rules of the design's 20-runtime, "Wakes"; the same for a wake that a bundle wrote and one that a rule wrote.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from wakeful_compiler.instants import parse_instant
from wakeful_compiler.schedules import Schedule, every

from .refusals import refuse
from .rows import Row
from .schedules import cadence_problem, follows_zone, next_at, same_cadence

_STEADY = {"@hourly": "1h", "@daily": "1d", "@midnight": "1d", "@weekly": "1w"}


def normalise(row: Row, now: datetime) -> list[str]:
    """Settle `wake.at` of a row whose wake was touched; the notes worth giving.

    A cadence that changes without `at` being named starts at its first occurrence after `now`; naming the one
    that already stands moves nothing.  Raises Refused for a cadence that cannot be read or never comes.
    """
    wake = row.bundle.get("wake")
    if wake is None or "wake" not in row.before or wake["every"] is None:
        return []
    before = row.before["wake"]
    old = None if before is None or row.readded_wake else before["every"]
    if old == wake["every"] and not row.names_at:
        return []
    found = cadence_problem(wake["every"])
    if found is not None:
        raise refuse(found.code, f"wake.every of {row.eid}: {found.message}", found.hint)
    schedule = every(wake["every"])
    if not row.names_at:
        if not same_cadence(old, wake["every"]):
            wake["at"] = next_at(schedule, now, None)
            row.follows_zone = follows_zone(schedule)
        return []
    return _notes(row.eid, wake, schedule)


def _notes(eid: str, wake: dict[str, Any], schedule: Schedule) -> list[str]:
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
