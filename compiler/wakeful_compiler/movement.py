"""How a plan's answer on an unchanged row moves as time passes (the design's section 3, "Behaviour").

`constant`: never.  `falling`: only from true to false, as `seen>=1-minute-ago` does.  `rising`: only from false to
true, as `seen<10-minutes-ago` does.  `free`: either way.

Said of every row and every pair of nows, so it errs towards `free`: of the times that move, `now` and counts of
seconds to weeks alone surely move forwards as `now` does.  Months and years are clamped to the end of a month, and
a clock that is set back takes day words, periods and clock times back with it.
"""

from __future__ import annotations

from typing import Literal

from wakeful_grammar.time_operand import Now, Offset

from .predicates import AllOf, AnyOf, Comparison, Not, Predicate, TimeBound

Movement = Literal["constant", "falling", "rising", "free"]

_TURNED: dict[Movement, Movement] = {"falling": "rising", "rising": "falling"}


def movement(predicate: Predicate) -> Movement:
    """The movement of a plan, put together from that of its leaves."""
    match predicate:
        case AllOf(terms) | AnyOf(terms):
            # Both connectives are monotone: parts that move one way make a whole that moves that way.
            moving = {movement(term) for term in terms} - {"constant"}
            return moving.pop() if len(moving) == 1 else "free" if moving else "constant"
        case Not(term):
            found = movement(term)
            return _TURNED.get(found, found)
        case Comparison(_, operator, TimeBound() as bound) if moves(bound):
            if operator == "=" or not _forwards(bound):
                return "free"
            # The bound moves forwards past a value that stands still.
            return "rising" if operator in ("<", "<=") else "falling"
        case _:
            return "constant"


def moves(bound: TimeBound) -> bool:
    """Whether a bound depends on `now`, and not on the zone alone."""
    return bound.operand is None or bound.edge == "now" or not bound.operand.constant


def _forwards(bound: TimeBound) -> bool:
    """Whether a moving bound never steps back while `now` goes forwards."""
    if bound.operand is None or bound.edge == "now":
        return True
    node = bound.operand.node
    return isinstance(node, Now) or (isinstance(node, Offset) and node.unit not in ("month", "year"))
