"""Expressions drawn at random, and expressions aimed at a change of a clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def field(rng: Random, low: int, high: int, *, star: float, widest: int = 0, star_steps: bool = True) -> str:
    """A cron field: `*` with the chance `star`, else a list of up to three items; no step on a range of one value."""
    widest = widest or high - low
    drawn = rng.random()
    if drawn < star:
        return "*"
    if star_steps and drawn < star + 0.1:
        return f"*/{rng.randint(1, widest)}"

    def item() -> str:
        first = rng.randint(low, high)
        last = rng.randint(first, high)
        kind = rng.random()
        if kind < 0.6 or first == last:
            return str(first)
        return f"{first}-{last}" if kind < 0.8 else f"{first}-{last}/{rng.randint(1, widest)}"

    return ",".join(item() for _ in range(rng.choice((1, 1, 1, 2, 3))))


def plain(rng: Random) -> str:
    """Five fields that every cron reads alike: no step on `*` in a day field, none on a range of one value."""
    return " ".join(
        (
            field(rng, 0, 59, star=0.2),
            field(rng, 0, 23, star=0.3),
            field(rng, 1, 31, star=0.5, star_steps=False),
            field(rng, 1, 12, star=0.7),
            field(rng, 0, rng.choice((6, 7)), star=0.6, star_steps=False),
        )
    )


def aimed(rng: Random, start: datetime, end: datetime) -> Iterator[str]:
    """Five fields that match on or about the wall times from `start` to before `end`, left out or shown twice."""
    middle, last, before = start + (end - start) / 2, end - MINUTE, start - MINUTE
    hours = ",".join(map(str, sorted({(start + n * HOUR).hour for n in (-1, 0, 1)})))
    day, month, weekday = start.day, start.month, start.isoweekday() % 7
    for wall in (start, middle, last, end, before):
        yield f"{wall.minute} {wall.hour} * * *"
    yield f"{start.minute} {start.hour} {day} {month} *"
    yield f"{middle.minute},{last.minute} {middle.hour},{end.hour} * {month} {weekday}"
    yield f"{end.minute} {start.hour},{end.hour} {end.day} * {(weekday + 3) % 7}"
    yield f"*/15 {hours} * * *"
    yield f"{rng.randint(0, 59)},{rng.randint(0, 59)} {hours} * * *"
    yield f"0 {rng.choice(('*', '*/2', '*/3'))} {rng.choice(('*', '*/2', '1-31'))} * *"
    yield "0 0 * * *"
    yield "* * * * *"
    yield " ".join(
        (
            field(rng, 0, 59, star=0.3, widest=60),
            field(rng, 0, 23, star=0.6, widest=24),
            field(rng, 1, 31, star=0.7, widest=31),
            field(rng, 1, 12, star=0.9, widest=12),
            field(rng, 0, 7, star=0.8, widest=7),
        )
    )
