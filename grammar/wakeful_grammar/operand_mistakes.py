"""Mistakes in operands: where a value should begin, and where one has just ended."""

from __future__ import annotations

import re

from .failures import (
    MENDED_OPERATORS,
    OPERATOR_CHARACTERS,
    OPERATOR_RUN,
    Failure,
    character_name,
    is_foreign_blank,
    looks_like_clause,
    unclosed_quote,
)
from .mistaken import PATH, WHITE, Mistake, shown
from .problems import Span

_QUOTED_FAR = 200
SMART_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "\u2018\u2019"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", "\u201c\u201d"),
    "\u00ab": "\u00bb",
    "\u2039": "\u203a",
}
"""Quotation marks of typography, which text editors put in place of plain ones, and what closes each."""

_NEXT = re.compile(r"[ \t\n\r\f\v]+")
_MARK = re.compile(rf"(?:\+!?|\*|\^!?){PATH}(?:[!~]=|[<>=]|\Z)")
_DOTTED = re.compile(rf"\.{PATH}")
_DIRECTIVE_EXAMPLES = {
    ".order=": ".order=component.property",
    ".limit=": ".limit=10",
    ".after=": ".after=250",
    ".distinct=": ".distinct=component.property",
    ".tally=": ".tally=component.property",
    ".fields=": ".fields=component.property,component",
}


def diagnose_operand(failure: Failure) -> Mistake:
    """The mistake where a value should begin: after an operator, a comma or `..`."""
    text, at, here = failure.text, failure.offset, failure.here
    start = _value_start(failure)
    written = text[start:at]
    if here in ('"', "'") and here:
        return unclosed_quote(failure)
    if here in SMART_QUOTES and here:
        return _smart_quote(failure)
    if written.endswith(".."):
        return _open_high(failure, start)
    if here in ("", "|", "&", ")", ",") or here in WHITE:
        return _missing_operand(failure, written)
    if here in OPERATOR_CHARACTERS:
        return _operator_run(failure, written)
    if here == "." and text[at + 1 : at + 2] == ".":
        return _open_low(failure, start)
    if here == "(":
        return _clause_in_value(failure, written, "a parenthesis")
    listed = written.endswith(",") and failure.operator is not None
    if here == "." and _DOTTED.fullmatch(failure.chunk) and not listed:
        return _property_operand(failure)
    if looks_like_clause(failure.chunk):
        return _clause_in_value(failure, written, "a clause")
    if here == ".":
        return _property_operand(failure)
    return _clause_in_value(failure, written, "a clause")


def _smart_quote(failure: Failure) -> Mistake:
    text, at, here = failure.text, failure.offset, failure.here
    ends = SMART_QUOTES[here]
    close = next((place for place in range(at + 1, min(len(text), at + _QUOTED_FAR)) if text[place] in ends), None)
    name = f"{shown(here)}, {character_name(here)}, quotes nothing here"
    if close is None:
        hint = "values are quoted with the plain marks, `\"` or `'`; to mean this character, put it inside them"
        return Mistake("syntax-quote", Span(at, at + 1), name, hint)
    inner = text[at + 1 : close]
    spelled = f'"{inner}"' if '"' not in inner and "\\" not in inner else None
    return Mistake(
        "syntax-quote",
        Span(at, close + 1),
        name,
        f"write the plain marks: {shown(spelled, 60)}"
        if spelled
        else "quote the value with the plain marks, `\"` or `'`",
        spelled,
    )


def looks_like_mark(text: str) -> bool:
    """`+watered`, `*a.b=c`, `^fired`: what a rule would otherwise read as one more text."""
    return _MARK.match(text) is not None


def mark_in_value(span: Span, text: str) -> Mistake:
    return Mistake(
        "syntax-comma",
        span,
        f"{shown(text)} looks like a mark inside a value",
        f'a blank is missing after the comma, or quote the value: `"{text[:40]}"`',
    )


def _value_start(failure: Failure) -> int:
    if failure.operator:
        return failure.operator.end
    return failure.subject.end if failure.subject else failure.offset


def _head(failure: Failure) -> str:
    return failure.of(failure.subject) or "component.property"


