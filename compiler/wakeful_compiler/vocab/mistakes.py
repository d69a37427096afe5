"""Why a JSON text cannot be read, in words: one function for each place where reading may stop.

Each tells the usual slips apart (comments, single quotes, a trailing comma, Python's words) and says what to
write instead.
"""

from __future__ import annotations

import json
import re

from wakeful_grammar.node import node
from wakeful_grammar.problems import Span, line_and_column

from .limits import DEPTH_LIMIT

STRING_START = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+')
"""A JSON string up to its closing quote, or up to what is wrong with it."""

WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
_WORDS = {
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
    "None": "null",
    "NULL": "null",
    "nil": "null",
    "undefined": "null",
}


@node
class Mistake:
    """The first thing that stops the text from being read."""

    code: str
    span: Span
    message: str
    hint: str = ""
    fix: str | None = None


def number_hint(written: str) -> str:
    """How a number that is none could be mended."""
    if written.startswith("+"):
        return "leave the + out"
    if written.startswith((".", "-.")):
        return "write a 0 before the point"
    if re.match(r"-?0[0-9]", written):
        return "leave the leading zero out; text that only looks like a number goes in quotes"
    if written.endswith("."):
        return "write a digit after the point"
    return 'a number looks like 12, -3.5 or 2e6; anything else is text and goes in "quotes"'


def too_deep(text: str, at: int) -> Mistake:
    """An opening bracket at `at` beyond the limit of nesting."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        if match.group(1):
            depth += 1
            deepest = max(deepest, depth)
        elif match.group(2):
            depth -= 1
    return Mistake(
        "limit-depth",
        Span(at, at + 1),
        f"nested {deepest} levels deep; the limit is {DEPTH_LIMIT}",
        "a vocabulary needs about five levels: look for brackets that are never closed",
    )


def ends_early(text: str, opened: int | None) -> Mistake:
    """The text is over while the bracket at `opened` is open (None: before anything began)."""
    end = Span(len(text), len(text))
    if opened is None:
        return Mistake("syntax-json", end, "there is nothing here", 'the smallest vocabulary is {"$defs": {}}')
    line, column = line_and_column(text, opened)
    closing = "}" if text[opened] == "{" else "]"
    return Mistake(
        "syntax-json",
        end,
        f"the text ends before `{text[opened]}` of line {line}, column {column} is closed",
        f"add the missing `{closing}`",
    )


def slip_anywhere(text: str, at: int) -> Mistake | None:
    """The mistakes that may stand anywhere: comments and other people's quotes."""
    if text.startswith(("//", "/*", "#"), at):
        end = text.find("\n", at)
        return Mistake(
            "syntax-json",
            Span(at, len(text) if end < 0 else end),
            "JSON has no comments",
            'take it out, or keep it as "$comment": "…"',
        )
    char = text[at : at + 1]
    if char == "'":
        end = text.find("'", at + 1)
        inner = text[at + 1 : end] if at < end <= at + 200 and "\n" not in text[at:end] else None
        return Mistake(
            "syntax-json",
            Span(at, end + 1 if inner is not None else at + 1),
            "text in single quotes",
            'JSON writes text in double quotes: "…"',
            json.dumps(inner) if inner is not None else None,
        )
    if char and char in "“”„«»`‘’":
        return Mistake(
            "syntax-json",
            Span(at, at + 1),
            f"{char} is not a quote that JSON knows",
            'write the plain double quote "',
            '"',
        )
    return None


def bad_key(text: str, at: int, opened: int | None) -> Mistake:
    """What stands at `at` where a name should."""
    if at >= len(text):
        return ends_early(text, opened)
    common = slip_anywhere(text, at)
    if common is not None:
        return common
    if text[at] == '"':
        return bad_string(text, at)
    word = WORD.match(text, at)
    if word is not None:
        shown = word.group()[:60]
        return Mistake("syntax-json", Span(at, word.end()), "a name without quotes", f'write "{shown}"', f'"{shown}"')
    if text[at] == ",":
        return Mistake("syntax-json", Span(at, at + 1), "a comma with nothing before it", "take it out", "")
    return Mistake("syntax-json", Span(at, at + 1), "a name in double quotes is expected here", 'write "name": value')


def bad_value(text: str, at: int, opened: int | None) -> Mistake:
    """What stands at `at` where a value should."""
    if at >= len(text):
        return ends_early(text, opened)
    common = slip_anywhere(text, at)
    if common is not None:
        return common
    word = WORD.match(text, at)
    if word is not None:
        written = word.group()
        span = Span(at, word.end())
        if written in ("NaN", "Infinity"):
            return Mistake("syntax-json", span, f"{written} is not a JSON number", "give a finite number, or null")
        if written in _WORDS:
            right = _WORDS[written]
            return Mistake("syntax-json", span, f"{written} is not JSON", f"write {right}", right)
        return Mistake("syntax-json", span, "text without quotes", f'write "{written[:60]}"', f'"{written[:60]}"')
    if text[at] == ",":
        return Mistake("syntax-json", Span(at, at + 1), "a comma with nothing before it", "take it out", "")
    return Mistake(
        "syntax-json",
        Span(at, at + 1),
        "a value is expected here",
        'a value is "text", a number, true, false, null, {…} or […]',
    )


def bad_string(text: str, at: int) -> Mistake:
    """The text that begins at `at` and is not well formed."""
    good = STRING_START.match(text, at)
    stop = good.end() if good else at + 1
    if stop < len(text) and text[stop] == "\\":
        shown = text[stop : stop + 2]
        if shown == "\\u":
            return Mistake(
                "syntax-json",
                Span(stop, stop + 2),
                "\\u is followed by four hexadecimal digits",
                "write for example \\u00e9, or the letter itself",
            )
        return Mistake(
            "syntax-json",
            Span(stop, stop + 2),
            f"{shown} is no escape of JSON",
            "to mean a backslash, write it twice: \\\\",
            "\\" + shown,
        )
    if stop < len(text) and text[stop] not in "\n\r":
        return Mistake(
            "syntax-json",
            Span(stop, stop + 1),
            "a control character inside text",
            f"write it as \\u{ord(text[stop]):04x}",
            f"\\u{ord(text[stop]):04x}",
        )
    return Mistake(
        "syntax-json",
        Span(at, stop),
        "text whose closing quote is missing on this line",
        'close it with "; a line break inside text is written \\n',
    )


def expected_comma(text: str, at: int, opened: int, after: int) -> Mistake:
    """What stands at `at` where a comma or the closing bracket should; the last value ended at `after`."""
    if at >= len(text):
        return ends_early(text, opened)
    common = slip_anywhere(text, at)
    if common is not None:
        return common
    if text[at] in "}]":
        line, column = line_and_column(text, opened)
        opening = text[opened]
        closing = "}" if opening == "{" else "]"
        return Mistake(
            "syntax-json",
            Span(at, at + 1),
            f"`{text[at]}` closes `{opening}` of line {line}, column {column}",
            f"write `{closing}`",
            closing,
        )
    return Mistake(
        "syntax-json",
        Span(after, after),
        "a comma is missing after this value",
        "put a comma between one member and the next",
        ",",
    )


def trailing(text: str, at: int) -> Mistake:
    """What stands at `at` behind the end of the document."""
    return slip_anywhere(text, at) or Mistake(
        "syntax-json",
        Span(at, at + 1),
        "there is more text after the end of the document",
        "a vocab.json holds one object: look for a bracket closed too early",
    )
