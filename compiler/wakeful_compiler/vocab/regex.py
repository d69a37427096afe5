"""Python's regular expressions as a small tree: which characters may stand where, and what repeats.

It reads only patterns that `re.compile` has taken, and keeps only what :mod:`.patterns` asks about.  Sets of
characters are bit masks: one bit for each ASCII character and one, :data:`BEYOND`, for all others together; a
mask may hold too many characters, never too few.
"""

from __future__ import annotations

import re
import string

from wakeful_grammar.node import node
from wakeful_grammar.problems import Span

BEYOND = 1 << 128
ALL = (1 << 129) - 1


def mask_of(characters: str) -> int:
    """The mask of the characters given."""
    mask = 0
    for char in characters:
        mask |= 1 << ord(char) if ord(char) < 128 else BEYOND
    return mask


_DIGIT = mask_of(string.digits)
_WORD = mask_of(string.ascii_letters + string.digits + "_")
_SPACE = mask_of(" \t\n\r\f\v")
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE, "D": ALL ^ _DIGIT, "W": ALL ^ _WORD, "S": ALL ^ _SPACE}
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LETTERS = mask_of(string.ascii_lowercase)
_COUNTED = re.compile(r"\{([0-9]*)(?:(,)([0-9]*))?\}")
_HEX = {"x": 2, "u": 4, "U": 8}
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(-[a-zA-Z]+)?([:)])")


@node
class Chars:
    """One character out of a set."""

    mask: int


@node
class Edge:
    """A place rather than a character: `^`, `$`, `\\b`; `begins` for the beginning of the text."""

    begins: bool = False


@node
class Echo:
    """What an earlier group matched, again."""


@node
class Look:
    """A look ahead or behind."""

    body: Node


@node
class Sequence:
    parts: tuple[Node, ...]


@node
class Choice:
    branches: tuple[Node, ...]


@node
class Repeat:
    """`low` to `high` times the body (`high` None: without end); `span` is where the whole of it stands."""

    low: int
    high: int | None
    body: Node
    span: Span


Node = Chars | Edge | Echo | Look | Sequence | Choice | Repeat


