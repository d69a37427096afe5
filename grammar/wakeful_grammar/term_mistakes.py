"""Mistakes where a clause should begin: at the start, after a separator, `|` or a parenthesis."""

from __future__ import annotations

import re

from .failures import (
    CHUNK,
    MARK_IN_QUERY,
    MENDED_OPERATORS,
    NAME_CHARACTERS,
    OPERATOR_CHARACTERS,
    OPERATOR_RUN,
    WHOLE_PATH,
    Failure,
    looks_like_clause,
    name_mistake,
    unbalanced,
    unclosed_quote,
    unexpected,
)
from .mistaken import PATH, WHITE, Mistake, shown
from .problems import Span
from .word_mistakes import bare_word, directive_without_sign, foreign_word

_OPERATORS = frozenset({"=", "!=", "~=", "<", "<=", ">", ">="})
NO_OR = "a rule has no or: write a rule for each alternative"
_CANNOT_FOLLOW_DOT = WHITE + ".!?*,&|()\"'" + OPERATOR_CHARACTERS


def diagnose_term(failure: Failure) -> Mistake:
    """The mistake where a clause should begin."""
    here = failure.here
    if here in ("", ")", "|", "&", ","):
        return _missing_term(failure)
    if here in "=<>~" or failure.text.startswith("!=", failure.offset):
        return _parted_operator(failure)
    if here in "!?.":
        return _broken_head(failure)
    if here in "\"'":
        return _quoted_clause(failure)
    if here in "+^*-":
        return _broken_mark(failure)
    if failure.chunk:
        return _word(failure)
    return unexpected(failure)


def _missing_term(failure: Failure) -> Mistake:
    text, at, here = failure.text, failure.offset, failure.here
    before = text[:at].rstrip(WHITE)
    last, previous = len(before) - 1, before[-1:]
    span = Span(at, at + 1)
    if here == ")" and failure.opening is None:
        return unbalanced(failure)
    if here in ("|", "&") and previous == here and last == at - 1:
        word = "or" if here == "|" else "and"
        return Mistake(
            "syntax-connective",
            Span(last, at + 1),
            f"`{here}{here}` is not written here",
            NO_OR if failure.rule and here == "|" else f"{word} is one `{here}`" + " or a blank" * (here == "&"),
            None if failure.rule and here == "|" else here,
        )
    if previous in (",", "&"):
        gap = text[last + 1 : at]
        if here in (",", "&"):
            return Mistake(
                "syntax-separator",
                Span(last, at + 1),
                "two separators with nothing between them",
                "write a clause between them, or one separator",
                here + gap if looks_like_clause(text[at + 1 :].lstrip(WHITE)) else None,
            )
        return Mistake(
            "syntax-separator",
            Span(last, last + 1),
            f"nothing follows this `{previous}`",
            "write a clause after it, or take it away",
            "",
        )
    if previous == "(" and here == ")" and failure.opening is not None:
        return Mistake(
            "syntax-empty-group",
            Span(failure.opening.start, at + 1),
            "there is nothing in these parentheses",
            "write a clause inside, or take them away",
        )
    if here == "" and previous == "(":
        return unbalanced(failure)
    if here in (",", "&"):
        return Mistake(
            "syntax-separator",
            span,
            f"nothing stands before this `{here}`",
            "write a clause before it, or take it away",
            "",
        )
    hint = "write a clause on each side of `|`; `*` stands for every entity"
    if failure.rule:
        hint = "a rule has no `|`: write a rule for each alternative"
    if here == "|":
        where = "between this `|` and the one before" if previous == "|" else "before this `|`"
        return Mistake("syntax-empty-alternative", span, f"nothing stands {where}", hint)
    return Mistake("syntax-empty-alternative", Span(last, last + 1), "nothing follows this `|`", hint)


