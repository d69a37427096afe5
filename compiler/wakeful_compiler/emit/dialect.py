"""Where the SQL of one engine differs from another's, as values."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

from wakeful_grammar.node import node


@node
class Dialect:
    """One engine's ways.

    `numbered`: parameters are `$1`, `$2` and not `?`.  `collate` follows a text that is ordered, so that it is
    ordered by code point.  `alive` is the condition on the alias `{}` of `entity` that it is not deleted.
    `find` is the function that looks for a text in another.  `ascending` and `descending` follow what rows are
    ordered by, so that NULL stands below every value.  `booleans`: there is a type for them, else 1 and 0.
    `instant` is an instant as a parameter.  `exact` compares an integer with a double as numbers, whatever their
    sizes: given the integer, the operator and the double.  `most_tables` and `most_columns` are what one
    statement may join and select.
    """

    name: Literal["sqlite", "postgresql"]
    numbered: bool
    collate: str
    alive: str
    find: str
    ascending: str
    descending: str
    booleans: bool
    instant: Callable[[datetime], str | datetime]
    exact: Callable[[str, str, str], str]
    most_tables: int
    most_columns: int
