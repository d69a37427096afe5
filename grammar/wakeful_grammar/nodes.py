"""The syntax tree of queries and rule matches.

Frozen and position-carrying: every node knows the span of text it was read from, which takes no part in
equality, so that two spellings of one query compare equal.  Names are as written; what they mean is the
compiler's business.
"""

from __future__ import annotations

from typing import Any, Literal

from .node import field, node
from .problems import Span

Operator = Literal["=", "!=", "~=", "<", "<=", ">", ">="]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "~=", "<", "<=", ">", ">=")

NOWHERE = Span(0, 0)


def _span() -> Any:
    return field(default=NOWHERE, compare=False)


@node
class Path:
    """`component`, `component.property`, or a hop `component.property.component.property`."""

    parts: tuple[str, ...]
    span: Span = _span()

    @property
    def text(self) -> str:
        return ".".join(self.parts)


# --- operands -----------------------------------------------------------------------------------


@node
class Scalar:
    """One value as text; `quoted` when quotes protected it (the text is then already unescaped)."""

    text: str
    quoted: bool = False
    span: Span = _span()


@node
class Range:
    """`low..high` (both ends in) or, with `open_end`, `low...high` (the high end out)."""

    low: Scalar
    high: Scalar
    open_end: bool = False
    span: Span = _span()


@node
class PropertyOperand:
    """`.component.property` on the right of an operator: that property of the same row."""

    path: Path
    span: Span = _span()


Item = Scalar | Range | PropertyOperand


# --- clauses ------------------------------------------------------------------------------------


@node
class Present:
    """`.path`: the component is there, the property has a value."""

    path: Path
    span: Span = _span()


@node
class Absent:
    """`!path`: exactly the complement of `.path`."""

    path: Path
    span: Span = _span()


@node
class Request:
    """`?path`: carry it in the answer when present; never filters."""

    path: Path
    span: Span = _span()


@node
class Compare:
    """`.path op item,item`; `dotted` tells whether the leading dot was written."""

    path: Path
    operator: Operator
    items: tuple[Item, ...]
    dotted: bool = field(default=True, compare=False)
    span: Span = _span()


@node
class Everything:
    """`*`: every live entity, all its components carried."""

    span: Span = _span()


@node
class And:
    terms: tuple[Node, ...]
    span: Span = _span()


@node
class Or:
    terms: tuple[Node, ...]
    span: Span = _span()


@node
class Not:
    """`!( … )`."""

    term: Node
    span: Span = _span()


Node = Present | Absent | Request | Compare | Everything | And | Or | Not


# --- directives ---------------------------------------------------------------------------------


@node
class Order:
    """`.order=path` or, `descending`, `.order=-path`."""

    path: Path
    descending: bool = False
    span: Span = _span()


@node
class Limit:
    """`.limit=N`, N a count of rows, 0 allowed."""

    count: int
    span: Span = _span()


@node
class After:
    """`.after=num-or-eid`: exactly one of `num` and `eid` is set (a quoted value is always an eid)."""

    num: int | None
    eid: str | None
    span: Span = _span()


@node
class Count:
    """`.count`."""

    span: Span = _span()


@node
class Distinct:
    """`.distinct=path`."""

    path: Path
    span: Span = _span()


@node
class Tally:
    """`.tally=path`."""

    path: Path
    span: Span = _span()


@node
class Fields:
    """`.fields=path,…`."""

    paths: tuple[Path, ...]
    span: Span = _span()


Directive = Order | Limit | After | Count | Distinct | Tally | Fields


@node
class QueryTree:
    """A whole query: what it filters by (`None` when it has no filtering clause) and its directives."""

    where: Node | None
    directives: tuple[Directive, ...] = ()
    text: str = field(default="", compare=False)

    @property
    def empty(self) -> bool:
        """The empty query, which selects nothing."""
        return self.where is None and not self.directives


# --- rule matches -------------------------------------------------------------------------------


@node
class Copy:
    """`=.component.property` in a written value, through references or not, with one constant added or taken away
    (`-7-days`, `+1`)."""

    path: Path
    sign: int = 0
    amount: str = ""
    span: Span = _span()


@node
class Write:
    """`+c` (no property), `+c.p=value`, `*c.p=value`, `*c.p=null`, `*c=null`, `*c`.

    `mark` is `+` or `*`; `value` is None where none was written.  An unquoted `null` after `*` stays a Scalar.
    """

    mark: Literal["+", "*"]
    component: str
    property: str | None = None
    value: Scalar | Copy | None = None
    span: Span = _span()


@node
class Gate:
    """`+!c`: match only while c is absent, and write it."""

    component: str
    span: Span = _span()


@node
class Tombstone:
    """`+tombstone`: delete the row."""

    span: Span = _span()


@node
class Occasion:
    """`^c`, `^c.p`, `^c.p op value`, `^!c`: `clause` is the Present, Absent or Compare it carries."""

    clause: Present | Absent | Compare
    span: Span = _span()


Mark = Write | Gate | Tombstone | Occasion


@node
class RuleTree:
    """A rule's match: its clauses, all of which must hold, and its marks, in the order written."""

    clauses: tuple[Present | Absent | Compare, ...]
    marks: tuple[Mark, ...]
    text: str = field(default="", compare=False)
