"""When wakes with a `while` are due, worked out a second time from the specification: every condition of every wake,
over all rows in memory, at every transaction.

No dependencies are kept, nothing is remembered, and nothing is stored.  Cadences are elapsed times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oracles.wakes import next_after
from wakeful_compiler.query import Query

Bundle = dict[str, Any]
Rows = dict[str, Bundle]
"""The whole store by eid."""


def instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


@dataclass(frozen=True, slots=True)
class Conditional:
    """One vocabulary's conditions; `compiled` gives the query of a text."""

    compiled: Callable[[str], Query]

    def holds(self, text: str, rows: Rows, now: datetime) -> bool:
        """Whether any row matches."""
        return any(self._matches(text, row, rows, now) for row in rows.values())

    def _matches(self, text: str, row: Bundle, rows: Rows, now: datetime) -> bool:
        return self.compiled(text).matches(row, now, rows.get)

    def cadence(self, wake: Mapping[str, Any], rows: Rows, now: datetime) -> str | None:
        """That of the first entry that holds."""
        for entry in wake["while"] or ():
            if self.holds(entry["match"], rows, now):
                every: str = entry["every"]
                return every
        return None

    def fired(self, wake: Mapping[str, Any], rows: Rows, now: datetime) -> datetime | None:
        """Where a firing moves `at`: `rows` are as they were before the tick."""
        every = self.cadence(wake, rows, now) or wake["every"]
        return None if every is None else next_after(every, now, instant(wake["at"]))

    def armed(
        self, before: Rows, after: Rows, now: datetime, written: set[str], paused: set[str], fired: set[str]
    ) -> dict[str, datetime | None]:
        """The `at` of each conditional wake once the transaction is over.

        `after` is the store as the transaction left it but for the arming; `written` and `paused` are the wakes that
        it wrote otherwise than by firing them, and those that it set to `at: null`.  A firing always counts, and so
        does the stamp of a row that changed, even one that says what it said before.
        """
        changed = {eid: _changed(before.get(eid), after.get(eid)) for eid in {*before, *after}}
        for eid, names in changed.items():
            if eid in fired:
                names.add("fired")
            if names and eid in before and eid in after:
                names.add("updated")
        answer: dict[str, datetime | None] = {}
        for eid, row in after.items():
            wake = row.get("wake")
            if wake is None or wake["while"] is None:
                continue
            at = answer[eid] = instant(wake["at"])
            if eid in paused:
                continue
            asked = any(self._may_hold(entry["match"], after, now, changed) for entry in wake["while"])
            if eid in written or asked:
                every = self.cadence(wake, after, now)
                if every is not None:
                    soon = next_after(every, now, None)
                    answer[eid] = soon if at is None else min(at, soon)
        return answer

    def _may_hold(self, text: str, rows: Rows, now: datetime, changed: Mapping[str, set[str]]) -> bool:
        """Whether a condition is to be looked at, and holds."""
        query = self.compiled(text)
        components = {name for name, _ in query.reads}
        if query.movement in ("rising", "free"):
            return self.holds(text, rows, now)
        if ".ref." in text and any(names & components for names in changed.values()):
            # What one row refers to another one holds.
            return self.holds(text, rows, now)
        return any(
            eid in rows and names & {*components, "entity"} and self._matches(text, rows[eid], rows, now)
            for eid, names in changed.items()
        )


def _changed(before: Bundle | None, after: Bundle | None) -> set[str]:
    """The components in which a row differs; `entity` for one that was born or died."""
    left, right = before or {}, after or {}
    return {name for name in {*left, *right} if left.get(name) != right.get(name)}
