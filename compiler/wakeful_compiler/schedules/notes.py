"""Notes: what a schedule does that the person who wrote it may not expect, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import MAXYEAR, datetime, timedelta
from typing import TYPE_CHECKING

from wakeful_grammar.cron import Cron
from wakeful_grammar.node import node

from ..zones import zone
from .calendar_plan import CalendarPlan
from .canonical import canonical_text
from .plans import ZonedPlan
from .wall_pieces import clamped, pieces_of_year
from .words import describe, duration_words, even_pace, values_of

if TYPE_CHECKING:
    from .schedule import Schedule

_LOOK_AHEAD = timedelta(days=2 * 366)
_LONG_WAIT = timedelta(days=366)


@node
class ClockChange:
    """One change of a zone's clock: at `instant` it goes from `before` to `after`, both ahead of UTC.

    `start` to before `end` are the wall times that it leaves out (`after` larger) or shows twice.
    """

    zone: str
    instant: datetime
    before: timedelta
    after: timedelta

    @property
    def width(self) -> timedelta:
        """How much is left out or shown twice."""
        return abs(self.after - self.before)

    @property
    def start(self) -> datetime:
        """The first wall time concerned, written as if it were UTC."""
        return self.instant + min(self.before, self.after)

    @property
    def end(self) -> datetime:
        """The first wall time after those concerned."""
        return self.instant + max(self.before, self.after)


def clock_changes(name: str, after: datetime, until: datetime) -> Iterator[ClockChange]:
    """The changes of a zone's clock later than `after` and not later than `until`, in order."""
    offset: timedelta | None = None
    for year in range(after.year - 1 if after.year > 1 else 1, min(until.year + 1, MAXYEAR) + 1):
        for piece in pieces_of_year(name, year):
            if offset is not None and piece.offset != offset:
                instant = piece.start - max(offset, piece.offset)
                if after < instant <= until:
                    yield ClockChange(name, instant, offset, piece.offset)
            offset = piece.offset


def notes(schedule: Schedule, after: datetime) -> list[str]:
    """Everything worth a note, in the order of the fields and then of time."""
    tree = schedule.tree
    if not isinstance(tree, Cron):
        return []
    if schedule.never:
        return ["no year has such a date: this never fires"]
    found = [note for note in (_numbered(tree), _either_or(tree), _wait(schedule, after)) if note]
    if isinstance(schedule.plan, ZonedPlan):
        calendar = schedule.plan.calendar
        for change in clock_changes(schedule.plan.zone, after, clamped(after, _LOOK_AHEAD)):
            forward = change.after > change.before
            note = _left_out(calendar, change) if forward else _repeated(tree, calendar, change)
            if note:
                found.append(note)
    return _advised_once(found)


def _advised_once(notes: list[str]) -> list[str]:
    """The notes, each piece of advice with the first of those that end in it."""
    told: set[str] = set()
    shorter = []
    for note in notes:
        said, sign, advice = note.rpartition("; ")
        shorter.append(said if sign and advice in told else note)
        told.add(advice)
    return shorter


def mark(schedule: Schedule, instant: datetime) -> str | None:
    """What a clock change does to one occurrence of a schedule."""
    if not isinstance(schedule.plan, ZonedPlan):
        return None
    calendar = schedule.plan.calendar
    day = timedelta(days=1)
    for change in clock_changes(schedule.plan.zone, clamped(instant, -day), clamped(instant, day)):
        if change.after > change.before and change.instant <= instant < change.instant + change.width:
            wall = instant + change.before
            if calendar.first_from(wall) == wall:
                merged = calendar.first_from(wall + change.width) == wall + change.width
                return f"{'one with' if merged else 'moved from'} {_clock(wall, wall)}"
        if change.after < change.before and change.instant - change.width <= instant < change.instant:
            return f"the first of two {_clock(instant + change.before, instant + change.before)}"
    return None


# --- notes on the fields ------------------------------------------------------------------------


def _numbered(tree: Cron) -> str | None:
    if not tree.weekday.numbered:
        return None
    names = canonical_text(tree, weekday_names=True).split(" ")[4]
    return f"day of week {tree.weekday.text} means {names}, because 1 is Sunday here; write {names}"


def _either_or(tree: Cron) -> str | None:
    if not (tree.day.restricted and tree.weekday.restricted):
        return None
    return (
        f"day of month and day of week are both given, so either is enough: {describe(tree)}; "
        "write `*` in one of the two to go by the other alone"
    )


