"""A store that acts by itself, worked out a second time from the specification alone.

Everything is a dict in memory, one thing happens after another, every question is asked of all rows.  The app is the
one of `oracles.playground`; `now` is handed in.
"""

from __future__ import annotations

import copy
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from oracles.playground import CONDITIONS, PROPERTIES, VERSIONS, Condition, Row, Rule, Turned, Version
from oracles.wakes import FIRST_RETRY, LONGEST_RETRY, next_after

NAMESPACE = uuid.UUID("6f6d1c5e-6a0a-5d5e-9f5b-3a6f1d3c9b11")
DEPTH = 8
HOLDING = frozenset({"wake", "execution"})
MOVING = ("rising", "free")

Bundle = tuple[str, Mapping[str, Mapping[str, Any] | None]]
"""An entity and what is written into its components; `tombstone` deletes it."""


def derived(kind: str, *parts: str) -> str:
    """The eid that follows from what asked for a row."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join((kind, *parts))))


def spelled(at: datetime) -> str:
    """An instant in canonical form."""
    fraction = f".{at.microsecond:06}".rstrip("0") if at.microsecond else ""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}{fraction}Z"


def texts(wake: Mapping[str, Any] | None) -> list[str]:
    """The conditions of a wake."""
    return [entry["match"] for entry in (wake or {}).get("while") or ()]


@dataclass(slots=True)
class Entity:
    """One entity: its place among them, who wrote it first and when, its components; how its firing is held back."""

    num: int
    created: tuple[datetime, str | None]
    row: Row = field(default_factory=dict)
    retry_at: datetime | None = None
    refusals: int = 0

    @property
    def wake(self) -> dict[str, Any] | None:
        """Its wake."""
        return self.row.get("wake")

    @property
    def standing(self) -> bool:
        """Whether its wake repeats, so that its call is a request that stands."""
        return bool(self.wake and (self.wake["every"] or self.wake["while"]))

    @property
    def due(self) -> datetime | None:
        """When it is to be fired, or tried again."""
        if self.wake is None or self.wake["at"] is None:
            return None
        at: datetime = self.wake["at"]
        return at if self.retry_at is None else self.retry_at


@dataclass(frozen=True, slots=True)
class Asked:
    """A call to be run: its row's eid, how deep it lies, and its row where a rule asked for it and none is there.

    `held` are the components on its row that keep a call from running and did not when it was asked for.
    """

    eid: str
    depth: int
    unborn: tuple[dict[str, Any], str | None] | None = None
    held: frozenset[str] | set[str] = frozenset()


@dataclass(slots=True)
class Report:
    """What a tick did, in order: eids fired, eids refused, eids of the calls that ran."""

    fired: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


class Model:
    """All entities by eid, the eids that are dead, and the vocabulary that stands."""

    def __init__(self) -> None:
        self.entities: dict[str, Entity] = {}
        self.dead: set[str] = set()
        self.version: Version = VERSIONS[0]
        self.born = 0
        self.held: dict[str, set[str]] = {}
        """Of each wake the conditions that held when the last transaction ended."""
        self.latest = datetime.min.replace(tzinfo=UTC)
        self.open: dict[str, datetime] = {}
        """What may have brought a wake forward: a condition that time moves, which held already, or which holds
        because the clock was set back."""
        self.applies = 0

    def tools(self) -> dict[str, str]:
        """The names of commands by the eids of their rows."""
        return {derived("tool", name): name for name in self.version.commands}

    def command(self, to: Any) -> str | None:
        """The name of the command that a call names by name or eid, if the vocabulary knows it."""
        return to if to in self.version.commands else self.tools().get(to)

    def holds(self, condition: Condition, now: datetime, among: Iterable[str] | None = None) -> bool:
        """Whether a condition finds any row, or any of these."""
        eids = self.entities if among is None else [eid for eid in among if eid in self.entities]
        return any(condition.holds(self.entities[eid].row, now) for eid in eids)

    def next_due(self) -> datetime | None:
        """The earliest instant at which anything is to be fired or tried again."""
        return min((entity.due for entity in self.entities.values() if entity.due), default=None)

    def choose(self, at_of: Callable[[str], str | None]) -> None:
        """Of what is left open take what came, as the text of `wake.at` tells."""
        for eid, at in self.open.items():
            entity = self.entities.get(eid)
            if entity and entity.wake and at_of(eid) == spelled(at):
                entity.wake["at"] = at
        self.open.clear()

    def deploy(self, version: Version) -> None:
        """Another vocabulary; no row is touched."""
        self.version = version

    def apply(self, bundles: Sequence[Bundle], now: datetime, by: str | None) -> None:
        """Write bundles, or raise Turned."""
        work = Transaction(self, now)
        stage = Stage(work, by, lambda: ("apply", str(work.number())))
        with stage:
            stage.coming = {eid for eid, parts in bundles if "tombstone" not in parts} - self.dead
            for eid, parts in bundles:
                stage.write(eid, parts)
            stage.rules()
        work.settle(stage, 0)
        work.finish()

    def tick(self, now: datetime) -> Report:
        """Fire what is due, the oldest `at` first, then by `num`; every backlog is one firing."""
        report = Report()
        readings: dict[str, bool] = {}
        for eid in self._due(now):
            for entry in (self.entities[eid].wake or {})["while"] or ():
                readings[entry["match"]] = self.holds(CONDITIONS[entry["match"]], now)
        while due := self._due(now):
            work = Transaction(self, now)
            for eid in due:
                if eid in work.changed:
                    break
                recovered = self.account(eid) is not None
                self._fire(eid, work, readings, report)
                if recovered and eid not in report.refused:
                    break  # what becomes of the account is done with before the next firing
            work.finish()
            report.calls += work.ran
        return report

    def _due(self, now: datetime) -> list[str]:
        owed = [
            (entity.wake["at"], entity.num, eid)
            for eid, entity in self.entities.items()
            if entity.wake and entity.due is not None and entity.due <= now
        ]
        return [eid for _, _, eid in sorted(owed)]

    def _fire(self, eid: str, work: Transaction, readings: Mapping[str, bool], report: Report) -> None:
        entity = self.entities[eid]
        assert entity.wake is not None
        due = entity.wake["at"]
        cadences = [entry["every"] for entry in entity.wake["while"] or () if readings[entry["match"]]]
        cadence = [*cadences, entity.wake["every"]][0]
        stage = Stage(work, "wake", lambda: ("fired", spelled(due), eid))
        try:
            with stage:
                stage.fire(eid, due, cadence)
        except Turned:
            self._refuse(eid, work)
            report.refused.append(eid)
            return
        entity.retry_at, entity.refusals = None, 0
        report.fired.append(eid)
        work.settle(stage, 0)
        work.forget(eid)

    def account(self, eid: str) -> str | None:
        found = [key for key, known in self.entities.items() if known.row.get("refusal", {}).get("about") == eid]
        return found[0] if found else None

    def _refuse(self, eid: str, work: Transaction) -> None:
        entity = self.entities[eid]
        entity.refusals += 1
        entity.retry_at = work.now + min(FIRST_RETRY * 2 ** (entity.refusals - 1), LONGEST_RETRY)
        known = self.account(eid)
        times = 1 if known is None else self.entities[known].row["refusal"]["times"] + 1
        stage = Stage(work, "wake", None)
        with stage:
            account = known or f"refusal of {eid} at {self.born}"
            stage.write(account, {"refusal": {"about": eid, "at": work.now, "times": times}})
            stage.rules(states_only=True)
        work.settle(stage, 0)


class Transaction:
    """What all stages of one transaction changed, and the calls that they asked for."""

    def __init__(self, model: Model, now: datetime) -> None:
        self.model, self.now = model, now
        self.changed: dict[str, set[str]] = {}
        self.paused: set[str] = set()
        self.rewritten: set[str] = set()
        self.asked: deque[Asked] = deque()
        self.ran: list[str] = []
        self._number: int | None = None

    def number(self) -> int:
        """The store's count of applies that asked for calls."""
        if self._number is None:
            self.model.applies += 1
            self._number = self.model.applies
        return self._number

    def settle(self, stage: Stage, depth: int) -> None:
        """Take over what a stage that stands changed and asked for."""
        entities = self.model.entities
        for eid, names in stage.changes().items():
            self.changed.setdefault(eid, set()).update(name.partition(".")[0] for name in names)
        for eid in [eid for eid, names in stage.changes().items() if "wake.+" in names]:
            if eid in entities and entities[eid].wake is None:
                self.forget(eid)
        self.rewritten |= {eid for eid, names in stage.changes().items() if "wake" in names and eid in stage.wakes}
        for eid, pausing in stage.pauses.items():
            (self.paused.add if pausing else self.paused.discard)(eid)
        for eid in stage.to_run():
            if eid in entities:
                self.asked.append(Asked(eid, depth + 1, None, HOLDING & entities[eid].row.keys()))
        self.asked += [Asked(eid, depth + 1, (call, author)) for eid, call, author in stage.rule_calls]

    def forget(self, eid: str) -> None:
        """The account of refused firings goes: one succeeded, or there is no wake any more."""
        if known := self.model.account(eid):
            ledger = Stage(self, "wake", None)
            with ledger:
                ledger.delete(known)
                ledger.rules(states_only=True)
            self.settle(ledger, 0)

    def finish(self) -> None:
        """Run the calls asked for, first asked, first run; then arm."""
        while self.asked:
            self._run(self.asked.popleft())
        for eid in sorted(self.model.entities):
            if eid not in self.paused:
                self._arm(eid)
        self.model.latest = max(self.model.latest, self.now)
        self.model.held = {
            eid: {text for text in texts(entity.wake) if self.model.holds(CONDITIONS[text], self.now)}
            for eid, entity in self.model.entities.items()
        }

    def _run(self, asked: Asked) -> None:
        model, eid = self.model, asked.eid
        result = derived("result", eid)
        if result in model.entities or result in model.dead:
            return
        if asked.unborn is not None and (eid in model.entities or eid in model.dead):
            return
        if asked.unborn is None and (eid not in model.entities or "call" not in model.entities[eid].row):
            return
        if asked.unborn is None and (HOLDING & model.entities[eid].row.keys()) - asked.held:
            return  # an earlier call put it off, or says that it has been run
        call = asked.unborn[0] if asked.unborn else model.entities[eid].row["call"]
        author = asked.unborn[1] if asked.unborn else model.entities[eid].created[1]
        name = model.command(call["to"])
        if name is None:
            return
        self.ran.append(eid)
        stage = Stage(self, author, lambda: ("call", eid))
        state, answer = "done", None
        try:
            with stage:
                if asked.unborn is not None:
                    if call["source"] not in model.entities:
                        raise Turned("nothing refers to what is dead")
                    stage.write(eid, {"call": call})
                if asked.depth > DEPTH:
                    raise Turned("too deep")
                answer = self._output(name, call, stage, eid)
                stage.rules()
        except Turned:
            state, answer = "failed", None
            stage = Stage(self, author, None)
            if asked.unborn is not None:
                with stage:
                    stage.write(eid, {"call": call})
        self.settle(stage, asked.depth)
        self._record(eid, state, answer, asked.depth)

    def _output(self, name: str, call: Mapping[str, Any], stage: Stage, eid: str) -> dict[str, Any]:
        command = self.model.version.commands[name]
        args = command.check(call["args"])
        if command.answers is not None:
            rows = sorted(self.model.entities.items(), key=lambda item: item[1].num)
            return command.answers([(key, entity.row) for key, entity in rows], args)
        assert command.writes is not None
        aliases: dict[str, str] = {}
        for alias, target, parts in command.writes(args):
            if target is None:
                assert alias is not None
                target = derived("alias", eid, alias)
                if "#" not in alias:
                    aliases[alias] = target
            stage.write(target, parts)
        return {"aliases": aliases}

    def _record(self, eid: str, state: str, answer: Any, depth: int) -> None:
        ledger = Stage(self, "wake", lambda: ("result", eid))
        with ledger:
            if eid in self.model.entities:
                ledger.write(eid, {"execution": {"state": state, "at": self.now}})
                ledger.write(derived("result", eid), {"result": {"call": eid, "value": answer}})
            ledger.rules(states_only=True)
        self.settle(ledger, depth)

    def _arm(self, eid: str) -> None:
        model, now = self.model, self.now
        wake = model.entities[eid].wake
        if not wake or not wake["while"]:
            return
        entries = [(CONDITIONS[entry["match"]], entry["every"]) for entry in wake["while"]]
        surely = eid in self.rewritten or any(self._may_hold(eid, condition) for condition, _ in entries)
        # Whether a condition that time moves is looked at again though it held already is left open, as is what
        # comes of a clock that was set back.
        if not surely and not any(condition.moves in MOVING for condition, _ in entries):
            return
        for condition, every in entries:
            if model.holds(condition, now):
                at = next_after(every, now, None)
                if wake["at"] is None or at < wake["at"]:
                    if surely:
                        wake["at"] = at
                    else:
                        model.open[eid] = at
                return

    def _may_hold(self, eid: str, condition: Condition) -> bool:
        """Whether a condition may have become true: rows on which it holds were changed, or time has passed."""
        touched = [eid for eid, components in self.changed.items() if components & condition.reads]
        if self.model.holds(condition, self.now, touched):
            return True
        held = condition.text in self.model.held.get(eid, ()) and self.model.entities[eid].row["wake"]["at"]
        moved = condition.moves in MOVING and self.now >= self.model.latest
        return moved and not held and self.model.holds(condition, self.now)


