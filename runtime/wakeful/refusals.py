"""Short ways to build a refusal."""

from __future__ import annotations

from wakeful_grammar.problems import Problem

from .errors import Refused


def problem(code: str, message: str, hint: str = "", pointer: str | None = None) -> Problem:
    """A reason for a refusal; `pointer` leads into what was given."""
    return Problem(code, message, hint, pointer=pointer)


def refuse(code: str, message: str, hint: str = "", pointer: str | None = None) -> Refused:
    """A refusal with one reason."""
    return Refused([problem(code, message, hint, pointer)])
