"""Calls that are to run in a transaction, and the line in which they wait for their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from ..rows import Row
from ..stage import Asked, Stage


@dataclass(slots=True)
class Root:
    """What started a chain of calls: an apply, or one firing; how many calls it has come to."""

    calls: int = 0


@dataclass(slots=True)
class Request:
    """A call that is to run: its row as the tables have it, or what a rule asked for and is no row yet."""

    eid: str
    row: Row | None
    asked: Asked | None
    root: Root
    depth: int = 1
    fresh: bool = True
    """Whether its row was made in this transaction, so that nothing can have run it before."""
    again: bool = False
    """Whether it is to be run although it has been."""
    stale: bool = False
    """Whether another stage has touched its row since the call was asked for."""

    @staticmethod
    def of_row(row: Row, root: Root, depth: int = 1) -> Request:
        """The request that a judged row makes."""
        return Request(row.eid, row.settled(), None, root, depth, row.new)

    @staticmethod
    def of_rule(asked: Asked, root: Root, depth: int = 1) -> Request:
        """The request that a rule makes."""
        return Request(asked.eid, None, asked, root, depth)


class Waiting:
    """The line of requests, each row in it once: first asked, first taken."""

    def __init__(self) -> None:
        self._line: deque[Request] = deque()
        self._by_num: dict[int, Request] = {}

    def __len__(self) -> int:
        return len(self._line)

    def add(self, request: Request) -> None:
        """Put a request at the end; one whose row waits already is that one."""
        if request.row is not None:
            if request.row.num in self._by_num:
                return
            self._by_num[request.row.num] = request
        self._line.append(request)

    def take(self) -> Request:
        """Take out the first."""
        return self._out(self._line.popleft())

    def cut(self, length: int) -> None:
        """Take out what came after the first `length`."""
        while len(self._line) > length:
            self._out(self._line.pop())

    def touched(self, rows: Iterable[Row]) -> None:
        """Mark the requests whose rows these are, where they changed: they are to be read again."""
        if self._line:
            for row in rows:
                request = self._by_num.get(row.num)
                if request is not None and (row.deleted or row.outcome):
                    request.stale = True

    def _out(self, request: Request) -> Request:
        if request.row is not None:
            self._by_num.pop(request.row.num, None)
        return request


def renew(request: Request, stage: Stage) -> bool:
    """Read the row of a stale request again; whether it is still to run.

    It is not when the row was deleted, lost its call, was put off by a wake, or has been run.
    """
    before = request.row
    if not request.stale or before is None:
        return True
    rows = stage.find_nums((before.num,))
    stage.load(rows, ("call", "created"))
    request.stale = False
    for row in rows:
        request.row = row
        return "call" in row.has and not {"wake", "execution"}.intersection(row.has).difference(before.has)
    return False
