"""Where everything stands in a JSON text, and what is wrong with one that cannot be read.

An iterative scanner that takes exactly what the standard `json` takes (but for NaN, the infinities, numbers
beyond any double, and nesting deeper than the limit).  It is slow and knows every position; the standard
module is fast and knows none.  So it runs only when there is a problem to show.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import isinf

from wakeful_grammar.node import node
from wakeful_grammar.problems import Span

from .limits import DEPTH_LIMIT, DIGITS_LIMIT
from .mistakes import (
    STRING_START,
    WORD,
    Mistake,
    bad_key,
    bad_string,
    bad_value,
    ends_early,
    expected_comma,
    number_hint,
    too_deep,
    trailing,
)

_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(STRING_START.pattern + '"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBERLIKE = re.compile(r"[-+.0-9][-+.0-9A-Za-z_]*")


@dataclass(slots=True)
class Place:
    """One value of the text: its stretch, that of its key, and its members (of a list: by position)."""

    value: Span
    key: Span | None = None
    container: bool = False
    members: dict[str, Place] = field(default_factory=dict)


@node
class Duplicate:
    """A key that stands again in one object: the path to it, where, and where it stood first."""

    path: tuple[str, ...]
    again: Span
    first: Span


@node
class Scan:
    root: Place | None
    duplicates: tuple[Duplicate, ...]
    mistake: Mistake | None


class _Stop(Exception):
    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake.message)
        self.mistake = mistake


def scan(text: str) -> Scan:
    """The places of a JSON text, its duplicate keys, and its first mistake if it has one."""
    duplicates: list[Duplicate] = []
    try:
        root = _places(text, duplicates)
    except _Stop as stop:
        return Scan(None, tuple(duplicates), stop.mistake)
    return Scan(root, tuple(duplicates), None)


def _places(text: str, duplicates: list[Duplicate]) -> Place:
    root = Place(Span(0, 0))
    open_places: list[Place] = []
    path: list[str] = []
    place, at = root, _skip(text, 0)
    while True:
        # Here a value begins at `at`, and `place` is what will hold its span.
        char = text[at : at + 1]
        entered = False
        if char in ("{", "["):
            if len(open_places) == DEPTH_LIMIT:
                raise _Stop(too_deep(text, at))
            place.value, place.container = Span(at, at + 1), True
            open_places.append(place)
            at = _skip(text, at + 1)
            entered = text[at : at + 1] != ("}" if char == "{" else "]")
        else:
            place.value = Span(at, _scalar_end(text, at, _opened(open_places)))
            at = _skip(text, place.value.end)
        # Close what ends here, then move to the next member of what is open.
        while not entered:
            if not open_places:
                if at < len(text):
                    raise _Stop(trailing(text, at))
                return root
            holder = open_places[-1]
            closing = "}" if text[holder.value.start] == "{" else "]"
            char = text[at : at + 1]
            if char == closing:
                holder.value = Span(holder.value.start, at + 1)
                open_places.pop()
                at = _skip(text, at + 1)
                continue
            if char != ",":
                raise _Stop(expected_comma(text, at, holder.value.start, _last_end(holder)))
            comma, at = at, _skip(text, at + 1)
            if text[at : at + 1] in ("}", "]"):
                raise _Stop(
                    Mistake(
                        "syntax-json",
                        Span(comma, comma + 1),
                        "a comma before the closing bracket",
                        "JSON has no trailing commas: take it out",
                        "",
                    )
                )
            entered = True
        holder = open_places[-1]
        # `path` names the open containers below the root: one fewer than are open.
        del path[len(open_places) - 1 :]
        if text[holder.value.start] == "{":
            name, key, at = _key(text, at, holder.value.start)
            earlier = holder.members.get(name)
            if earlier is not None and earlier.key is not None:
                duplicates.append(Duplicate((*path, name), key, earlier.key))
            place = Place(Span(at, at), key)
        else:
            name = str(len(holder.members))
            place = Place(Span(at, at))
        holder.members.pop(name, None)  # so that the last member is the one read last
        holder.members[name] = place
        path.append(name)


def _opened(open_places: list[Place]) -> int | None:
    return open_places[-1].value.start if open_places else None


def _last_end(holder: Place) -> int:
    return next(reversed(holder.members.values())).value.end


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _key(text: str, at: int, opened: int | None) -> tuple[str, Span, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise _Stop(bad_key(text, at, opened))
    key = Span(at, match.end())
    at = _skip(text, match.end())
    if text[at : at + 1] != ":":
        if at >= len(text):
            raise _Stop(ends_early(text, opened))
        if text[at : at + 1] == "=":
            raise _Stop(Mistake("syntax-json", Span(at, at + 1), "`=` after a name", "write `:`", ":"))
        raise _Stop(
            Mistake(
                "syntax-json",
                Span(at, at + 1),
                "a colon is missing after the name",
                f"write {text[key.start : key.end][:60]}: and then the value",
            )
        )
    name = json.loads(match.group())
    return name if isinstance(name, str) else "", key, _skip(text, at + 1)


def _scalar_end(text: str, at: int, opened: int | None) -> int:
    char = text[at : at + 1]
    if char == '"':
        string = _STRING.match(text, at)
        if string is None:
            raise _Stop(bad_string(text, at))
        return string.end()
    if char in "-+.0123456789" and char:
        return _number_end(text, at)
    word = WORD.match(text, at)
    if word is not None and word.group() in ("true", "false", "null"):
        return word.end()
    raise _Stop(bad_value(text, at, opened))


def _number_end(text: str, at: int) -> int:
    like = _NUMBERLIKE.match(text, at)
    number = _NUMBER.match(text, at)
    written = like.group() if like else ""
    span = Span(at, at + max(1, len(written)))
    if written.lstrip("+-").startswith(("Infinity", "NaN", "inf", "nan")):
        raise _Stop(Mistake("syntax-json", span, f"{written[:20]} is not a JSON number", "give a finite number"))
    if number is None or number.end() != span.end:
        shown = written if len(written) <= 40 else written[:40] + "…"
        raise _Stop(Mistake("syntax-json", span, f"{shown} is not a JSON number", number_hint(written)))
    if len(written) > DIGITS_LIMIT or isinf(float(written)):
        raise _Stop(
            Mistake(
                "limit-number",
                span,
                f"a number of {len(written)} characters lies beyond what is kept",
                f"numbers have at most {DIGITS_LIMIT} characters and lie within ±1.7e308",
            )
        )
    return span.end
