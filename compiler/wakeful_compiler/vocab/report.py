"""Problems of one vocabulary as they are found, each placed in the file."""

from __future__ import annotations

from collections.abc import Collection

from wakeful_grammar.problems import Problem, Severity, Span

from ..nearby import near
from .limits import PROBLEMS_LIMIT
from .source import Source

_ASKED_LIMIT = 100


class Report:
    """Collects the problems of one file, so that all of them leave together, in the file's order."""

    __slots__ = ("_asked", "_found", "_more", "errors", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self._found: list[Problem] = list(source.problems)
        self._more = 0
        self._asked = 0
        self.errors = len(self._found)

    def add(
        self,
        pointer: str,
        code: str,
        message: str,
        hint: str = "",
        *,
        inside: Span | None = None,
        on_key: bool = False,
        severity: Severity = "error",
        fix: str | None = None,
    ) -> None:
        """Report a problem; the arguments are those of :meth:`Source.problem`."""
        self.errors += severity == "error"
        if len(self._found) >= PROBLEMS_LIMIT:
            self._more += 1
            return
        self._found.append(
            self.source.problem(pointer, code, message, hint, inside=inside, on_key=on_key, severity=severity, fix=fix)
        )

    def near(self, name: object, candidates: Collection[str]) -> tuple[str, ...]:
        """The candidates that `name` may have meant, nearest first; for the first hundred names only.

        Looking takes time, and nobody mends more than that from one report.
        """
        if not isinstance(name, str) or self._asked == _ASKED_LIMIT:
            return ()
        self._asked += 1
        return near(name, candidates)

    def problems(self) -> list[Problem]:
        """Everything reported, in the order of the file."""
        found = sorted(self._found, key=lambda problem: (problem.span.start, problem.span.end))
        if self._more:
            found.append(
                self.source.problem(
                    "",
                    "limit-problems",
                    f"{len(found) + self._more:,} problems; the first {PROBLEMS_LIMIT:,} found are listed",
                    "is this the right file?",
                )
            )
        return found
