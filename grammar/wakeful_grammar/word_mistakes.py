"""Words that are no clauses: those of other query languages, a value that lost its operator, a bare name.

The grammar knows no vocabulary: a hint says how a word is written if it is a component, never that it is one.
"""

from __future__ import annotations

import re

from .failures import NAME_CHARACTERS, WHOLE_PATH, Failure
from .mistaken import PATH, WHITE, Mistake, shown
from .problems import Span

_COMPARED = re.compile(rf"[.+*^]*{PATH}(?:[!~]=|[<>]=?|=)(?=[^=!<>~])")
_NEXT_WORD = re.compile(r"[ \t\n\r\f\v]+(\*|[^ \t\n\r\f\v,&|().!?*+^=<>~]+)(?![^ \t\n\r\f\v])")

_OPERATOR_WORDS = {
    "in": "=", "is": "=", "eq": "=", "equals": "=", "equal": "=", "ne": "!=", "neq": "!=",
    "like": "~=", "ilike": "~=", "contains": "~=", "contain": "~=", "includes": "~=", "matches": "~=",
    "gt": ">", "gte": ">=", "ge": ">=", "lt": "<", "lte": "<=", "le": "<=",
    "before": "<", "after": ">", "above": ">", "below": "<", "between": "=", "exists": "",
}  # fmt: skip
_NEGATIVE = {"=": "!=", "!=": "="}
_UNSET = frozenset({"null", "none", "nil", "empty", "missing", "unset", "absent"})
_DIRECTIVES = ("order", "limit", "after", "distinct", "tally", "fields")
_LOOKS_LIKE = "a clause looks like `.component` or `.component.property=value`"
_EID = re.compile(r"[A-Za-z0-9_-]+")
_FAR = 200
"""What is looked at behind a word; a hint shows less."""

_LISTED = re.compile(r"[ \t\n\r\f\v]*\(([^()]*)(?:\)|\Z)|[ \t\n\r\f\v]*([^ \t\n\r\f\v()|&]+)")
_ONE = re.compile(r"""[ \t\n\r\f\v]*("[^"]*"|'[^']*'|[^ \t\n\r\f\v()|&,]+)""")
_ENDS = re.compile(
    r"[ \t\n\r\f\v]*([^ \t\n\r\f\v()|&]+)[ \t\n\r\f\v]+(?:and|&|to|,)[ \t\n\r\f\v]*([^ \t\n\r\f\v()|&]+)", re.I
)
_NEGATED = re.compile(r"[ \t\n\r\f\v]*not(?![A-Za-z0-9_.])", re.I)
_OPERATOR_WORD = re.compile(rf"(not[ \t\n\r\f\v]+)?({'|'.join(_OPERATOR_WORDS)})(?![A-Za-z0-9_.=<>!~])", re.I)
_SQL = re.compile(rf"from[ \t\n\r\f\v]+({PATH})", re.I)
_BY = re.compile(rf"[ \t\n\r\f\v]*by[ \t\n\r\f\v]+\.?({PATH})(?:[ \t\n\r\f\v]+(desc))?", re.I)
_COUNT = re.compile(r"[ \t\n\r\f\v]*([0-9]+)")
_PLAIN = re.compile(r"""[^ \t\n\r\f\v,&|()"'=!~<>]+""")


def foreign_word(failure: Failure, word: str) -> Mistake | None:
    """The mistake behind a word that is an operator, or a part of a query, in another language."""
    text, at = failure.text, failure.offset
    head, start = _head_before(text, at)
    here = _OPERATOR_WORD.match(text, at)
    if here is None or not head:
        path, behind = WHOLE_PATH.match(word), text[at + len(word) : at + len(word) + _FAR]
        rest = behind.lstrip(WHITE)
        following = _OPERATOR_WORD.match(rest)
        # `plant.window in (a, b)`: the path lacks its dot, and is no mistake once its operator is one.
        if path and path.end() == len(word) and following and rest[following.end() :].strip(WHITE):
            begin = at + len(word) + len(behind) - len(rest)
            return _operator_word(text, word, begin, following)
        return _part_of_another_language(failure, word)
    if head[:1] == "." and head[1:] in _DIRECTIVES:
        return None
    return _operator_word(text, head.lstrip("."), at, here) if start < at else None


