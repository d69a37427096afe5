"""The rows that one transaction works on: found, loaded, changed in memory, and written back a set at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wakeful_compiler.instants import format_instant, stored_instant

from .engines.ended import note_ended
from .engines.records import AMONG, fold
from .engines.transaction import Transaction
from .ids import derived_eid, tool_eid
from .plans import Plans
from .rows import PRESENT, Row, State, Values, carrying_text


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that a rule asked for while a stage was judged: its derived eid, and what it is to be.

    `source` is the eid of the row on which the rule acted, `by` the author of the stage.
    """

    eid: str
    command: str
    args: dict[str, Any]
    source: str
    by: str | None


class Nums:
    """The nums that new entities of one transaction get, over all of its stages."""

    __slots__ = ("_last", "_transaction")

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._last: int | None = None

    def peek(self) -> int:
        """The num that the next new entity gets."""
        if self._last is None:
            last = self._transaction.value("SELECT coalesce(max(num), 0) FROM entity")
            assert isinstance(last, int)
            self._last = last
        return self._last + 1

    def take(self) -> int:
        """The next num, which is given once."""
        self._last = self.peek()
        return self._last


class Stage:
    """A working set of rows under one transaction, one `now` and one author."""

    def __init__(
        self,
        plans: Plans,
        transaction: Transaction,
        now: datetime,
        by: str | None,
        nums: Nums | None = None,
        name: tuple[str, ...] = (),
    ) -> None:
        """`nums` are the transaction's, where it has further stages; `name` is what ids that derive from the stage
        name it by (empty: the store's next apply number, taken when it is first needed)."""
        self.plans, self.transaction, self.now, self.by = plans, transaction, now, by
        self.now_text = format_instant(now)
        self.rows: dict[int, Row] = {}
        self.nums: dict[str, int] = {}
        self.dead: set[str] = set()
        self.absent: set[str] = set()
        """Eids that are known to be new to the store, so that nobody asks the tables for them."""
        self.name = name
        self.asked: list[Asked] = []
        """The calls that rules asked for, in order."""
        self.ended: list[tuple[int, str]] = []
        """Calls that have ended and are kept for a time: num and command."""
        self.wrote_while = False
        """Whether :meth:`save` wrote a `while` to any wake."""
        self.undelayed: list[int] = []
        """Rows whose wake was written: a refused firing's delay ends with the write."""
        self._new_nums = nums or Nums(transaction)
        self._asked_before = 0
        self._kept: dict[int, State] | None = None

    # --- finding and making rows ----------------------------------------------------------------

    def find(self, eids: Iterable[str]) -> None:
        """Learn which of these eids exist: their nums, and which are dead."""
        nums, dead, absent = self.nums, self.dead, self.absent
        unknown = [eid for eid in dict.fromkeys(eids) if eid not in nums and eid not in dead and eid not in absent]
        if not unknown:
            return
        sql = f"SELECT num, eid, has, dead FROM entity WHERE eid {AMONG}"
        params: Sequence[Any] = (json.dumps(unknown),)
        if len(unknown) == 1:
            sql, params = "SELECT num, eid, has, dead FROM entity WHERE eid = ?", unknown
        for num, eid, has, dead in self.transaction.fetch(sql, params):
            if dead:
                self.dead.add(eid)
            else:
                self.nums[eid] = num
                self.rows.setdefault(num, Row(num, eid, has))

    def find_nums(self, nums: Iterable[int]) -> list[Row]:
        """The rows of live entities by num, in num order."""
        wanted = sorted(set(nums))
        missing = [num for num in wanted if num not in self.rows]
        if missing:
            sql = f"SELECT num, eid, has FROM entity WHERE dead = 0 AND num {AMONG}"
            for num, eid, has in self.transaction.fetch(sql, (json.dumps(missing),)):
                self.adopt(Row(num, eid, has))
        return [self.rows[num] for num in wanted if num in self.rows]

    def lives(self, eid: str) -> bool:
        """Whether an eid is that of an entity, and not of one that died; its num is known from then on."""
        if eid not in self.nums:
            self.find((eid,))
        return eid in self.nums and eid not in self.dead

    def lookup(self, eid: str) -> dict[str, Values] | None:
        """The bundle of a live entity as it stands now, with what rules read through references."""
        if not self.lives(eid):
            return None
        num = self.nums[eid]
        row = self.rows.get(num)
        if row is None:
            (row,) = self.find_nums((num,))
        self.load((row,), self.plans.rules.beyond)
        return row.bundle

    def adopt(self, row: Row) -> Row:
        """Take a row, read elsewhere, into the working set."""
        self.rows[row.num] = row
        self.nums[row.eid] = row.num
        return row

    def create(self, eid: str, by: str | None = None) -> Row:
        """A new entity, with the next num, stamped `created` by the stage's author or `by`."""
        row = self.adopt(Row(self._new_nums.take(), eid, new=True))
        row.before["created"] = None
        row.bundle["created"] = {"at": self.now_text, "by": self.by if by is None else by}
        return row

    def next_num(self) -> int:
        """The num that the next new entity gets."""
        return self._new_nums.peek()

    def forget(self, row: Row) -> None:
        """Take a row out of the working set again."""
        self.rows.pop(row.num, None)
        self.nums.pop(row.eid, None)

    # --- calls ----------------------------------------------------------------------------------

    def name_command(self, row: Row) -> None:
        """Keep the eid of a command in `call.to` where its name was written; an unknown name stays as it is."""
        call = row.bundle.get("call")
        if call is not None and call["to"] in self.plans.commands:
            call["to"] = tool_eid(call["to"])

    def ask(self, rule: str, command: str, args: dict[str, Any], row: Row) -> None:
        """Note the call that a rule asks for on a row; its eid derives from the rule, the row and the stage."""
        if not self.name:
            self.transaction.execute(
                "INSERT INTO meta VALUES ('apply', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
            )
            number = self.transaction.value("SELECT value FROM meta WHERE key = 'apply'")
            self.name = ("apply", str(number))
        eid = derived_eid("rule", rule, row.eid, *self.name)
        self.asked.append(Asked(eid, command, args, row.eid, self.by))

    # --- loading --------------------------------------------------------------------------------

    def load(self, rows: Sequence[Row], values: Iterable[str], presence: Iterable[str] = ()) -> None:
        """Bring components into the rows' bundles: one statement a component for all rows that carry it.

        Of the `presence` components only the fact that they are there is noted.
        """
        for component in values:
            lacking = {
                row.num: row
                for row in rows
                if component in row.has and component not in row.before
                and row.bundle.get(component, PRESENT) is PRESENT
            }  # fmt: skip
            if lacking:
                table = self.plans.tables[component]
                for num, found in table.load(self.transaction, list(lacking)).items():
                    lacking[num].bundle[component] = found
        for component in presence:
            for row in rows:
                if component in row.has and component not in row.before:
                    row.bundle.setdefault(component, PRESENT)

    def prepare(self, rows: Sequence[Row], changing: Iterable[str]) -> None:
        """Load what a change of these components needs: the components themselves, and what rules ask for."""
        changing = set(changing)
        self.find(self.plans.rules.targets)
        values, presence = self.plans.rules.closure(changing)
        self.load(rows, sorted((changing | values) - {"entity"}), sorted(presence))

    # --- deletion -------------------------------------------------------------------------------

    def delete(self, row: Row) -> list[Row]:
        """Delete an entity and let its holders' `death` follow, to the end of every chain; the rows touched."""
        queue, touched = [row], dict[int, Row]()
        while queue:
            target = queue.pop()
            if target.deleted:
                continue
            self._keep(target)
            target.deleted = True
            target.bundle = {"entity": target.bundle["entity"]}
            target.before.clear()
            target.changes.clear()
            self.dead.add(target.eid)
            touched[target.num] = target
            # What becomes of whom is read off before any of it is done, so that no order of properties decides.
            fates = [
                (prop, holder)
                for prop in self.plans.tables.references
                if prop.death != "keep"
                for holder in self._holders(prop.component, prop.name, target)
            ]
            doomed = {holder.num for prop, holder in fates if prop.death == "cascade"}
            for prop, holder in fates:
                touched[holder.num] = holder
                if prop.death == "cascade":
                    queue.append(holder)
                    continue
                if holder.num in doomed:
                    continue
                self._keep(holder)
                if prop.death == "release":
                    holder.remove(prop.component)
                elif prop.component in holder.bundle:
                    holder.put(prop.component, {prop.name: None}, self.plans.blanks[prop.component])
        return list(touched.values())

    def _holders(self, component: str, name: str, target: Row) -> list[Row]:
        """The live rows that refer to `target` now, whether the reference is stored or only in memory yet."""
        table = self.plans.tables[component]
        stored = [] if target.new else table.holders(self.transaction, table.component.properties[name], target.num)
        rows = {row.num: row for row in self.find_nums(stored)} if stored else {}
        rows.update([(row.num, row) for row in self.rows.values() if component in row.before])
        if not rows:
            return []
        holders = [rows[num] for num in sorted(rows) if not rows[num].deleted]
        self.prepare(holders, (component,))
        return [row for row in holders if row.bundle.get(component, {}).get(name) == target.eid]

    # --- going back -----------------------------------------------------------------------------

    def remember(self, rows: Iterable[Row] = ()) -> None:
        """From now on keep what these rows, and all that deletions touch, were: :meth:`go_back` can undo it."""
        self._kept = {}
        self._asked_before = len(self.asked)
        for row in rows:
            self._keep(row)

    def _keep(self, row: Row) -> None:
        if self._kept is not None and row.num not in self._kept:
            self._kept[row.num] = row.state()

    def go_back(self) -> None:
        """Undo what became of rows since :meth:`remember`."""
        assert self._kept is not None
        for num, state in self._kept.items():
            row = self.rows[num]
            row.restore(state)
            if not row.deleted:
                self.dead.discard(row.eid)
        self._kept = {}
        del self.asked[self._asked_before :]

    # --- the outcome ----------------------------------------------------------------------------

    def finish(self) -> None:
        """Settle what came of every row, and stamp `updated` on those that changed."""
        for row in self.rows.values():
            row.finish({"at": self.now_text, "by": self.by})

    def num_of(self, eid: str) -> int:
        """The num of an entity, of one that died as well: what is kept of a call names its source all the same."""
        num = self.nums.get(eid)
        if num is None:
            num = self.transaction.value("SELECT num FROM entity WHERE eid = ?", (eid,))
            assert isinstance(num, int), f"{eid} was looked up before it was written"
        return num

    def save(self) -> None:
        """Write every outcome: entities first, then one statement per component and kind of change."""
        transaction, tables = self.transaction, self.plans.tables
        born: list[tuple[int, str, str | None, str, int]] = []
        carrying: defaultdict[str, list[int]] = defaultdict(list)
        died: list[int] = []
        inserts: defaultdict[str, list[tuple[int, Values]]] = defaultdict(list)
        deletes: defaultdict[str, list[int]] = defaultdict(list)
        updates: defaultdict[tuple[str, tuple[str, ...]], list[tuple[int, Values]]] = defaultdict(list)
        for row in self.rows.values():
            num = row.num
            if row.deleted:
                if row.new:
                    born.append((num, row.eid, fold(row.eid), "", 1))
                else:
                    died.append(num)
                for component in row.has:
                    deletes[component].append(num)
                continue
            if not row.outcome:
                assert not row.new, "a new entity is stamped `created`"
                continue
            added: list[str] = []
            removed: list[str] = []
            for component, before, after, names in row.outcome:
                if after is None:
                    removed.append(component)
                    deletes[component].append(num)
                elif before is None:
                    added.append(component)
                    inserts[component].append((num, after))
                else:
                    updates[component, names].append((num, after))
            if row.new:
                born.append((num, row.eid, fold(row.eid), carrying_text((), tuple(added), ()), 0))
            elif added or removed:
                carrying[carrying_text(row.has, tuple(added), tuple(removed))].append(num)
        if born:
            transaction.executemany("INSERT INTO entity (num, eid, f_eid, has, dead) VALUES (?, ?, ?, ?, ?)", born)
        for has, nums in carrying.items():
            transaction.execute(f"UPDATE entity SET has = ? WHERE num {AMONG}", (has, json.dumps(nums)))
        for component, nums in deletes.items():
            tables[component].delete(transaction, nums)
        if died:
            transaction.execute(f"UPDATE entity SET has = '', dead = 1 WHERE num {AMONG}", (json.dumps(died),))
        for component, rows in inserts.items():
            tables[component].insert(transaction, rows, self.num_of)
        for (component, names), changed in updates.items():
            tables[component].update(transaction, names, changed, self.num_of)
        self.wrote_while = any(name == "wake" and "while" in names for name, names in updates) or any(
            values["while"] is not None for _, values in inserts.get("wake", ())
        )
        if self.undelayed:
            transaction.execute(
                f"UPDATE c_wake SET x_retry_at = NULL, x_delay = 0 WHERE x_delay IS NOT NULL AND num {AMONG}",
                (json.dumps(self.undelayed),),
            )
        if self.ended:
            note_ended(transaction, self.ended, stored_instant(self.now))
        following: defaultdict[str | None, list[int]] = defaultdict(list)
        for row in self.rows.values():
            if row.follows_zone and "wake" in row.bundle:
                following[row.cadence].append(row.num)
        for cadence, nums in following.items():
            transaction.execute(
                f"UPDATE c_wake SET x_followed = p_at, x_cadence = ? WHERE num {AMONG}", (cadence, json.dumps(nums))
            )

    def report(self) -> list[dict[str, Any]]:
        """One bundle per touched entity with the components that changed, each whole, in num order."""
        rows = [self.rows[num] for num in sorted(self.rows)]
        return [row.report() for row in rows if row.deleted or row.outcome]
