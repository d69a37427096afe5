"""A tick's report as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .console import Console
from .rows import cell, eid_of

_OWN = ("entity", "fired", "wake", "updated", "execution")  # how a call ended is told in a line of its own


def show_fired(bundle: Mapping[str, Any], console: Console) -> None:
    """One firing on one line: when, which row, what was owed, what comes next, and what the rules wrote."""
    fired, wake = bundle["fired"], bundle.get("wake")
    late = "" if fired["due"] == fired["at"] else f" (due {fired['due']})"
    following = "ended" if wake is None else f"next {wake['at']}" if wake["at"] else "no next"
    written = [f"{name} {cell(value, name)}" for name, value in bundle.items() if name not in _OWN]
    console.say(
        f"{fired['at']}  ", ("fired ", "good"), (eid_of(bundle), "name"), f"{late}, {following}",
        *([f"; {', '.join(written)}"] if written else []),
    )  # fmt: skip


def show_refused(at: datetime, refused: Mapping[str, str], console: Console) -> None:
    """One wake whose firing was refused, on one line."""
    from wakeful_compiler.instants import format_instant

    console.say(f"{format_instant(at)}  ", ("refused ", "bad"), (refused["eid"], "name"), f": {refused['error']}")