def _parted_operator(failure: Failure) -> Mistake:
    """`.a = 1`, `.a =1`, `recipe.minutes = 20`; or an operator with nothing to compare."""
    text, at = failure.text, failure.offset
    found = OPERATOR_RUN.match(text, at)
    run = found.group() if found else failure.here
    operator = MENDED_OPERATORS.get(run, run)
    before = text[:at].rstrip(WHITE)
    end = at + len(run)
    after = len(text) - len(text[end:].lstrip(WHITE))
    head = before[len(before.rstrip(NAME_CHARACTERS + ".!?+*^")) :]
    if not WHOLE_PATH.fullmatch(head.lstrip(".!?+*^")) or len(before) == at:
        return Mistake(
            "syntax-operator",
            Span(at, end),
            f"{shown(run)} has no property before it",
            "write the property first: `.component.property=value`",
        )
    value = CHUNK.match(text, after)
    sound = operator in _OPERATORS and value is not None
    dot = "" if head[0] in ".!?+*^" else "."
    spelling = f"{dot}{head}{operator}{value.group() if value else 'value'}"
    return Mistake(
        "syntax-operator-blank",
        Span(len(before), after),
        f"no blanks stand round {shown(run)}",
        f"write {shown(spelling, 60)}",
        operator if sound else None,
    )


def _broken_head(failure: Failure) -> Mistake:
    """`!.p`, `!!p`, `! p`, `?.p`, `.`, `..p`, `.2p`."""
    text, at, here = failure.text, failure.offset, failure.here
    found = re.compile(rf"[.!?+]?[ \t\n\r\f\v]*+\.*+[ \t\n\r\f\v]*+({PATH})").match(text, at + 1)
    following = text[at + 1 : at + 2]
    group = re.compile(r"![ \t\n\r\f\v]+\(").match(text, at)
    if group:
        return Mistake("syntax-negation", Span(at, group.end()), "a blank stands after `!`", "write `!( … )`", "!(")
    if found and here in "!?" and (following == "." or following in WHITE):
        spelling = here + found.group(1)
        compared = OPERATOR_RUN.match(text, found.end()) is not None
        if compared and here == "!":
            return Mistake(
                "syntax-negation",
                Span(at, found.end()),
                "`!` negates a path or a group, not a comparison",
                f"write `!(.{found.group(1)}…)`, or use `!=`",
            )
        return Mistake(
            "syntax-older-spelling",
            Span(at, found.end()),
            f"{shown(text[at : found.end()])} is not written here",
            f"write {shown(spelling)}",
            spelling,
        )
    if here == "!" and following == "!" and found:
        spelling = "." + found.group(1)
        return Mistake(
            "syntax-negation",
            Span(at, found.end()),
            "two negations are none",
            f"write {shown(spelling)}",
            spelling,
        )
    if here == "." and following in WHITE and following and found:
        spelling = "." + found.group(1)
        return Mistake(
            "syntax-name",
            Span(at, found.end()),
            "a blank stands between the dot and its name",
            f"write {shown(spelling)}",
            spelling,
        )
    if here == "." and following == "." and found and found.group(0).startswith("."):
        spelling = "." + found.group(1)
        return Mistake("syntax-name", Span(at, found.end()), "one dot too many", f"write {shown(spelling)}", spelling)
    if following and following not in _CANNOT_FOLLOW_DOT:
        return Mistake(
            "syntax-name",
            Span(at + 1, at + 2),
            f"no name begins with {shown(following)}",
            "names are made of the letters a to z, digits and `_`, and begin with a letter",
        )
    meaning = {".": "`.component`", "!": "`!component`, or `!( … )`", "?": "`?component`"}[here]
    return Mistake("syntax-name", Span(at, at + 1), f"a name is missing after {shown(here)}", f"write {meaning}")


def _quoted_clause(failure: Failure) -> Mistake:
    text, at, quote = failure.text, failure.offset, failure.here
    close = text.find(quote, at + 1)
    while close > 0 and text[close - 1] == "\\":
        close = text.find(quote, close + 1)
    if close < 0:
        return unclosed_quote(failure)
    inner = text[at + 1 : close].strip(WHITE)
    span = Span(at, close + 1)
    if looks_like_clause(inner):
        return Mistake(
            "syntax-quoted-clause",
            span,
            "quotes protect a value, not a clause",
            f"write {shown(inner, 60)}",
            inner,
        )
    if WHOLE_PATH.fullmatch(inner) and not text.startswith((" ", ","), close + 1) and close + 1 < len(text):
        return Mistake("syntax-quoted-clause", span, "names are not quoted", f"write {shown('.' + inner)}", "." + inner)
    return Mistake(
        "syntax-bare-word",
        span,
        f"{shown(text[at : close + 1])} names no property to look in",
        "full-text search is not part of this store; "
        f"write for example {shown(f'.doc.title~={text[at : close + 1]}', 60)}",
    )


