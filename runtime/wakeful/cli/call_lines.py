"""Calls as a person reads them: a line each, and those that failed stand out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .console import Console, Look

if TYPE_CHECKING:
    from wakeful import CallReport, Store

_WORDS: Mapping[str, tuple[str, Look]] = {
    "done": ("ran", "good"),
    "failed": ("failed", "bad"),
    "skipped": ("skipped", "warn"),
    "running": ("running", "warn"),
    "waiting": ("waiting", "dim"),
}


def show_call(call: CallReport, console: Console) -> None:
    """One call on one line: since when it stands so, how, which command, for whom, and why not."""
    word, look = _WORDS.get(call.state, (call.state, ""))  # an app may write states of its own
    asked = f" for {call.source}" if call.source else ""
    took = f", {milliseconds(call.ms)} ms" if call.ms else ""
    why = f": {call.error}" if call.error else ": no worker has taken it yet" if call.state == "waiting" else ""
    console.say(
        f"{call.at}  ", (f"{word} ", look), (call.command or "-", "name"), f"{asked} ({call.eid}{took})",
        (why, "bad" if call.state == "failed" else ""),
    )  # fmt: skip


def show_calls(calls: Sequence[CallReport], console: Console) -> None:
    """A table of calls."""
    console.table(
        ["when", "command", "call", "state", "ms", "error"],
        [
            [call.at or "", call.command or "", call.eid, call.state, milliseconds(call.ms), call.error or ""]
            for call in calls
        ],
    )


def milliseconds(ms: float | None) -> str:
    """How long a call took, as one reads it."""
    return "" if ms is None else f"{ms:,.0f}" if ms >= 10 or ms == int(ms) else f"{ms:.1f}"


def counted(calls: Iterable[CallReport]) -> list[str]:
    """How many ended how: `2 calls ran`, `1 failed`."""
    states = [call.state for call in calls]
    if not states:
        return []
    ran = states.count("done")
    words = [f"{ran} {'call' if ran == 1 else 'calls'} ran"]
    for state, word in (("failed", "failed"), ("skipped", "skipped"), ("running", "running"), ("waiting", "waiting")):
        if state in states:
            words.append(f"{states.count(state)} {word}")
    return words


def calls_of(changes: Iterable[Mapping[str, Any]], store: Store, *, kept: bool) -> list[CallReport]:
    """The calls among the changes of a write, in their order; where nothing was kept, as they would have been."""
    from wakeful import CallReport
    from wakeful.ids import tool_eid

    changes = list(changes)
    ran = {bundle["entity"]["eid"]: bundle for bundle in changes if bundle.get("execution")}
    stored = {call.eid: call for call in store.calls(eids=list(ran), limit=len(ran))} if ran else {}
    if kept:
        return [stored[eid] for eid in ran if eid in stored]
    names = {tool_eid(name): name for name in store.vocab.commands}
    took = {bundle["result"]["call"]: bundle["result"]["ms"] for bundle in changes if bundle.get("result")}
    found = []
    for eid, bundle in ran.items():
        was, call, execution = stored.get(eid), bundle.get("call"), bundle["execution"]
        to = names.get(call["to"], call["to"]) if call else was.command if was else None
        source = call["source"] if call else was.source if was else None
        found.append(
            CallReport(
                eid, to, execution["state"], execution["at"], took.get(eid), execution["error"], source,
                call["due"] if call else was.due if was else None,
            )
        )  # fmt: skip
    return found


def without_accounts(changes: Iterable[Mapping[str, Any]], store: Store) -> list[Mapping[str, Any]]:
    """The changes without what the store keeps of calls, which their lines say; commands by their names."""
    from wakeful.ids import tool_eid

    names = {tool_eid(name): name for name in store.vocab.commands}
    shown: list[Mapping[str, Any]] = []
    for bundle in changes:
        rest = {name: value for name, value in bundle.items() if name not in ("execution", "result")}
        if len(rest) < len(bundle) and rest.keys() <= {"entity", "created", "updated"}:
            continue
        if rest.get("call"):
            rest["call"] = {**rest["call"], "to": names.get(rest["call"]["to"], rest["call"]["to"])}
        shown.append(rest)
    return shown
