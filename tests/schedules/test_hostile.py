"""Hostile input: an answer or a ScheduleError, soon, and never anything else."""

from __future__ import annotations

from functools import cache

from yardstick import yard


@cache
def patience() -> float:
    """CPU seconds, as this machine stands: about 20 ms where plain Python runs as it should."""
    return 2 * yard()
