"""What may surprise about the schedules that rules write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wakeful_compiler.vocabulary import Vocab


def rule_notes(vocab: Vocab, now: datetime | None) -> list[str]:
    """A note for each surprise, as `rule: note`, looking ahead from `now` (the machine's clock by default)."""
    notes: list[str] = []
    for rule in vocab.rules.all:
        for write in rule.writes:
            if write.property is None or write.property.path != "wake.every" or not isinstance(write.value, str):
                continue
            from wakeful_compiler.schedules import ScheduleError, every

            try:
                schedule = every(write.value)
            except ScheduleError:
                continue  # a problem of the rule, told as one
            notes += [f"{rule.name}: {note}" for note in schedule.notes(now or datetime.now(UTC))]
    return notes
