"""What holds behind every door: an answer or a WakefulError, soon, and problems that point into what was given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from wakeful.engines.transaction import SqlRefused
from wakeful_grammar.problems import LanguageError, WakefulError

PATIENCE = 1.0
"""Seconds of the processor, not of the clock on the wall: a shared machine stalls at will."""


class Finding(AssertionError):
    """An answer that breaks a promise."""


@contextmanager
def answered(text: str | None = None, kind: type[WakefulError] = WakefulError) -> Iterator[None]:
    """What is inside ends in an answer or in an error of that kind, within `PATIENCE`; problems point into `text`."""
    begun = time.thread_time()
    try:
        yield
    except kind as error:
        if isinstance(error, SqlRefused):
            raise Finding(f"only SQL knew why: {error}") from error
        if not str(error):
            raise Finding(f"{type(error).__name__} says nothing") from error
        for problem in error.problems if isinstance(error, LanguageError) else ():
            if text is not None and not 0 <= problem.span.start <= problem.span.end <= len(text):
                raise Finding(f"{problem.code} points outside the text: {problem.span}") from error
    took = time.thread_time() - begun
    if took > PATIENCE:
        raise Finding(f"it took {took:.1f} s")


def same(before: object, after: object, what: str) -> None:
    """What was printed, rehearsed or laid out is what it was before."""
    if before != after:
        raise Finding(f"{what}: {before!r} became {after!r}")
