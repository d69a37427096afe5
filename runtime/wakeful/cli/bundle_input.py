"""Bundles from a file or standard input: one bundle, a JSON array of them, or a line for each (NDJSON).

Reading goes through the standard `json` module; where things stand is worked out only when there is a problem
to show, and is then exact: a refusal of the store points at the line and column of what it refuses.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from wakeful_grammar.problems import LanguageError, Problem, Span, problem_at

from .usage import Misuse

MOST_BYTES = 256 << 20
"""What is read of one input; an apply takes far less."""

_LARGEST_SCAN = 4 << 20
"""Texts longer than this are not searched for the place of a refused value, which takes a second a megabyte."""

_ABOUT_NAMES = frozenset({"limit-not-yet", "unknown-component", "unknown-property", "vocab-stamp"})
"""Problems that lie in the name of what their pointer names, not in its value."""

_EXAMPLE = '{"entity": {"eid": "fern"}, "doc": {"title": "Fern"}}'

_LINE = re.compile(r"[^\n]*[^ \t\r\n][^\n]*")


class InputError(LanguageError):
    """An input that is no bundles; `file` says which."""

    def __init__(self, problems: list[Problem], file: str) -> None:
        super().__init__(problems)
        self.file = file


@dataclass(frozen=True, slots=True)
class BundleInput:
    """What was read from `file`.  `lines` holds, for NDJSON, the stretch of each bundle's line, else nothing."""

    file: str
    text: str
    value: Any
    lines: tuple[Span, ...] = ()

    @property
    def bundles(self) -> list[Any]:
        """The bundles as a list, whichever way they were written."""
        return self.value if isinstance(self.value, list) else [self.value]

    def place(self, problem: Problem) -> Problem:
        """The problem at the line and column of the value that its pointer names, where that can be told."""
        from wakeful_compiler.vocab.source import Source

        pointer = problem.pointer or ""
        text = self.text
        if self.lines:
            first, slash, below = pointer[1:].partition("/")
            if not pointer:  # about all lines together
                return problem
            stretch = self.lines[int(first)]
            text, pointer = _line_in_place(self.text, stretch), slash + below
        if len(text) > _LARGEST_SCAN:
            return problem
        about_name = problem.code in _ABOUT_NAMES
        placed = Source(text, None).problem(pointer, problem.code, problem.message, problem.hint, on_key=about_name)
        return replace(placed, pointer=problem.pointer)


def read_bundles(path: str) -> BundleInput:
    """The bundles in a file, or on standard input for `-`.

    Raises :class:`InputError` for what is no JSON (a key that stands twice and NaN included), OSError or
    Misuse for what cannot be read.
    """
    file = "stdin" if path == "-" else path
    return _parsed(_decoded(_bytes(path), file), file)


def _bytes(path: str) -> bytes:
    if path == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        try:
            with Path(path).open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
        except ValueError:
            raise Misuse("a path holds no NUL character") from None
    if len(data) > MOST_BYTES:
        raise Misuse(f"the input has more than {MOST_BYTES:,} bytes: give it in several parts")
    return data


def _decoded(data: bytes, file: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            [problem_at("", Span(0, 0), "syntax-encoding", "this is UTF-16, not UTF-8", "save it as UTF-8")], file
        )
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        text = data.decode("utf-8", "replace")
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(
            [problem_at(text, Span(at, at + 1), "syntax-encoding", message, "save it as UTF-8")], file
        ) from None


def _parsed(text: str, file: str) -> BundleInput:
    lines = _bundle_lines(text)
    if lines is None:
        if not text.strip(" \t\r\n"):
            hint = f"give a bundle such as {_EXAMPLE}, an array of bundles, or one bundle a line"
            raise InputError([problem_at("", Span(0, 0), "syntax-json", "there is nothing in it", hint)], file)
        try:
            return BundleInput(file, text, _loads(text))
        except (ValueError, RecursionError) as error:
            raise InputError([_why(text, error)], file) from None
    values = []
    for stretch in lines:
        try:
            values.append(_loads(text[stretch.start : stretch.end]))
        except (ValueError, RecursionError) as error:
            raise InputError([_why(_line_in_place(text, stretch), error)], file) from None
    return BundleInput(file, text, values, lines)


def _bundle_lines(text: str) -> tuple[Span, ...] | None:
    """The lines that hold something, where each is a JSON text of its own; None for one text over all lines."""
    stretches: list[Span] = []
    for match in _LINE.finditer(text):
        stretches.append(Span(match.start(), match.end()))
        # A bundle laid out over many lines has a name or a closing bracket on its second.
        if (
            len(stretches) == 2
            and not all(_opens(text, stretch) for stretch in stretches)
            and not _whole(text, stretches[0])
        ):
            return None
    return tuple(stretches) if len(stretches) > 1 else None


def _opens(text: str, stretch: Span) -> bool:
    return text[stretch.start : stretch.end].lstrip(" \t\r").startswith("{")


def _whole(text: str, stretch: Span) -> bool:
    try:
        return isinstance(_loads(text[stretch.start : stretch.end]), dict)
    except (ValueError, RecursionError):
        return False


def _line_in_place(text: str, stretch: Span) -> str:
    """One line alone, with as many line ends before it as the whole text has: it keeps its number."""
    return "\n" * text.count("\n", 0, stretch.start) + text[stretch.start : stretch.end]


def _loads(text: str) -> Any:
    return json.loads(
        text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_number(float), parse_int=_number(int)
    )


def _why(text: str, error: Exception) -> Problem:
    """Why a text could not be read, and where."""
    if len(text) <= _LARGEST_SCAN:
        from wakeful_compiler.vocab.scan import scan

        found = scan(text)
        if found.mistake is not None:
            wrong = found.mistake
            hint, fix = _bundle_hint(text, wrong.message) or (wrong.hint, wrong.fix)
            return problem_at(text, wrong.span, wrong.code, wrong.message, hint, fix=fix)
        if found.duplicates:
            again = found.duplicates[0]
            name = json.dumps(again.path[-1][:60])
            return problem_at(
                text, again.again, "syntax-duplicate-key", f"{name} stands twice in one object", "take one of them out"
            )
    at = error.pos if isinstance(error, json.JSONDecodeError) else 0
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return problem_at(text, Span(at, at + 1), "syntax-json", f"this is no JSON: {reason}")


def _bundle_hint(text: str, message: str) -> tuple[str, None] | None:
    """What to write where the reader of JSON speaks of a vocabulary; None where its own hint will do."""
    if message.startswith("there is more text"):
        return (
            "give one bundle, an array of bundles, or one bundle on each line: look for a bracket closed too early",
            None,
        )
    if message.startswith("nested"):
        return "look for brackets that are never closed", None
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return f"a bundle is an object such as {_EXAMPLE}", None
    return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def _no_constant(written: str) -> NoReturn:
    raise ValueError(f"{written} is no JSON number")


def _number(kind: Callable[[str], int | float]) -> Callable[[str], int | float]:
    def read(written: str) -> int | float:
        value = kind(written) if len(written) <= 400 else float("inf")
        if value in (float("inf"), float("-inf")):
            raise ValueError("a number beyond what is kept")
        return value

    return read
