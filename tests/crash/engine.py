"""What an engine brings to the crash harness: places to live in, ways to look at them, and ways to fail.

A fault strikes at one *point*: a statement that a store is about to run, `BEGIN`, `SAVEPOINT` and `COMMIT` included.
Scenarios and the harness know no more of an engine than this, so each engine that is added runs through all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

Dump = dict[str, list[tuple[Any, ...]]]
"""Everything that a store holds, by table."""


class Point(NamedTuple):
    """A statement of a life: the step that makes it, its text, and how many of that text the step has made before."""

    step: int
    sql: str
    nth: int


@dataclass(slots=True)
class Points:
    """The points that a life has `passed`, and the one `at` which it is to fail.

    `struck` is the point at which the fault struck, once it has, and `failed` the statement that failed of it, which
    may be a later one.  `committed` counts the commits that went through.
    """

    at: Point | None = None
    fault: Fault | None = None
    every_row: bool = False
    """Whether a statement that is run for many rows is a point at each of them, and not only at the first and last."""
    on_commit: Callable[[], None] | None = None
    passed: list[Point] = field(default_factory=list)
    committed: int = 0
    struck: Point | None = None
    failed: str | None = None
    healed: bool = False
    mended: list[Callable[[], None]] = field(default_factory=list)
    """What undoes a fault that lasts."""
    _step: int | None = None
    _made: Counter[str] = field(default_factory=Counter)

    def begin(self, step: int) -> None:
        """What is run from here on belongs to this step, taken for the first time or again."""
        self._step = step
        self._made.clear()

    def end(self) -> None:
        """What is run from here on belongs to no step."""
        self._step = None

    def arm(self, fault: Fault, at: Point) -> None:
        """Let the next life, or the step that is taken again, fail in this way at this point."""
        self.fault, self.at, self.struck, self.failed, self.healed = fault, at, None, None, False

    def heal(self) -> None:
        """No fault strikes from here on, and one that lasts ends."""
        self.healed = True
        for mend in self.mended:
            mend()
        self.mended.clear()

    def strikes(self, sql: str) -> bool:
        """Pass a statement that is about to run; whether it is the one that fails, or one that fails after it."""
        if self._step is None:
            return False
        point = Point(self._step, sql, self._made[sql])
        self._made[sql] += 1
        self.passed.append(point)
        if self.healed or self.fault is None:
            return False
        if self.struck is not None:
            return self.fault.lasts
        if point == self.at:
            self.struck = point
        return self.struck is not None

    def ran(self, sql: str) -> None:
        """A statement has been carried out."""
        if sql == "COMMIT" and self._step is not None:
            self.committed += 1
            if self.on_commit is not None:
                self.on_commit()


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a statement fails.

    Faults of one `kind` differ in what is left of the transaction.  `surfaces` is what the caller of the store may see
    of it, unless the store goes on by itself.  A fault that `kills` ends the process.
    """

    kind: str
    name: str
    surfaces: type[BaseException]
    kills: bool = False
    lasts: bool = False
    """Whether every statement fails from that point on, until the points are healed."""
    strikes: Callable[[str], bool] = lambda sql: True
    """Whether a statement can fail in this way."""

    def __str__(self) -> str:
        return self.name


class CrashEngine(Protocol):
    """An engine, as far as the harness needs it."""

    name: str
    faults: tuple[Fault, ...]

    def new(self, folder: Path, name: str) -> str:
        """A place in which no store is yet, as `wakeful.open` takes it."""

    def copy(self, place: str, name: str) -> str:
        """A second place that holds what the closed store in the first one holds."""

    def forbid(self, place: str, component: str, name: str, value: str | int) -> None:
        """Have SQL itself refuse to insert this value of a property, which wakeful lets pass."""

    def dump(self, place: str) -> Dump:
        """All rows of all tables and the tables themselves, seen at one moment from outside."""

    def check(self, place: str) -> None:
        """Raise AssertionError where the engine's own structures are damaged, or a store that was closed is not."""

    def discard(self, place: str) -> None:
        """Do away with a place that nobody needs any more."""

    def failing(self, points: Points) -> AbstractContextManager[None]:
        """Stores opened inside the block pass these points, and fail at one."""
