"""One writing transaction: the stages it saves, the calls they ask for, and what the world is told after the commit.

An apply, a batch of firings and what a pool of workers puts down are all of this one form.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from .calls import due
from .calls.requests import Request, Root
from .calls.runner import CallRun
from .conditions.arming import arm
from .engines.transaction import Transaction
from .outcome import Outcome
from .plans import Plans
from .stage import Nums, Stage
from .touched import Touched


class Writing:
    """What one transaction does, stage by stage."""

    def __init__(
        self, plans: Plans, transaction: Transaction, now: datetime, *, timed: bool, singly: bool = False
    ) -> None:
        """`timed` tells whether the results of calls say how long they took; `singly` runs each call under a
        savepoint, so that one that SQL refuses fails alone."""
        self.plans, self.transaction, self.now = plans, transaction, now
        self.nums = Nums(transaction)
        self.outcome = Outcome()
        """What all of its stages changed."""
        self.calls: list[str] = []
        """The eids of the calls that ran or were handed to workers, in order."""
        self.handed_over = False
        """Whether a call waits for a worker."""
        self.notes: list[str] = []
        self._touched = Touched()
        self._timed, self._singly = timed, singly

    def stage(self, by: str | None, *name: str) -> Stage:
        """A stage of this transaction; `name` is what ids that derive from it name it by."""
        return Stage(self.plans, self.transaction, self.now, by, self.nums, name)

    def save(self, stage: Stage) -> None:
        """Write a judged stage."""
        stage.save()
        self.saved(stage)

    def saved(self, stage: Stage) -> None:
        """Take note of a stage that is in the tables."""
        self.outcome.add(stage)
        self._touched.add(stage)

    def requests_of(self, stage: Stage) -> list[Request]:
        """The calls that a saved stage asks for: those of its rows, then those of its rules."""
        root = Root()
        requests = [Request.of_row(row, root) for row in due.written(stage)]
        return requests + [Request.of_rule(asked, root) for asked in stage.asked]

    def finish(self, requests: Iterable[Request]) -> None:
        """Run these calls and all that they ask for, then set due what has come to hold; the transaction is ready to
        commit."""
        listed = list(requests)
        if listed:
            again = self.outcome.touched_twice()
            for request in listed:
                request.stale = request.row is not None and request.row.num in again
            run = CallRun(
                self.plans, self.transaction, self.now, self.nums, self.saved, timed=self._timed, singly=self._singly
            )  # fmt: skip
            run.run(listed)
            self.calls += run.ran
            self.notes += run.notes
            self.handed_over |= run.handed_over
        self.outcome.armed = arm(self.plans, self.transaction, self.now, self._touched)

    @property
    def rings(self) -> bool:
        """Whether whoever runs the store must look again, for something may be due sooner."""
        return self.handed_over or bool(self.outcome.armed) or self.outcome.names("wake")
