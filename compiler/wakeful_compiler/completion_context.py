"""Where a caret stands in a query or a match: what word is being typed, and what may stand there."""

from __future__ import annotations

import re
from typing import Literal

from wakeful_grammar.node import node

Where = Literal["term", "path", "value", "directive"]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_BETWEEN = re.compile(r"[ \t\n\r\f\v,&|]+")
_BRACKET = re.compile(r"!?\(|\)")
_DIRECTIVE = re.compile(r"\.(order|limit|after|distinct|tally|fields)=")
_HEAD = re.compile(rf"(\.|!|\?|\*|\+!?|\^!?)?((?:{_NAME})?(?:\.{_NAME})*\.?)")
_OPERATOR = re.compile(r"[!~]=|[<>]=?|=")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*(\"|\\?\Z)|'(?:[^'\\]|\\.)*('|\\?\Z)", re.DOTALL)
_WORD = re.compile(r"(?:[^ \t\n\r\f\v,&|()\"'.]|\.(?!\.))+")
_REST_OF_NAME = re.compile(r"[A-Za-z0-9_]*")
_REST_OF_WORD = re.compile(r"[A-Za-z0-9_:\-]*")


@node
class Context:
    """What is being typed at a caret.

    `term`: nothing of a clause stands there yet.  `path`: `sign` and the names before the one being typed.
    `value`: of the property that `names` lead to.  `directive`: a path after `.order=` and its like (`sign` is
    the directive's word).  [`start`, `end`) is the word being typed and `typed` its part left of the caret;
    `open_brackets` are still to be closed.
    """

    where: Where
    start: int
    end: int
    typed: str
    sign: str = ""
    names: tuple[str, ...] = ()
    operator: str = ""
    quote: str = ""
    open_brackets: int = 0


def context_at(text: str, caret: int) -> Context | None:
    """The context of a caret, or None where nothing that could be completed is being typed."""
    before, depth, at = text[:caret], 0, 0
    while True:
        if between := _BETWEEN.match(before, at):
            at = between.end()
        elif bracket := _BRACKET.match(before, at):
            depth += -1 if bracket.group() == ")" else 1
            at = bracket.end()
        elif at == caret:
            end = _rest(_REST_OF_NAME, text, caret)
            return Context("term", caret, end, "", open_brackets=depth)
        elif directive := _DIRECTIVE.match(before, at):
            found = _items(text, caret, directive.end())
            if isinstance(found, Context):
                return _in_directive(text, found, directive[1], depth)
            at = found
        else:
            head = _HEAD.match(before, at)
            if head is None or head.end() == at:
                return None
            if head.end() == caret:
                return _in_path(text, caret, head[1] or "", head[2], depth)
            operator = _OPERATOR.match(before, head.end())
            if operator is None:
                at = head.end()
                if not _BETWEEN.match(before, at) and not _BRACKET.match(before, at):
                    return None
                continue
            found = _items(text, caret, operator.end())
            if isinstance(found, Context):
                names = tuple(head[2].split("."))
                return Context(
                    "value", found.start, found.end, found.typed, head[1] or "", names, operator.group(),
                    found.quote, depth,
                )  # fmt: skip
            at = found


def _in_path(text: str, caret: int, sign: str, path: str, depth: int) -> Context:
    *names, typed = path.split(".")
    start = caret - len(typed)
    end = _rest(_REST_OF_NAME, text, caret)
    return Context("path", start, end, typed, sign, tuple(names), open_brackets=depth)


def _in_directive(text: str, found: Context, word: str, depth: int) -> Context:
    sign = "-" if word == "order" and found.typed.startswith("-") else ""
    *names, typed = found.typed.removeprefix(sign).split(".")
    start = found.start + len(found.typed) - len(typed)
    return Context("directive", start, found.end, typed, word, tuple(names), open_brackets=depth)


def _items(text: str, caret: int, at: int) -> Context | int:
    """The context inside the items that begin at `at`, or where they end if the caret lies further on."""
    before = text[:caret]
    while True:
        start = at
        if quoted := _QUOTED.match(before, at):
            at = quoted.end()
            closed = bool(quoted[1] == '"' or quoted[2] == "'")
            if not closed:
                return Context("value", start, caret, before[start + 1 :], quote=before[start])
        elif word := _WORD.match(before, at):
            at = word.end()
            if at == caret:
                return Context("value", start, _rest(_REST_OF_WORD, text, caret), before[start:])
        elif at == caret:
            return Context("value", start, _rest(_REST_OF_WORD, text, caret), "")
        dots = re.compile(r"\.\.\.?").match(before, at)
        if dots:
            at = dots.end()
        elif before.startswith(",", at) and not _BETWEEN.match(before, at + 1):
            at += 1
        else:
            return at


def _rest(pattern: re.Pattern[str], text: str, caret: int) -> int:
    found = pattern.match(text, caret)
    return found.end() if found else caret
