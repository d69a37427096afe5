"""Random expressions in UTC against croniter and cronsim, on the subset where their semantics agree with ours.

What is set aside, and why, is in spec/schedules.md, section 8.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from random import Random

from croniter import CroniterBadDateError, croniter
from cronsim import CronSim, CronSimError

from wakeful_compiler.schedules import Schedule, every

from .expressions import plain

STEPS = 4


def check_expressions(count: int, seed: str) -> tuple[int, list[str]]:
    """How many of the random expressions name a date, and what a peer answers otherwise."""
    rng = Random(seed)
    dated = 0
    differing = []
    for _ in range(count):
        text = plain(rng)
        start = datetime(rng.randint(1970, 2090), rng.randint(1, 12), rng.randint(1, 28), tzinfo=UTC)
        start = start.replace(hour=rng.randint(0, 23), minute=rng.randint(0, 59), second=rng.choice((0, 0, 17)))
        schedule = every(text)
        dated += not schedule.never
        differing += [f"{text} from {start}: {difference}" for difference in _differences(schedule, text, start)]
        if every(str(schedule)) != schedule:
            differing.append(f"{text}: its canonical text {schedule} is another schedule")
    return dated, differing


def _differences(schedule: Schedule, text: str, start: datetime) -> list[str]:
    ours = list(islice(schedule.iter(start), STEPS))
    back: list[datetime] = []
    moment = schedule.previous(start)
    while moment is not None and len(back) < STEPS:
        back.append(moment)
        moment = schedule.previous(moment)
    answers = {
        "next by croniter": (_croniter(text, start, forward=True), ours),
        "previous by croniter": (_croniter(text, start, forward=False), back),
        "next by cronsim": (_cronsim(text, start, reverse=False), ours),
        "previous by cronsim": (_cronsim(text, start, reverse=True), back),
    }
    return [
        f"{question} is {theirs}, not {expected}"
        for question, (theirs, expected) in answers.items()
        if theirs != expected
    ]


def _croniter(text: str, start: datetime, *, forward: bool) -> list[datetime]:
    try:
        peer = croniter(text, start, max_years_between_matches=100)
        return [peer.get_next(datetime) if forward else peer.get_prev(datetime) for _ in range(STEPS)]
    except CroniterBadDateError:
        return []


def _cronsim(text: str, start: datetime, *, reverse: bool) -> list[datetime]:
    try:
        return list(islice(CronSim(text, start, reverse=reverse), STEPS))
    except CronSimError:
        return []
