"""A store to play a case in: a vocabulary on disk, a manual clock, and short ways to write and look."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import wakeful
from wakeful.testing import ManualClock

Bundle = dict[str, Any]

NOON = "2026-09-26T12:00:00Z"


def instant(text: str) -> datetime:
    """The instant that a vector names."""
    return datetime.fromisoformat(text).astimezone(UTC)


def vocab_file(folder: Path, document: Mapping[str, Any]) -> Path:
    """A vocab.json with this content."""
    path = folder / "vocab.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def components(**defs: Mapping[str, Any] | None) -> dict[str, Any]:
    """A vocabulary of components, each given as {property: type} or {property: schema}."""
    entries: dict[str, Any] = {}
    for name, properties in defs.items():
        schemas = {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in (properties or {}).items()}
        entries[name] = {"properties": schemas}
    return {"$defs": entries}


def with_rules(document: Mapping[str, Any], **rules: str | Mapping[str, Any]) -> dict[str, Any]:
    """The vocabulary and these rules, each given as its match or as a whole entry."""
    entries = {
        name: {"rule": True, "match": rule} if isinstance(rule, str) else dict(rule) for name, rule in rules.items()
    }
    return {**document, "$defs": {**document["$defs"], **entries}}


class World:
    """One store, its clock, and the folder its vocabularies are written to."""

    def __init__(self, folder: Path, vocab: Mapping[str, Any] | None = None, now: str = NOON, **options: Any) -> None:
        self.folder = folder
        self.clock = ManualClock(instant(now))
        self.store = wakeful.open(":memory:", clock=self.clock, **options)
        if vocab is not None:
            self.deploy(vocab)

    def deploy(self, vocab: Mapping[str, Any]) -> Any:
        return self.store.deploy(vocab_file(self.folder, vocab))

    def travel(self, to: str) -> None:
        self.clock.set(instant(to))

    def pass_time(self, **duration: float) -> None:
        self.clock.advance(timedelta(**duration))

    def put(self, eid: str, /, **changes: Any) -> Any:
        """Apply one bundle about one entity."""
        return self.store.apply({"entity": {"eid": eid}, **changes})

    def tick(self, now: str | None = None) -> Any:
        """Move the clock, if told to, and fire what is due."""
        if now is not None:
            self.travel(now)
        return self.store.tick()

    def row(self, eid: str, *carried: str) -> Bundle:
        """The entity with these components, those that it has; its absence is an error."""
        requests = "".join(f" ?{name}" for name in carried)
        found = self.store.query(f'.eid="{eid}"{requests}')
        assert len(found) == 1, f"{eid}: {found}"
        return dict(found[0])

    def exists(self, eid: str) -> bool:
        return bool(self.store.query(f'.eid="{eid}"'))
