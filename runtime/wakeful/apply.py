"""The order of an apply (the design's 20-runtime): guards, own write, rules, deletions, wakes, stamps.

Everything is judged in memory on the rows of a stage; the store writes the outcome afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wakeful_compiler.nearby import nearest
from wakeful_compiler.texts import shown
from wakeful_grammar.problems import Problem

from .bundles import Alias, Patch
from .errors import Refused, Stale
from .reactions import react, settle_rules
from .refusals import problem
from .retries import clear_written
from .rows import Row, same
from .stage import Stage
from .wakes import normalise

_BARE = frozenset({"entity", "created"})

EidOf = Callable[[Patch], str]
"""The eid of the entity that a patch makes: fresh, or derived from what the patch is part of."""


class Application:
    """One apply on one stage."""

    def __init__(self, stage: Stage, patches: list[Patch], eid_of: EidOf, *, derived: bool = False) -> None:
        """`derived` tells that `eid_of` may name an entity that is there already, which is then patched."""
        self.stage, self._eid_of, self._derived = stage, eid_of, derived
        self.patches = patches
        self.aliases: dict[str, str] = {}
        self.notes: list[str] = []
        self._rows: dict[int, Row] = {}
        self._skipped: set[int] = set()
        self._skipped_aliases: set[str] = set()
        self._problems: list[Problem] = []

    def run(self) -> None:
        """Judge the whole apply; the stage then holds the outcome.  Raises Refused, or Stale for a guard."""
        self.stage.find(self._eids())
        self._skip()
        self._find_rows()
        self._raise()
        self._guard()
        self._prepare()
        for patch in self._live():
            self._write(patch)
        self._raise()
        rows = self.stage.rows
        for row in rows.values():
            if "call" in row.before:
                self.stage.name_command(row)
            row.settle_changes()
        react(self.stage, list(rows.values()))
        # What the store does to its own accounts sets off state rules, and is no occasion.
        settle_rules(self.stage, clear_written(self.stage, list(rows.values())))
        for row in rows.values():
            if not row.deleted:
                if "call" in row.before:
                    self.stage.name_command(row)
                    self._note_unknown_command(row)
                self.notes += normalise(row, self.stage.now, self.stage.plans.conditions)
        self._note_written_again()
        self.notes += [
            f"{row.eid}: an entity without components was made"
            for row in rows.values()
            if row.new and not row.deleted and row.bundle.keys() <= _BARE
        ]
        self.stage.finish()

    def _note_unknown_command(self, row: Row) -> None:
        """A call to nobody is left in place, for another runner may own it; a misspelt name looks just like it."""
        call, plans = row.bundle.get("call"), self.stage.plans
        if call is not None and call["to"] is not None and plans.command(call["to"]) is None:
            near = nearest(call["to"], plans.commands)
            meant = f" (did you mean `{near}`?)" if near else ""
            self.notes.append(f"{row.eid}: no command here is {shown(call['to'])}{meant}; the call is left as it is")

    def _note_written_again(self) -> None:
        """A gate that somebody opened and a rule closed in the same breath looks like nothing at all: say so."""
        for patch in self._live():
            row = self._rows[id(patch)]
            self.notes += [
                f"{row.eid}: a rule wrote `{name}` again; clear what the rule's match rests on in the same write"
                for name, values in patch.components.items()
                if values is None and name in row.bundle and row.before.get(name) is not None
            ]

    def _raise(self) -> None:
        if self._problems:
            raise Refused(self._problems)

    def _fault(self, code: str, message: str, pointer: str, hint: str = "") -> None:
        self._problems.append(problem(code, message, hint, pointer))

    def _live(self) -> Iterator[Patch]:
        return (patch for patch in self.patches if id(patch) not in self._skipped)

    # --- rows -----------------------------------------------------------------------------------

    def _eids(self) -> Iterator[str]:
        for patch in self.patches:
            if patch.eid is not None:
                yield patch.eid
            elif self._derived:
                yield self._eid_of(patch)
            for name, values in patch.components.items():
                for key, value in (values or {}).items():
                    if isinstance(value, str) and self._is_reference(name, key):
                        yield value

    def _is_reference(self, component: str, name: str) -> bool:
        return self.stage.plans.components[component].properties[name].kind == "reference"

    def _skip(self) -> None:
        """Leave out the bundles whose `$absent` does not hold, with the bundles nested in them."""
        for patch in self.patches:
            if patch.absent is False or id(patch) in self._skipped or patch.eid is None:
                continue
            num = self.stage.nums.get(patch.eid)
            known = num is not None or patch.eid in self.stage.dead
            if patch.absent is True:
                holds = not known
                reason = "it exists" if num is not None else "it was deleted"
            else:
                has = self.stage.rows[num].has if num is not None else ()
                assert not isinstance(patch.absent, bool)
                there = [name for name in patch.absent if name in has]
                holds = not there
                reason = f"it has {', '.join(there)}"
            if not holds:
                self.notes.append(f"{patch.eid}: left out, {reason}")
                self._skip_whole(patch)
        kept = {patch.alias for patch in self._live() if patch.alias is not None}
        self._skipped_aliases -= kept

    def _skip_whole(self, patch: Patch) -> None:
        queue = [patch]
        while queue:
            skipped = queue.pop()
            self._skipped.add(id(skipped))
            queue += skipped.nested
            if skipped.alias is not None:
                self._skipped_aliases.add(skipped.alias)

    def _find_rows(self) -> None:
        stage = self.stage
        for patch in self._live():
            if patch.alias is not None:
                eid = self.aliases.get(patch.alias)
                made = stage.rows[stage.nums[eid]] if eid is not None else self._make(patch)
                if made is None:
                    continue
                row = made
                self.aliases[patch.alias] = row.eid
            elif patch.eid is None:
                made = self._make(patch)
                if made is None:
                    continue
                row = made
            elif patch.eid in stage.dead:
                self._dead(patch, patch.eid)
                continue
            elif patch.eid in stage.nums:
                row = stage.rows[stage.nums[patch.eid]]
            elif patch.delete:
                self._fault(
                    "unknown-entity", f"there is no entity {patch.eid} to delete", f"{patch.pointer}/entity/eid",
                    "take the bundle out, or name the eid of a stored entity",
                )  # fmt: skip
                continue
            else:
                row = stage.create(patch.eid)
            self._rows[id(patch)] = row
            if patch.num is not None and (row.new or patch.num != row.num):
                self._fault(
                    "vocab-stamp",
                    f"entity.num is given by the store: {row.eid} does not have {patch.num}",
                    patch.pointer,
                )

    def _make(self, patch: Patch) -> Row | None:
        """The entity behind a patch that names none: a new one, or the one that an earlier run of a call made."""
        eid, stage = self._eid_of(patch), self.stage
        if eid in stage.nums:
            return stage.rows[stage.nums[eid]]
        if eid in stage.dead:
            self._dead(patch, eid)
            return None
        return stage.create(eid)

    def _dead(self, patch: Patch, eid: str) -> None:
        self._fault(
            "vocab-dead", f"{eid} was deleted: a dead entity takes no patch",
            f"{patch.pointer}/entity/eid", "write a fresh entity instead",
        )  # fmt: skip

    # --- guards ---------------------------------------------------------------------------------

    def _guard(self) -> None:
        guarded = [patch for patch in self._live() if patch.was is not None or patch.stamps]
        for patch in guarded:
            names = {*(patch.was or ()), *patch.stamps} - {"entity"}
            self.stage.load([self._rows[id(patch)]], sorted(names))
        stale: list[Problem] = []
        current: dict[str, Any] = {}
        for patch in guarded:
            row = self._rows[id(patch)]
            self._check_stamps(patch, row)
            for name, wanted in (patch.was or {}).items():
                found = row.bundle.get(name) if not (row.new and name == "created") else None
                if not _still(found, wanted):
                    current.setdefault(row.eid, {})[name] = None if found is None else dict(found)
                    stale.append(
                        problem("stale-guard", f"`{name}` of {row.eid} is no longer what `$was` says",
                                "read the row again, decide anew, then write", f"{patch.pointer}/$was/{name}")
                    )  # fmt: skip
        self._raise()
        if stale:
            raise Stale(stale, current)

    def _check_stamps(self, patch: Patch, row: Row) -> None:
        for name, values in patch.stamps.items():
            stored = {} if row.new else row.bundle.get(name, {})
            for key, value in values.items():
                if not same(stored.get(key), value):
                    self._fault(
                        "vocab-stamp", f"{name} is stamped by the store: no bundle sets `{name}.{key}`",
                        f"{patch.pointer}/{name}/{key}", f"leave `{name}` out",
                    )  # fmt: skip

    # --- the own write --------------------------------------------------------------------------

    def _prepare(self) -> None:
        changing: set[str] = set()
        for patch in self._live():
            changing.update(patch.components)
        rows = {id(row): row for row in self._rows.values()}
        self.stage.prepare(list(rows.values()), changing)

    def _write(self, patch: Patch) -> None:
        row = self._rows[id(patch)]
        if patch.delete:
            self.stage.delete(row)
            return
        if row.deleted:
            self._fault("vocab-dead", f"{row.eid} was deleted earlier in this apply", patch.pointer)
            return
        for name, values in patch.components.items():
            if values is None:
                row.remove(name)
                continue
            added = name not in row.bundle
            row.put(name, self._resolved(patch, row, name, values), self.stage.plans.blanks[name])
            self._check_required(patch, row, name, added, values)

    def _check_required(self, patch: Patch, row: Row, name: str, added: bool, written: Iterable[str]) -> None:
        for key in self.stage.plans.required.get(name, ()):
            if (added or key in written) and row.bundle[name][key] is None:
                self._fault(
                    "vocab-required", f"`{name}` requires `{key}`", f"{patch.pointer}/{name}",
                    f"write a value for `{name}.{key}`",
                )  # fmt: skip

    def _resolved(self, patch: Patch, row: Row, component: str, values: dict[str, Any]) -> dict[str, Any]:
        """The values with every reference as the eid of a live entity, or as it already stood."""
        answer = {}
        for key, value in values.items():
            if isinstance(value, Patch):
                nested = self._rows.get(id(value))
                # A nested bundle that `$absent` left out stands for the entity that is there.
                value = nested.eid if nested is not None else str(value.eid)
                self._check_target(value, f"{patch.pointer}/{component}/{key}")
            elif isinstance(value, Alias):
                found = self._behind(value.name, f"{patch.pointer}/{component}/{key}")
                if found is None:
                    continue
                value = found
            elif isinstance(value, str) and self._is_reference(component, key):
                if row.bundle.get(component, {}).get(key) == value:
                    continue
                self._check_target(value, f"{patch.pointer}/{component}/{key}")
            answer[key] = value
        return answer

    def _behind(self, alias: str, pointer: str) -> str | None:
        eid = self.aliases.get(alias)
        if eid is not None:
            return eid
        if alias in self._skipped_aliases:
            raise Stale(
                [problem("stale-guard", f"{alias} stands in a bundle that `$absent` left out",
                         "refer to the stored entity by its eid", pointer)], {}
            )  # fmt: skip
        self._fault(
            "unknown-entity", f"no bundle of this apply is {alias}", pointer,
            f'give one of them {{"entity": {{"eid": "{alias}"}}}}',
        )  # fmt: skip
        return None

    def _check_target(self, eid: str, pointer: str) -> None:
        if eid in self.stage.dead:
            self._fault("unknown-entity", f"{eid} was deleted: nothing can refer to it", pointer)
        elif eid not in self.stage.nums:
            self._fault(
                "unknown-entity",
                f"there is no entity {eid}",
                pointer,
                "write it in the same apply, or refer to a stored one",
            )


def _still(found: dict[str, Any] | None, wanted: dict[str, Any] | None) -> bool:
    if wanted is None or found is None:
        # `{comp: {prop: null}}` holds on a component that is not there: the property has no value.
        return found is None and (wanted is None or all(value is None for value in wanted.values()))
    return all(same(found.get(name), value) for name, value in wanted.items())
