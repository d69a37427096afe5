"""The one spelling of a schedule: equal schedules have equal texts, and each parses back to its schedule."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from wakeful_grammar.cron import Cron, Duration, Field, Star, Values
from wakeful_grammar.cron_items import WEEKDAYS
from wakeful_grammar.every import LONGEST_TEXT, SECONDS

from .months import values_mask


def canonical_text(tree: Duration | Cron, *, weekday_names: bool) -> str:
    """The canonical text; `weekday_names` for the dialect in which weekday numbers mislead."""
    if isinstance(tree, Duration):
        return duration_text(tree.seconds)
    zone = "" if tree.zone is None or tree.zone.name == "UTC" else f" {tree.zone.name}"
    fields = (
        _field_text(tree.minute, 0, 59, True),
        _field_text(tree.hour, 0, 23, True),
        _field_text(tree.day, 1, 31, False),
        _field_text(tree.month, 1, 12, True),
        _field_text(tree.weekday, 0, 6, False, WEEKDAYS if weekday_names else ()),
    )
    text = " ".join(fields) + zone
    if len(text) <= LONGEST_TEXT:
        return text
    # Unions of steps can be longer written out than any expression may be; then the spelling stays.
    written = (tree.minute, tree.hour, tree.day, tree.month, tree.weekday)
    return " ".join(field.text.upper() for field in written) + zone


def duration_text(seconds: int) -> str:
    """An elapsed time in the largest units that fit: `1h30m`; weeks only when they are whole."""
    if seconds % SECONDS["w"] == 0:
        return f"{seconds // SECONDS['w']}w"
    parts = []
    for unit in "dhms":
        amount, seconds = divmod(seconds, SECONDS[unit])
        if amount:
            parts.append(f"{amount}{unit}")
    return "".join(parts)


@lru_cache(maxsize=2048)
def _field_text(field: Field, low: int, top: int, full_is_star: bool, names: tuple[str, ...] = ()) -> str:
    """One field; `full_is_star` where naming every value is no restriction."""

    def name(value: int) -> str:
        return names[value] if names else str(value)

    if not field.restricted:
        return "*"
    item = field.items[0]
    if not isinstance(item, Star | Values):
        from .special_days import special_text

        return special_text(item, name)
    mask = values_mask(field, 7 if top == 6 else 64)
    values = [value for value in range(low, top + 1) if mask >> value & 1]
    if full_is_star and len(values) == top + 1 - low:
        return "*"
    step = values[1] - values[0] if len(values) > 2 else 0
    if step > 1 and all(b - a == step for a, b in pairwise(values)):
        if values[0] == low and values[-1] + step > top:
            return f"*/{step}"
        return f"{name(values[0])}-{name(values[-1])}/{step}"
    return ",".join(_run_text(first, last, name) for first, last in runs(values))


def runs(values: list[int]) -> list[tuple[int, int]]:
    """Ascending values as runs of neighbours."""
    found: list[tuple[int, int]] = []
    for value in values:
        if found and found[-1][1] == value - 1:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return found


def _run_text(first: int, last: int, name: Callable[[int], str]) -> str:
    if first == last:
        return name(first)
    return f"{name(first)}{',' if first + 1 == last else '-'}{name(last)}"
