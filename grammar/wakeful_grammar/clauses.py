"""The parse that queries and rules share: text to a draft of clauses, marks, directives and groups.

Nodes are built while Lark parses, so nothing here recurses however deep a text nests.  A draft still holds
what only one of the two languages takes; `query.py` and `rule.py` refuse the rest, each in its own words.
This module imports lark and is itself imported at the first parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from .grammars import grammar
from .mistaken import WHITE, Mistake, Mistaken, shown
from .node import node
from .nodes import (
    Absent,
    Compare,
    Copy,
    Everything,
    Item,
    Operator,
    Path,
    Present,
    PropertyOperand,
    Range,
    Request,
    Scalar,
)
from .problems import Span

if TYPE_CHECKING:
    from .failures import Failure

MAX_LIST_VALUES = 1_000
MAX_HOPS = 4
MAX_NESTING = 8

_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LISTED = ("=", "!=", "~=")
_RANGED = ("=", "!=")


@node
class Marking:
    """`+c`, `+!c`, `*c`, `^c`, `^!c`, with operator and operands where written; only rules take one."""

    sign: str
    path: Path
    operator: str | None
    items: tuple[Item | Copy, ...]
    span: Span


@node
class Directing:
    """`.limit=…` and its kin, the operands not yet looked at; `.count` has none."""

    word: str
    items: tuple[Item | Copy, ...]
    span: Span


@node
class Group:
    """`( … )` or `!( … )`; `depth` counts parentheses as written, past its limit `alternatives` is empty."""

    negated: bool
    alternatives: tuple[Conjunction, ...]
    depth: int
    clauses: int
    span: Span


Term = Present | Absent | Request | Compare | Everything | Marking | Directing | Group


@node
class Conjunction:
    terms: tuple[Term, ...]
    depth: int
    clauses: int

    @property
    def span(self) -> Span:
        return self.terms[0].span | self.terms[-1].span


Draft = tuple[Conjunction, ...]


def read(text: str, *, rule: bool = False) -> Draft:
    """The alternatives of a text that is not blank; raises :class:`Mistaken`."""
    text = text.rstrip(WHITE)
    try:
        return cast(Draft, parser().parse(text))
    except UnexpectedInput as stopped:
        failure = _failure(text, stopped, rule)
    # What words a mistake is imported when there is one: most starts of a command meet none.
    from .mistakes import diagnose

    raise Mistaken(diagnose(failure))


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The one grammar of queries and rules, built at first use."""
    return Lark(
        grammar("query", "rule"),
        parser="lalr",
        lexer="contextual",
        transformer=_Builder(),
        maybe_placeholders=False,
    )


@lru_cache(maxsize=1)
def word_pattern() -> re.Pattern[str]:
    """What may stand as a value without quotes, as the grammar has it."""
    return re.compile(cast(Any, parser().get_terminal("WORD")).pattern.to_regexp())


def path_of(text: str, start: int) -> Path:
    """The path that `text`, found at `start`, spells; refuses hops that lack a component or a property."""
    parts = tuple(text.split("."))
    span = Span(start, start + len(text))
    if len(parts) > 2 and len(parts) % 2:
        raise Mistaken(
            Mistake(
                "syntax-path",
                span,
                f"{shown(text, 60)} follows a reference with one name, where a component and a property belong",
                _followed(parts),
            )
        )
    hops = len(parts) // 2 - 1
    if hops > MAX_HOPS:
        raise Mistaken(
            Mistake(
                "limit-hops",
                span,
                f"this path goes through {hops} references, and at most {MAX_HOPS} are followed",
                "start nearer to what is asked for",
            )
        )
    return Path(parts, span)


def _followed(parts: tuple[str, ...]) -> str:
    """How a path of this many parts goes on through its last reference."""
    reference, last = ".".join(parts[:-1]), parts[-1]
    component = parts[-2]
    return (
        f"behind the reference {shown('.' + reference, 60)} stand a component of the entity that it names and that "
        f"component's property: {shown(f'.{reference}.{component}.{last}', 80)} if the component is {shown(component)}"
    )


