"""Mistakes: what exactly is wrong where the parse of a query or rule stopped, and what to write instead.

The parser knows an offset and what it would have taken there; :func:`diagnose` turns that into a code, a
span, a message and a working spelling.  Where a clause should begin, and where a value should, have files of
their own, `term_mistakes.py` and `operand_mistakes.py`; here is what can follow a clause that has ended.
"""

from __future__ import annotations

from .failures import (
    MENDED_OPERATORS,
    NAME_CHARACTERS,
    OPERATOR_CHARACTERS,
    Failure,
    character_name,
    count_takes_nothing,
    is_foreign_blank,
    name_mistake,
    unbalanced,
    unexpected,
)
from .mistaken import WHITE, Mistake, shown
from .operand_mistakes import diagnose_after_item, diagnose_operand
from .problems import Span
from .term_mistakes import diagnose_term


def diagnose(failure: Failure) -> Mistake:
    """The mistake behind a failed parse."""
    if failure.here and is_foreign_blank(failure.here):
        return _foreign_blank(failure)
    if "WORD" in failure.expected:
        return diagnose_operand(failure)
    if "HEAD" in failure.expected:
        return diagnose_term(failure)
    if failure.here == "" or failure.here == ")":
        return unbalanced(failure)
    if "COMMA" in failure.expected:
        return diagnose_after_item(failure)
    return _diagnose_after_term(failure)


def _foreign_blank(failure: Failure) -> Mistake:
    text, at = failure.text, failure.offset
    end = at
    while end < len(text) and is_foreign_blank(text[end]):
        end += 1
    inside = "WORD" in failure.expected or "COMMA" in failure.expected
    hint = "write an ordinary blank between clauses"
    if inside:
        hint += ", or put the value in quotes to mean this character"
    return Mistake(
        "syntax-blank",
        Span(at, end),
        f"{character_name(text[at])} separates nothing here",
        hint,
        None if inside else " ",
    )


def _diagnose_after_term(failure: Failure) -> Mistake:
    text, at, here = failure.text, failure.offset, failure.here
    head = failure.of(failure.subject) if "OPERATOR" in failure.expected else ""
    span = Span(at, at + 1)
    following = text[at + 1 : at + 2]
    if head and here in "!?" and failure.subject:
        if following in ("", *WHITE, ",", "&", "|", ")") or is_foreign_blank(following):
            spelling = here + head.lstrip(".!?")
            return Mistake(
                "syntax-older-spelling",
                Span(failure.subject.start, at + 1),
                f"{shown(head + here)} is not written here",
                f"write {shown(spelling)}",
                spelling,
            )
        if following in ("<", ">"):
            return Mistake(
                "syntax-operator",
                Span(at, at + 2),
                f"{shown(here + following)} is no operator",
                f"write `!({head}{following}…)` for what is not so",
            )
    run = text[at : at + 2] if text[at : at + 2] in MENDED_OPERATORS else here
    if head and run in MENDED_OPERATORS:
        mended = MENDED_OPERATORS[run]
        sound = text[at + len(run) : at + len(run) + 1] not in ("", *WHITE, *OPERATOR_CHARACTERS)
        return Mistake(
            "syntax-operator",
            Span(at, at + len(run)),
            f"{shown(run)} is no operator",
            f"did you mean `{mended}`?",
            mended if sound else None,
        )
    if here in OPERATOR_CHARACTERS:
        if text[:at].endswith(".count"):
            return count_takes_nothing(Span(at - 6, at))
        if here != "!":
            return Mistake(
                "syntax-operator",
                span,
                f"{shown(here)} has no property before it",
                "write the property first: `.component.property=value`",
            )
    if head and here == "?" and following in OPERATOR_CHARACTERS:
        return Mistake(
            "syntax-request",
            span,
            "`?` stands before a path and asks for it",
            f"write {shown(head + following)} without it, or `?{head.lstrip('.!?')}` as a clause of its own",
            "",
        )
    if head and here == "." and following == ".":
        return Mistake("syntax-name", Span(at, at + 2), "one dot too many", "write one", ".")
    if head and here == ".":
        return Mistake(
            "syntax-name",
            span,
            "a name is missing after this dot",
            f"write {shown(head)}, or a property after the dot: {shown(head + '.property', 60)}",
        )
    if head and (here == "-" or here.isalnum()):
        return name_mistake(failure)
    if text[:at].endswith("*") and here == ".":
        return Mistake(
            "syntax-mark", Span(at - 1, at + 1), "`*` stands alone", "write a blank after it: `* .component`"
        )
    if here in ".!?(+^*" or here in NAME_CHARACTERS:
        return Mistake(
            "syntax-separator",
            span,
            f"a separator is missing before {shown(failure.chunk or here)}",
            "write a blank, `&` or `,` between two clauses" + ("" if failure.rule else ", or `|` for one or the other"),
            " " + here,
        )
    return unexpected(failure)
