"""What a mark writes into a property: a constant, a moment, a copy of another property, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from wakeful_grammar.node import field, node

from ..instants import format_instant, parse_instant
from ..predicates import Constant, Read, TimeBound
from ..vocab.model import Property

if TYPE_CHECKING:
    from ..emit.readers import Lookup
    from ..times import TimeOperand

Bundle = Mapping[str, Mapping[str, Any]]


class Cleared(Enum):
    """`null`: the property has no value afterwards."""

    CLEARED = "null"


CLEARED: Final = Cleared.CLEARED


@node
class Copied:
    """A copy of a property, of the same row or through references from it, with one constant added where `step` is one.

    `step` is a number, or for a date-time the offset that is stepped.
    """

    source: Property
    step: int | float | TimeOperand | None = None
    text: str = field(default="", compare=False)

    @property
    def plain(self) -> bool:
        """Whether the value is the source's own."""
        return self.step is None

    @property
    def own(self) -> Read | None:
        """The property of the row itself that is copied; None where it is another row's."""
        return None if self.source.via else (self.source.component, self.source.name)

    def of(self, row: Bundle, target: Property, zone: tzinfo, lookup: Lookup | None = None) -> Any:
        """The value, not yet admitted by the target, for a row on which the source has one.

        Raises OverflowError for an instant outside the years 0001 to 9999.
        """
        for hop in self.source.via:
            assert lookup is not None, "a copy through a reference needs the other row"
            row = lookup(row[hop.component][hop.name])
        value = row[self.source.component][self.source.name]
        if self.step is None:
            return value
        if isinstance(self.step, int | float):
            # A `number` is a double, and adds as one; integers add exactly.
            return float(value) + float(self.step) if target.kind == "number" else value + self.step
        return format_instant(inside(self.step.edges(parse_instant(value), zone)[0], target))


WrittenValue = Constant | TimeBound | Copied | Cleared


def instant_of(bound: TimeBound, now: datetime, target: Property, zone: tzinfo) -> str:
    """The canonical instant of a moment.  Raises OverflowError outside the years 0001 to 9999."""
    from ..bounds import Bounds

    return format_instant(inside(Bounds((bound,), zone)(now)[0], target))


def inside(instant: datetime, target: Property) -> datetime:
    """The instant itself, which lies on the calendar; raises OverflowError where it does not."""
    from ..times import EARLIEST, LATEST

    # What would lie outside was moved to the edge of the calendar, where nothing else ever lies.
    if instant in (EARLIEST, LATEST):
        raise OverflowError(f"{target.path} would lie outside the years 0001 to 9999")
    return instant


def shown(value: WrittenValue) -> str:
    """The value as a message shows it."""
    from .literals import literal

    match value:
        case Cleared():
            return "null"
        case Copied():
            return value.text
        case TimeBound(operand, _):
            return "now" if operand is None else spelled(operand)
        case _:
            return literal(value)


def spelled(operand: TimeOperand) -> str:
    """A moment in words."""
    from wakeful_grammar.time_operand import Offset

    node = operand.node
    if not isinstance(node, Offset):
        return "now"
    unit = node.unit if node.count == 1 else f"{node.unit}s"
    return f"in-{node.count}-{unit}" if node.direction > 0 else f"{node.count}-{unit}-ago"
