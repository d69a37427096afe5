"""A mistake before the lines of its text are counted, and how it leaves the depth of a parse.

How the many mistakes are told apart and worded is in `mistakes.py`, which is imported when there is one.
"""

from __future__ import annotations

from collections.abc import Iterable

from .node import node
from .problems import Problem, Span, problem_at

WHITE = " \t\n\r\f\v"
PATH = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"


@node
class Mistake:
    """A problem before it knows its text's lines: code, message, hint, span and, where certain, the mend."""

    code: str
    span: Span
    message: str
    hint: str = ""
    fix: str | None = None

    def in_text(self, text: str) -> Problem:
        """The problem it is in `text`."""
        return problem_at(text, self.span, self.code, self.message, self.hint, fix=self.fix)


class Mistaken(Exception):
    """Carries mistakes out of the depth of a parse; it never leaves this package."""

    def __init__(self, *mistakes: Mistake) -> None:
        super().__init__(*mistakes)
        self.mistakes = mistakes

    def problems(self, text: str) -> Iterable[Problem]:
        """The problems they are in `text`."""
        return [mistake.in_text(text) for mistake in self.mistakes]


def shown(text: str, limit: int = 40) -> str:
    """A text as a message can carry it: in backticks, cut to `limit` characters, nothing unprintable raw."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in cut) + "`"
