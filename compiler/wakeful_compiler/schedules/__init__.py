"""Schedules: `every` expressions and cron triggers, compiled to plans that answer with instants.

`every(text)` -> grammar (a tree with positions) -> calendar plan (tables and day masks) -> a plan over
instants (elapsed, UTC, or zoned by pieces of constant offset) -> :class:`Schedule`.
"""

from __future__ import annotations

from wakeful_grammar.problems import ScheduleError

from .schedule import NotAnInstant, Schedule, cron_trigger, every, never_problem

__all__ = ["NotAnInstant", "Schedule", "ScheduleError", "cron_trigger", "every", "never_problem"]
