"""Which names an entry and a property may have (the design's section 1)."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..texts import shown
from .builtin import builtin_components
from .report import Report

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
NAME_LENGTH = 40

RESERVED = {
    "entity": "every row has its `entity`",
    "eid": "`.eid=` always means the entity's own id",
    "num": "`.num=` always means the entity's own number",
    "count": "`.count` asks a query for the number of rows",
}
"""Names that no entry and no property may have, with the reason."""

BUILT_IN = frozenset(builtin_components())


def check_name(report: Report, pointer: str, name: str, what: str, beside: Collection[str] = ()) -> bool:
    """Whether an entry or a property may have the name; if not, the problem is reported at its key.

    `what` is "entry" or the property's component; `beside` are the names that stand next to it, which no hint
    proposes.
    """
    is_entry = what == "entry"
    called = shown(name) if is_entry else f"{what}.{name}" if NAME.fullmatch(name) else f"{shown(name)} of {what}"
    if NAME.fullmatch(name) is None:
        better = suggestion(name, {*beside, *(("tombstone",) if is_entry else ())})
        if len(name) > NAME_LENGTH and NAME.fullmatch(name[:NAME_LENGTH]) and re.fullmatch("[a-z0-9_]+", name):
            report.add(
                pointer,
                "vocab-name",
                f"the name {called} has {len(name)} characters; the limit is {NAME_LENGTH}",
                "choose a shorter one",
                on_key=True,
            )
            return False
        report.add(
            pointer,
            "vocab-name",
            f"{called} is not a name: names are small letters, digits and _, a letter first",
            f"call it {better}" if better else "for example `watered_at`",
            on_key=True,
        )
        return False
    if name in RESERVED:
        report.add(
            pointer,
            "vocab-name-taken",
            f"the name {called} is taken: {RESERVED[name]}",
            "choose another name",
            on_key=True,
        )
        return False
    if name in BUILT_IN:
        report.add(
            pointer,
            "vocab-name-taken",
            f"the name {called} is taken by a built-in component",
            f"call yours something else, for example {suggestion(f'my_{name}', beside)}",
            on_key=True,
        )
        return False
    if is_entry and name == "tombstone":
        report.add(
            pointer,
            "vocab-name-taken",
            'the name "tombstone" is taken: in a bundle it deletes the row',
            f"choose another name, for example {suggestion('grave', beside)}",
            on_key=True,
        )
        return False
    return True


def suggestion(name: str, beside: Collection[str] = ()) -> str:
    """A name that may be had, as near as can be to one that may not; "" when nothing is left of it."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    plain = re.sub(r"[^a-z0-9]+", "_", snake.lower()).strip("_")[:NAME_LENGTH]
    plain = plain if plain[:1].isalpha() else f"n{plain}"[:NAME_LENGTH] if plain else ""
    if NAME.fullmatch(plain) is None:
        return ""
    spelled = (plain, *(f"{plain[: NAME_LENGTH - 2]}_{number}" for number in range(2, 10)))
    free = (one for one in spelled if one not in RESERVED and one not in BUILT_IN and one not in beside)
    return next((f"`{one}`" for one in free), "")
