"""Schedules: what `every` and cron-trigger expressions compile to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal, Self

from wakeful_grammar.cron import Cron, Duration
from wakeful_grammar.every import Reading, read_every
from wakeful_grammar.node import node
from wakeful_grammar.problems import Problem, ScheduleError, Span, WakefulError, problem_at

from ..instants import BadInstant, as_instant
from ..zones import UnknownZone, zone
from .calendar_plan import calendar_plan
from .plans import ElapsedPlan, Plan, UtcPlan, ZonedPlan

Dialect = Literal["wake", "trigger"]


class NotAnInstant(WakefulError, ValueError):
    """A moment given to a schedule that is no instant: naive, or outside the years 1 to 9999 in UTC."""


@node
class Schedule:
    """A compiled schedule: immutable, and equal to any other of the same dialect and `canonical` text.

    Every moment that goes in is a timezone-aware datetime of any zone, every instant that comes out is in
    UTC; a naive datetime raises :class:`NotAnInstant`.  `anchor` is the phase of an elapsed time: its
    occurrences are `anchor + k * d`, k = 0, 1, 2 …; a calendar ignores it.  Rules: spec/schedules.md.
    """

    text: str
    dialect: Dialect
    tree: Duration | Cron
    plan: Plan

    def next(self, after: datetime, anchor: datetime | None = None) -> datetime | None:
        """The first occurrence strictly after `after`, or None when there is none before the year 10000.

        An elapsed time without an anchor counts from `after`; an anchor that lies ahead is the answer.
        """
        if getattr(after, "tzinfo", None) is not UTC:
            after = _instant(after, "after")
        if anchor is not None:
            anchor = _instant(anchor, "anchor")
        return self.plan.after(after, anchor)

    def previous(self, before: datetime, anchor: datetime | None = None) -> datetime | None:
        """The last occurrence strictly before `before`, or None; nothing lies before an anchor.

        An elapsed time without an anchor counts back from `before`.
        """
        return self.plan.before(_instant(before, "before"), _optional(anchor))

    def latest(self, now: datetime, anchor: datetime | None = None) -> datetime | None:
        """The last occurrence at or before `now`, or None; `now` itself if elapsed and unanchored."""
        return self.plan.upto(_instant(now, "now"), _optional(anchor))

    def iter(self, after: datetime, anchor: datetime | None = None) -> Iterator[datetime]:
        """The occurrences strictly after `after`, rising, until there are no more before the year 10000."""
        after = _instant(after, "after")
        return _occurrences(self.plan.after, after, after if anchor is None else _instant(anchor, "anchor"))

    def between(self, a: datetime, b: datetime, anchor: datetime | None = None) -> list[datetime]:
        """The occurrences after `a` and up to `b`: `a` itself excluded, `b` itself included.

        So neighbouring stretches share no occurrence and lose none.  An elapsed time without an anchor counts
        from `a`.
        """
        end = _instant(b, "b")
        found: list[datetime] = []
        for instant in self.iter(a, anchor):
            if instant > end:
                break
            found.append(instant)
        return found

    def describe(self) -> str:
        """The schedule in plain words, such as `at 04:20 every day, America/Detroit`."""
        from .words import describe

        return describe(self.tree)

    def mark(self, instant: datetime) -> str | None:
        """What a clock change does to one occurrence, such as `moved from 02:30`; None if nothing."""
        from .notes import mark

        return mark(self, _instant(instant, "instant"))

    def notes(self, after: datetime) -> list[str]:
        """What may surprise: either-or days, a long wait, clock changes in the two years after `after`."""
        from .notes import notes

        return notes(self, _instant(after, "after"))

    @property
    def never(self) -> bool:
        """True when the schedule names no date of any year; `next` is then always None."""
        return self.plan.never

    @property
    def canonical(self) -> str:
        """The one spelling of all equal schedules of this dialect; it parses back to this one."""
        return _canonical(self.tree, self.dialect)

    @property
    def is_duration(self) -> bool:
        """True for an elapsed time, False for a calendar."""
        return isinstance(self.tree, Duration)

    @property
    def zone(self) -> str | None:
        """The zone that a calendar's wall times are in, `UTC` unless written; None for an elapsed time."""
        if isinstance(self.tree, Duration):
            return None
        return "UTC" if self.tree.zone is None else self.tree.zone.name

    def __str__(self) -> str:
        return self.canonical

    def __repr__(self) -> str:
        return f"{'every' if self.dialect == 'wake' else 'cron_trigger'}({self.text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        return self is other or (self.dialect == other.dialect and self.canonical == other.canonical)

    def __hash__(self) -> int:
        return hash((self.dialect, self.canonical))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Schedule], tuple[str]]:
        # As written, not as printed: notes speak of what was written.
        return (every if self.dialect == "wake" else cron_trigger), (self.text,)


