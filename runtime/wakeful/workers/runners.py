"""The threads on which workers' calls run.  None of them touches the store for the pool."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from .answers import Failed
from .claims import Claim
from .desk import Desk
from .line import Line
from .registry import timeout_of

log = logging.getLogger("wakeful")


class Job:
    """One claim that is being run."""

    __slots__ = ("began", "claim", "deadline", "given_up", "line", "seconds")

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.seconds = timeout_of(claim.command)
        self.began = time.monotonic()
        self.deadline = self.began + self.seconds
        self.line = Line()
        self.given_up = False
        """Whether its time was up: whatever it answers is not heard any more."""


class Runners:
    """As many threads as calls run at a time, made when they are needed, all under the lock of their pool."""

    def __init__(
        self, desk: Desk, lock: threading.Condition, answer: Callable[[Job, Any, str | None], None],
        freed: Callable[[], None],
    ) -> None:  # fmt: skip
        """`answer` is told what a call came to, `freed` that a call that had been given up has ended after all."""
        self._desk, self._lock, self._answer, self._freed = desk, lock, answer, freed
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: set[threading.Thread] = set()
        self._spare = 0
        self.stuck = 0
        """Threads whose call was given up, and that have not come back."""

    def here(self) -> bool:
        """Whether the thread that asks is one of these."""
        return threading.current_thread() in self._threads

    def start(self, job: Job) -> None:
        """Run a job.  Raises RuntimeError where no thread can be made."""
        if self._spare:
            self._spare -= 1
        else:
            thread = threading.Thread(target=self._run, name="wakeful-worker", daemon=True)
            thread.start()
            self._threads.add(thread)
        self._jobs.put(job)

    def give_up(self, job: Job) -> None:
        """Hear no more of a job; its thread's place is free for another."""
        job.given_up = True
        self.stuck += 1
        job.line.cut()

    def dismiss(self) -> None:
        """Let the threads go that have nothing to do."""
        for _ in range(self._spare):
            self._jobs.put(None)
        self._spare = 0

    def _run(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                value, error = (None, None) if job.given_up else self._perform(job)
                with self._lock:
                    if job.given_up:
                        self.stuck -= 1
                        self._freed()
                        return  # another has this thread's place
                    self._spare += 1
                    self._answer(job, value, error)
        finally:
            self._threads.discard(threading.current_thread())

    def _perform(self, job: Job) -> tuple[dict[str, Any] | None, str | None]:
        claim, registry = job.claim, self._desk.registry
        try:
            function = registry.function(claim)
            if function is not None:
                return function(job.seconds), None
            assert registry.http is not None
            return registry.http.call(claim, job.seconds, self._desk.now(), job.line), None
        except Failed as failed:
            return None, str(failed)
        except BaseException as error:
            # Also SystemExit: a worker ends its call, not a thread of the store.
            log.warning("the worker of %s failed on call %s", claim.command.name, claim.eid, exc_info=error)
            return None, told(error)


def told(error: BaseException) -> str:
    """What is kept of an exception: its type and message, cut where it is long."""
    text = str(error)
    shown = text if len(text) <= 1000 else text[:1000] + "…"
    clean = shown.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    return f"{type(error).__name__}: {clean}" if clean else type(error).__name__
