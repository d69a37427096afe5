"""Plays a timeline of examples/apps: a store, a manual clock, and at each moment what must have come of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import wakeful
from wakeful.testing import ManualClock

APPS = Path(__file__).parents[2] / "examples" / "apps"

STEP_KEYS = frozenset({"at", "what", "down", "fired", "apply", "refused", "rows", "answers", "next_due"})

Row = Mapping[str, Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Firing:
    """One firing: the entity, and the instant at which it took place."""

    eid: str
    at: datetime


def timeline(app: str) -> dict[str, Any]:
    """The timeline of an app."""
    document: dict[str, Any] = json.loads((APPS / app / "timeline.json").read_text(encoding="utf-8"))
    return document


def play(app: str, vocab: str = "vocab.json") -> list[Firing]:
    """Play it, and raise AssertionError at the first moment that is not as told; every firing in its order."""
    steps = timeline(app)["steps"]
    clock = ManualClock(_instant(steps[0]["at"]))
    firings: list[Firing] = []
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(APPS / app / vocab)
        for step in steps:
            _play(store, clock, step, firings)
    return firings


def _play(store: wakeful.Store, clock: ManualClock, step: Mapping[str, Any], firings: list[Firing]) -> None:
    when = f"{step['at']} {step.get('what', '')}".rstrip()
    assert step.keys() <= STEP_KEYS, f"{when}: unknown keys {sorted(step.keys() - STEP_KEYS)}"
    before = len(firings)
    pass_time(store, clock, _instant(step["at"]), firings, watched=not step.get("down", False))
    if "fired" in step:
        assert [firing.eid for firing in firings[before:]] == step["fired"], when
    if "apply" in step:
        _apply(store, step["apply"], step.get("refused"), when)
    for eid, expected in step.get("rows", {}).items():
        _look(store, eid, expected, when)
    for query, eids in step.get("answers", {}).items():
        assert [row["entity"]["eid"] for row in store.query(query)] == eids, f"{when}: {query}"
    if "next_due" in step:
        due = store.next_due()
        assert due == (None if step["next_due"] is None else _instant(step["next_due"])), when


def pass_time(
    store: wakeful.Store, clock: ManualClock, until: datetime, firings: list[Firing], *, watched: bool
) -> None:
    """Let time pass to an instant: `watched`, each wake fires when it is due; else what is due by then fires then."""
    while watched and (due := store.next_due()) is not None and due < until:
        clock.set(max(due, clock.now()))
        firings += _tick(store, clock)
    clock.set(until)
    firings += _tick(store, clock)


def _tick(store: wakeful.Store, clock: ManualClock) -> list[Firing]:
    report = store.tick()
    assert not report.refused, report.refused
    return [Firing(bundle["entity"]["eid"], clock.now()) for bundle in report.fired]


def _apply(store: wakeful.Store, bundles: Any, refused: str | None, when: str) -> None:
    try:
        store.apply(bundles)
    except wakeful.Refused as error:
        assert refused is not None and refused in str(error), f"{when}: {error}"
    else:
        assert refused is None, f"{when}: it was not refused"


def _look(store: wakeful.Store, eid: str, expected: Row | None, when: str) -> None:
    components: Sequence[str] = list(expected or ())
    found = store.query(f'.eid="{eid}"' + "".join(f" ?{name}" for name in components))
    if expected is None:
        assert not found, f"{when}: {eid} is still there"
        return
    assert len(found) == 1, f"{when}: {eid} is not there"
    for name in components:
        assert _given(found[0].get(name)) == expected[name], f"{when}: {eid}"


def _given(component: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The component without the properties that are unset."""
    return None if component is None else {key: value for key, value in component.items() if value is not None}


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
