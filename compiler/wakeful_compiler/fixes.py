"""Mending a text by the fixes of its own problems, over and over until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wakeful_grammar.node import node
from wakeful_grammar.problems import Problem

_ROUNDS = 200

Find = Callable[[str], Sequence[Problem]]
"""Every problem of a text, each with its span in that text."""


@node
class Fixed:
    """One fix as it was made: the problem, placed in the text of its round, and what stood there before."""

    problem: Problem
    before: str

    @property
    def after(self) -> str:
        return self.problem.fix or ""


def fix_text(text: str, find: Find) -> tuple[str, list[Fixed]]:
    """The text with every certain fix made, and the fixes in the order they were made.

    A fix that leaves its own problem standing, or makes a readable text unreadable, is taken back; and a text
    that cannot be read in the end is left as it was given.
    """
    given = text
    made: list[Fixed] = []
    refused: set[tuple[str, str, str]] = set()
    seen = {text}
    problems = find(text)
    for _ in range(_ROUNDS):
        chosen = _apart([p for p in problems if _offered(p, text) and _key(p, text) not in refused])
        if not chosen:
            break
        mended, found = _try(text, problems, chosen, find)
        if mended is None and len(chosen) > 1:
            # Together they do not do: the first alone, and the others in the rounds to come.
            chosen = chosen[:1]
            mended, found = _try(text, problems, chosen, find)
        if mended is None or mended in seen:
            refused.add(_key(chosen[0], text))
            continue
        made += [Fixed(p, text[p.span.start : p.span.end]) for p in chosen]
        text, problems = mended, found
        seen.add(text)
    if any(_unreadable(problem) for problem in problems):
        return given, []
    return text, made


def _offered(problem: Problem, text: str) -> bool:
    return problem.fix is not None and text[problem.span.start : problem.span.end] != problem.fix


def _key(problem: Problem, text: str) -> tuple[str, str, str]:
    return problem.code, text[problem.span.start : problem.span.end], problem.fix or ""


def _apart(problems: list[Problem]) -> list[Problem]:
    """Those whose stretches do not touch, the first of each heap."""
    chosen: list[Problem] = []
    for problem in sorted(problems, key=lambda p: (p.span.start, p.span.end)):
        if not chosen or problem.span.start > chosen[-1].span.end:
            chosen.append(problem)
    return chosen


def _try(
    text: str, problems: Sequence[Problem], chosen: list[Problem], find: Find
) -> tuple[str | None, Sequence[Problem]]:
    """The text with the chosen fixes made and its problems; None in place of a text that is no better."""
    mended, shift = text, 0
    standing: set[tuple[str, int]] = set()
    for problem in chosen:
        start, end = problem.span.start + shift, problem.span.end + shift
        standing.add((problem.code, start))
        mended = mended[:start] + (problem.fix or "") + mended[end:]
        shift += len(problem.fix or "") - (end - start)
    found = find(mended)
    broken = any(map(_unreadable, found)) and not any(map(_unreadable, problems))
    if broken or any((problem.code, problem.span.start) in standing for problem in found):
        return None, found
    return mended, found


def _unreadable(problem: Problem) -> bool:
    return problem.code == "syntax-json"
