"""The app that the model of a store knows: each condition, rule and command as text, and beside it as Python.

Nothing here reads the language: what stands on the left of a pair is handed to the store, what stands on the right
to the model.  Rows are `{component: {property: value}}`, instants are aware datetimes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Row = dict[str, dict[str, Any]]
Written = tuple[str | None, str | None, dict[str, Any]]
"""One bundle of a template: the alias that it has, the eid that an argument gives it, what it writes."""

MINUTE = timedelta(minutes=1)


class Turned(Exception):
    """A stage is refused."""


def value(row: Row, component: str, name: str) -> Any:
    """What a property holds; None where it or its component is not there."""
    return row.get(component, {}).get(name)


# --- conditions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """`moves` is how its answer on unchanged rows can change as time passes, `reads` the components it looks at."""

    text: str
    moves: str
    reads: frozenset[str]
    holds: Callable[[Row, datetime], bool]


def seen(test: Callable[[timedelta], bool]) -> Callable[[Row, datetime], bool]:
    """A test of how long ago the player of a row was seen."""

    def holds(row: Row, now: datetime) -> bool:
        at = value(row, "player", "seen")
        return at is not None and test(now - at)

    return holds


def _conditions() -> Iterator[Condition]:
    def condition(text: str, moves: str, reads: str, holds: Callable[[Row, datetime], bool]) -> Condition:
        return Condition(text, moves, frozenset(reads.split()), holds)

    recent = seen(lambda ago: ago <= 3 * MINUTE)
    yield condition(".plant", "constant", "plant", lambda row, _: "plant" in row)
    yield condition(".plant.name=basil", "constant", "plant", lambda row, _: value(row, "plant", "name") == "basil")
    yield condition(
        ".plant !watered", "constant", "plant watered", lambda row, _: "plant" in row and "watered" not in row
    )
    yield condition(".tick.value=ho", "constant", "tick", lambda row, _: value(row, "tick", "value") == "ho")
    failed = ".execution.state=failed"
    yield condition(failed, "constant", "execution", lambda row, _: value(row, "execution", "state") == "failed")
    yield condition(".player.seen>=1-minute-ago", "falling", "player", seen(lambda ago: ago <= MINUTE))
    yield condition(".player.seen>=10-minutes-ago", "falling", "player", seen(lambda ago: ago <= 10 * MINUTE))
    plant_seen = ".plant .player.seen>=3-minutes-ago"
    yield condition(plant_seen, "falling", "plant player", lambda row, now: "plant" in row and recent(row, now))
    yield condition(".player.seen<10-minutes-ago", "rising", "player", seen(lambda ago: ago > 10 * MINUTE))
    fired = ".fired.at<5-minutes-ago"
    yield condition(
        fired, "rising", "fired", lambda row, now: "fired" in row and now - row["fired"]["at"] > 5 * MINUTE
    )  # fmt: skip
    window = ".player.seen>=10-minutes-ago .player.seen<2-minutes-ago"
    yield condition(window, "free", "player", seen(lambda ago: 2 * MINUTE < ago <= 10 * MINUTE))
    today = ".player.seen=today"
    yield condition(
        today, "free", "player",
        lambda row, now: value(row, "player", "seen") is not None and row["player"]["seen"].date() == now.date(),
    )  # fmt: skip


CONDITIONS = {condition.text: condition for condition in _conditions()}


# --- rules --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule asks of a row, what it reads, and what it does to it.

    `reads` holds components and (component, property) pairs.  `writes` gives a patch for each component; one of
    `tombstone` deletes the row.  `call` is a command and how its arguments come from the row.
    """

    name: str
    match: str
    reads: frozenset[str]
    holds: Callable[[Row], bool]
    writes: Callable[[Row, datetime], dict[str, Any]] = lambda row, now: {}
    call: tuple[str, Callable[[Row], dict[str, Any]]] | None = None
    refuse: str | None = None
    extra: Mapping[str, Any] | None = None

    @property
    def on_firing(self) -> bool:
        """Whether it is an occasion rule; here all of them are on firings."""
        return "^fired" in self.match

    @property
    def entry(self) -> dict[str, Any]:
        """The rule as the vocabulary has it."""
        refuse = {} if self.refuse is None else {"refuse": self.refuse}
        return {"rule": True, "match": self.match, **refuse, **(self.extra or {})}


