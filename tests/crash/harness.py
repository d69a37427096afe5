"""Lives that are cut short at one statement, and what must be there after it: all of a transaction, or nothing.

A scenario is lived once undisturbed, which tells its statements and what a store holds after each commit.  Then it
is lived again for every statement and fault.  What was there at the last commit must be there, and whoever goes on
from it must come to the very rows of the undisturbed life: nothing lost, nothing doubled, the same ids.
"""

from __future__ import annotations

import itertools
import os
import signal
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import wakeful
from crash.engine import CrashEngine, Dump, Fault, Point, Points
from crash.scenarios import EIGHT, Scenario, clock_at
from runtime.garden import at
from wakeful import firing
from wakeful.plans import Plans
from wakeful.testing import ManualClock


@dataclass(frozen=True, slots=True)
class Life:
    """A scenario as it went undisturbed: `after[n]` is what the store held after n commits."""

    base: str
    plans: Plans | None
    points: tuple[Point, ...]
    after: tuple[Dump, ...]

    @property
    def end(self) -> Dump:
        return self.after[-1]


class Harness:
    """One scenario on one engine."""

    def __init__(self, engine: CrashEngine, scenario: Scenario, folder: Path, *, every_row: bool = False) -> None:
        self.engine, self.scenario, self.folder, self._every_row = engine, scenario, folder, every_row
        self._names = (f"{scenario.name}-{number}" for number in itertools.count())
        self.life = self._undisturbed()

    def _undisturbed(self) -> Life:
        engine, scenario = self.engine, self.scenario
        base = engine.new(self.folder, f"{scenario.name}-base")
        plans: Plans | None = None
        if not scenario.opening:
            with self._open(base, clock := clock_at(EIGHT)) as store:
                if scenario.vocabulary is not None:
                    store.deploy(scenario.vocabulary)
                for forbidden in scenario.forbidden:
                    engine.forbid(base, *forbidden)
                for now, act in scenario.before:
                    clock.set(at(now))
                    act(store)
                plans = store._plans
        place, points = engine.copy(base, next(self._names)), Points(every_row=self._every_row)
        after = [self._dump(place)]
        points.on_commit = lambda: after.append(self._dump(place))
        with engine.failing(points):
            self._live(place, points, plans)
        assert self._dump(place) == after[-1]
        engine.check(place)
        return Life(base, plans, tuple(points.passed), tuple(after))

    def refusable(self, point: int) -> bool:
        """Whether what SQL refuses at a point is done again, to the same end: not where that is under way."""
        for passed in reversed(self.life.points[:point]):
            if passed.sql.startswith("SAVEPOINT"):
                return False
            if passed.sql.startswith("BEGIN"):
                break
        return True

    # --- lives ----------------------------------------------------------------------------------

    def _live(self, place: str, points: Points, plans: Plans | None, done: int = 0) -> None:
        with self._opened(place, points, plans) as (store, clock):
            for step in range(done, len(self.scenario.steps)):
                self._take(step, store, clock, points)

    def _take(self, step: int, store: wakeful.Store, clock: ManualClock, points: Points) -> None:
        now, act = self.scenario.steps[step]
        clock.set(at(now))
        points.begin(step)
        act(store)
        points.end()

    @contextmanager
    def _opened(self, place: str, points: Points, plans: Plans | None) -> Iterator[tuple[wakeful.Store, ManualClock]]:
        clock = clock_at(self.scenario.steps[0][0])
        if self.scenario.opening:
            points.begin(-1)
        with mock.patch.object(firing, "BATCH", self.scenario.batch), self._open(place, clock) as store:
            points.end()
            # What a vocabulary compiles to is no part of what can be lost, and is most of the time of a short life.
            store._plans = plans
            yield store, clock

    def _open(self, place: str, clock: ManualClock) -> wakeful.Store:
        store = wakeful.open(place, clock=clock)
        for route, function in self.scenario.workers.items():
            store.worker(route)(function)
        return store

    def _dump(self, place: str) -> Dump:
        found = self.engine.dump(place)
        for masked in self.scenario.masked:
            table, column = masked.split(".")
            if table in found:
                found[table] = sorted({tuple(pair for pair in row if pair[0] != column) for row in found[table]})
        return found

    # --- failing --------------------------------------------------------------------------------

    def disturb(self, faults: Sequence[Fault], point: Point) -> None:
        """Let a point fail in each of these ways: in one life after another, or in one whose step is taken again."""
        # Processes that are to be killed run beside the lives of this one.
        killed = [self._begin_to_die(fault, point) for fault in faults if fault.kills]
        left = deque(fault for fault in faults if not fault.kills)
        while left:
            points, place = self._armed(left.popleft(), point)
            with self._judged(points, place):
                self._fail(points, place, left)
        for points, place, child, reading in killed:
            with self._judged(points, place):
                self._go_on(place, child, reading)

    def _armed(self, fault: Fault, point: Point) -> tuple[Points, str]:
        points = Points(every_row=self._every_row)
        points.arm(fault, point)
        return points, self.engine.copy(self.life.base, next(self._names))

    @contextmanager
    def _judged(self, points: Points, place: str) -> Iterator[None]:
        """What was lived inside must have come to the end of the life that nothing disturbed."""
        try:
            yield
            self._compare(self._dump(place), (self.life.end,))
            self.engine.check(place)
        except BaseException as error:
            error.add_note(f"{self.scenario.name}: {points.fault} at {points.at}")
            raise
        self.engine.discard(place)

    def _fail(self, points: Points, place: str, left: deque[Fault]) -> None:
        """Within one process, whose store must go on after what it told its caller."""
        done, fault = 0, points.fault
        with self.engine.failing(points):
            while True:
                try:
                    with self._opened(place, points, self.life.plans) as (store, clock):
                        while done < len(self.scenario.steps):
                            before = points.committed
                            try:
                                self._take(done, store, clock, points)
                                done += 1
                            except BaseException as error:
                                self._failed(points, place, error)
                                if points.committed == before and self._dump(place) == self.life.after[before]:
                                    self._again(done, points, left)
                        points.end()
                    break
                except BaseException as error:
                    if points.healed or not self.scenario.opening:
                        raise
                    self._failed(points, place, error)
        if points.struck is None and points.fault is not fault:
            # A store that takes a step again remembers what it need not read twice: this one needs a fresh one.
            assert points.fault is not None
            left.appendleft(points.fault)
        else:
            assert points.struck is not None or self.scenario.workers, "never struck"

    def _again(self, step: int, points: Points, left: deque[Fault]) -> None:
        """The step is about to be taken again from where it began: it may fail in another way first."""
        assert points.at is not None
        if left and step == points.at.step and not self.scenario.workers:
            points.arm(left.popleft(), points.at)

    def _failed(self, points: Points, place: str, error: BaseException) -> None:
        if points.healed or points.struck is None or points.fault is None:
            raise error
        if not isinstance(error, points.fault.surfaces):
            raise error
        points.heal()
        points.end()
        # All that had been committed is there, and at most the transaction of which nobody can say.
        last = points.committed + (2 if points.failed == "COMMIT" else 1)
        legal = self.life.after if self.scenario.workers else self.life.after[points.committed : last]
        self._compare(self._dump(place), legal)

    def _begin_to_die(self, fault: Fault, point: Point) -> tuple[Points, str, int, int]:
        """A process of its own, which is gone at the statement; and a pipe on which it tells of each step."""
        points, place = self._armed(fault, point)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            self._die(points, place, writing)
        os.close(writing)
        return points, place, child, reading

    def _go_on(self, place: str, child: int, reading: int) -> None:
        """Once the process is gone, another one goes on from the first step of which it told nothing."""
        told = b""
        while piece := os.read(reading, 1000):
            told += piece
        os.close(reading)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"not killed: {status} {told.decode()}"
        self._compare(self._dump(place), self.life.after)
        self._live(place, Points(), self.life.plans, told.count(b"."))

    def _die(self, points: Points, place: str, writing: int) -> None:
        try:
            with self.engine.failing(points), self._opened(place, points, self.life.plans) as (store, clock):
                for step in range(len(self.scenario.steps)):
                    self._take(step, store, clock, points)
                    os.write(writing, b".")
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(1)

    def _compare(self, found: Dump, legal: Sequence[Dump]) -> None:
        if found in legal:
            return
        wanted = legal[-1]
        told = []
        for table in sorted({*found, *wanted}):
            rows, right = found.get(table, []), wanted.get(table, [])
            told += [f"{table} + {row}" for row in rows if row not in right]
            told += [f"{table} - {row}" for row in right if row not in rows]
        raise AssertionError("not a state between two transactions:\n" + "\n".join(told))