def _missing_operand(failure: Failure, written: str) -> Mistake:
    at, here = failure.offset, failure.here
    if written.endswith(","):
        if here == ",":
            return Mistake(
                "syntax-empty-member",
                Span(at - 1, at + 1),
                "an empty member stands between these two commas",
                'write a value between them, or one comma; the empty text is `""`',
                ",",
            )
        return Mistake(
            "syntax-comma",
            Span(at - 1, at),
            "nothing follows this comma",
            "write another value after it, or take it away",
        )
    if here == ",":
        return Mistake(
            "syntax-empty-member",
            Span(at, at + 1),
            "an empty member stands before this comma",
            'write a value before it, or take it away; the empty text is `""`',
            "",
        )
    head, operator = _head(failure), failure.of(failure.operator)
    if not failure.operator:
        example = _DIRECTIVE_EXAMPLES.get(head, head + "value")
        span = failure.subject or Span(at, at + 1)
        blank = _blank_before_value(failure)
        return blank or Mistake(
            "syntax-directive-value", span, f"`{head}` has no value", f"write for example `{example}`"
        )
    blank = _blank_before_value(failure)
    if blank:
        return blank
    path = head.lstrip(".!?")
    span = (failure.subject or failure.operator) | failure.operator
    if operator == "=" and head[0] not in "+*^":
        return Mistake(
            "syntax-older-spelling",
            span,
            f"`{head}=` has no value",
            f'write `!{path}` where it has no value, `.{path}=""` for the empty text',
        )
    if operator == "!=" and head[0] not in "+*^":
        return Mistake(
            "syntax-older-spelling",
            span,
            f"`{head}!=` has no value",
            f'write `.{path}` where it has a value, `.{path}!=""` for anything but the empty text',
        )
    return Mistake(
        "syntax-operand",
        span,
        f"`{head}{operator}` has no value",
        f'write a value right after the operator: `{head}{operator}…`; the empty text is `""`',
    )


def _blank_before_value(failure: Failure) -> Mistake | None:
    """`.a= 20`: a blank, then something that is a value and no clause."""
    text, at = failure.text, failure.offset
    gap = _NEXT.match(text, at)
    if gap is None or gap.end() == len(text):
        return None
    rest = re.compile(r"[^ \t\n\r\f\v,&|()]+").match(text, gap.end())
    if rest is None or rest.group()[0] in ".!?*+^" or looks_like_clause(rest.group()):
        return None
    sign = failure.of(failure.operator) or _head(failure)
    return Mistake(
        "syntax-operator-blank",
        Span(at, gap.end()),
        f"no blanks stand after `{sign}`",
        f"write {shown(_head(failure) + failure.of(failure.operator) + rest.group(), 60)}",
        "",
    )


def _operator_run(failure: Failure, written: str) -> Mistake:
    text, at = failure.text, failure.offset
    found = OPERATOR_RUN.match(text, at)
    run = found.group() if found else failure.here
    if written.endswith(","):
        if looks_like_clause(failure.chunk):
            return _clause_in_value(failure, written, "a clause")
        return _begins_with_operator(failure, Span(at, at + len(run)), run, run, None)
    if not failure.operator:
        sign = failure.of(failure.subject)
        return Mistake(
            "syntax-operator",
            Span(at, at + len(run)),
            f"`{sign}` already has its `=`",
            f"write for example `{_DIRECTIVE_EXAMPLES.get(sign, sign + 'value')}`",
            "",
        )
    whole = failure.of(failure.operator) + run
    mended = MENDED_OPERATORS.get(whole)
    span = Span(failure.operator.start, at + len(run))
    following = text[span.end : span.end + 1]
    sound = following not in ("", *WHITE, ",", "&", "|", "(", ")")
    return _begins_with_operator(failure, span, whole, run, mended if sound else None, mended)


def _begins_with_operator(
    failure: Failure, span: Span, whole: str, run: str, fix: str | None, mended: str | None = None
) -> Mistake:
    value = failure.chunk
    quoted = f'{_head(failure)}{failure.of(failure.operator)}"{value}"'
    hint = f"to mean the text, quote it: {shown(quoted, 60)}"
    if mended:
        hint = f"did you mean `{mended}`? {hint[0].upper()}{hint[1:]}"
    message = f"{shown(whole)} is no operator" if whole != run else f"a value cannot begin with {shown(run)}"
    return Mistake("syntax-operator", span, message, hint, fix)


def _open_low(failure: Failure, start: int) -> Mistake:
    """`..35`, `...35`."""
    text, at = failure.text, failure.offset
    found = re.compile(r"(\.+)([^ \t\n\r\f\v,&|()]*)").match(text, at)
    dots, high = (found.group(1), found.group(2)) if found else ("..", "")
    span = Span(at, at + len(dots) + len(high))
    operator = failure.of(failure.operator)
    if not high or not failure.operator or operator not in ("=", "!="):
        return Mistake(
            "syntax-range-open",
            span,
            "a range needs both its ends",
            "write `low..high`, for example `20..35`",
        )
    sign = "<=" if len(dots) == 2 else "<"
    head = _head(failure)
    if operator == "!=":
        return Mistake(
            "syntax-range-open",
            span,
            "a range needs both its ends",
            f"write {shown(f'!({head}{sign}{high})', 60)} for what does not lie there",
        )
    alone = at == start and text[span.end : span.end + 1] != "," and len(dots) < 4
    return Mistake(
        "syntax-range-open",
        Span(failure.operator.start, span.end) if alone else span,
        "a range needs both its ends",
        f"with no lower end write {shown(f'{head}{sign}{high}', 60)}",
        sign + high if alone else None,
    )