def _rules(watered_by: str) -> Iterator[Rule]:
    def reads(*names: str) -> frozenset[str]:
        return frozenset(names)

    yield Rule(
        "jammed", "^fired, .jam", reads(), lambda row: "jam" in row, refuse="jammed"
    )  # fmt: skip
    yield Rule(
        "unlucky", ".tick.n=13", reads("tick", "tick.n"), lambda row: value(row, "tick", "n") == 13, refuse="unlucky"
    )  # fmt: skip
    yield Rule(
        "asks", "^fired, .asker", reads(), lambda row: value(row, "asker", "word") is not None,
        call=("echo", lambda row: {"value": row["asker"]["word"]}),
        extra={"call": "echo", "args": {"value": "=.asker.word"}},
    )  # fmt: skip
    yield Rule(
        "counts", "^fired, .count_of, *count_of.n=.count_of.n+1", reads(),
        lambda row: value(row, "count_of", "n") is not None,
        lambda row, _: {"count_of": {"n": row["count_of"]["n"] + 1}},
    )  # fmt: skip
    yield Rule(
        "dies", "^fired, .mayfly, +tombstone", reads(), lambda row: "mayfly" in row, lambda *_: {"tombstone": {}}
    )
    yield Rule(
        "snoozes", "^fired, .snoozer, +wake.at=in-10-minutes", reads(), lambda row: "snoozer" in row,
        lambda _, now: {"wake": {"at": now + 10 * MINUTE}},
    )  # fmt: skip
    yield Rule(
        "buds", ".plant.name=basil, +!asked", reads("plant", "plant.name", "asked"),
        lambda row: value(row, "plant", "name") == "basil" and "asked" not in row, lambda *_: {"asked": {}},
        call=("echo", lambda _: {"value": "ho"}), extra={"call": "echo", "args": {"value": "ho"}},
    )  # fmt: skip
    yield Rule(
        "notes_failure", ".execution.state=failed, +!noted", reads("execution", "execution.state", "noted"),
        lambda row: value(row, "execution", "state") == "failed" and "noted" not in row, lambda *_: {"noted": {}},
    )  # fmt: skip
    yield Rule(
        "waters", f".plant, .fired, +!watered, +watered.by={watered_by}", reads("plant", "fired", "watered"),
        lambda row: {"plant", "fired"} <= row.keys() and "watered" not in row,
        lambda *_: {"watered": {"by": watered_by}},
    )  # fmt: skip


# --- commands -----------------------------------------------------------------------------------

