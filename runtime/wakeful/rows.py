"""One entity in memory while a stage works on it: what it was, what it is, and what has changed.

`bundle` is what rules judge; `before` remembers each component as it was when first touched.  A change is a
(component, property) pair, property None for presence; adding or removing a component changes the properties
that have a value, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from wakeful_compiler.predicates import Read
from wakeful_compiler.vocab.builtin import STAMPED

Values = dict[str, Any]

PRESENT: Values = {}
"""Stands in a bundle for a component that is there and whose values no rule asks for; never written to."""

UNKNOWN: Any = object()
"""Stands for a stored value that was not read because it is overwritten whatever it was; equal to nothing."""


def same(left: Any, right: Any) -> bool:
    """Whether two canonical values of one property are one; inside JSON, true is not 1."""
    if left is right:
        return True
    if type(left) is dict or type(left) is list:
        return bool(left == right) and json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    return bool(left == right)


Change = tuple[str, Values | None, Values | None, tuple[str, ...]]
"""One component that came out different: its name, its values before (None: added) and after (None: removed),
and the names of the properties that a patch changed."""

State = tuple[dict[str, Values], dict[str, Values | None], list[Read], list[Change], tuple[bool, ...]]
"""A row as it stood at one moment of a stage."""


class Row:
    """One entity of a stage."""

    __slots__ = (
        "before",
        "bundle",
        "cadence",
        "changes",
        "deleted",
        "doomed",
        "eid",
        "follows_zone",
        "has",
        "names_at",
        "new",
        "num",
        "outcome",
        "readded_wake",
        "refusing",
    )

    def __init__(self, num: int, eid: str, has: str = "", *, new: bool = False) -> None:
        self.num, self.eid, self.new = num, eid, new
        self.has: tuple[str, ...] = _names(has)
        self.bundle: dict[str, Values] = {"entity": {"eid": eid, "num": num}}
        self.before: dict[str, Values | None] = {}
        self.changes: list[Read] = []
        self.outcome: list[Change] = []
        self.deleted = False
        self.follows_zone = False
        """Whether the store worked `wake.at` out from a zone's clock, whose rules may change before it comes."""
        self.cadence: str | None = None
        """Of which entry of `wake.while` that cadence is, where it is not `wake.every`."""
        self.doomed = False
        """Whether it is under `+tombstone`: no further rule matches it, and it goes when the pass ends."""
        self.refusing = 0
        """The rules that may refuse what has become of the row, as the bits of their positions."""
        self.names_at = False
        """Whether a bundle or a rule named `wake.at`, so that a new cadence does not set it."""
        self.readded_wake = False
        """Whether the wake was taken away and written anew in this stage: its cadence then starts afresh."""

    def put(self, component: str, values: Mapping[str, Any], blank: Mapping[str, Any]) -> None:
        """Patch a component: add it when absent, then set the named properties (None clears one)."""
        current = self.bundle.get(component)
        if component not in self.before:
            self.before[component] = None if current is None else current.copy()
        assert current is not PRESENT, "only a component whose values are loaded is written"
        if current is None:
            current = self.bundle[component] = dict(blank)
            self.changes.append((component, None))
            self.readded_wake |= component == "wake" and self.before[component] is not None
        for name, value in values.items():
            if current[name] is not value and not same(current[name], value):
                current[name] = value
                self.changes.append((component, name))
        if component == "wake" and "at" in values:
            self.names_at = True

    def overwrite(self, component: str, values: Values) -> None:
        """Set every property of a component without having read it; no rule is told."""
        self.before[component] = dict.fromkeys(values, UNKNOWN) if component in self.has else None
        self.bundle[component] = values

    def remove(self, component: str) -> None:
        """Take a component away."""
        current = self.bundle.pop(component, None)
        if current is None:
            return
        if component == "wake":
            self.names_at = False
        self.before.setdefault(component, dict(current))
        self.changes.append((component, None))
        self.changes += [(component, name) for name, value in current.items() if value is not None]

    def settle_changes(self) -> None:
        """Keep of the changes so far only what is one in the end: a value written away and back is none."""
        self.changes.clear()
        for component, before, after, names in self._differences():
            if component in STAMPED:
                continue
            if before is None or after is None:
                values = after if before is None else before
                assert values is not None
                self.changes.append((component, None))
                names = tuple(name for name, value in values.items() if value is not None)
            self.changes += [(component, name) for name in names]

    def state(self) -> State:
        """All that a stage may have made of the row, to go back to."""
        bundle = {name: values if values is PRESENT else values.copy() for name, values in self.bundle.items()}
        flags = (self.deleted, self.doomed, self.names_at, self.readded_wake)
        return bundle, dict(self.before), list(self.changes), self.outcome, flags

    def restore(self, state: State) -> None:
        """Make the row what it was."""
        self.bundle, self.before, self.changes, self.outcome, flags = state
        self.deleted, self.doomed, self.names_at, self.readded_wake = flags
        self.refusing = 0

    def settled(self) -> Row:
        """The row as the tables have it once this one's outcome is written, for a further stage to work on.

        Only what was loaded is in its bundle, in copies: what is reported of this row stays what it is.
        """
        added = {component for component, before, _, _ in self.outcome if before is None}
        removed = {component for component, _, after, _ in self.outcome if after is None}
        row = Row(self.num, self.eid)
        row.has = tuple(sorted({*self.has, *added} - removed))
        row.bundle = {name: values.copy() for name, values in self.bundle.items() if values is not PRESENT}
        return row

    def finish(self, stamp: Values) -> None:
        """Settle the outcome: what differs from before, and `updated` with the `stamp` where anything does.

        A row that is new or deleted gets no `updated`.
        """
        self.outcome = [] if self.deleted else self._differences()
        if self.outcome and not self.new:
            self.overwrite("updated", stamp)
            self.outcome.append(("updated", self.before["updated"], stamp, ("at", "by")))

    def _differences(self) -> list[Change]:
        found: list[Change] = []
        for component, before in self.before.items():
            if component == "updated":
                continue  # stamped anew each time that the outcome is settled
            after = self.bundle.get(component)
            if before is None:
                if after is not None:
                    found.append((component, None, after, ()))
            elif after is None:
                found.append((component, before, None, ()))
            else:
                names = tuple(
                    [
                        name
                        for name, value in after.items()
                        if before[name] is not value and not same(before[name], value)
                    ]
                )
                if names:
                    found.append((component, before, after, names))
        return found

    def report(self) -> dict[str, Any]:
        """The bundle of what changed: `entity`, and each changed component whole (null when removed)."""
        answer: dict[str, Any] = {"entity": self.bundle["entity"]}
        if self.deleted:
            answer["tombstone"] = {}
        for component, _, after, _ in self.outcome:
            answer[component] = after
        return answer


@lru_cache(maxsize=4096)
def _names(has: str) -> tuple[str, ...]:
    return tuple(has.split(" ")) if has else ()


@lru_cache(maxsize=4096)
def carrying_text(has: tuple[str, ...], added: tuple[str, ...], removed: tuple[str, ...]) -> str:
    """What `entity.has` says once components were added and removed; whole batches change alike."""
    return " ".join(sorted({*has, *added} - {*removed}))
