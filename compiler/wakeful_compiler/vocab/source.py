"""The text of a vocab.json: read, and asked where things stand.

Reading goes through the standard `json` module, which is fast and keeps no positions.  Only when a problem is
to be shown does :mod:`.scan` work out where everything stands, once for the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

from wakeful_grammar.problems import Problem, Severity, Span, problem_at

from ..errors import VocabError
from ..texts import shown
from .limits import DEPTH_LIMIT, DIGITS_LIMIT, PROBLEMS_LIMIT, SIZE_LIMIT

if TYPE_CHECKING:
    from ..rules.model import RuleProblem
    from .mistakes import Mistake
    from .scan import Place, Scan

# Patterns as text, compiled at the first problem that needs them.
_ESCAPE = r"(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
_UNPRINTABLE = r"[\x00-\x1f\x7f\ud800-\udfff]"


class Source:
    """A vocab.json as text and as the value it holds (`value`), with the problems found while reading it.

    A place is named by its JSON pointer (:func:`pointer_to`); one that the text does not have stands for the
    nearest thing around it that is there.
    """

    __slots__ = ("_root", "file", "problems", "text", "value")

    def __init__(self, text: str, value: Any, file: str | None = None, scanned: Scan | None = None) -> None:
        self.text = text
        self.value = value
        self.file = file
        self._root = scanned.root if scanned is not None else None
        self.problems: tuple[Problem, ...] = ()
        if scanned is not None:
            self.problems = tuple(_duplicate_problems(text, scanned))

    def locate(self, pointer: str, inside: Span | None = None, *, on_key: bool = False) -> Span:
        """The stretch of the file that holds the value at `pointer`, its quotes or brackets included.

        `on_key` asks for the key's stretch instead.  `inside` is a stretch of the text value at `pointer`, in
        characters of the text as it is meant; the answer is the stretch of the file that spells it, escapes
        counted.
        """
        place = self._place(pointer)
        if on_key:
            return place.key or place.value
        if inside is None or place.container or not self.text.startswith('"', place.value.start):
            return place.value
        return _inside(self.text, place.value, inside)

    def problem(
        self,
        pointer: str,
        code: str,
        message: str,
        hint: str = "",
        *,
        inside: Span | None = None,
        on_key: bool = False,
        severity: Severity = "error",
        fix: str | None = None,
    ) -> Problem:
        """A problem with the value at `pointer` (`on_key`: with its name; `inside`: with a part of its text).

        An object or a list is shown by its name, or else by its opening bracket, since a caret cannot
        underline many lines.  `fix` replaces what is shown; under `inside` it is text as it is meant, and is
        escaped for the file here.
        """
        place = self._place(pointer)
        span = self.locate(pointer, inside, on_key=on_key)
        if place.container and not on_key:
            span = place.key or Span(span.start, span.start + 1)
        if fix is not None and inside is not None:
            fix = json.dumps(fix, ensure_ascii=False)[1:-1]
        return problem_at(
            self.text, span, code, message, hint, severity=severity, fix=fix, pointer=_cut(printable(pointer))
        )

    def rule_problem(self, found: RuleProblem) -> Problem:
        """A problem that the rule passes found, moved to where the rule stands in this file."""
        entry = pointer_to("/$defs", found.rule)
        pointer = f"{entry}/{found.place}" if found.place else entry
        problem = found.problem
        return self.problem(
            pointer,
            problem.code,
            problem.message,
            problem.hint,
            inside=found.span,
            on_key=found.on_key or not found.place,
            severity=problem.severity,
            fix=problem.fix,
        )

    def _place(self, pointer: str) -> Place:
        if self._root is None:
            from .scan import Place, scan

            self._root = scan(self.text).root or Place(Span(0, len(self.text)))
        place = self._root
        for token in pointer.split("/")[1:]:
            member = place.members.get(token.replace("~1", "/").replace("~0", "~"))
            if member is None:
                return place
            place = member
        return place


def pointer_to(base: str, *tokens: str | int) -> str:
    """The JSON pointer of what `tokens` name below `base` ("" is the whole document)."""
    return base + "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def printable(text: str) -> str:
    """The text with control characters and lone surrogates spelled as escapes, fit for any terminal."""
    return re.sub(_UNPRINTABLE, lambda match: f"\\u{ord(match.group()):04x}", text)


def _cut(pointer: str) -> str:
    # A longer one leads through a name that is too long to be any.
    return pointer if len(pointer) <= 500 else pointer[:500] + "…"


def read_bytes(data: bytes, file: str | None = None) -> Source:
    """The source that UTF-8 bytes hold, with or without a byte order mark; raises :class:`VocabError`."""
    if len(data) > SIZE_LIMIT:
        raise VocabError([size_problem(len(data))], file)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise VocabError(
            [problem_at("", Span(0, 0), "vocab-encoding", "the file is UTF-16, not UTF-8", "save it as UTF-8")],
            file,
        )
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        text = data.decode("utf-8", "replace")
        span = Span(len(good), len(good) + 1)
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        raise VocabError([problem_at(text, span, "vocab-encoding", message, "save the file as UTF-8")], file) from None
    return read_text(text, file)


def read_text(text: str, file: str | None = None) -> Source:
    """The source that a JSON text holds; raises :class:`VocabError` when it cannot be read.

    Keys that stand twice do not stop the reading (the last one counts): they are in `problems`.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > SIZE_LIMIT:
        raise VocabError([size_problem(size)], file)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_odd_constant, parse_float=_float, parse_int=_int
        )
        if not deeper_than(value, DEPTH_LIMIT):
            return Source(text, value, file)
    except (ValueError, RecursionError):
        pass
    from .scan import scan

    scanned = scan(text)
    if scanned.mistake is not None:
        raise VocabError([*_duplicate_problems(text, scanned), _mistake_problem(text, scanned.mistake)], file)
    return Source(text, json.loads(text), file, scanned)


