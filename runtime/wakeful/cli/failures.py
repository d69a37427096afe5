"""Errors as a person reads them, and the exit code that each stands for."""

from __future__ import annotations

import os
from collections.abc import Iterable

from wakeful_grammar.problems import LanguageError, Problem, WakefulError

from .console import Console
from .usage import Misuse

NO, USED_WRONGLY = 1, 2

_TEXTS = {"QueryError": "query", "ScheduleError": "schedule", "RuleError": "rule", "VocabError": "vocab.json"}
"""What the place of a problem counts in, where it is no file."""


def report(error: Exception, console: Console) -> int:
    """Say on standard error what went wrong; the exit code."""
    if isinstance(error, LanguageError):
        return _language(error, console)
    if isinstance(error, OSError):
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        _say(console, f"{where}{error.strerror or error}")
        return USED_WRONGLY if error.filename is not None else NO
    if isinstance(error, Misuse):
        _say(console, str(error))
        return USED_WRONGLY
    if isinstance(error, WakefulError):
        problems = getattr(error, "problems", None)
        if problems is not None:
            refusal(problems, console)
        else:
            _say(console, str(error))
        return NO
    raise error


def refusal(problems: Iterable[Problem], console: Console, file: str | None = None) -> None:
    """Say why a write was refused: each reason with its place in `file` where that is known, else its pointer."""
    for problem in problems:
        if problem.excerpt:
            console.failure(problem, file)
            continue
        place = f"{problem.pointer}: " if problem.pointer else ""
        console.remark((f"{place}error {problem.code}: {problem.message}", "bad"))
        _hint(console, problem.hint)


def _language(error: LanguageError, console: Console) -> int:
    file = getattr(error, "file", None) or _TEXTS.get(type(error).__name__)
    unread = False
    for problem in error.problems:
        if problem.code == "vocab-file":
            unread = True
            _say(console, problem.message)
            _hint(console, problem.hint)
        else:
            console.failure(problem, file)
    return USED_WRONGLY if unread else NO


def _say(console: Console, message: str) -> None:
    first, *rest = message.split("\n")
    console.remark(("wakeful: ", "bad"), first)
    for line in rest:
        console.remark(line)


def _hint(console: Console, hint: str) -> None:
    for line in hint.split("\n") if hint else ():
        console.remark(f"    {line}")