def _open_high(failure: Failure, start: int) -> Mistake:
    """`20..`, `20...`; also a second end that cannot be one."""
    text, at, here = failure.text, failure.offset, failure.here
    item_start = max(start, text.rfind(",", start, at) + 1)
    low = text[item_start:at].rstrip(".")
    operator, head = failure.of(failure.operator), _head(failure)
    span = Span(item_start, at)
    blank = _blank_before_value(failure)
    if blank:
        return Mistake("syntax-range", blank.span, "no blanks stand in a range", "write `low..high`", "")
    if here not in ("", *WHITE, ",", "&", "|", ")") or not failure.operator or operator not in ("=", "!="):
        return Mistake(
            "syntax-range",
            Span(at, at + max(1, len(failure.chunk))),
            f"{shown(failure.chunk or here)} cannot end a range",
            "a range is `low..high`, two values without blanks; quote what is no plain value",
        )
    if operator == "!=":
        return Mistake(
            "syntax-range-open",
            span,
            "a range needs both its ends",
            f"write {shown(f'!({head}>={low})', 60)} for what does not lie there",
        )
    alone = item_start == start and here != ","
    return Mistake(
        "syntax-range-open",
        Span(failure.operator.start, at) if alone else span,
        "a range needs both its ends",
        f"with no upper end write {shown(f'{head}>={low}', 60)}",
        ">=" + low if alone else None,
    )


def _clause_in_value(failure: Failure, written: str, what: str) -> Mistake:
    at = failure.offset
    chunk = failure.chunk or failure.here
    span = Span(at, at + len(chunk))
    quoted = "" if what == "a parenthesis" else f': `"{chunk[:40]}"`'
    if written.endswith(","):
        return Mistake(
            "syntax-comma",
            span,
            f"{shown(chunk)} looks like {what} inside a value",
            f"a blank is missing after the comma, or quote the value{quoted}",
        )
    return Mistake(
        "syntax-operand",
        span,
        f"{shown(chunk)} looks like {what} where a value belongs",
        f"quote the value to mean it as text{quoted}",
    )


def _property_operand(failure: Failure) -> Mistake:
    at, chunk = failure.offset, failure.chunk
    found = re.compile(rf"\.({PATH})").match(chunk)
    span = Span(at, at + len(chunk))
    quoted = f'`"{chunk[:40]}"`'
    if found and found.end() == len(chunk):
        count = found.group(1).count(".") + 1
        directive = failure.of(failure.subject) if not failure.operator else ""
        if directive and directive != ".limit=" and directive != ".after=":
            return Mistake(
                "syntax-directive-value",
                span,
                f"the path after `{directive}` has no leading dot",
                f"write `{directive}{found.group(1)[:40]}`",
                found.group(1),
            )
        if count == 1:
            return Mistake(
                "syntax-operand",
                span,
                f"{shown(chunk)} names a component, and a value is a property",
                f"write `{chunk[:40]}.property` for a property of the same row, or quote the value: {quoted}",
            )
    return Mistake(
        "syntax-operand",
        span,
        f"{shown(chunk)} is no property",
        "an unquoted value that begins with a dot and a letter is `.component.property`; "
        f"to mean the text, quote it: {quoted}",
    )


def diagnose_after_item(failure: Failure) -> Mistake:
    """The mistake where a value has just ended: after a closing quote, a word or a property."""
    text, at, here = failure.text, failure.offset, failure.here
    span = Span(at, at + 1)
    if here == "(":
        return Mistake(
            "syntax-operand",
            span,
            "a parenthesis stands inside a value",
            "quote the value to mean it, or write a blank before the parenthesis to open a group",
        )
    if text.startswith("..", at):
        run = len(text) - at - len(text[at:].lstrip("."))
        if run > 3:
            message, hint = (
                f"{run} dots in a row",
                "a range is `low..high`, or `low...high` without its upper end",
            )
        else:
            message, hint = (
                "a range has two ends",
                "write `low..high`; for several ranges, a list: `1..5,10..20`",
            )
        return Mistake("syntax-range", Span(at, at + run), message, hint)
    if text[at - 1 : at] in ('"', "'"):
        missing = looks_like_clause(failure.chunk)
        return Mistake(
            "syntax-quote",
            Span(at, at + max(1, len(failure.chunk))),
            f"{shown(failure.chunk or here)} stands right after a closing quote",
            "quotes hold the whole value; "
            + ("write a blank before the next clause" if missing else f"inside, a quote is written \\{text[at - 1]}"),
            " " + failure.chunk if missing else None,
        )
    word = "an invisible character" if is_foreign_blank(here) else shown(here)
    return Mistake("syntax-operand", span, f"{word} cannot stand in a value", "quote the value to mean it")