def deeper_than(value: object, limit: int) -> bool:
    """Whether a parsed JSON value, a tree, nests lists and objects in more than `limit` levels."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        holders = [item for item in level if isinstance(item, (dict, list))]
        if not holders:
            return False
        level = [member for item in holders for member in (item.values() if isinstance(item, dict) else item)]
    return True


def size_problem(size: int, what: str = "the vocabulary") -> Problem:
    """The problem of a text beyond :data:`SIZE_LIMIT`."""
    return problem_at(
        "",
        Span(0, 0),
        "limit-vocab-size",
        f"{what} has {size:,} bytes; the limit is {SIZE_LIMIT:,} (1 MiB)",
        "is this the right file? A vocabulary of a hundred components has about 20,000",
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def _odd_constant(written: str) -> NoReturn:
    raise ValueError(f"{written} is no JSON")


def _float(written: str) -> float:
    value = float(written)
    if len(written) > DIGITS_LIMIT or not isfinite(value):
        raise ValueError("a number beyond any double")
    return value


def _int(written: str) -> int:
    if len(written) > DIGITS_LIMIT or not isfinite(float(written)):
        raise ValueError("a number beyond any double")
    return int(written)


def _mistake_problem(text: str, mistake: Mistake) -> Problem:
    return problem_at(text, mistake.span, mistake.code, mistake.message, mistake.hint, fix=mistake.fix)


def _duplicate_problems(text: str, scanned: Scan) -> list[Problem]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))] if scanned.duplicates else []
    found = []
    for duplicate in scanned.duplicates[:PROBLEMS_LIMIT]:
        line = bisect_right(starts, duplicate.first.start)
        # No name is that long; a cut one keeps a thousand pointers small.
        pointer = pointer_to("", *(token[:100] for token in duplicate.path))
        found.append(
            problem_at(
                text,
                duplicate.again,
                "vocab-duplicate-key",
                f"{shown(duplicate.path[-1])} stands twice in one object; it stood on line {line} first",
                "rename one of them, or take it out",
                pointer=_cut(printable(pointer)),
            )
        )
    return found


def _inside(text: str, literal: Span, inside: Span) -> Span:
    """The stretch of `text` that spells the characters `inside` of the value of a JSON string, `literal`."""
    last = literal.end - 1
    written = text[literal.start + 1 : last]
    if "\\" not in written:
        return Span(min(literal.start + 1 + inside.start, last), min(literal.start + 1 + inside.end, last))
    edges: list[int] = []
    wanted, meant, at = (inside.start, inside.end), 0, 0
    for escape in re.finditer(_ESCAPE, written):
        plain = escape.start() - at
        while len(edges) < 2 and wanted[len(edges)] <= meant + plain:
            edges.append(at + wanted[len(edges)] - meant)
        meant += plain + 1
        at = escape.end()
    while len(edges) < 2:
        edges.append(min(at + max(0, wanted[len(edges)] - meant), len(written)))
    return Span(literal.start + 1 + edges[0], literal.start + 1 + edges[1])
