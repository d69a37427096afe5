"""One entity in memory while a stage works on it: what it was, what it is, and what has changed.

`bundle` is what rules judge; `before` remembers each component as it was when first touched.  A change is a
(component, property) pair, property None for presence; adding or removing a component changes the properties
that have a value, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wakeful_compiler.predicates import Read

Values = dict[str, Any]

PRESENT: Values = {}
"""Stands in a bundle for a component that is there and whose values no rule asks for; never written to."""

UNKNOWN: Any = object()
"""Stands for a stored value that was not read because it is overwritten whatever it was; equal to nothing."""


def same(left: Any, right: Any) -> bool:
    """Whether two canonical values are one; inside JSON, true is not 1."""
    if isinstance(left, dict | list):
        return left == right and json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    return bool(left == right)


class Row:
    """One entity of a stage."""

    __slots__ = ("before", "bundle", "changes", "deleted", "eid", "has", "names_at", "new", "num", "readded_wake")

    def __init__(self, num: int, eid: str, has: str = "", *, new: bool = False) -> None:
        self.num, self.eid, self.new = num, eid, new
        self.has: tuple[str, ...] = tuple(has.split(" ")) if has else ()
        self.bundle: dict[str, Values] = {"entity": {"eid": eid, "num": num}}
        self.before: dict[str, Values | None] = {}
        self.changes: list[Read] = []
        self.deleted = False
        self.names_at = False
        """Whether a bundle or a rule named `wake.at`, so that a new cadence does not set it."""
        self.readded_wake = False
        """Whether the wake was taken away and written anew in this stage: its cadence then starts afresh."""

    def put(self, component: str, values: Mapping[str, Any], blank: Mapping[str, Any]) -> None:
        """Patch a component: add it when absent, then set the named properties (None clears one)."""
        current = self.bundle.get(component)
        if component not in self.before:
            self.before[component] = None if current is None else dict(current)
        assert current is not PRESENT, "only a component whose values are loaded is written"
        if current is None:
            current = self.bundle[component] = dict(blank)
            self.changes.append((component, None))
            self.readded_wake |= component == "wake" and self.before[component] is not None
        for name, value in values.items():
            if not same(current.get(name), value):
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
        self.before.setdefault(component, dict(current))
        self.changes.append((component, None))
        self.changes += [(component, name) for name, value in current.items() if value is not None]

    def differences(self) -> Iterator[tuple[str, Values | None, Values | None]]:
        """The components that differ from what they were: name, before, after."""
        for component, before in self.before.items():
            after = self.bundle.get(component)
            if before is None and after is None:
                continue
            if before is None or after is None or any(not same(before[name], after[name]) for name in after):
                yield component, before, after

    def carried(self) -> tuple[str, ...]:
        """The names of every component that the entity carries now, sorted."""
        kept = {name for name in self.has if name not in self.before}
        kept.update(name for name in self.before if name in self.bundle)
        return tuple(sorted(kept))