TEXT = {"type": "string"}
ENTITY = {"type": "string", "ref": "entity"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it takes, and what it writes, or how it reads all rows."""

    name: str
    entry: Mapping[str, Any]
    writes: Callable[[dict[str, Any]], list[Written]] | None = None
    answers: Callable[[list[tuple[str, Row]], dict[str, Any]], dict[str, Any]] | None = None

    def check(self, args: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments, if they fit what the command takes."""
        given = dict(args or {})
        inputs: Mapping[str, Any] = self.entry.get("input", {})
        for name, argument in given.items():
            kind = {"string": str, "integer": int}[inputs[name]["type"]] if name in inputs else None
            if kind is None or type(argument) is not kind:
                raise Turned(f"args.{name}")
        if missing := [name for name in self.entry.get("required", ()) if name not in given]:
            raise Turned(f"requires {missing}")
        return given


STEPS = 10


def _commands() -> Iterator[Command]:
    def entry(**keys: Any) -> dict[str, Any]:
        return {"tool": True, "description": "a command", **keys}

    def tick(args: Mapping[str, Any]) -> dict[str, Any]:
        return {"tick": {name: args[name] for name in ("value", "n") if name in args}}

    yield Command(
        "echo",
        entry(
            input={"value": TEXT, "n": {"type": "integer"}}, required=["value"],
            apply={"entity": {"eid": "$said"}, "tick": {"value": "$value", "n": "$n"}},
        ),
        lambda args: [("$said", None, tick(args))],
    )  # fmt: skip
    yield Command(
        "ask", entry(apply={"entity": {"eid": "$next"}, "call": {"to": "echo", "args": {"value": "hi", "n": 7}}}),
        lambda _: [("$next", None, {"call": {"to": "echo", "args": {"value": "hi", "n": 7}}})],
    )  # fmt: skip
    yield Command(
        "pair",
        entry(apply=[
            {"tick": {"value": "hi"}},
            {"entity": {"eid": "$first"}, "call": {"to": "ask"}},
            {"entity": {"eid": "$second"}, "call": {"to": "echo", "args": {"value": "hum"}}},
        ]),
        lambda _: [
            ("$#/0", None, {"tick": {"value": "hi"}}),
            ("$first", None, {"call": {"to": "ask"}}),
            ("$second", None, {"call": {"to": "echo", "args": {"value": "hum"}}}),
        ],
    )  # fmt: skip
    for step in range(1, STEPS + 1):
        asked: dict[str, Any] = {"to": f"step_{step + 1}"} if step < STEPS else {"to": "echo", "args": {"value": "ho"}}
        yield Command(
            f"step_{step}", entry(apply={"call": asked}), lambda _, asked=asked: [("$#/0", None, {"call": asked})]
        )  # fmt: skip
    yield Command(
        "name_plant",
        entry(
            input={"plant": ENTITY, "name": TEXT}, required=["plant"],
            apply={"entity": {"eid": "$plant"}, "plant": {"name": "$name"}},
        ),
        lambda args: [(None, args["plant"], {"plant": {"name": args["name"]} if "name" in args else {}})],
    )  # fmt: skip
    for name, (component, patch) in {
        "see": ("player", {"seen": "now"}), "snooze": ("wake", {"at": "in-5-minutes"}), "stop": ("wake", None),
    }.items():  # fmt: skip
        yield Command(
            name,
            entry(input={"who": ENTITY}, required=["who"], apply={"entity": {"eid": "$who"}, component: patch}),
            lambda args, component=component, patch=patch: [(None, args["who"], {component: patch})],
        )  # fmt: skip
    yield Command(
        "find", entry(input={"name": TEXT}, required=["name"], query=".plant.name=$name"),
        answers=lambda rows, args: {"rows": [
            {"eid": eid, "plant": row["plant"]} for eid, row in rows if value(row, "plant", "name") == args["name"]
        ]},
    )  # fmt: skip
    yield Command(
        "tally", entry(query=".tick .count"), answers=lambda rows, _: {"count": sum("tick" in row for _, row in rows)}
    )  # fmt: skip
    yield Command(
        "later", entry(apply={"entity": {"eid": "$late"}, "tick": {"value": "ho", "n": 2}}),
        lambda _: [("$late", None, {"tick": {"value": "ho", "n": 2}})],
    )  # fmt: skip


# --- versions -----------------------------------------------------------------------------------

SEEN = {"type": "string", "format": "date-time"}
COMPONENTS: Mapping[str, Mapping[str, Any]] = {
    "player": {"seen": SEEN}, "plant": {"name": TEXT, "pot": TEXT}, "jam": {}, "count_of": {"n": {"type": "integer"}},
    "asker": {"word": TEXT}, "snoozer": {}, "mayfly": {}, "watered": {"by": TEXT}, "asked": {}, "noted": {},
    "tick": {"value": {"type": "string", "enum": ["hi", "ho"]}, "n": {"type": "integer"}},
}  # fmt: skip
PROPERTIES: Mapping[str, tuple[str, ...]] = {
    **{name: tuple(properties) for name, properties in COMPONENTS.items()},
    "wake": ("at", "every", "while", "note", "target"), "fired": ("at", "due"),
    "call": ("to", "args", "source", "due"), "execution": ("state", "at"), "result": ("call", "value"),
    "refusal": ("about", "at", "times"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """One vocabulary: what is deployed, and the rules and commands that it brings."""

    rules: Mapping[str, Rule]
    commands: Mapping[str, Command]

    @property
    def document(self) -> dict[str, Any]:
        """The vocab.json."""
        entries: dict[str, Any] = {name: {"properties": dict(given)} for name, given in COMPONENTS.items()}
        entries |= {name: rule.entry for name, rule in self.rules.items()}
        entries |= {name: dict(command.entry) for name, command in self.commands.items()}
        return {"$defs": entries}


def _version(watered_by: str, *without: str) -> Version:
    return Version(
        {rule.name: rule for rule in _rules(watered_by) if rule.name not in without},
        {command.name: command for command in _commands() if command.name not in without},
    )


VERSIONS = (_version("wake", "later"), _version("rain", "tally", "buds", "counts"))