def _wait(schedule: Schedule, after: datetime) -> str | None:
    first = schedule.next(after)
    if first is None:
        return "nothing more before the year 10000"
    if first - after <= _LONG_WAIT:
        return None
    local = first if schedule.zone is None else first.astimezone(zone(schedule.zone))
    return f"a long wait: next on {local:%Y-%m-%d}"


# --- notes on clock changes ---------------------------------------------------------------------


def _matching(calendar: CalendarPlan, start: datetime, end: datetime) -> list[datetime]:
    walls = []
    wall = calendar.first_from(start)
    while wall is not None and wall < end:
        walls.append(wall)
        wall = calendar.first_after(wall)
    return walls


def _left_out(calendar: CalendarPlan, change: ClockChange) -> str | None:
    walls = _matching(calendar, change.start, change.end)
    if not walls:
        return None
    moved = [wall + change.width for wall in walls]
    there = [wall for wall in moved if calendar.first_from(wall) == wall]
    day = change.start
    name = _abbreviation(change, change.instant)
    fate = f"{_range(moved, day)} {name}"
    if len(there) == len(moved):
        ending = f"{'it is' if len(walls) == 1 else 'they are'} one with {fate}, scheduled as well"
    else:
        width = duration_words(int(change.width.total_seconds()))
        later = width if width[0].isdigit() else f"{'an' if width == 'hour' else 'a'} {width}"
        ending = f"{'it runs' if len(walls) == 1 else 'they run'} {later} later, at {fate}"
        if there:
            ending += f", {len(there)} of them as one with what is scheduled there"
        ending += "; write another time, or drop the zone, if that matters"
    verb = "does" if len(walls) == 1 else "do"
    return f"on {day:%Y-%m-%d} {_range(walls, day)} {verb} not exist in {change.zone}: {ending}"


def _repeated(tree: Cron, calendar: CalendarPlan, change: ClockChange) -> str | None:
    walls = _matching(calendar, change.start, change.end)
    if not walls:
        return None
    day = change.start
    first_name = _abbreviation(change, change.instant - change.width)
    runs_on = _matching(calendar, change.start - change.width, change.start) and _matching(
        calendar, change.end, change.end + change.width
    )
    if not runs_on:
        verb, pronoun = ("happens", "it runs") if len(walls) == 1 else ("happen", "they run")
        return (
            f"on {day:%Y-%m-%d} {_range(walls, day)} {verb} twice in {change.zone}: "
            f"{pronoun} at the first, {first_name}"
        )
    last = _clock(change.end - timedelta(minutes=1), day)
    second = _abbreviation(change, change.instant)
    silence = f"between {last} {first_name} and {_clock(change.end, day)} {second}"
    pace = _pace(tree)
    mend = (
        f"write `{pace[0]}` or drop the zone to run every {pace[1]}" if pace
        else "drop the zone to run on through it"
    )  # fmt: skip
    return f"on {day:%Y-%m-%d} nothing runs {silence}; {mend}"


def _pace(tree: Cron) -> tuple[str, str] | None:
    """The elapsed time that runs as often, where the schedule is even over every day, and its words."""
    if tree.day.restricted or tree.weekday.restricted or len(values_of(tree.month, 1, 12)) < 12:
        return None
    minutes, hours = values_of(tree.minute, 0, 59), values_of(tree.hour, 0, 23)
    pace = even_pace(minutes, 60)
    if len(hours) < 24:
        hour_pace = even_pace(hours, 24)
        pace = hour_pace * 60 if hour_pace and pace == 60 else None
    if pace is None:
        return None
    text = f"{pace // 60}h" if pace % 60 == 0 else f"{pace}m"
    return text, duration_words(pace * 60)


def _abbreviation(change: ClockChange, instant: datetime) -> str:
    return instant.astimezone(zone(change.zone)).tzname() or ""


def _range(walls: list[datetime], day: datetime) -> str:
    if len(walls) < 3:
        return " and ".join(_clock(wall, day) for wall in walls)
    return f"{_clock(walls[0], day)} to {_clock(walls[-1], day)}"


def _clock(wall: datetime, day: datetime) -> str:
    return f"{wall:%H:%M}" if wall.date() == day.date() else f"{wall:%Y-%m-%d %H:%M}"
