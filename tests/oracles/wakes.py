"""How wakes live, worked out a second time from the specification alone.

Entities with a wake and the firing they remember; `now` is handed in.  No storage, no batches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from oracles.schedule import Expression

FIRST_RETRY = timedelta(seconds=60)
LONGEST_RETRY = timedelta(hours=1)
LENGTHS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def next_after(every: str, after: datetime, anchor: datetime | None) -> datetime:
    """The first occurrence of a cadence strictly after an instant; a duration counts from `anchor`."""
    parts = re.findall("([0-9]+)([smhdw])", every)
    if every == "".join(count + unit for count, unit in parts):
        length = sum((timedelta(**{LENGTHS[unit]: int(count)}) for count, unit in parts), timedelta(0))
        if anchor is None:
            return after + length
        return anchor if anchor > after else anchor + ((after - anchor) // length + 1) * length
    plan = Expression(every)
    for reach in (timedelta(hours=2), timedelta(days=2), timedelta(days=32), timedelta(days=800)):
        found = plan.occurrences(after, after + reach)
        if found:
            return found[0]
    raise ValueError(every)


@dataclass(slots=True)
class Wake:
    """`at` is None while paused or spent; `retry_at` is what it is due by while its firing is refused."""

    at: datetime | None = None
    every: str | None = None
    note: str | None = None
    retry_at: datetime | None = None
    refusals: int = 0

    @property
    def due(self) -> datetime | None:
        """When it is to be fired, or tried again."""
        return self.at if self.retry_at is None else self.retry_at


@dataclass(slots=True)
class Entity:
    """`jammed` means that the vocabulary refuses its firing, `num` its place among entities."""

    num: int
    wake: Wake | None = None
    fired_at: datetime | None = None
    fired_due: datetime | None = None
    jammed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tick did, in order: eids fired, eids refused."""

    fired: list[str]
    refused: list[str]


@dataclass(slots=True)
class Wakes:
    """All entities of a store by eid."""

    entities: dict[str, Entity] = field(default_factory=dict)
    born: int = 0

    def entity(self, eid: str) -> Entity:
        """The entity, which is born if it is not there."""
        if eid not in self.entities:
            self.born += 1
            self.entities[eid] = Entity(self.born)
        return self.entities[eid]

    def write(self, eid: str, patch: Mapping[str, Any] | None, now: datetime) -> None:
        """Apply a patch: `at` (a datetime), `every` and `note`, each set, nulled or left; None ends it."""
        entity = self.entity(eid)
        if patch is None:
            entity.wake = None
            return
        wake = entity.wake = entity.wake or Wake()
        before = wake.every
        wake.note = patch.get("note", wake.note)
        wake.every = patch.get("every", wake.every)
        if "at" in patch:
            wake.at = patch["at"]
        elif wake.every is not None and wake.every != before:
            wake.at = next_after(wake.every, now, None)
        wake.retry_at, wake.refusals = None, 0

    def delete(self, eid: str) -> None:
        """The entity and its schedule are gone."""
        del self.entities[eid]

    def next_due(self) -> datetime | None:
        """The earliest instant at which anything is to be fired or tried again."""
        owed = [entity.wake.due for entity in self.entities.values() if entity.wake]
        return min((due for due in owed if due is not None), default=None)

    def tick(self, now: datetime) -> Outcome:
        """Fire what is due, the oldest `at` first, then by `num`; every backlog is one firing."""
        due: list[tuple[datetime, int, str, Entity, Wake]] = []
        for eid, entity in self.entities.items():
            wake = entity.wake
            if wake and wake.at is not None and wake.due is not None and wake.due <= now:
                due.append((wake.at, entity.num, eid, entity, wake))
        outcome = Outcome([], [])
        for at, _, eid, entity, wake in sorted(due, key=lambda each: each[:2]):
            if entity.jammed:
                wake.refusals += 1
                wake.retry_at = now + min(FIRST_RETRY * 2 ** (wake.refusals - 1), LONGEST_RETRY)
                outcome.refused.append(eid)
                continue
            entity.fired_at, entity.fired_due = now, at
            wake.at = None if wake.every is None else next_after(wake.every, now, at)
            wake.retry_at, wake.refusals = None, 0
            outcome.fired.append(eid)
        return outcome
