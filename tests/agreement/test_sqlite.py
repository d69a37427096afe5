"""A SQLite store answers as the oracle does, and so as the compiled function does."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

import wakeful
from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, scenes
from strategies import GONE, document
from wakeful.testing import ManualClock


def stored(scene: Scene) -> Any:
    """A store in memory that was given the scene's rows in their order, and has lost what they may still name."""
    store = wakeful.open(":memory:", clock=ManualClock(scene.now))
    with tempfile.TemporaryDirectory() as folder:
        vocab = Path(folder) / "vocab.json"
        vocab.write_text(json.dumps(document(scene.vocab)), encoding="utf-8")
        store.deploy(vocab)
    doomed = [{"entity": {"eid": eid}, "doc": {"title": "gone"}} for eid in GONE]
    store.apply([*({**row, "entity": {"eid": row["entity"]["eid"]}} for row in scene.rows), *doomed])
    store.apply([{"entity": {"eid": eid}, "tombstone": {}} for eid in GONE])
    return store


@settings(max_examples=settings().max_examples * 2)
@given(scenes() | close_calls())
def test_a_store_answers_as_the_oracle_does(scene: Scene) -> None:
    store = stored(scene)
    try:
        found = answer_or_kind(lambda: store.query(scene.text))
        for row in found if isinstance(found, list) else ():
            row.pop("created", None)  # `*` carries what the store itself stamps
            row.pop("updated", None)
        assert found == scene.expected()
    finally:
        store.close()
