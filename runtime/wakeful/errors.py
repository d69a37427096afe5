"""The errors of a store, under the one root that every wakeful error has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wakeful_grammar.problems import Problem, WakefulError, caret_lines


class Refused(WakefulError):
    """A write that the store will not take; nothing of it was kept.

    `problems` lists every reason found, each with a stable code, a message, a hint, and in `pointer` the JSON
    pointer into what was given (`/0/recipe/serves`: the first bundle's `recipe.serves`).
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(_line(problem) for problem in self.problems))


def _line(problem: Problem) -> str:
    place = f" (at {problem.pointer})" if problem.pointer else ""
    shown = "".join(f"\n    {line}" for line in caret_lines(problem)) if problem.excerpt else ""
    hint = f"\n    {problem.hint}" if problem.hint else ""
    return f"{problem.code}: {problem.message}{place}{shown}{hint}"


class Stale(Refused):
    """A guard failed: what the writer had seen is no longer so.  `current` holds the values that stand now."""

    def __init__(self, problems: Iterable[Problem], current: dict[str, Any]) -> None:
        super().__init__(problems)
        self.current = current


class StoreError(WakefulError):
    """The store itself could not do its work; the data is as it was before."""


class StoreBusy(StoreError):
    """Another writer held the store for longer than the caller would wait."""


class StoreFull(StoreError):
    """The disk or the file's own limit has no room left."""


class StoreForked(StoreError):
    """A store was used in a process forked after it was opened: open it again there."""


class StoreCorrupt(StoreError):
    """The file is damaged, is no wakeful store, or was written by a newer version."""


class StoreClosed(StoreError):
    """The store was closed."""