def _broken_mark(failure: Failure) -> Mistake:
    text, at, here = failure.text, failure.offset, failure.here
    found = re.compile(rf"(\+!|\^!|[+^*\-])[.! \t]*({PATH})").match(text, at)
    if found and here == "-":
        return directive_without_sign(failure) or Mistake(
            "syntax-negation",
            Span(at, found.end()),
            "`-` negates nothing",
            f"write {shown('!' + found.group(2))}",
            None if OPERATOR_RUN.match(text, found.end()) else "!" + found.group(2),
        )
    if found:
        spelling = found.group(1) + found.group(2)
        if failure.rule:
            return Mistake(
                "rule-mark",
                Span(at, found.end()),
                f"{shown(found.group())} is no mark",
                f"write {shown(spelling)}",
                spelling,
            )
        return Mistake("syntax-mark", Span(at, found.end()), *MARK_IN_QUERY)
    if here == "-":
        return directive_without_sign(failure) or unexpected(failure)
    if failure.rule:
        return Mistake(
            "rule-mark",
            Span(at, at + 1),
            f"a component is missing after {shown(here)}",
            f"write `{here}component`",
        )
    return Mistake("syntax-mark", Span(at, at + 1), *MARK_IN_QUERY)


def _word(failure: Failure) -> Mistake:
    text, at, word = failure.text, failure.offset, failure.chunk
    end = at + len(word)
    span = Span(at, end)
    rest = text[end:].lstrip(WHITE)
    elsewhere = directive_without_sign(failure) or foreign_word(failure, word) or _connective(failure, word, rest)
    if elsewhere:
        return elsewhere
    path = WHOLE_PATH.match(word)
    if path and path.end() == len(word) and OPERATOR_RUN.match(rest):
        return _parted_operator(Failure(text, len(text) - len(rest), failure.expected, failure.rule))
    if path and word[path.end() :] in ("!", "?"):
        spelling = word[-1] + path.group()
        return Mistake(
            "syntax-older-spelling",
            span,
            f"{shown(word)} is not written here",
            f"write {shown(spelling)}",
            spelling,
        )
    if path and OPERATOR_RUN.match(word, path.end()) and MENDED_OPERATORS.get(word[path.end()]):
        stop = at + path.end()
        return Mistake(
            "syntax-operator",
            Span(stop, stop + 1),
            f"{shown(word[path.end()])} is no operator",
            f"did you mean `{MENDED_OPERATORS[word[path.end()]]}`?",
            MENDED_OPERATORS[word[path.end()]],
        )
    after = word[path.end() : path.end() + 1] if path else ""
    if path and ((after == "-" and looks_like_clause(word.replace("-", "_"))) or after.isalpha()):
        return name_mistake(Failure(text, at + path.end(), failure.expected, failure.rule))
    return bare_word(failure, word, span)


def _connective(failure: Failure, word: str, rest: str) -> Mistake | None:
    at, lowered = failure.offset, word.lower()
    if lowered == "not" and rest:
        target = re.compile(rf"\(|\.?({PATH})").match(rest)
        if target is None:
            return None
        spelling = "!(" if target.group() == "(" else "!" + target.group(1)
        end = len(failure.text) - len(rest) + target.end()
        if failure.rule and target.group() == "(":
            return Mistake(
                "syntax-connective",
                Span(at, at + len(word)),
                f"{shown(word)} is not written here",
                "write each clause so that it must hold: `!component`, `!=`",
            )
        if OPERATOR_RUN.match(failure.text, end) or word.lower() == target.group(1):
            return Mistake(
                "syntax-connective",
                Span(at, at + len(word)),
                f"{shown(word)} is not written here",
                "write `!( … )` round what must not hold, or `!=`",
            )
        return Mistake(
            "syntax-connective",
            Span(at, end),
            f"{shown(word)} is not written here",
            f"not is `!`: {shown(spelling)}",
            spelling,
        )
    if lowered not in ("and", "or") or not rest or not failure.text[:at].strip(WHITE):
        return None
    if failure.rule and lowered == "or":
        return Mistake("rule-alternative", Span(at, at + len(word)), f"{shown(word)} is not written here", NO_OR)
    sign, hint = ("&", "and is a blank, `&` or `,`") if lowered == "and" else ("|", "or is `|`")
    return Mistake(
        "syntax-connective",
        Span(at, at + len(word)),
        f"{shown(word)} is not written here",
        f"{hint} between two clauses",
        sign,
    )
