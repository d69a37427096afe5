"""The last step of a transaction: wakes whose `while` may have come to hold are set due (the design's "while").

A condition is looked at when the transaction changed a component that it reads, and then on the changed rows; when the
instant has come before which time alone could not make it hold; and when a wake that has it was itself written.  So a
write pays for what it touches, and for one look-up, however many conditions are stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from wakeful_compiler.instants import canonical_to_stored, stored_instant
from wakeful_compiler.schedules import every

from ..engines.records import AMONG
from ..engines.transaction import Transaction
from ..plans import Plans
from ..reports import Bundle
from ..schedules import follows_zone, next_at
from ..touched import Touched
from .judging import Judge
from .stored import any_stored, judge_at_once, register

_CONCERNED = """
SELECT id, text, 1 FROM condition WHERE earliest IS NOT NULL AND earliest <= ?1
UNION ALL SELECT id, text, 1 FROM condition WHERE since IS NOT NULL AND since > ?1
UNION ALL SELECT id, text, 0 FROM condition
    WHERE id IN (SELECT condition FROM condition_read WHERE component IN (SELECT value FROM json_each(?2)))
"""
"""The conditions whose instant has come, those judged by a clock that has been put back since, and those that read
one of these components; the last column tells the former two."""


def arm(plans: Plans, transaction: Transaction, now: datetime, touched: Touched) -> list[Bundle]:
    """Set due what this transaction has brought to hold; a bundle with the whole wake for each wake that moved.

    To be called once, when all else is written.  Runs no rules and stamps nothing.
    """
    if not touched or not (touched.wrote_conditions or any_stored(transaction)):
        return []
    return _Arming(plans, transaction, now, touched).run()


class _Arming:
    def __init__(self, plans: Plans, transaction: Transaction, now: datetime, touched: Touched) -> None:
        self.plans, self.transaction, self.now = plans, transaction, now
        conditional, self.written, self.paused = touched.wakes()
        if conditional:
            register(transaction, plans.conditions, conditional)
        self.judge = Judge(plans, transaction, now, touched.changes)
        self.armed: set[int] = set()

    def run(self) -> list[Bundle]:
        holding = self._holding()
        lists = self._lists_with(holding)
        own = self._lists_of(self.written)
        # All are read before any is set due: a condition may look at wakes.
        cadences = [(number, self._cadence(text)) for number, text in self._texts({*lists, *own})]
        for number, cadence in cadences:
            if cadence is not None:
                self._arm(number, cadence, None if number in lists else own[number])
        if self.armed:
            # What was worked out from the wakes' own instants is out of date.
            judge_at_once(self.transaction, "id IN (SELECT condition FROM condition_read WHERE component = 'wake')")
        if self.paused:
            # A condition that time has made hold arms a paused wake at the next write.
            judge_at_once(
                self.transaction,
                "id IN (SELECT e.condition FROM c_wake w JOIN conditional_entry e ON e.list = w.x_while "
                f"WHERE w.num {AMONG})",
                (_listed(self.paused),),
            )
        return self._report()

    # --- which conditions hold --------------------------------------------------------------------

    def _holding(self) -> list[int]:
        """The conditions that may have come to hold in this transaction, and do."""
        holding: list[int] = []
        seen: set[int] = set()
        params = stored_instant(self.now), json.dumps(list(self.judge.changes))
        for number, text, come in self.transaction.fetch(_CONCERNED, params):
            condition = self.plans.conditions.find(text)
            if condition is None or number in seen:  # a broken one holds nowhere; its firing says so
                continue
            seen.add(number)
            if come or condition.far:
                if condition.moving:
                    self.judge.look_ahead(condition, number)
                held = self.judge.anywhere(condition)
            else:
                held = self.judge.on_changed_rows(condition, number)
            if held:
                holding.append(number)
        return holding

    def _cadence(self, text: str) -> str | None:
        """The cadence of the first entry of a list that holds."""
        for entry in json.loads(text):
            condition = self.plans.conditions.find(entry["match"])
            if condition is not None and self.judge.anywhere(condition):
                cadence: str = entry["every"]
                return cadence
        return None

    # --- which wakes have them --------------------------------------------------------------------

    def _lists_with(self, conditions: list[int]) -> set[int]:
        if not conditions:
            return set()
        sql = f"SELECT DISTINCT list FROM conditional_entry WHERE condition {AMONG}"
        return {line[0] for line in self.transaction.fetch(sql, (_listed(conditions),))}

    def _lists_of(self, nums: set[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        if nums:
            sql = f"SELECT x_while, num FROM c_wake WHERE x_while IS NOT NULL AND num {AMONG}"
            for number, num in self.transaction.fetch(sql, (_listed(nums),)):
                found.setdefault(number, []).append(num)
        return found

    def _texts(self, lists: set[int]) -> list[tuple[int, str]]:
        if not lists:
            return []
        sql = f"SELECT id, text FROM conditional WHERE id {AMONG} ORDER BY id"
        return [(number, text) for number, text in self.transaction.fetch(sql, (_listed(lists),))]

    # --- setting them due -------------------------------------------------------------------------

    def _arm(self, number: int, cadence: str, nums: list[int] | None) -> None:
        """Set the wakes of a list due by a cadence counted from now, those that sleep or are due later."""
        schedule = every(cadence)
        at = next_at(schedule, self.now, None)
        if at is None:
            return
        stored = canonical_to_stored(at)
        zoned = follows_zone(schedule)
        params: list[Any] = [stored, stored if zoned else None, cadence if zoned else None, number, stored]
        where = "x_while = ? AND (p_at IS NULL OR p_at > ?)"
        if nums is not None:
            where += f" AND num {AMONG}"
            params.append(_listed(nums))
        if self.paused:
            where += f" AND num NOT {AMONG}"
            params.append(_listed(self.paused))
        sql = f"UPDATE c_wake SET p_at = ?, x_followed = ?, x_cadence = ? WHERE {where} RETURNING num"
        self.armed.update(line[0] for line in self.transaction.fetch(sql, params))

    def _report(self) -> list[Bundle]:
        if not self.armed:
            return []
        nums = sorted(self.armed)
        eids = dict(self.transaction.fetch(f"SELECT num, eid FROM entity WHERE num {AMONG}", (_listed(nums),)))
        wakes = self.plans.tables["wake"].load(self.transaction, nums)
        return [{"entity": {"eid": eids[num], "num": num}, "wake": wakes[num]} for num in nums]


def _listed(nums: Iterable[int]) -> str:
    return json.dumps(list(nums))
