"""The pool: calls of workers run on a few threads, and one thread does everything that concerns the store.

That one, the keeper, puts down answers and claims new calls in one transaction after another, renews the claims of
what runs, and gives up on what takes too long.  Threads are made when there is work, and go when there has been none
for a while.  No runner touches the store, so whatever becomes of one, the account of free places stays right.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from operator import attrgetter

from ..errors import StoreClosed, StoreCorrupt, StoreError, StoreForked
from .answers import late
from .claims import Answer, Claim
from .desk import Desk
from .runners import Job, Runners, told

log = logging.getLogger("wakeful")

THREADS = 8
RENEW_SECONDS = 10.0
"""How often the claims of running calls are renewed: a third of what they stand for."""
LINGER_SECONDS = 10.0
"""How long idle threads stay."""
GRACE_SECONDS = 10.0
"""How long a store that is closed waits for running calls, each at most its own timeout; then their claims are
given back."""
MOST_STUCK = 32
"""Functions that have not come back in time: when there are so many, no further one is begun until one does."""
FIRST_BACKOFF, LONGEST_BACKOFF = 0.1, 30.0


class Pool:
    """The workers' calls of one store."""

    def __init__(self, desk: Desk, threads: int = THREADS) -> None:
        self._desk, self._threads = desk, threads
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._running: dict[int, Job] = {}
        self._answers: list[Answer] = []
        self._keeper: threading.Thread | None = None
        self._runners = Runners(desk, self._changed, self._answer, self._freed)
        self._asked = False
        self._working = False
        self._trouble: StoreError | None = None
        self._held_until = 0.0
        self._backoff = FIRST_BACKOFF
        self._paused = 0
        self._closed = False
        self._at_exit: Callable[[], None] | None = None

    # --- from outside ---------------------------------------------------------------------------

    @property
    def busy(self) -> list[int]:
        """The nums of the calls that are running here, or whose answers are not put down yet."""
        if self._foreign():
            return []
        with self._changed:
            return self._busy()

    def kick(self) -> None:
        """Look for calls to run; returns at once."""
        if self._foreign() or not self._desk.registry.any:
            return
        with self._changed:
            if not self._closed:
                self._asked = True
                self._call_keeper()

    def drain(self, now: datetime) -> None:
        """Run the calls that can be had at `now`, and wait until nothing of that is left.

        Raises the StoreError that keeps the pool from going on.  Inside a worker it only kicks: a call that waited
        for all calls would wait for itself.
        """
        if self._foreign() or not self._desk.registry.any:
            return
        if self._runners.here():
            self.kick()
            return
        if self._rests() and not self._desk.waits(()):
            return
        with self._changed:
            self._desk.asked = now
            self._trouble = None
            self._held_until = 0.0
            try:
                self.kick()
                while not (self._idle() or self._closed):
                    self._changed.wait()
                    if self._trouble is not None:
                        trouble, self._trouble = self._trouble, None
                        raise trouble
            finally:
                self._desk.asked = None

    @contextmanager
    def resting_after(self) -> Iterator[None]:
        """Once the block ends, claim nothing more of what is waiting, and wait for what runs."""
        try:
            yield
        finally:
            self._rest()

    def _rest(self) -> None:
        if self._foreign() or self._runners.here():
            return
        with self._changed:
            self._asked = False
            self._paused += 1
            try:
                self._wait_for_running()
            finally:
                self._paused -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Claim nothing more, wait for running calls within reason, and give back the claims of the others."""
        if self._foreign() or self._closed:
            return
        own = self._runners.here()
        if self._at_exit is not None:
            atexit.unregister(self._at_exit)
        with self._changed:
            self._closed = True
            self._asked = False
            self._changed.notify_all()
            if not own:
                self._wait_for_running()
            left = self._busy()
            self._abandon(list(self._running.values()))
            self._answers.clear()
            keeper = self._keeper
            self._changed.notify_all()
        try:
            self._desk.give_back(left)
        except StoreError as error:
            log.warning("the claims of %d calls could not be given back: %s", len(left), error)
        if keeper is not None and keeper is not threading.current_thread():
            keeper.join(GRACE_SECONDS)
        if self._desk.registry.http is not None:
            self._desk.registry.http.close()

    def _wait_for_running(self) -> None:
        deadline, self._trouble, self._held_until = time.monotonic() + GRACE_SECONDS, None, 0.0
        self._changed.notify_all()
        while (self._running or self._answers or self._working) and self._keeper is not None:
            left = deadline - time.monotonic()
            if left <= 0 or self._trouble is not None:
                return
            self._changed.wait(left)

    def _foreign(self) -> bool:
        """Whether this is a process forked off the one that has the threads."""
        return os.getpid() != self._pid

    def _busy(self) -> list[int]:
        return [*self._running, *(answer.claim.num for answer in self._answers)]

    def _idle(self) -> bool:
        return not (self._asked or self._running or self._answers or self._working)

    def _rests(self) -> bool:
        with self._changed:
            return self._idle()

    # --- the keeper -----------------------------------------------------------------------------

    def _call_keeper(self) -> None:
        if self._at_exit is None:
            # A script that forgets to close its store still finishes its calls, or gives them back.
            self._at_exit = partial(_close, weakref.ref(self))
            atexit.register(self._at_exit)
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, name="wakeful-calls", daemon=True)
            self._keeper.start()
        self._changed.notify_all()

    def _keep(self) -> None:
        try:
            self._keep_on()
        except BaseException as error:
            # What it cannot be is silent: whoever waits is told, and the next kick has a keeper again.
            log.critical("the keeper of workers' calls has died", exc_info=error)
            with self._changed:
                self._trouble = StoreError(f"the keeper of workers' calls has died: {told(error)}")
                self._working = False
                self._abandon(list(self._running.values()))
                self._retire()

    def _keep_on(self) -> None:
        renew_at = time.monotonic() + RENEW_SECONDS
        while True:
            with self._changed:
                if not self._await_work(renew_at):
                    return
                answers: list[Answer] = []
                if self._may_put_down():
                    answers, self._answers = sorted(self._answers, key=attrgetter("claim.order")), []
                want = self._places()
                functions = self._runners.stuck < MOST_STUCK
                idle = not self._running
                in_hand = [*self._running, *(answer.claim.num for answer in (*answers, *self._answers))]
                renewing = bool(in_hand) and time.monotonic() >= renew_at
                self._working = True
                if want:
                    self._asked = False
            if renewing or not in_hand:
                renew_at = time.monotonic() + RENEW_SECONDS
            claims: list[Claim] = []
            exhausted = True
            error: Exception | None
            try:
                if answers or renewing or self._desk.waits(in_hand):
                    asked = partial(self._desk.turn, in_hand=in_hand, idle=idle, functions=functions)
                    claims, exhausted = self._turn(asked, answers, want, renewing)
                self._backoff = FIRST_BACKOFF
            except Exception as caught:
                error = caught
            else:
                answers = []
                error = self._start(claims)
            with self._changed:
                self._working = False
                if error is not None:
                    if not self._unsettled(error, answers):
                        return
                else:
                    # Where there was more than there are places, the next free place asks again.
                    self._asked |= not exhausted and not self._closed and not self._paused
                self._changed.notify_all()

    def _await_work(self, renew_at: float) -> bool:
        """Wait until there is something to do for the store; False when this keeper is to go."""
        idle_since = time.monotonic()
        while True:
            now = time.monotonic()
            self._give_up(now)
            if self._closed and not self._running and not self._answers:
                self._retire()
                return False
            times = [job.deadline for job in self._running.values()]
            if now >= self._held_until:
                heard = self._answers and self._may_put_down()
                if heard or (self._asked and self._places()) or (self._running and now >= renew_at):
                    return True
            else:
                times.append(self._held_until)
            if self._running:
                times.append(max(renew_at, self._held_until))
            if not (times or self._asked or self._answers):
                if now - idle_since >= LINGER_SECONDS:
                    self._retire()
                    return False
                times.append(idle_since + LINGER_SECONDS)
            self._changed.wait(max(0.0, min(times) - now) if times else None)

    def _may_put_down(self) -> bool:
        """Whether it is time to put down answers.

        Under a manual clock that is once all that could be claimed has ended: they are put down in the order of the
        calls, so that lives can be compared.
        """
        return self._desk.timed or not (self._running or (self._asked and self._places()))

    def _places(self) -> int:
        if self._closed or self._paused or any(job.claim.alone for job in self._running.values()):
            return 0
        return max(0, self._threads - len(self._running))

    def _give_up(self, now: float) -> None:
        """Answer for the calls whose time is up; their threads go unheard from here on."""
        late_ones = [job for job in self._running.values() if now >= job.deadline]
        for job in late_ones:
            self._answer(job, None, str(late(job.seconds)))
        self._abandon(late_ones)

    def _freed(self) -> None:
        """A function that was given up came back: calls may have waited for that."""
        if self._runners.stuck == MOST_STUCK - 1:
            self.kick()

    def _abandon(self, jobs: list[Job]) -> None:
        """Listen no more to what these calls come to; a connection is cut, a function goes on as long as it likes."""
        for job in jobs:
            self._running.pop(job.claim.num, None)
            self._runners.give_up(job)

    def _turn(
        self, turn: Callable[..., tuple[list[Claim], bool]], answers: list[Answer], want: int, renewing: bool
    ) -> tuple[list[Claim], bool]:
        try:
            return turn(answers, want=want, renewing=renewing)
        except (StoreClosed, StoreForked, StoreCorrupt):
            raise
        except Exception as error:
            if not answers or _of_the_engine(error):
                raise
            log.exception("answers of workers could not be put down together")
        # One of them is at fault: each by itself, and the one that cannot be kept is a failure that can.
        for answer in answers:
            try:
                turn([answer], want=0, renewing=False)
            except Exception as error:
                if _of_the_engine(error):
                    raise
                failed = Answer(answer.claim, None, f"the answer could not be kept: {error}", answer.ms)
                turn([failed], want=0, renewing=False)
        return [], False

    def _unsettled(self, error: Exception, answers: list[Answer]) -> bool:
        """What was to be put down is kept for another time; False when there will be none."""
        self._trouble = error if isinstance(error, StoreError) else StoreError(f"the pool of workers failed: {error}")
        if isinstance(error, StoreClosed | StoreForked | StoreCorrupt):
            self._abandon(list(self._running.values()))
            self._retire()
            return False
        log.warning("calls of workers wait for the store, again in %.1f s: %s", self._backoff, error)
        if not isinstance(error, StoreError):
            log.error("the pool of workers failed", exc_info=error)
        self._answers[:0] = answers
        self._asked = True
        self._held_until = time.monotonic() + self._backoff
        self._backoff = min(self._backoff * 2, LONGEST_BACKOFF)
        return True

    def _retire(self) -> None:
        self._runners.dismiss()
        self._keeper = None
        self._changed.notify_all()

    def _start(self, claims: list[Claim]) -> StoreError | None:
        """Run what was claimed.  Where no thread can be made, that is no fault of a call: its claim is given back."""
        left: list[int] = []
        refused = ""
        with self._changed:
            for claim in claims:
                job = Job(claim)
                try:
                    self._runners.start(job)
                except RuntimeError as error:
                    left.append(claim.num)
                    refused = str(error)
                else:
                    self._running[claim.num] = job
        if not left:
            return None
        try:
            self._desk.give_back(left)
        except StoreError as error:
            return error
        return StoreError(f"no thread could be made for calls of workers: {refused}")

    def _answer(self, job: Job, value: dict[str, object] | None, error: str | None) -> None:
        if self._running.get(job.claim.num) is not job:
            return
        del self._running[job.claim.num]
        ms = round((time.monotonic() - job.began) * 1000, 3) if self._desk.timed else 0
        self._answers.append(Answer(job.claim, value, error, ms))
        self._changed.notify_all()


def _close(known: weakref.ref[Pool]) -> None:
    pool = known()
    if pool is not None:
        pool.close()


def _of_the_engine(error: Exception) -> bool:
    from ..engines.transaction import SqlRefused

    return isinstance(error, StoreError) and not isinstance(error, SqlRefused)
