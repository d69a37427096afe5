"""The story that `wakeful tour` tells, and the garden that it is about."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import wakeful
from wakeful import Store, VocabError, WakefulError
from wakeful.testing import ManualClock
from wakeful_compiler.instants import format_instant, parse_instant
from wakeful_compiler.zones import zone

from .console import Console
from .rows import cell

GARDEN: Mapping[str, Any] = {
    "$defs": {
        "plant": {"properties": {"window": {"type": "string"}}},
        "watered": {"properties": {"by": {"type": "string"}}},
        "waters": {"rule": True, "match": ".plant, .wake, .fired, +!watered, +watered.by=wake"},
    }
}
FERN: Mapping[str, Any] = {
    "entity": {"eid": "fern"},
    "doc": {"title": "Fern"},
    "plant": {"window": "north"},
    "wake": {"at": "2026-09-20T09:00:00Z", "note": "water me"},
}
MISSPELT = ".plnt, .wake, .fired, +!watered, +watered.by=wake"

EVENING, MORNING = "2026-09-19T18:00:00Z", "2026-09-20T09:00:00Z"
DETROIT = "20 4 * * * America/Detroit"
EXAMPLES = Path("examples", "garden")


class TourBroken(WakefulError):
    """An answer was not what the story says it must be."""


class Tour:
    """One telling of the story, on a store of its own."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._say = console.say
        self._step = 0

    def tell(self) -> None:
        """Tell it.  Raises :class:`TourBroken` at the first answer that is not what it must be."""
        self._say(("Rows that wake themselves: a garden, on a store in memory, with a clock moved by hand", "strong"))
        clock = ManualClock(parse_instant(EVENING))
        with wakeful.open(":memory:", clock=clock, by="you") as store:
            self._declare(store)
            self._plant(store)
            self._travel(store, clock)
            self._spring()
            self._catch_up(store, clock)
            self._misspell(store)
        self._what_next()

    # --- the steps ------------------------------------------------------------------------------

    def _declare(self, store: Store) -> None:
        self._title("Declare", "two components and a rule, in one vocab.json")
        self._shown('{ "$defs": {')
        for name, entry in GARDEN["$defs"].items():
            self._shown(f'    "{name}":{" " * (8 - len(name))}{json.dumps(entry)}{"," if name != "waters" else " } }"}')
        self._tell("The rule reads: a plant with a wake that has fired and (+!) is not watered yet gets (+) its water.")
        report = store.deploy(GARDEN)
        self._answer("added", ", ".join(report.added))
        self._must("the deploy adds", report.added, ["plant", "watered"])

    def _plant(self, store: Store) -> None:
        self._title("Store a fern", "and on the fern itself, when to come back for it")
        lines = [f'"{name}": {json.dumps(value)}' for name, value in FERN.items()]
        for place, line in enumerate(lines):
            self._shown(f"{'  ' if place else '{ '}{line}{',' if place < len(lines) - 1 else ' }'}")
        store.apply(FERN)
        due = store.next_due()
        self._answer("next due", "nothing" if due is None else format_instant(due))
        self._must("the store is next due", due, parse_instant(MORNING))
        early = store.tick()
        self._answer("a tick on the evening before", f"fires {len(early.fired)}")
        self._must("too early, nothing fires", early.fired, [])

    def _travel(self, store: Store, clock: ManualClock) -> None:
        self._title("Travel to the moment", f"the clock is set to {MORNING}")
        clock.set(parse_instant(MORNING))
        report = store.tick()
        self._must("one wake fires", len(report.fired), 1)
        fired = report.fired[0]
        self._tell("One transaction, one change, all of it or nothing:")
        self._must("wake.at is null", fired["wake"]["at"], None)
        for name, remark in (("fired", "stamped by the store"), ("wake", "spent"), ("watered", "written by the rule")):
            shown = f"at=null {cell(fired[name])}" if name == "wake" else cell(fired[name])
            self._answer(f"{name:<8}", f"{shown:<52}", remark)
        self._must("fired.at is the instant", fired["fired"]["at"], MORNING)
        self._must("the rule watered it", fired["watered"], {"by": "wake"})
        row = store.query(".watered, ?wake, ?fired")[0]
        self._must("a query reads the same", (row["wake"], row["fired"]), (fired["wake"], fired["fired"]))
        again = store.tick()
        self._answer("a second tick", f"fires {len(again.fired)}")
        self._must("nothing fires twice", again.fired, [])

    def _spring(self) -> None:
        self._title("Across a spring night", f"every: {DETROIT}")
        schedule, place = wakeful.every(DETROIT), zone("America/Detroit")
        self._tell(f"{schedule.describe()}; on 2026-03-08 the clocks there skip from 02:00 to 03:00.")
        occurrences: list[datetime] = []
        for moment in schedule.iter(parse_instant("2026-03-07T00:00:00Z")):
            apart = f"{(moment - occurrences[-1]) / timedelta(hours=1):g} hours later" if occurrences else ""
            occurrences.append(moment)
            self._answer(format_instant(moment), f"{moment.astimezone(place):%a %H:%M %Z}", apart)
            if len(occurrences) == 3:
                break
        self._must(
            "the occurrences are", [format_instant(moment) for moment in occurrences],
            ["2026-03-07T09:20:00Z", "2026-03-08T08:20:00Z", "2026-03-09T08:20:00Z"],
        )  # fmt: skip

    def _catch_up(self, store: Store, clock: ManualClock) -> None:
        self._title("Catch up", "a five-minute wake, and nobody there from 09:05 to 09:36")
        store.apply({"entity": {"eid": "seedling"}, "plant": {}, "wake": {"at": "2026-09-20T09:05:00Z", "every": "5m"}})
        seen: list[tuple[str, str]] = []
        for instant in ("2026-09-20T09:36:00Z", "2026-09-20T09:40:00Z"):
            clock.set(parse_instant(instant))
            report = store.tick()
            self._must(f"at {instant[11:16]} there is one firing", len(report.fired), 1)
            fired = report.fired[0]
            seen.append((fired["fired"]["due"][11:16], fired["wake"]["at"][11:16]))
            self._answer(f"at {instant[11:16]}", f"1 firing, owed since {seen[-1][0]}", f"next at {seen[-1][1]}")
        self._must("owed and next", seen, [("09:05", "09:40"), ("09:40", "09:45")])
        self._tell("Seven occurrences were missed; one firing makes up for them, and the phase is kept.")

    def _misspell(self, store: Store) -> None:
        self._title("Misspell a rule", "`.plnt` for `.plant`, and deploy that")
        entry = {**GARDEN["$defs"]["waters"], "match": MISSPELT}
        try:
            store.deploy({"$defs": {**GARDEN["$defs"], "waters": entry}})
        except VocabError as error:
            problems = error.problems
        else:
            raise TourBroken("the misspelt rule was taken")
        for problem in problems:
            self._console.problem(problem, "vocab.json")
        self._must("the problem is", [problem.code for problem in problems], ["unknown-component"])
        start = problems[0].column - problems[0].excerpt_column
        self._must("the caret stands under", problems[0].excerpt[start:].startswith("plnt"), True)
        self._must("the store keeps its rule", store.vocab.rules.ordered[0].match, GARDEN["$defs"]["waters"]["match"])
        self._tell("A refused deploy changes nothing: the store goes on with the rule that it has.")

    def _what_next(self) -> None:
        self._say()
        self._say(("Try it on a file of your own", "strong"))
        for line in what_next():
            self._shown(line)

    # --- how it is told -------------------------------------------------------------------------

    def _title(self, title: str, rest: str) -> None:
        self._step += 1
        self._say()
        self._say((f"{self._step}. {title}", "strong"), f": {rest}")

    def _tell(self, words: str) -> None:
        self._say(f"   {words}")

    def _shown(self, line: str) -> None:
        self._say(("     " + line, "name"))

    def _answer(self, name: str, words: str, remark: str = "") -> None:
        self._say("   -> ", (name, "good"), f"  {words}".rstrip(" ") if not remark else f"  {words}  ", (remark, "dim"))

    def _must(self, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            raise TourBroken(
                f"the tour's step {self._step} went wrong: {what} {wanted!r}, but the answer was {found!r}"
            )


def what_next() -> list[str]:
    """Commands for a shell in this folder, spelt so that they run as they stand."""
    name = _own_name()
    lines: list[str] = []
    vocab, fern = EXAMPLES / "vocab.json", EXAMPLES / "fern.json"
    if not (vocab.is_file() and fern.is_file()):
        vocab, fern = Path("vocab.json"), Path("fern.json")
        lines = [
            f"echo {shlex.quote(json.dumps(GARDEN))} > vocab.json",
            f"echo {shlex.quote(json.dumps(FERN))} > fern.json",
        ]
    return [
        *lines,
        f"{name} deploy {vocab} --store garden.db",
        f"{name} apply {fern} --store garden.db",
        f"{name} tick --now {MORNING} --store garden.db",
        f"{name} query '.watered, ?wake' --store garden.db",
        f"{name} next '{DETROIT}' -n 3",
    ]


def _own_name() -> str:
    """How this command is called from here: `wakeful` where the shell finds it, else by its path or module."""
    called = Path(sys.argv[0])
    if called.stem == "wakeful" and called.is_file():
        found = shutil.which("wakeful")
        if found is not None and Path(found).resolve() == called.resolve():
            return "wakeful"
        return shlex.quote(os.path.relpath(called) if called.is_relative_to(Path.cwd()) else str(called))
    return f"{shlex.quote(sys.executable)} -m wakeful"
