"""What the stages of one transaction have changed, as the bundles that an apply answers with."""

from __future__ import annotations

from collections import Counter

from .reports import Bundle
from .stage import Stage


class Outcome:
    """One bundle per touched entity, over all stages: each component that changed as the last stage left it.

    The stages are kept as they are until somebody asks.
    """

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self.armed: list[Bundle] = []
        """The wakes that were set due at the end, each whole."""

    def add(self, stage: Stage) -> None:
        """Take in a saved stage."""
        self._stages.append(stage)

    def touched_twice(self) -> set[int]:
        """The rows that more than one stage changed."""
        if len(self._stages) < 2:
            return set()
        counts = Counter(
            num for stage in self._stages for num, row in stage.rows.items() if row.deleted or row.outcome
        )  # fmt: skip
        return {num for num, count in counts.items() if count > 1}

    def names(self, component: str) -> bool:
        """Whether a row was deleted, or has this component among what changed."""
        return any(
            row.deleted or any(change[0] == component for change in row.outcome)
            for stage in self._stages
            for row in stage.rows.values()
        )

    def by_num(self) -> dict[int, Bundle]:
        """The bundles by num, in num order."""
        bundles: dict[int, Bundle] = {}
        for stage in self._stages:
            for num, row in stage.rows.items():
                if not row.deleted and not row.outcome:
                    continue
                known = bundles.get(num)
                if known is None or row.deleted:
                    bundles[num] = row.report()
                else:
                    known.update(row.report())
        for bundle in self.armed:
            bundles.setdefault(bundle["entity"]["num"], {}).update(bundle)
        return dict(sorted(bundles.items()))
