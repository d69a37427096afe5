"""How much a query or a rule's match may hold, and what no text that is stored can."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .mistaken import Mistake, Mistaken
from .problems import Span

if TYPE_CHECKING:
    from .clauses import Draft

MAX_CHARACTERS = 4_000
MAX_CLAUSES = 100

_UNWRITABLE = "[\x00\ud800-\udfff]"


def check_text(text: str, what: str) -> None:
    """Refuses a text that is too long, or holds what no stored text can (section 6 of the design)."""
    if len(text) > MAX_CHARACTERS:
        raise Mistaken(
            Mistake(
                f"limit-{what}-length",
                Span(MAX_CHARACTERS, len(text)),
                f"this {what} has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read",
                "ask for less at a time, or put shared values into a component",
            )
        )
    # None of them is printable; the pattern is compiled at the first text that may hold one.
    found = None if text.isprintable() else re.search(_UNWRITABLE, text)
    if found:
        name = "NUL" if found.group() == "\0" else f"lone surrogate (U+{ord(found.group()):04X})"
        raise Mistaken(
            Mistake(
                "syntax-character",
                Span(*found.span()),
                f"a {name} character is in no stored text",
                "take it away",
                "",
            )
        )


def check_size(draft: Draft, what: str) -> None:
    """Refuses more clauses, or deeper parentheses, than the limits allow, with the actual figure."""
    from .clauses import MAX_NESTING

    clauses = sum([conjunction.clauses for conjunction in draft])
    depth = max([conjunction.depth for conjunction in draft])
    if clauses <= MAX_CLAUSES and depth <= MAX_NESTING:
        return
    span = draft[0].span | draft[-1].span
    if clauses > MAX_CLAUSES:
        raise Mistaken(
            Mistake(
                "limit-clauses",
                span,
                f"this {what} has {clauses:,} clauses, and at most {MAX_CLAUSES} are taken",
                "a list of values is one clause: `.component.property=a,b,c`",
            )
        )
    if depth > MAX_NESTING:
        raise Mistaken(
            Mistake(
                "limit-nesting",
                span,
                f"parentheses nest {depth:,} deep here, and at most {MAX_NESTING} are taken",
                "take away parentheses that change nothing",
            )
        )
