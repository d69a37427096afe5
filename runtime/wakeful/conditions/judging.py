"""Whether conditions hold: on the rows that a transaction changed, or anywhere in the store."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from wakeful_compiler.emit.readers import reader
from wakeful_compiler.instants import parse_instant, stored_instant, stored_to_canonical

from ..engines.records import AMONG
from ..engines.transaction import Transaction
from ..plans import Plans
from .compiled import Condition


def holds(transaction: Transaction, condition: Condition, now: datetime) -> bool:
    """Whether any row of the store matches."""
    sql = condition.exists
    return bool(transaction.fetch(sql.text, sql.bind(condition.query.bounds, now)))


class Judge:
    """The conditions of one transaction, each read at most once."""

    def __init__(self, plans: Plans, transaction: Transaction, now: datetime, changes: dict[str, set[int]]) -> None:
        self.plans, self.transaction, self.now, self.changes = plans, transaction, now, changes
        self._answers: dict[str, bool] = {}
        self._bundles: dict[int, dict[str, Any]] | None = None
        self._loaded: dict[str, set[int]] = {}

    def anywhere(self, condition: Condition) -> bool:
        """Whether it holds in the store."""
        answer = self._answers.get(condition.text)
        if answer is None:
            answer = self._answers[condition.text] = holds(self.transaction, condition, self.now)
        return answer

    def on_changed_rows(self, condition: Condition, number: int) -> bool:
        """Whether a row matches that the transaction changed in a component that the condition reads.

        What time can still make of those rows is remembered with the condition `number`.
        """
        nums = {num for name in condition.reads for num in self.changes.get(name, ())}
        bundles = self._rows(nums, condition.components)
        found = any(condition.matches(bundle, self.now) for bundle in bundles)
        if found:
            self._answers[condition.text] = True
        if condition.moving:
            turn = self._turn_of(condition, bundles)
            if turn is not None:
                at = stored_instant(turn)
                self.transaction.execute(
                    "UPDATE condition SET earliest = ?1 WHERE id = ?2 AND (earliest IS NULL OR earliest > ?1)",
                    (at, number),
                )
        return found

    def look_ahead(self, condition: Condition, number: int) -> None:
        """Remember the instant before which no row as it stands now can begin to match."""
        zone = self.plans.vocab.zone
        turns = [condition.outlook.step(self.now, zone)]
        for rise, sql, bounds in condition.pending:
            least = self.transaction.value(sql.text, sql.bind(bounds, self.now))
            if least is not None:
                turns.append(rise.instant(parse_instant(stored_to_canonical(least)), zone))
        turn = min((each for each in turns if each is not None), default=None)
        self.transaction.execute(
            "UPDATE condition SET earliest = ?, since = ? WHERE id = ?",
            (None if turn is None else stored_instant(turn), stored_instant(self.now), number),
        )

    def _turn_of(self, condition: Condition, bundles: Iterable[dict[str, Any]]) -> datetime | None:
        """The same for these rows alone; bounds that step are looked after by whoever looked ahead last."""
        zone, bounds = self.plans.vocab.zone, condition.query.bounds
        limits = dict(zip(bounds.needed, bounds(self.now), strict=True))
        found: datetime | None = None
        for rise in condition.outlook.rises:
            value_of, limit = reader(rise.property, None), limits[rise.bound]
            for bundle in bundles:
                value = value_of(bundle)
                if value is not None and (value >= limit if rise.beyond else value > limit):
                    turn = rise.instant(value, zone)
                    if turn is not None and (found is None or turn < found):
                        found = turn
        return found

    # --- the changed rows -------------------------------------------------------------------------

    def _rows(self, nums: set[int], components: Iterable[str]) -> list[dict[str, Any]]:
        """The bundles of these rows as the tables have them now, without the dead; with these components."""
        if self._bundles is None:
            every = sorted({num for changed in self.changes.values() for num in changed})
            lines = self.transaction.fetch(
                f"SELECT num, eid FROM entity WHERE dead = 0 AND num {AMONG}", (json.dumps(every),)
            )
            self._bundles = {num: {"entity": {"eid": eid, "num": num}} for num, eid in lines}
        there = [num for num in sorted(nums) if num in self._bundles]
        for name in components:
            loaded = self._loaded.setdefault(name, set())
            lacking = [num for num in there if num not in loaded]
            if lacking:
                for num, values in self.plans.tables[name].load(self.transaction, lacking).items():
                    self._bundles[num][name] = values
                loaded.update(lacking)
        return [self._bundles[num] for num in there]
