"""Values as a query writes them."""

from __future__ import annotations

import re

from wakeful_grammar.printer import quoted

from ..predicates import Constant

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:+-]*")


def literal(value: Constant) -> str:
    """The constant as one item of a comparison, quoted where it must be."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if _PLAIN.fullmatch(value) and value != "null":
        return value
    return quoted(value)
