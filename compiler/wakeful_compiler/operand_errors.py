"""The one exception of operand typing, and the words its messages share."""

from __future__ import annotations

from wakeful_grammar.nodes import Range
from wakeful_grammar.problems import Span

from .vocab.model import Kind, Property

_EXAMPLES: dict[Kind, str] = {
    "string": "=thai",
    "number": ">=20",
    "integer": ">=20",
    "boolean": "=true",
    "instant": ">=1-hour-ago",
    "reference": "=some-eid",
}


class BadOperand(Exception):
    """An operand that the property's type cannot take: what is wrong, what to write, and where."""

    def __init__(self, span: Span, message: str, hint: str = "", code: str = "type-operand") -> None:
        super().__init__(message)
        self.span, self.message, self.hint, self.code = span, message, hint, code


def example(prop: Property) -> str:
    """A clause that this property's type takes."""
    return f".{prop.path}{_EXAMPLES.get(prop.kind, '')}"


def quoted(text: str) -> str:
    """An operand as a message shows it: in backquotes, cut when long."""
    shown = text if len(text) <= 40 else text[:37] + "…"
    return f"`{shown}`" if shown else "the empty text"


def backwards(prop: Property, item: Range) -> BadOperand:
    """The problem with a range whose low end lies above its high end."""
    dots = "..." if item.open_end else ".."
    mend = f"`.{prop.path}={item.high.text}{dots}{item.low.text}`"
    return BadOperand(item.span, f"the range for `{prop.path}` runs backwards", f"write the lower end first: {mend}")
