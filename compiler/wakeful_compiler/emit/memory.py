"""How a plan judges rows in memory: by closures at first, by a function of its own once that pays.

Closures are made for a tenth of what Python takes to compile a function, and cost several times as much a row.  Most
texts are asked about a few rows, some about millions; so a plan is written out as a function when it has judged as
many rows as make up for it, and from then on it *is* that function: whoever holds it calls nothing in between.
"""

from __future__ import annotations

from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, cast

from ..bounds import Bounds
from ..predicates import Predicate
from .closures import emit_closures
from .readers import Lookup, Matches

OFTEN = 100
"""Rows after which a plan is written out: what closures cost more on them is about what a function costs to make."""


def emit_matches(predicate: Predicate, bounds: Bounds) -> Matches:
    """The function `matches(row, now=None, lookup=None) -> bool` of a plan.

    `bounds` gives the plan's time bounds for a `now`; a plan that has any raises when `now` is missing, and one
    that reads through references raises when `lookup` is.
    """
    judge = emit_closures(predicate, bounds)
    left = OFTEN

    def at_first(row: Any, now: Any, lookup: Lookup | None) -> bool:
        nonlocal left
        left -= 1
        if left <= 0:
            from .python import write_out

            # Names first: a thread that already finds the new code must find what it calls.
            code, names = write_out(predicate, bounds, judge)
            matches.__globals__.update(names)
            matches.__code__ = code
        return judge(row, now, lookup)

    matches = FunctionType(_first_code(), {"at_first": at_first}, "matches", (None, None))
    return cast(Matches, matches)


@lru_cache(maxsize=1)
def _first_code() -> CodeType:
    """The code of a function that has not judged many rows: without closure cells, so that it can be replaced."""
    scope: dict[str, Any] = {}
    exec("def matches(row, now=None, lookup=None): return at_first(row, now, lookup)", scope)
    return cast(CodeType, scope["matches"].__code__)
