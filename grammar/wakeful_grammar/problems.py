"""What is wrong with a text, as a value, and the errors that carry such values.

A :class:`Problem` knows the stretch of text it is about (`span`), the line and column that a person
counts (from 1), and what to write instead (`hint`).  Problems stay values until the edge of a stage;
there they travel together in one exception, so that nothing is reported twice and nothing alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from .node import node

Severity = Literal["error", "warning"]

_EXCERPT_WIDTH = 100


class WakefulError(Exception):
    """The root of every error that wakeful raises on purpose."""


@node
class Span:
    """A half-open stretch of text, in characters from its beginning."""

    start: int
    end: int

    def __or__(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))


@node
class Problem:
    """One thing wrong with one place of one text.

    `code` is stable and begins with its kind (`syntax-`, `unknown-`, `type-`, `limit-`, `vocab-`, `rule-`,
    `schedule-`); `fix`, where there is one, is the text to put in place of `span`.  Lines and columns count
    from 1, columns in characters.  `excerpt` is the part of the line that the caret points into, beginning
    at column `excerpt_column`.
    """

    code: str
    message: str
    hint: str = ""
    span: Span = Span(0, 0)
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    severity: Severity = "error"
    fix: str | None = None
    pointer: str | None = None
    excerpt: str = ""
    excerpt_column: int = 1

    def __str__(self) -> str:
        return f"{self.message}: {self.hint}" if self.hint else self.message


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The line and column, from 1, of a character offset; an offset past the end is the end."""
    before = text[:offset]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def problem_at(
    text: str,
    span: Span,
    code: str,
    message: str,
    hint: str = "",
    *,
    severity: Severity = "error",
    fix: str | None = None,
    pointer: str | None = None,
) -> Problem:
    """A problem with the stretch `span` of `text`, its line, column and excerpt worked out."""
    start = min(span.start, len(text))
    end = max(start, min(span.end, len(text)))
    line, column = line_and_column(text, start)
    end_line, end_column = line_and_column(text, end)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_text = text[line_start : len(text) if line_end < 0 else line_end].rstrip("\r")
    offset = max(0, column - 1 - _EXCERPT_WIDTH // 2) if len(line_text) > _EXCERPT_WIDTH else 0
    return Problem(
        code, message, hint, Span(start, end), line, column, end_line, end_column, severity, fix, pointer,
        line_text[offset : offset + _EXCERPT_WIDTH], offset + 1,
    )  # fmt: skip


def caret_lines(problem: Problem) -> tuple[str, str]:
    """The excerpt and, under it, carets below the stretch that is wrong (at least one)."""
    indent = problem.column - problem.excerpt_column
    same_line = problem.end_line == problem.line
    width = problem.end_column - problem.column if same_line else len(problem.excerpt) - indent
    width = max(1, min(width, max(1, len(problem.excerpt) - indent)))
    # A tab before the caret stays a tab below, so that both lines stand in step on any terminal.
    lead = "".join("\t" if char == "\t" else " " for char in problem.excerpt[:indent])
    return problem.excerpt, lead.ljust(indent) + "^" * width


def render(problem: Problem, *, file: str | None = None) -> str:
    """A problem as a person reads it: place, code, message, the line with its caret, the hint."""
    place = f"{file}:{problem.line}:{problem.column}" if file else f"{problem.line}:{problem.column}"
    lines = [f"{place}: {problem.severity} {problem.code}: {problem.message}"]
    if problem.excerpt:
        lines += [f"    {line}" for line in caret_lines(problem)]
    if problem.hint:
        lines.append(f"    {problem.hint}")
    return "\n".join(lines)


class LanguageError(WakefulError):
    """A text that wakeful will not take, with every problem found in it (`problems`)."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(render(problem) for problem in self.problems))


class QueryError(LanguageError):
    """A query that cannot be read, or that does not fit the vocabulary."""


class RuleError(LanguageError):
    """A rule's match that cannot be read, or rules that do not fit together."""


class ScheduleError(LanguageError):
    """An `every` or cron-trigger expression that cannot be read."""