def _operator_word(text: str, path: str, begin: int, found: re.Match[str]) -> Mistake:
    """What `path WORD …` is written as; the word, with its `not`, stands at `begin`."""
    word = found[2].lower()
    end = begin + found.end() - found.start()
    tail = text[end : end + _FAR]
    negative = found[1] is not None
    if word == "is" and (later := _NEGATED.match(tail)):
        negative, tail = True, tail[later.end() :]
        end += later.end()
    span = Span(begin, end)
    one = _ONE.match(tail)
    value = one[1] if one else "value"
    operator = _OPERATOR_WORDS[word]
    if word == "exists" or (word == "is" and value.lower() in _UNSET):
        unset = (word == "is") is not negative
        spelled, meaning = ("!" + path, "has no value") if unset else ("." + path, "has a value")
        return _no_operator(text, span, f"`.` asks for what is there, `!` for what is not: {shown(spelled, 60)}"
                            f" where it {meaning}")  # fmt: skip
    if word == "between":
        ends = _ENDS.match(tail)
        value = f"{ends[1]}..{ends[2]}" if ends else "low..high"
    elif word == "in" and (listed := _LISTED.match(tail)):
        members = (listed[1] if listed[1] is not None else listed[2]).split(",")
        value = ",".join(_value(member.strip(WHITE)) for member in members if member.strip(WHITE)) or "value,value"
    elif operator == "~=":
        value = _value(value.strip("\"'").strip("%*") or "text")
    elif one:
        value = _value(value)
    if negative and operator in _NEGATIVE:
        operator, negative = _NEGATIVE[operator], False
    spelled = f".{path}{operator}{value}"
    note = {"~=": ": `~=` looks for a text inside", "=": "", "!=": ""}.get(operator, "")
    if word in ("in", "between"):
        which = "none" if operator == "!=" else "any"
        note = f": a list means {which} of its values" if word == "in" else ": both ends belong to it"
    return _no_operator(text, span, f"write {shown(f'!({spelled})' if negative else spelled, 80)}{note}")


def _no_operator(text: str, span: Span, hint: str) -> Mistake:
    return Mistake("syntax-operator", span, f"{shown(text[span.start : span.end])} is no operator", hint)


def _value(text: str) -> str:
    return text if text[:1] in ("'", '"') or _PLAIN.fullmatch(text) else f'"{text}"'


def _part_of_another_language(failure: Failure, word: str) -> Mistake | None:
    """`SELECT …`, `… where …`, `order by …`, `limit 5`."""
    text, end, lowered = failure.text, failure.offset + len(word), word.lower()
    tail = text[end : end + _FAR]
    if not tail.strip(WHITE):
        return None
    span = Span(failure.offset, end)
    code, clauses = ("rule-bare-word", "a rule's match") if failure.rule else ("syntax-bare-word", "a query")
    message = f"{shown(word)} is no clause"
    if lowered == "select" or (lowered == "from" and WHOLE_PATH.match(tail.lstrip(WHITE))):
        named = _SQL.search(text[failure.offset : end + _FAR])
        name = named[1] if named else "component"
        return Mistake(code, span, message, f"{clauses} is no SQL: write "
                       f"{shown('.' + name)} for the rows that have that component, and conditions behind it, "
                       f"{shown(f'.{name} .{name}.property=value', 80)}")  # fmt: skip
    if lowered == "where":
        hint = f"leave it out: {clauses} is its conditions side by side, `.component.property=value`"
        return Mistake(code, span, message, hint)
    by, count = _BY.match(tail), _COUNT.match(tail)
    if failure.rule:
        return None
    if by and lowered in ("order", "sort", "group"):
        directive = "tally" if lowered == "group" else "order"
        path = by[1] if "." in by[1] else f"component.{by[1]}"
        spelled = f".{directive}={'-' if by[2] else ''}{path}"
    elif count and lowered in ("limit", "top", "first"):
        spelled = f".limit={count[1]}"
    elif count and lowered in ("offset", "skip", "after"):
        spelled = f".after={count[1]}"
    else:
        return None
    note = ": it continues behind the entity that has this `num`" if spelled.startswith(".after") else ""
    return Mistake(code, span, message, f"write {shown(spelled, 60)}{note}")


