"""The garden that fuzzing is about: each type, each kind of reference, rule and mark is in it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import wakeful
from wakeful.testing import ManualClock

NOW = datetime(2026, 3, 8, 6, 59, 30, tzinfo=UTC)
"""Half a minute before the clocks of Detroit are put forward."""

VOCAB: Mapping[str, Any] = {
    "zone": "America/Detroit",
    "$defs": {
        "plant": {
            "properties": {
                "window": {"type": "string", "index": True},
                "height": {"type": "number", "minimum": 0},
                "leaves": {"type": "integer"},
                "thirsty": {"type": "boolean"},
                "seen": {"type": "string", "format": "date-time"},
                "beside": {"type": "string", "ref": "plant", "death": "cascade"},
                "pot": {"type": "string", "ref": "entity", "death": "detach"},
                "waterings": {"type": "integer", "maximum": 3},
                "tags": {"type": "array", "items": {"type": "string"}},
                "soil": {"type": "object"},
                "code": {"type": "string", "pattern": "^[a-z]+[0-9]{2}$"},
                "kind": {"enum": ["herb", "tree", None], "type": ["string", "null"]},
                "link": {"type": "string", "format": "uri"},
            },
            "required": ["window"],
        },
        "watered": {"properties": {"by": {"type": "string"}, "at": {"type": "string", "format": "date-time"}}},
        "recipe": {"properties": {"serves": {"type": "number"}, "minutes": {"type": "number"}}},
        "shelf": {"properties": {"aisle": {"type": "string"}}},
        "waters": {"rule": True, "match": ".plant, .wake, .fired, +!watered, +watered.by=wake, +watered.at=now"},
        "shelves": {"rule": True, "match": ".recipe, +!shelf, +shelf.aisle=Z"},
        "counts": {"rule": True, "match": "^fired, *plant.waterings=.plant.waterings+1, +watered.at=now"},
        "moves": {"rule": True, "match": "^plant.seen, +wake.at=.plant.seen+3-days, *watered=null"},
        "clears": {"rule": True, "match": "^plant.window=dark, *plant.height=null, *plant.leaves=null"},
        "holds": {"rule": True, "match": ".doc.title~=frozen, ^fired", "refuse": "it is frozen"},
        "ends": {"rule": True, "match": ".recipe.minutes<0, +tombstone"},
        "wakes": {"rule": True, "match": ".shelf.aisle=daily, +!wake, +wake.every=@daily"},
    },
}
BUNDLES: tuple[dict[str, Any], ...] = (
    {"entity": {"eid": "fern"}, "plant": {"window": "north"}, "wake": {"at": "2026-03-08T06:00:00Z", "every": "1d"}},
    {"entity": {"eid": "fern"}, "plant": {"window": "n", "height": 2.5, "leaves": 12, "thirsty": True, "tags": ["a"]}},
    {"entity": {"eid": "$ivy"}, "plant": {"window": "s", "beside": "$ivy", "seen": "now", "soil": {"ph": 6.5}}},
    {"entity": {"eid": "fern"}, "wake": {"every": "30 2 * * * America/Detroit", "at": None, "note": "n"}},
    {"entity": {"eid": "fern"}, "$was": {"plant": {"window": "north"}}, "plant": {"window": "south"}},
    {"entity": {"eid": "fern"}, "$absent": ["plant"], "plant": {"window": "x", "code": "ab12", "kind": "herb"}},
    {"entity": {"eid": "fern"}, "tombstone": {}},
    {"entity": {"eid": "oak", "tombstone": {}}},
    {"plant": {"window": "w", "beside": {"plant": {"window": "v"}}, "link": "https://example.org/a"}},
    {"entity": {"eid": "fern"}, "plant": {"window": "dark", "waterings": 2, "pot": "oak"}, "doc": {"title": "frozen"}},
    {"entity": {"eid": "oak"}, "plant": {"window": "e", "seen": "2026-03-08T00:00:00Z", "beside": "fern"}},
    {"entity": {"eid": "soup"}, "recipe": {"minutes": -1}, "wake": {"every": "5m", "at": "2026-03-08T06:59:30Z"}},
    {"entity": {"eid": "soup"}, "recipe": {"serves": 4, "minutes": 20}, "shelf": {"aisle": "daily"}, "doc": None},
)

QUERIES = (
    ".plant.window=north,south ?wake", ".plant.height>=2.5 .plant.leaves=1..12", ".plant.leaves!=3...9,20",
    ".plant.thirsty=true|.plant.thirsty=0", ".plant.seen>=1-month-ago", ".plant.seen=today",
    ".plant.seen=yesterday..9am",
    ".plant.seen<'2026-03-08 02:30'", ".plant.beside=fern", "!plant.tags .plant.soil", ".plant.window~=\"NÖRTH\"",
    ".plant.kind=herb (.plant.code>='ab12'|!plant.code)", ".wake.at<=in-3-days .order=-wake.at .limit=5 .after=fern",
    ".recipe.minutes=2e1", ".recipe.serves!=4", ".count .plant", ".plant .order=plant.height .after=1 .limit=2",
    ".created.at>now", ".eid=fern", ".num=1..9", "!( .plant )", "*", ".plant.beside.plant.window=north",
    ".distinct=plant.kind", ".plant.beside.plant.pot.doc.title=x", "!( .plant.beside.wake.at | !wake )",
    ".plant .fields=plant.window,doc.title", ".tally=plant.leaves",
    ".plant.height>.plant.leaves", "window=north",
    ".plant.link='https://example.org/a' .doc.title~=a,b", ".fired.due=last-week", ".watered.at=noon|.watered.by=''",
)  # fmt: skip
"""Queries that this vocabulary takes."""

COMPONENTS = ("plant", "watered", "recipe", "shelf", "wake", "fired", "doc", "created", "entity")
PROPERTIES = (
    "window", "height", "leaves", "thirsty", "seen", "beside", "tags", "soil", "at", "by", "eid", "num", "title",
)  # fmt: skip


@cache
def vocabularies() -> tuple[wakeful.Vocab, ...]:
    """The garden's, and one of nothing."""
    return wakeful.load(VOCAB), wakeful.load({"$defs": {}})


@cache
def standing_store() -> wakeful.Store:
    """A store to read from."""
    store = wakeful.open(":memory:", clock=ManualClock(NOW))
    fill(store)
    return store


def fill(store: wakeful.Store) -> None:
    """Make it the garden's, with a plant in it."""
    store.deploy(VOCAB)
    store.apply(list(BUNDLES[:2]))


@cache
def vocab_file() -> Path:
    """The garden's vocab.json, in a folder of its own."""
    path = Path(tempfile.mkdtemp()) / "vocab.json"
    path.write_text(json.dumps(VOCAB), encoding="utf-8")
    return path
