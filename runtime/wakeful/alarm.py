"""The alarm: one sleeper, armed at the earliest due instant, that ticks the store when it comes.

It wakes for the instant, for a write in this process that makes something due, for a signal, and at least
once a minute to look at the wall clock again, so that suspends and clock steps are ordinary.  Nothing polls.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import FrameType
from typing import Protocol

from .clock import Bell, Clock
from .errors import StoreClosed, StoreCorrupt, StoreError, StoreForked
from .reports import TickReport

log = logging.getLogger("wakeful")

FIRST_BACKOFF, LONGEST_BACKOFF = 0.1, 30.0


class StopFlag(Protocol):
    """What `stop=` may be: anything with `is_set`, a threading.Event for example."""

    def is_set(self) -> bool: ...


Stop = StopFlag | Callable[[], bool] | None
OnTick = Callable[[TickReport], None] | None


Tick = Callable[[Callable[[], bool]], TickReport]
"""Fires what is due; between two transactions it asks whether to stop."""


class Alarm:
    """The loop of `run`."""

    def __init__(self, tick: Tick, clock: Clock, bell: Bell) -> None:
        self._tick, self._clock, self._bell = tick, clock, bell
        self._stopping = threading.Event()

    def run(self, stop: Stop, on_tick: OnTick = None) -> None:
        """Tick and sleep until stopped.  Finishes the running transaction first; tells `on_tick` of each tick."""
        backoff = FIRST_BACKOFF
        due: datetime | None
        if isinstance(stop, threading.Event):
            # An Event cannot ring by itself: a thread that only waits for it does.
            threading.Thread(target=self._ring_when_set, args=(stop,), name="wakeful-stop", daemon=True).start()
        with self._signals(), self._attached():
            while not self._stopped(stop):
                try:
                    report = self._tick(lambda: self._stopped(stop))
                except (StoreForked, StoreClosed, StoreCorrupt):
                    raise
                except StoreError as error:
                    # The engine's trouble, not the data's: nothing was done, so nothing is lost by waiting.
                    log.warning("the store could not be ticked, again in %.1f s: %s", backoff, error)
                    due = self._clock.now() + timedelta(seconds=backoff)
                    backoff = min(backoff * 2, LONGEST_BACKOFF)
                except Exception:
                    # A clock that is gone fires nothing for anybody, and nobody notices: it goes on, and says so.
                    log.exception("a tick failed unexpectedly, again in %.1f s", backoff)
                    due = self._clock.now() + timedelta(seconds=backoff)
                    backoff = min(backoff * 2, LONGEST_BACKOFF)
                else:
                    due = report.next_due
                    backoff = FIRST_BACKOFF
                    if on_tick is not None:
                        on_tick(report)
                if not self._stopped(stop):
                    self._clock.sleep(self._bell, due)

    def _stopped(self, stop: Stop) -> bool:
        if self._stopping.is_set():
            return True
        if stop is None:
            return False
        return stop() if callable(stop) else stop.is_set()

    def _ring_when_set(self, stop: threading.Event) -> None:
        stop.wait()
        self._bell.ring()

    @contextmanager
    def _attached(self) -> Iterator[None]:
        self._clock.attach(self._bell)
        try:
            yield
        finally:
            self._clock.detach(self._bell)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Stop cleanly on SIGTERM and SIGINT, where this is the main thread; the old handlers come back after."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            self._stopping.set()
            self._bell.ring()

        old = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
