"""What the runtime asks of schedules: whether a cadence can be stored, and when it comes next."""

from __future__ import annotations

from datetime import datetime

from wakeful_compiler.instants import format_instant, parse_instant
from wakeful_compiler.schedules import Schedule, every
from wakeful_grammar.problems import Problem, ScheduleError

from .refusals import problem


def cadence_problem(text: str) -> Problem | None:
    """Why an `every` cannot be stored: it cannot be read, or it names no date at all."""
    try:
        schedule = every(text)
    except ScheduleError as error:
        return error.problems[0]
    if schedule.never:
        return problem(
            "schedule-never",
            f"`{text}` names no date that ever comes",
            "check the day of month against the month",
        )
    return None


def same_cadence(left: str | None, right: str | None) -> bool:
    """Whether two cadences are one, whatever their spelling (`60m` and `1h`)."""
    if left == right:
        return True
    if left is None or right is None:
        return False
    try:
        return every(left) == every(right)
    except ScheduleError:
        return False


def follows_zone(schedule: Schedule) -> bool:
    """Whether the schedule is read off a zone's clock, so that new zone data may move its instants."""
    return schedule.zone not in (None, "UTC")


def next_at(schedule: Schedule, now: datetime, anchor: str | None) -> str | None:
    """The canonical text of the next occurrence strictly after `now`, or None past the end of time."""
    found = schedule.next(now, None if anchor is None else parse_instant(anchor))
    return None if found is None else format_instant(found)