def _failure(text: str, stopped: UnexpectedInput, rule: bool) -> Failure:
    from .failures import Failure

    at = cast(int, stopped.pos_in_stream)
    expected: Iterable[str] = ()
    if isinstance(stopped, UnexpectedToken):
        expected = stopped.expected
        if stopped.token.type == "$END":  # it borrows the position of the token before it
            at = len(text)
    elif isinstance(stopped, UnexpectedCharacters):
        expected = stopped.allowed
    opening = subject = operator = None
    for token in _open_tokens(stopped):
        span = _span(token)
        if token.type == "OPEN":
            opening, subject, operator = Span(span.start, span.start + len(token.rstrip(WHITE))), None, None
        elif token.type in ("HEAD", "BARE", "DIRECTIVE"):
            subject, operator = span, None
        elif token.type == "OPERATOR":
            operator = span
        elif token.type in ("OR", "SEPARATOR"):
            subject = operator = None
    return Failure(text, at, frozenset(expected), rule, opening, subject, operator)


def _open_tokens(stopped: UnexpectedInput) -> Iterator[Token]:
    """The tokens that no finished rule has taken in yet, from left to right."""
    interactive = getattr(stopped, "interactive_parser", None)
    if interactive is not None:
        yield from (value for value in interactive.parser_state.value_stack if isinstance(value, Token))


def _span(token: Token) -> Span:
    return Span(cast(int, token.start_pos), cast(int, token.end_pos))


class _Builder(Transformer[Token, Any]):
    """Callbacks by rule name, each given the children of one finished rule.  It keeps nothing."""

    def start(self, children: list[Any]) -> Draft:
        return cast(Draft, children[-1])

    def disjunction(self, children: list[Any]) -> Draft:
        return tuple(child for child in children if isinstance(child, Conjunction))

    def conjunction(self, children: list[Any]) -> Conjunction:
        for index in range(1, len(children), 2):
            comma = children[index].find(",")
            if comma >= 0 and children[index][-1] == "," and _takes_commas(children[index - 1]):
                span = _span(children[index])
                raise Mistaken(
                    Mistake(
                        "syntax-comma",
                        span,
                        "a blank is missing after the comma",
                        "a list has no blanks round its commas; between clauses a blank follows the comma",
                        ", ",
                    )
                )
        terms = tuple(children[::2])
        depth = clauses = 0
        for term in terms:
            if isinstance(term, Group):
                depth = max(depth, term.depth)
                clauses += term.clauses
            else:
                clauses += 1
        return Conjunction(terms, depth, clauses)

    def group(self, children: list[Any]) -> Group:
        opening, alternatives, closing = children
        depth = 1 + max(conjunction.depth for conjunction in alternatives)
        return Group(
            opening[0] == "!",
            alternatives if depth <= MAX_NESTING else (),
            depth,
            sum(conjunction.clauses for conjunction in alternatives),
            _span(opening) | _span(closing),
        )

    def statement(self, children: list[Any]) -> Term:
        token: Token = children[0]
        span = _span(token)
        if token.type == "STAR":
            return Everything(span)
        if token.type == "COUNT":
            return Directing("count", (), span)
        sign, path = _head(token)
        if sign == ".":
            return Present(path, span)
        if sign == "!":
            return Absent(path, span)
        if sign == "?":
            return Request(path, span)
        return Marking(sign, path, None, (), span)

    def comparison(self, children: list[Any]) -> Term:
        head, operator, (items, end) = children
        sign, path = _head(head)
        span = Span(cast(int, head.start_pos), end)
        if sign in (".", ""):
            if path.parts == ("count",):
                from .failures import count_takes_nothing

                raise Mistaken(count_takes_nothing(_span(head)))
            check_operands(operator, items)
            return Compare(path, cast(Operator, str(operator)), items, sign == ".", span)
        if sign in ("!", "?"):
            raise Mistaken(_compared_head(head, operator, path))
        return Marking(sign, path, str(operator), items, span)

    def directive(self, children: list[Any]) -> Directing:
        head, (items, end) = children
        return Directing(head[1:-1], items, Span(cast(int, head.start_pos), end))

    def items(self, children: list[Any]) -> tuple[tuple[Item | Copy, ...], int]:
        items = tuple(children[::2])
        if len(items) > MAX_LIST_VALUES:
            raise Mistaken(
                Mistake(
                    "limit-list-values",
                    items[0].span | items[-1].span,
                    f"this list has {len(items):,} values, and at most {MAX_LIST_VALUES:,} are taken",
                    "split it over several queries",
                )
            )
        return items, items[-1].span.end

    def range(self, children: list[Any]) -> Range:
        low, dots, high = children
        return Range(low, high, len(dots) == 3, low.span | high.span)

    def operand(self, children: list[Any]) -> PropertyOperand | Copy:
        token: Token = children[0]
        span = _span(token)
        end = next((index for index, char in enumerate(token) if char in "+-"), len(token))
        path = path_of(token[1:end], span.start + 1)
        if end == len(token):
            return PropertyOperand(path, span)
        return Copy(path, 1 if token[end] == "+" else -1, str(token[end + 1 :]), span)

    def scalar(self, children: list[Any]) -> Scalar:
        token: Token = children[0]
        span = _span(token)
        if token.type == "WORD":
            return Scalar(str(token), False, span)
        return Scalar(_unescaped(token[1:-1], span.start + 1), True, span)


