"""Days that move with the month: the forms with L, W and # that only cron triggers have.

Apart from the other nodes, because most programs never meet them and each class costs its share of the start-up.
"""

from __future__ import annotations

from .cron import NOWHERE
from .node import field, node
from .problems import Span


@node
class LastDay:
    """`L` or `L-n`: the day `back` days before the last of the month; a month without it is passed over."""

    back: int = 0
    span: Span = field(default=NOWHERE, compare=False)


@node
class LastWorkday:
    """`LW`: the last of Monday to Friday in the month."""

    span: Span = field(default=NOWHERE, compare=False)


@node
class NearestWorkday:
    """`dW`: the one of Monday to Friday nearest to `day` in the month; a month without it is passed over."""

    day: int
    span: Span = field(default=NOWHERE, compare=False)


@node
class LastWeekday:
    """`FRIL` or `dL`: the last such weekday (Sunday 0) of the month."""

    weekday: int
    span: Span = field(default=NOWHERE, compare=False)


@node
class NthWeekday:
    """`MON#2` or `d#k`: the k-th such weekday (Sunday 0) of the month; passed over where there is none."""

    weekday: int
    nth: int
    span: Span = field(default=NOWHERE, compare=False)


SpecialDay = LastDay | LastWorkday | NearestWorkday | LastWeekday | NthWeekday
