"""The transactions of a pool: answers put down, claims renewed and given back, new claims taken, all in one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from wakeful_compiler.instants import as_instant

from ..clock import Clock
from ..engines.sqlite import SqliteEngine
from ..engines.transaction import Transaction
from ..plans import Plans
from ..retries import AUTHOR
from ..writing import Writing
from .claims import Answer, Claim, claim, finish, next_at, release, renew
from .registry import Registry

PATIENCE = 60.0
"""Seconds that the pool waits for another writer."""


class Desk:
    """The store, as far as its pool needs it.  `ring` wakes whoever runs the store, here and elsewhere."""

    def __init__(
        self, engine: SqliteEngine, current: Callable[[Transaction], Plans], clock: Clock, registry: Registry,
        ring: Callable[[], None],
    ) -> None:  # fmt: skip
        self._engine, self._current, self._clock, self._ring = engine, current, clock, ring
        self.registry = registry
        self.token = os.urandom(16).hex()
        """Who this store is among those that claim; drawn at open, so that it says nothing of hosts or processes."""
        self.asked: datetime | None = None
        """The instant of the tick that waits for the pool, which may be ahead of the clock."""

    def now(self) -> datetime:
        """The instant by which claims are judged: that of the clock, or of the tick that waits."""
        asked, now = self.asked, as_instant(self._clock.now())
        if asked is None:
            return now
        return asked if self._clock.manual else max(asked, now)

    def next_at(self, transaction: Transaction, busy: Collection[int], later_than: datetime | None) -> datetime | None:
        """The earliest instant at which this store can claim a call; see :func:`~.claims.next_at`."""
        if not self.registry.any:
            return None
        return next_at(transaction, self.registry.commands(self._current(transaction)), busy, later_than)

    def waits(self, busy: Collection[int]) -> bool:
        """Whether a call can be claimed now."""
        if not self.registry.any:
            return False
        with self._engine.read() as transaction:
            at = self.next_at(transaction, busy, None)
        return at is not None and at <= self.now()

    def turn(
        self, answers: Sequence[Answer], in_hand: Collection[int], want: int, *, idle: bool, functions: bool,
        renewing: bool,
    ) -> tuple[list[Claim], bool]:  # fmt: skip
        """Put down `answers`, renew the claims `in_hand` if asked to, and claim up to `want` calls.

        `idle` tells that nothing runs, `functions` that functions of this process may be given more to do.  The
        second answer is whether there was nothing more to be had.
        """
        with self._engine.write(PATIENCE) as transaction:
            plans, now = self._current(transaction), self.now()
            writing = Writing(plans, transaction, now, timed=self.timed)
            stage = writing.stage(AUTHOR, "result")
            again = bool(answers) and finish(stage, self.token, answers)
            if renewing:
                renew(transaction, self.token, in_hand, now)
            claims: list[Claim] = []
            exhausted = True
            if want:
                commands = self.registry.commands(plans, functions=functions)
                claims, exhausted = claim(stage, self.token, commands, want, in_hand, idle=idle)
            stage.finish()
            writing.save(stage)
            writing.finish(writing.requests_of(stage))
            exhausted &= not writing.handed_over
        if again or writing.rings:
            self._ring()
        return claims, exhausted

    def give_back(self, nums: Collection[int]) -> None:
        """Let others have claims that this store will not see to the end."""
        if nums:
            with self._engine.write(PATIENCE) as transaction:
                release(transaction, self.token, nums, self.now())
            self._ring()

    @property
    def timed(self) -> bool:
        """Whether results say how long calls took."""
        return not self._clock.manual