def _head(token: Token) -> tuple[str, Path]:
    """The sign before a path, empty where none was written, and the path."""
    text = token.lstrip(".!?+*^")
    length = len(token) - len(text)
    return token[:length], path_of(text, cast(int, token.start_pos) + length)


def _takes_commas(term: Term) -> bool:
    return isinstance(term, Compare) or (isinstance(term, Marking | Directing) and bool(term.items))


def _unescaped(text: str, start: int) -> str:
    if "\\" not in text:
        return text

    def replaced(found: re.Match[str]) -> str:
        known = _ESCAPES.get(found.group(1))
        if known is None:
            span = Span(start + found.start(), start + found.end())
            raise Mistaken(
                Mistake(
                    "syntax-escape",
                    span,
                    f"{shown(found.group())} is no escape",
                    r"""escapes are `\\`, `\"`, `\'`, `\n`, `\r`, `\t`; a backslash is written `\\`""",
                    "\\" + found.group(),
                )
            )
        return known

    return _ESCAPE.sub(replaced, text)


def check_operands(operator: str, items: tuple[Item | Copy, ...]) -> None:
    """Lists and ranges only where they mean something, whatever the property's type; constants nowhere."""
    whole = items[0].span | items[-1].span
    if len(items) > 1 and operator not in _LISTED:
        raise Mistaken(
            Mistake(
                "syntax-list-operator",
                whole,
                f"`{operator}` takes one value, not a list",
                "lists stand after `=`, `!=` and `~=`; quote the value if the comma belongs to it",
            )
        )
    for item in items:
        if isinstance(item, Range) and operator not in _RANGED:
            raise Mistaken(
                Mistake(
                    "syntax-range-operator",
                    item.span,
                    f"`{operator}` takes no range",
                    "ranges stand after `=` and `!=`; quote the value if the dots belong to it",
                )
            )
        if isinstance(item, PropertyOperand) and len(item.path.parts) > 2:
            text = "." + item.path.text
            raise Mistaken(
                Mistake(
                    "syntax-operand",
                    item.span,
                    f"{shown(text)} reaches beyond the row",
                    "a property on this side is one of the same row, `.component.property`; "
                    f'to mean the text, quote it: `"{text[:40]}"`',
                )
            )
        if isinstance(item, Copy):
            constant = Span(item.path.span.end, item.span.end)
            raise Mistaken(
                Mistake(
                    "syntax-operand",
                    constant,
                    "nothing is added to a property in a comparison",
                    f"write `.{item.path.text[:60]}` alone; only a value that a rule writes adds a constant",
                )
            )


def _compared_head(head: Token, operator: Token, path: Path) -> Mistake:
    span = _span(head) | _span(operator)
    if head[0] == "?":
        return Mistake(
            "syntax-request",
            span,
            "`?` asks for a path and compares nothing",
            f"write {shown(f'?{path.text} .{path.text}{operator}…', 80)}",
            f"?{path.text} .{path.text}{operator}",
        )
    opposite = {"=": "!=", "!=": "="}.get(operator)
    return Mistake(
        "syntax-negation",
        span,
        "`!` negates a path or a group, not a comparison",
        f"write `.{path.text[:60]}{opposite}…`" if opposite else f"write `!(.{path.text[:60]}{operator}…)`",
        f".{path.text}{opposite}" if opposite else None,
    )
