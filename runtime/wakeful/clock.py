"""The one seam through which time enters a store."""

from __future__ import annotations

import select
import socket
from datetime import UTC, datetime
from typing import Protocol

MAX_SLEEP = 60.0
"""The longest sleep, in seconds, without a look at the wall clock: suspends and clock steps stay ordinary."""


class Bell:
    """Wakes one sleeper from any thread or signal handler; rings are not counted and never lost."""

    def __init__(self, door: socket.socket | None = None) -> None:
        """`door` is a further socket on which a datagram is a ring as well."""
        self._listen, self._strike = socket.socketpair()
        self._listen.setblocking(False)
        self._strike.setblocking(False)
        self._sockets = [self._listen] if door is None else [self._listen, door]

    def ring(self) -> None:
        """Wake the sleeper now, or the next time it would sleep.  Safe inside a signal handler."""
        try:
            self._strike.send(b"!")
        except (BlockingIOError, OSError):
            return  # a full buffer has plenty of rings in it; a closed bell has no sleeper

    def wait(self, seconds: float | None) -> bool:
        """Sleep until a ring or for `seconds` (None: for ever); whether it rang."""
        ready, _, _ = select.select(self._sockets, [], [], seconds)
        for heard in ready:
            try:
                while heard.recv(4096):
                    pass
            except BlockingIOError:
                continue  # all its rings are taken
        return bool(ready)

    def close(self) -> None:
        self._listen.close()
        self._strike.close()


class Clock(Protocol):
    """What a store asks of a clock."""

    manual: bool

    def now(self) -> datetime:
        """The present instant: aware, in UTC."""
        ...

    def sleep(self, bell: Bell, until: datetime | None) -> None:
        """Sleep until `until` (None: nothing is due), a ring of the bell, or at most MAX_SLEEP seconds."""
        ...

    def attach(self, bell: Bell) -> None:
        """From now on ring this bell whenever the clock is moved by hand."""
        ...

    def detach(self, bell: Bell) -> None:
        """Ring this bell no more."""
        ...


class SystemClock:
    """The machine's own clock."""

    manual = False

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, bell: Bell, until: datetime | None) -> None:
        seconds = None if until is None else max(0.0, (until - self.now()).total_seconds())
        bell.wait(MAX_SLEEP if seconds is None else min(seconds, MAX_SLEEP))

    def attach(self, bell: Bell) -> None:
        """Nothing to do: nobody moves this clock by hand."""

    def detach(self, bell: Bell) -> None:
        """Nothing to undo."""
