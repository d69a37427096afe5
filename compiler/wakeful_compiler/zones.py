"""Time zones, from the tzdata package alone.

The host's zone files are never read, so that one schedule has the same instants on every machine; the names
are those that tzdata lists, letter for letter.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from io import BytesIO
from pkgutil import get_data
from typing import TYPE_CHECKING

from wakeful_grammar.problems import WakefulError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"(?:UTC|GMT|Z)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?", re.ASCII | re.IGNORECASE)
_FAMILIAR = {
    "z": "UTC", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pt": "America/Los_Angeles",
    "mdt": "America/Denver", "mt": "America/Denver", "cst": "America/Chicago", "cdt": "America/Chicago",
    "ct": "America/Chicago", "edt": "America/New_York", "et": "America/New_York", "bst": "Europe/London",
    "cest": "Europe/Berlin", "eest": "Europe/Helsinki", "west": "Europe/Lisbon", "msk": "Europe/Moscow",
    "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "kst": "Asia/Seoul", "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney", "nzst": "Pacific/Auckland", "nzdt": "Pacific/Auckland",
}  # fmt: skip
_LONGEST_NAME = 40


class UnknownZone(WakefulError):
    """A zone name that tzdata does not list: the `reason`, a `hint`, and a `near` name if there is one."""

    def __init__(self, name: str, reason: str, hint: str, near: str | None = None) -> None:
        self.name = name
        self.reason = reason
        self.hint = hint
        self.near = near
        super().__init__(f"{reason}: {hint}")


@cache
def zone_names() -> frozenset[str]:
    """Every zone name that tzdata lists."""
    return frozenset(line for line in _data("zones").decode("ascii").split("\n") if line)


@cache
def zone(name: str) -> ZoneInfo:
    """The zone that tzdata lists under exactly this name.

    Raises :class:`UnknownZone`, with a near name where there is one, for anything else: offsets, `Z`, another
    spelling, paths.  Rule: the design's section 5, "Zones come from the tzdata package alone".
    """
    from zoneinfo import ZoneInfo

    if name not in zone_names():
        raise _unknown(name)
    return ZoneInfo.from_file(BytesIO(_data(f"zoneinfo/{name}")), key=name)


def _data(path: str) -> bytes:
    # importlib.resources does the same and would add 10 ms to the start of a command.
    data = get_data("tzdata", path)
    assert data is not None, "every loader of packages reads files"
    return data


@cache
def tzdata_version() -> str:
    """The release of the zone data in use, such as `2026a`."""
    return str(import_module("tzdata").IANA_VERSION)


def _unknown(name: str) -> UnknownZone:
    shown = ascii(name[:_LONGEST_NAME])[1:-1] + ("…" if len(name) > _LONGEST_NAME else "")
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        mirrored = f"Etc/GMT{'-' if sign == '+' else '+'}{int(hours)}"
        fixed = mirrored if not int(minutes or 0) and mirrored in zone_names() and int(hours) else None
        hint = "name a place, such as Europe/Berlin"
        if fixed:
            hint += f"; for a clock that never changes there is {fixed} (its sign is turned round)"
        return UnknownZone(name, f"`{shown}` is an offset, not a zone", hint, fixed)
    near = _near(name)
    if name.lower() == "z":
        hint = "write UTC, or leave the zone out"
    elif name.lower() in ("local", "localtime", "posixrules"):
        hint = "name the place, such as Europe/Berlin: a schedule is the same on every machine"
    else:
        hint = f"write {near}" if near else "write a name of the tz database, such as America/Detroit or UTC"
    return UnknownZone(name, f"`{shown}` is no zone that tzdata lists", hint, near)


def _near(name: str) -> str | None:
    """The listed name that was probably meant."""
    if len(name) > _LONGEST_NAME or not name.isascii():
        return None
    wanted = name.lower()
    if wanted in _FAMILIAR:
        return _FAMILIAR[wanted]
    plain = wanted.replace(" ", "_").replace("-", "_")
    city = plain.rpartition("/")[2]
    # Places are looked at before old aliases such as Eire, which have no region.
    names = sorted(zone_names(), key=lambda known: ("/" not in known, known))
    for known in names:
        if known.lower().replace("-", "_") == plain:
            return known
    for known in names:
        if known.lower().rpartition("/")[2].replace("-", "_") == city:
            return known
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None)
    matcher.set_seq2(city)
    best, best_ratio = None, 0.75
    for known in names:
        tail = known.lower().rpartition("/")[2]
        if tail[:1] != city[:1] or abs(len(tail) - len(city)) > 3:
            continue
        matcher.set_seq1(tail)
        if matcher.real_quick_ratio() > best_ratio and (ratio := matcher.ratio()) > best_ratio:
            best, best_ratio = known, ratio
    return best
