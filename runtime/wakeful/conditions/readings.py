"""The conditions of the wakes that a tick fires: each read once, before the tick writes anything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from wakeful_compiler.instants import stored_instant

from ..engines.transaction import Transaction
from ..plans import Plans
from ..refusals import refuse
from .compiled import Condition, entries_of
from .judging import holds
from .stored import any_stored

_DUE_TEXTS = """
SELECT DISTINCT c.text FROM (
    SELECT x_while FROM c_wake WHERE p_at IS NOT NULL AND x_retry_at IS NULL AND p_at <= ?1
    UNION SELECT x_while FROM c_wake WHERE x_retry_at IS NOT NULL AND x_retry_at <= ?1
) due JOIN conditional_entry e ON e.list = due.x_while JOIN condition c ON c.id = e.condition
"""


class Readings:
    """What the conditions answered when one tick began.  A wake that comes due in the course of it may bring a
    condition of its own, which is then read when it is first asked for."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._answers: dict[str, bool] | None = None

    def take(self, plans: Plans, transaction: Transaction) -> None:
        """Read the conditions of every wake that is due, unless this tick has."""
        if self._answers is not None:
            return
        self._answers = {}
        if any_stored(transaction):
            for (text,) in transaction.fetch(_DUE_TEXTS, (stored_instant(self.now),)):
                condition = plans.conditions.find(text)
                if condition is not None:
                    self._answers[text] = holds(transaction, condition, self.now)

    def cadence(self, plans: Plans, transaction: Transaction, eid: str, wake: Mapping[str, object]) -> str | None:
        """The cadence of the first entry that holds; None where none does.

        Raises Refused when the vocabulary no longer has what an entry asks for that would decide.
        """
        for index, entry in enumerate(entries_of(wake)):
            text = entry["match"]
            answer = self._answers.get(text) if self._answers is not None else None
            if answer is None:
                answer = self._read(plans.conditions.find(text), transaction, text, f"entry {index} of {eid}")
            if answer:
                return entry["every"]
        return None

    def _read(self, condition: Condition | None, transaction: Transaction, text: str, whose: str) -> bool:
        if condition is None:
            raise refuse(
                "vocab-while",
                f"the condition `{text}`, {whose}, asks for what the vocabulary no longer has",
                "write the wake another `while`, or deploy a vocabulary that has it",
            )
        answer = holds(transaction, condition, self.now)
        if self._answers is not None:
            self._answers[text] = answer
        return answer