class Stage:
    """One own write and the rules that it sets off; left by an exception, it is as if it had never been."""

    def __init__(self, work: Transaction, author: str | None, name: Callable[[], tuple[str, ...]] | None) -> None:
        self.work, self.author, self.name = work, author, name
        self.model = work.model
        self.before: dict[str, Entity | None] = {}
        self.coming: set[str] = set()
        self.dying: list[str] = []
        self.pauses: dict[str, bool] = {}
        self.wakes: set[str] = set()
        self.fired: str | None = None
        self.rule_calls: list[tuple[str, dict[str, Any], str | None]] = []
        self._counters = (self.model.born, self.model.applies, work._number)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        self.model.born, self.model.applies, self.work._number = self._counters
        for eid, entity in self.before.items():
            self.model.dead.discard(eid)
            self.model.entities.pop(eid, None)
            if entity is not None:
                self.model.entities[eid] = entity

    # --- writing ---

    def touch(self, eid: str) -> None:
        """Remember an entity as it was before the stage."""
        if eid not in self.before:
            known = self.model.entities.get(eid)
            self.before[eid] = copy.deepcopy(known) if known else None

    def write(self, eid: str, parts: Mapping[str, Mapping[str, Any] | None]) -> None:
        """One bundle, or what a rule writes on a row."""
        model = self.model
        if eid in model.dead:
            raise Turned(f"{eid} is dead")
        self.touch(eid)
        if "tombstone" in parts:
            self.delete(eid)
            return
        if eid not in model.entities:
            model.born += 1
            model.entities[eid] = Entity(model.born, (self.work.now, self.author))
        entity = model.entities[eid]
        for component, patch in parts.items():
            if patch is None:
                entity.row.pop(component, None)
                continue
            for name, given in patch.items():
                self._admit(component, name, given)
            was = entity.row.get(component) or {}
            row = entity.row[component] = {name: was.get(name) for name in PROPERTIES[component]}
            row |= {name: self._taken(component, name, given) for name, given in patch.items()}
            if component == "wake":
                self._wake(eid, entity, was, patch)

    def _admit(self, component: str, name: str, given: Any) -> None:
        if (component, name) == ("tick", "value") and given not in ("hi", "ho", None):
            raise Turned(f"{given} is no value of a tick")
        if (component, name) == ("wake", "target") and given not in {None, *self.model.entities, *self.coming}:
            raise Turned(f"{given} is no entity")

    def _taken(self, component: str, name: str, given: Any) -> Any:
        if given == "now":
            return self.work.now
        if given == "in-5-minutes":
            return self.work.now + timedelta(minutes=5)
        if (component, name) == ("call", "to") and given in self.model.version.commands:
            return derived("tool", given)
        return given

    def _wake(self, eid: str, entity: Entity, was: Mapping[str, Any], patch: Mapping[str, Any]) -> None:
        self.wakes.add(eid)
        wake = entity.row["wake"]
        if "at" in patch:
            self.pauses[eid] = patch["at"] is None
        elif wake["every"] is not None and wake["every"] != was.get("every"):
            wake["at"] = next_after(wake["every"], self.work.now, None)
        elif wake["every"] is None and wake["while"] is not None and wake["while"] != was.get("while"):
            wake["at"] = None
        entity.retry_at, entity.refusals = None, 0

    def delete(self, eid: str) -> None:
        """An entity goes for good, and what refers to it as that reference says."""
        model = self.model
        self.touch(eid)
        del model.entities[eid]
        model.dead.add(eid)
        for holder, entity in list(model.entities.items()):
            row = entity.row
            if row.get("wake", {}).get("target") == eid:
                self.touch(holder)
                del row["wake"]
            if eid in (row.get("refusal", {}).get("about"), row.get("result", {}).get("call")):
                self.delete(holder)

    def fire(self, eid: str, due: datetime, cadence: str | None) -> None:
        """The own write of a firing, and its rules."""
        now, entity = self.work.now, self.model.entities[eid]
        self.touch(eid)
        self.fired = eid
        entity.row["fired"] = {"at": now, "due": due}
        entity.row["wake"]["at"] = None if cadence is None else next_after(cadence, now, due)
        call = entity.row.get("call")
        if call is not None and entity.standing:
            occurrence = derived("call", eid, spelled(due))
            if occurrence not in self.model.entities and occurrence not in self.model.dead:
                author, self.author = self.author, entity.created[1]
                self.write(occurrence, {"call": {"to": call["to"], "args": call["args"], "source": eid, "due": due}})
                self.author = author
        self.rules()

    # --- rules ---

    def changes(self) -> dict[str, set[str]]:
        """What is other than before the stage, by eid: names of components that came, went or changed, and of
        properties, as `component.property`; under a `+` the components that came or went."""
        found: dict[str, set[str]] = {}
        for eid, was in self.before.items():
            old: Row = was.row if was else {}
            new: Row = self.model.entities[eid].row if eid in self.model.entities else {}
            names = found.setdefault(eid, set())
            for component in old.keys() | new.keys():
                one, two = old.get(component), new.get(component)
                if one == two:
                    continue
                names.add(component)
                if one is None or two is None:
                    names.add(f"{component}.+")
                one, two = one or {}, two or {}
                names |= {f"{component}.{name}" for name in one | two if one.get(name) != two.get(name)}
        return {eid: names for eid, names in found.items() if names}

    def rules(self, *, states_only: bool = False) -> None:
        """Run all that the stage sets off."""
        rules = sorted(self.model.version.rules.values(), key=lambda rule: rule.name)
        acting = [rule for rule in rules if rule.refuse is None]
        self.dying.clear()
        if self.fired is not None and not states_only:
            row = self.model.entities[self.fired].row
            for rule in [rule for rule in acting if rule.on_firing and rule.holds(row)]:
                self._act(rule, self.fired, copy.deepcopy(row))
        states = [rule for rule in acting if not rule.on_firing]
        self._states(states)
        while self.dying:
            eid = self.dying.pop(0)
            if eid in self.model.entities:
                self.delete(eid)
            self._states(states)
        if states_only:
            return
        for rule in [rule for rule in rules if rule.refuse is not None]:
            rows = [self.fired] if rule.on_firing else self._looked_at(rule)
            for eid in rows:
                if eid is not None and eid in self.model.entities and rule.holds(self.model.entities[eid].row):
                    raise Turned(rule.refuse)

    def _looked_at(self, rule: Rule) -> Iterator[str]:
        for eid, names in self.changes().items():
            seen = {name.removesuffix(".+") for name in names if name.endswith(".+")} | {
                name for name in names if "." in name
            }
            if seen & rule.reads:
                yield eid

    def _states(self, states: Iterable[Rule]) -> None:
        for rule in states:
            for eid in self._looked_at(rule):
                entity = self.model.entities.get(eid)
                if entity is not None and eid not in self.dying and rule.holds(entity.row):
                    self._act(rule, eid, copy.deepcopy(entity.row))

    def _act(self, rule: Rule, eid: str, row: Row) -> None:
        if rule.call is not None:
            command, args = rule.call
            assert self.name is not None
            call = {"to": derived("tool", command), "args": args(row), "source": eid, "due": None}
            self.rule_calls.append((derived("rule", rule.name, eid, *self.name()), call, self.author))
        writes = rule.writes(row, self.work.now)
        if "tombstone" in writes:
            self.dying.append(eid)
        elif writes:
            self.write(eid, writes)

    # --- calls ---

    def to_run(self) -> Iterator[str]:
        """The calls on rows that are to run now: written, or rid of their wake, or fired."""
        for eid, names in self.changes().items():
            entity = self.model.entities.get(eid)
            if entity is None or "call" not in entity.row:
                continue
            if eid == self.fired:
                if entity.wake is not None and not entity.standing:
                    yield eid
            elif entity.wake is None and ("call" in names or "wake.+" in names):
                yield eid
