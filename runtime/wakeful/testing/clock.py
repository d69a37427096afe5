"""A clock for tests: time stands still until it is set or advanced."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

from wakeful_compiler.instants import BadInstant, as_instant
from wakeful_grammar.problems import WakefulError

from ..clock import Bell


class ManualClock:
    """A clock that a test moves.  Sleepers wake when it moves, never by themselves.

    `start` is an aware datetime; so is whatever :meth:`set` is given, which may lie in the past.
    """

    manual = True

    def __init__(self, start: datetime) -> None:
        self._lock = threading.Lock()
        self._now = _instant(start)
        self._bells: list[Bell] = []

    def now(self) -> datetime:
        """The instant at which the clock stands, in UTC."""
        return self._now

    def set(self, instant: datetime) -> None:
        """Move the clock to an instant, forwards or back."""
        with self._lock:
            self._now = _instant(instant)
            bells = list(self._bells)
        for bell in bells:
            bell.ring()

    def advance(self, step: timedelta) -> None:
        """Move the clock by a length of time."""
        if not isinstance(step, timedelta):
            raise WakefulError(f"the clock is advanced by a timedelta, such as timedelta(minutes=5), not {step!r}")
        try:
            self.set(self._now + step)
        except OverflowError:
            raise WakefulError("the clock stands within the years 0001 to 9999") from None

    def sleep(self, bell: Bell, until: datetime | None) -> None:
        """Wait for a ring of the bell, which moving the clock gives, unless `until` has already come."""
        if until is None or until > self._now:
            bell.wait(None)

    def attach(self, bell: Bell) -> None:
        """Ring this bell whenever the clock is moved; a ring that comes before the sleep is kept for it."""
        with self._lock:
            self._bells.append(bell)

    def detach(self, bell: Bell) -> None:
        """Ring this bell no more."""
        with self._lock:
            self._bells.remove(bell)


def _instant(value: datetime) -> datetime:
    if not isinstance(value, datetime):
        raise WakefulError(f"the clock's instant is an aware datetime, not {value!r}")
    try:
        return as_instant(value)
    except BadInstant as error:
        raise WakefulError(f"the clock's instant {error}") from None