def directive_without_sign(failure: Failure) -> Mistake | None:
    """`.limit 5`, `.order -plant.height`: a directive whose `=` is a blank."""
    text, at = failure.text, failure.offset
    head, start = _head_before(text, at)
    if failure.rule or head[:1] != "." or head[1:] not in _DIRECTIVES:
        return None
    spelled = f"{head}={failure.chunk.lstrip('.')}"
    return Mistake(
        "syntax-directive-value",
        Span(start, at + len(failure.chunk)),
        f"a directive has its `=` and its value right behind it: {shown(head)} has neither",
        f"write {shown(spelled, 60)}",
        spelled,
    )


def _head_before(text: str, at: int) -> tuple[str, int]:
    """The path with its dot that stands before `at`, blanks between them, and where it begins; "" for none."""
    before = text[:at].rstrip(WHITE)
    start = len(before.rstrip(NAME_CHARACTERS + "."))
    head = before[start:]
    if len(before) == at or not WHOLE_PATH.fullmatch(head.lstrip(".")) or head[:2] == "..":
        return "", at
    return ("", at) if before[start - 1 : start] not in ("", *WHITE, ",", "&", "|", "(") else (head, start)


def bare_word(failure: Failure, word: str, span: Span) -> Mistake:
    """The mistake of a word where a clause belongs."""
    text, at = failure.text, failure.offset
    before = text[:at].rstrip(WHITE)
    code, subject = (
        ("rule-bare-word", "a rule reads components, not words")
        if failure.rule
        else ("syntax-bare-word", "full-text search is not part of this store")
    )
    clause_end = len(before.rstrip(",").rstrip(WHITE))
    clause_start = 1 + max(before.rfind(sign, 0, clause_end) for sign in (*WHITE, "&", "|", "("))
    compared = _COMPARED.match(before[clause_start:clause_end])
    path = WHOLE_PATH.fullmatch(word)
    asked = _asked(failure, word)
    if compared and before.endswith(","):
        value = before[clause_start + compared.end() : clause_end]
        return Mistake(
            "syntax-comma",
            Span(clause_end, at),
            f"after a comma and a blank a clause begins, and {shown(word)} is none",
            f"for a list write {shown(value + ',' + word, 60)} without the blank"
            + (f"; for a clause write {shown('.' + word)}" if path else ""),
        )
    if compared and len(before) < at and '"' not in before[clause_start:clause_end]:
        clause = before[clause_start:clause_end]
        words, end = [clause[compared.end() :], word], span.end
        while following := _NEXT_WORD.match(text, end):
            end = following.end()
            words.append(following.group(1))
        quoted = f'{clause[: compared.end()]}"{" ".join(words)}"'
        return Mistake(
            code,
            span,
            f"{shown(word)} is no clause",
            f"a value that has blanks needs quotes, {shown(quoted, 80)}; {subject}",
        )
    head, _ = _head_before(text, at)
    if head.startswith(".") and "." in head[1:]:
        hint = f"if it is the value of {shown(head)}, write {shown(f'{head}={_value(word)}', 80)}"
        return Mistake(code, span, f"{shown(word)} is no clause", f"{hint}; {asked}" if path else hint)
    return Mistake(code, span, f"{shown(word)} is no clause", f"{subject}; {asked}")


def _asked(failure: Failure, word: str) -> str:
    """How a word is written if it is a name: of a component, a property or an entity."""
    path = WHOLE_PATH.fullmatch(word)
    small = path is not None and word == word.lower()
    if small and "." in word:
        return f"for a property that has a value write {shown('.' + word)}"
    if failure.rule:
        return f"for a component write {shown('.' + word)}" if small else _LOOKS_LIKE
    if word == "count":
        return "for the number of rows write `.count`"
    entity = f"for an entity by its eid {'' if small else 'write '}{shown('.eid=' + word)}"
    if small:
        return f"for a component write {shown('.' + word)}, {entity}"
    return entity if _EID.fullmatch(word) else _LOOKS_LIKE