@lru_cache(maxsize=4096)
def every(text: str) -> Schedule:
    """The schedule of an `every` expression: an elapsed time, or cron fields or a name, perhaps with a zone.

    Raises :class:`ScheduleError` with every problem found, each with its place and a hint.  An expression
    that names no date is taken; its `never` is true.  A repeated text costs nothing.
    """
    if not isinstance(text, str):
        raise TypeError(f"a schedule is a text such as '1h' or '0 9 * * *', not {type(text).__name__}")
    return _compile(text, "wake", read_every(text))


@lru_cache(maxsize=4096)
def cron_trigger(text: str) -> Schedule:
    """The schedule of a cron trigger, the second dialect: five UTC fields, 1 for Sunday, with L, W and #.

    Raises :class:`ScheduleError` as :func:`every` does.
    """
    from wakeful_grammar.trigger import read_trigger

    if not isinstance(text, str):
        raise TypeError(f"a schedule is a text such as '0 9 * * MON-FRI', not {type(text).__name__}")
    return _compile(text, "trigger", read_trigger(text))


def never_problem(schedule: Schedule) -> Problem | None:
    """The refusal of a schedule that names no date, for where one is written; None for one that does."""
    if not schedule.never:
        return None
    return problem_at(
        schedule.text,
        Span(0, len(schedule.text)),
        "schedule-never",
        f"the schedule names no date that any year has: {schedule.describe()}",
        "give a day that one of its months has",
    )


def _compile(text: str, dialect: Dialect, reading: Reading) -> Schedule:
    tree, problems = reading
    if isinstance(tree, Cron) and tree.zone is not None:
        problem = _zone_problem(text, tree)
        problems += (problem,) if problem else ()
    if tree is None or problems:
        raise ScheduleError(problems)
    return Schedule(text, dialect, tree, _plan(tree))


@lru_cache(maxsize=4096)
def _canonical(tree: Duration | Cron, dialect: Dialect) -> str:
    from .canonical import canonical_text

    return canonical_text(tree, weekday_names=dialect == "trigger")


def _plan(tree: Duration | Cron) -> Plan:
    if isinstance(tree, Duration):
        return ElapsedPlan(timedelta(seconds=tree.seconds))
    if tree.zone is None or tree.zone.name == "UTC":
        return UtcPlan(calendar_plan(tree))
    return ZonedPlan(calendar_plan(tree), tree.zone.name)


def _zone_problem(text: str, tree: Cron) -> Problem | None:
    assert tree.zone is not None
    try:
        zone(tree.zone.name)
    except UnknownZone as unknown:
        span = tree.zone.span
        return problem_at(text, span, "schedule-zone", unknown.reason, unknown.hint, fix=unknown.near)
    return None


def _occurrences(
    after: Callable[[datetime, datetime | None], datetime | None], moment: datetime, anchor: datetime
) -> Iterator[datetime]:
    instant: datetime | None = moment
    while instant is not None:
        instant = after(instant, anchor)
        if instant is not None:
            yield instant


def _optional(anchor: datetime | None) -> datetime | None:
    return None if anchor is None else _instant(anchor, "anchor")


def _instant(moment: datetime, name: str) -> datetime:
    if not isinstance(moment, datetime):
        raise NotAnInstant(f"`{name}` is no datetime but {type(moment).__name__}: give an aware datetime")
    try:
        return as_instant(moment)
    except BadInstant as bad:
        raise NotAnInstant(f"`{name}` {bad}") from None
