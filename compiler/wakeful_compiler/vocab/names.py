"""Which names an entry and a property may have (the design's section 1)."""

from __future__ import annotations

import re

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


def check_name(report: Report, pointer: str, name: str, what: str) -> bool:
    """Whether an entry or a property may have the name; if not, the problem is reported at its key.

    `what` is "entry" or the property's component.
    """
    is_entry = what == "entry"
    called = shown(name) if is_entry else f"{what}.{name}" if NAME.fullmatch(name) else f"{shown(name)} of {what}"
    if NAME.fullmatch(name) is None:
        better = suggestion(name)
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
            f"call yours something else, for example `my_{name}`",
            on_key=True,
        )
        return False
    if is_entry and name == "tombstone":
        report.add(
            pointer,
            "vocab-name-taken",
            'the name "tombstone" is taken: in a bundle it deletes the row',
            "choose another name, for example `grave`",
            on_key=True,
        )
        return False
    return True


def suggestion(name: str) -> str:
    """A name that may be had, as near as can be to one that may not; "" when nothing is left of it."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    plain = re.sub(r"[^a-z0-9]+", "_", snake.lower()).strip("_")[:NAME_LENGTH]
    plain = plain if plain[:1].isalpha() else f"n{plain}" if plain else ""
    return f"`{plain}`" if NAME.fullmatch(plain) and plain not in RESERVED and plain not in BUILT_IN else ""
