"""What a failed parse knows, and the mistakes that can turn up anywhere."""

from __future__ import annotations

import re
import unicodedata

from .mistaken import PATH, WHITE, Mistake, shown
from .node import node
from .problems import Span

NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
OPERATOR_CHARACTERS = "=!<>~"

WHOLE_PATH = re.compile(PATH)
OPERATOR_RUN = re.compile(r"[=!<>~]+")
CHUNK = re.compile(r"[^\s\u200b\u2060\ufeff,&|()]+")
_CLAUSE = re.compile(rf"[.!?]?{PATH}(?:[!~]=|[<>=])|[.!?]{PATH}\Z")
_INVISIBLE = "\u200b\u2060\ufeff"

MENDED_OPERATORS = {
    "==": "=",
    "===": "=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "><": "!=",
    "=!": "!=",
    "=~": "~=",
    "!==": "!=",
    "~": "~=",
    "~~": "~=",
    "=~=": "~=",
    "~==": "~=",
    "=>=": ">=",
    "=<=": "<=",
    ">==": ">=",
    "<==": "<=",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "＝": "=",
    ":": "=",
    ":=": "=",
}
"""Operators people bring from elsewhere, and the one that works here."""


@node
class Failure:
    """Where a parse stopped: the text, the offset, the terminals that would have gone on from there.

    `opening` is the innermost parenthesis still open, `subject` the head of the clause under way (`.a.b`,
    `.limit=`), `operator` its operator.
    """

    text: str
    offset: int
    expected: frozenset[str]
    rule: bool
    opening: Span | None = None
    subject: Span | None = None
    operator: Span | None = None

    @property
    def here(self) -> str:
        """The character at the offset, empty at the end."""
        return self.text[self.offset : self.offset + 1]

    @property
    def chunk(self) -> str:
        """What stands at the offset, up to a blank, comma, `&`, `|` or parenthesis."""
        found = CHUNK.match(self.text, self.offset)
        return found.group() if found else ""

    def of(self, span: Span | None) -> str:
        """What a span of the text holds; nothing where there is none."""
        return self.text[span.start : span.end] if span else ""


def character_name(character: str) -> str:
    """`NO-BREAK SPACE (U+00A0)`."""
    return f"{unicodedata.name(character, 'CONTROL CHARACTER')} (U+{ord(character):04X})"


def is_foreign_blank(character: str) -> bool:
    """A blank that is none of the six ASCII ones, or a character that shows as nothing."""
    return character not in WHITE and (character.isspace() or character in _INVISIBLE)


def looks_like_clause(text: str) -> bool:
    """Whether a text begins as a comparison does, or is `.path`, `!path` or `?path`."""
    return _CLAUSE.match(text) is not None


def unbalanced(failure: Failure) -> Mistake:
    """A parenthesis without its partner, shown at the one that stands."""
    if failure.here == ")" or failure.opening is None:
        here = Span(failure.offset, failure.offset + 1)
        return Mistake(
            "syntax-parenthesis",
            here,
            "this `)` closes nothing",
            "take it away, or add the `(` it belongs to",
        )
    return Mistake(
        "syntax-parenthesis",
        failure.opening,
        f"the `{failure.of(failure.opening)}` opened here is never closed",
        "add the `)` it belongs to",
    )


def unclosed_quote(failure: Failure) -> Mistake:
    """A quote without its partner, at the offset."""
    quote = failure.here
    return Mistake(
        "syntax-quote",
        Span(failure.offset, failure.offset + 1),
        f"the quote {quote} opened here is never closed",
        f"close it with {quote}, or leave it out; inside, a quote is written \\{quote}",
    )


def name_mistake(failure: Failure) -> Mistake:
    """A character that no name has, at the offset."""
    text, here = failure.text, failure.here
    start = len(text[: failure.offset].rstrip(NAME_CHARACTERS + "."))
    found = re.compile(r"[\w.\-]+").match(text, start)
    whole = found.group() if found else here
    message = f"{shown(here)} cannot stand in a name"
    if not here.isascii():
        message += f": it is {character_name(here)}"
    hint = "names are made of the letters a to z, digits and `_`, and begin with a letter"
    if "-" in whole and WHOLE_PATH.fullmatch(whole.replace("-", "_").strip(".")):
        hint += f"; did you mean `.{whole.replace('-', '_').strip('.')}`?"
    return Mistake("syntax-name", Span(failure.offset, failure.offset + 1), message, hint)


def count_takes_nothing(span: Span) -> Mistake:
    """`.count=3`, `.count>1`."""
    return Mistake(
        "syntax-directive-value",
        span,
        "`.count` takes no operator and no value",
        "write `.count` alone; it gives the number of rows that match",
    )


def unexpected(failure: Failure) -> Mistake:
    """A character that fits nowhere and hints at nothing."""
    here = failure.here
    name = "" if here.isascii() else f", {character_name(here)},"
    return Mistake(
        "syntax-unexpected",
        Span(failure.offset, failure.offset + 1),
        f"{shown(here)}{name} means nothing here",
        "a clause looks like `.component`, `!component` or `.component.property=value`; values may stand in quotes",
    )


MARK_IN_QUERY = (
    "the marks `+`, `*` and `^` belong to rules",
    "a query reads and never writes: `.component` asks for one that is there, `!component` for one that is not",
)