class UnreadPattern(Exception):
    """A part of Python's `re` that a vocabulary's pattern does not take."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


def parse_regex(pattern: str) -> Node:
    """The tree of a pattern that `re.compile` takes; raises :class:`UnreadPattern`."""
    reader = _Reader(pattern)
    flags = _FLAGS.match(pattern)
    whole = flags is not None and flags.group(3) == ")" and set(flags.group(1)) <= {"a", "i", "s"}
    if flags is not None and whole:
        reader.at = flags.end()
    node = reader.choice(fold=flags is not None and whole and "i" in flags.group(1))
    if reader.at < len(pattern):
        raise UnreadPattern("has a closing bracket too many", Span(reader.at, reader.at + 1))
    return node


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def choice(self, *, fold: bool) -> Node:
        branches = [self.sequence(fold=fold)]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            branches.append(self.sequence(fold=fold))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self, *, fold: bool) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            start = self.at
            atom = self.atom(fold=fold)
            repeated = None if atom is None else self.quantified(atom, start)
            if repeated is not None:
                parts.append(repeated)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def quantified(self, atom: Node, start: int) -> Node:
        char = self.pattern[self.at : self.at + 1]
        low, high = 1, None
        if char == "*":
            low = 0
        elif char == "?":
            low, high = 0, 1
        elif char == "{":
            match = _COUNTED.match(self.pattern, self.at)
            if match is None or match.group() == "{}":
                return atom  # a brace that counts nothing is a letter, read as the next atom
            low = int(match.group(1) or 0)
            if match.group(2) is None:
                high = low
            elif match.group(3):
                high = int(match.group(3))
            self.at = match.end() - 1
        elif char != "+":
            return atom
        self.at += 1
        if self.pattern[self.at : self.at + 1] in ("?", "+"):
            self.at += 1  # lazy or possessive: no more ways than the plain one
        return Repeat(low, high, atom, Span(start, self.at))

    def atom(self, *, fold: bool) -> Node | None:
        char = self.pattern[self.at]
        if char == "(":
            return self.group(fold=fold)
        if char == "[":
            return Chars(_folded(self.set(), fold))
        if char == "\\":
            return self.escape(fold=fold)
        self.at += 1
        if char == ".":
            return Chars(ALL)
        if char in "^$":
            return Edge(begins=char == "^")
        return Chars(_folded(mask_of(char), fold))

    def group(self, *, fold: bool) -> Node | None:
        start = self.at
        if not self.pattern.startswith("(?", start):
            self.at += 1
            return self.closed(self.choice(fold=fold))
        for opening in ("(?=", "(?!", "(?<=", "(?<!"):
            if self.pattern.startswith(opening, start):
                self.at += len(opening)
                return Look(self.closed(self.choice(fold=fold)))
        if self.pattern.startswith("(?#", start):
            self.at = self.pattern.find(")", start) + 1
            return None
        if self.pattern.startswith("(?P=", start):
            self.at = self.pattern.find(")", start) + 1
            return Echo()
        if self.pattern.startswith("(?P<", start):
            self.at = self.pattern.find(">", start) + 1
            return self.closed(self.choice(fold=fold))
        if self.pattern.startswith("(?>", start):
            self.at += 3
            return self.closed(self.choice(fold=fold))
        flags = _FLAGS.match(self.pattern, start)
        if flags is None:
            raise UnreadPattern("has a conditional group, which is not taken", Span(start, start + 2))
        if flags.group(3) == ")" or set(flags.group(1) + (flags.group(2) or "-")[1:]) - {"i", "s"}:
            raise UnreadPattern("sets a flag other than i and s", Span(start, flags.end()))
        self.at = flags.end()
        # A flag taken away is read as kept: that makes the sets larger, never smaller.
        return self.closed(self.choice(fold=fold or "i" in flags.group(1)))

    def closed(self, node: Node) -> Node:
        self.at += 1
        return node

    def escape(self, *, fold: bool) -> Node:
        char = self.pattern[self.at + 1]
        if char in _CLASSES:
            self.at += 2
            return Chars(_CLASSES[char])
        if char in "AZzbB":
            self.at += 2
            return Edge(begins=char == "A")
        if char in "123456789":
            octal = re.compile("[1-3][0-7]{2}").match(self.pattern, self.at + 1)
            if octal is None:
                self.at += 3 if self.pattern[self.at + 2 : self.at + 3].isdecimal() else 2
                return Echo()
        return Chars(_folded(mask_of(self.character()), fold))

    def character(self) -> str:
        """One escaped character; the reader stands on its backslash and moves past it."""
        char = self.pattern[self.at + 1]
        if char in _HEX:
            digits = _HEX[char]
            code = int(self.pattern[self.at + 2 : self.at + 2 + digits], 16)
            self.at += 2 + digits
            return chr(code)
        if char == "N":
            raise UnreadPattern("names a character: write the character itself", Span(self.at, self.at + 2))
        octal = re.compile("[0-7]{1,3}").match(self.pattern, self.at + 1)
        if octal is not None:
            self.at = octal.end()
            return chr(int(octal.group(), 8))
        self.at += 2
        return _CONTROLS.get(char, char)

    def set(self) -> int:
        self.at += 1
        negated = self.pattern.startswith("^", self.at)
        if negated:
            self.at += 1
        mask, first = 0, True
        while first or self.pattern[self.at] != "]":
            first = False
            low = self.member()
            ranged = self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]"
            if ranged and isinstance(low, str):
                self.at += 1
                high = self.member()
                top = ord(high) if isinstance(high, str) else 128
                mask |= ((1 << min(top + 1, 128)) - 1) & ~((1 << min(ord(low), 128)) - 1)
                mask |= BEYOND if top > 127 else 0
            else:
                mask |= mask_of(low) if isinstance(low, str) else low
        self.at += 1
        # Of the characters beyond ASCII a set names only some, so its complement has others.
        return (ALL & ~mask) | BEYOND if negated else mask

    def member(self) -> str | int:
        char = self.pattern[self.at]
        if char == "\\":
            letter = self.pattern[self.at + 1]
            if letter in _CLASSES:
                self.at += 2
                return _CLASSES[letter]
            return self.character()
        self.at += 1
        return char


def _folded(mask: int, fold: bool) -> int:
    if not fold:
        return mask
    lower, upper = mask & _LETTERS, mask & (_LETTERS >> 32)
    return mask | lower >> 32 | upper << 32
