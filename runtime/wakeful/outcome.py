"""What the stages of one transaction have changed, as the bundles that an apply answers with."""

from __future__ import annotations

from .reports import Bundle
from .stage import Stage


class Outcome:
    """One bundle per touched entity, over all stages: each component that changed as the last stage left it."""

    def __init__(self) -> None:
        self._bundles: dict[int, Bundle] = {}

    def add(self, stage: Stage) -> None:
        """Take in what a saved stage did."""
        for num, row in stage.rows.items():
            if not row.deleted and not row.outcome:
                continue
            known = self._bundles.get(num)
            if known is None or row.deleted:
                self._bundles[num] = row.report()
            else:
                known.update(row.report())

    def bundles(self) -> list[Bundle]:
        """The bundles, in num order."""
        return [self._bundles[num] for num in sorted(self._bundles)]
