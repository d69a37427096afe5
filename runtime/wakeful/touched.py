"""What one transaction changed, over all of its stages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .stage import Stage


class Touched:
    """The saved stages of one transaction, and what can be asked of them together."""

    __slots__ = ("_stages",)

    def __init__(self) -> None:
        self._stages: list[Stage] = []

    def add(self, stage: Stage) -> None:
        """Take in a stage once it is saved; what it changed is worked out only when something asks for it."""
        self._stages.append(stage)

    def __bool__(self) -> bool:
        return bool(self._stages)

    @property
    def wrote_conditions(self) -> bool:
        """Whether any wake came by a `while`, or by another one."""
        return any(stage.wrote_while for stage in self._stages)

    @property
    def changes(self) -> dict[str, set[int]]:
        """The rows in which each component changed, came or went; for `entity`, those that were born or died."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for stage in self._stages:
            for num, row in stage.rows.items():
                if row.new or row.deleted:
                    found["entity"].add(num)
                for name in row.has if row.deleted else ():
                    found[name].add(num)
                for name, *_ in row.outcome:
                    found[name].add(num)
        return dict(found)

    def wakes(self) -> tuple[set[int], set[int], set[int]]:
        """Three sets of rows: those whose `while` was written, those whose wake was, and those that were paused.

        A firing that moves its own `at` on has not written its wake.  Paused is a wake whose last write named
        `at: null`; it is in neither other sense written.
        """
        conditional, written, paused = set[int](), set[int](), set[int]()
        for stage in self._stages:
            for num, row in stage.rows.items():
                wake = row.bundle.get("wake")
                if row.deleted or (wake is None and any(name == "wake" for name, *_ in row.outcome)):
                    for nums in (conditional, written, paused):
                        nums.discard(num)
                    continue
                if wake is None:
                    continue  # it has none, or this stage had no need to load it
                pauses = row.names_at and wake["at"] is None
                if pauses:  # even where it slept before, and nothing came out different
                    paused.add(num)
                    written.discard(num)
                for name, before, _, names in row.outcome:
                    if name != "wake":
                        continue
                    if "while" in names or (before is None and wake["while"] is not None):
                        conditional.add(num)
                    if not pauses and (row.names_at or before is None or names != ("at",)):
                        written.add(num)
                        paused.discard(num)
        return conditional, written, paused
