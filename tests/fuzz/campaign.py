"""Mutated inputs through doors until the time is up; what broke a promise, in its smallest form."""

from __future__ import annotations

import faulthandler
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.doors import Door, doors
from fuzz.promises import Finding

HANGS = 120
"""Seconds after which an input that has no answer is called a hang; where it hangs is printed, and the process ends."""

_QUIET = settings(
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


@dataclass(frozen=True, slots=True)
class Work:
    """What one process does: its doors in turn, for so many seconds."""

    names: tuple[str, ...]
    seconds: float
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many inputs each door took, and what was found."""

    counts: dict[str, int]
    findings: tuple[str, ...]


def campaign(work: Work) -> Outcome:
    """Play the doors in rounds that grow; a door that broke a promise once is not opened again."""
    end = time.monotonic() + work.seconds
    left = [door for door in doors() if door.name in work.names]
    counts = dict.fromkeys(work.names, 0)
    findings: list[str] = []
    examples, number = 25, work.seed
    while left and time.monotonic() < end:
        for door in list(left):
            number += 1
            finding = _round(door, number, examples, end, counts)
            if finding is not None:
                findings.append(finding)
                left.remove(door)
        examples = min(200, 2 * examples)
    return Outcome(counts, tuple(findings))


def _round(door: Door, number: int, examples: int, end: float, counts: dict[str, int]) -> str | None:
    last: list[Any] = [None]

    def enter(given_input: Any) -> None:
        if time.monotonic() >= end:
            return
        counts[door.name] += 1
        last[0] = given_input
        faulthandler.dump_traceback_later(HANGS, exit=True)
        try:
            door.enter(given_input)
        finally:
            faulthandler.cancel_dump_traceback_later()

    run: Callable[[], None] = settings(_QUIET, max_examples=examples)(seed(number)(given(door.inputs)(enter)))
    try:
        run()
    except Exception as error:
        # Hypothesis has replayed the smallest input last.
        trace = "".join(traceback.format_exception(error, limit=-6, chain=not isinstance(error, Finding)))
        return f"door {door.name!r}, input {_shown(last[0])}\n{trace}"
    return None


def _shown(value: Any) -> str:
    """What Python can read back, where that is not thousands of digits or levels."""
    try:
        return repr(value)
    except (ValueError, RecursionError) as error:
        return f"that cannot be shown ({error})"
