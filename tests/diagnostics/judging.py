"""What the three stages say of one text of any language: used by the pages' examples and by the golden messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import wakeful
from wakeful.testing import ManualClock
from wakeful_compiler.schedules import cron_trigger
from wakeful_compiler.vocab.source import read_text
from wakeful_compiler.vocabulary import check_source
from wakeful_grammar.problems import Problem

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "runtime" / "wakeful" / "help" / "vocab.json"
"""The vocabulary by which queries, rules and bundles of the examples are judged."""


@cache
def examples_text() -> str:
    return EXAMPLES.read_text(encoding="utf-8")


@cache
def examples_vocab() -> wakeful.Vocab:
    return wakeful.load(EXAMPLES)


def store() -> wakeful.Store:
    """A fresh store that has the vocabulary of the examples."""
    made = wakeful.open(":memory:", clock=ManualClock(datetime(2026, 9, 20, 9, tzinfo=UTC)))
    made.deploy(EXAMPLES)
    return made


def problems(kind: str, text: str) -> Sequence[Problem]:
    """Every problem of a text: `vocab`, `query`, `rule`, `every`, `trigger`, `bundle` or `python`."""
    if kind == "vocab":
        try:
            return check_source(read_text(text))[1]
        except wakeful.VocabError as error:
            return error.problems
    if kind == "rule":
        return _rule(text)
    try:
        _run(kind, text)
    except wakeful.WakefulError as error:
        found: Sequence[Problem] | None = getattr(error, "problems", None)
        assert found is not None, error
        return found
    return ()


def _rule(text: str) -> Sequence[Problem]:
    """A rule `example` beside the vocabulary of the examples, its problems placed in the match alone."""
    document: dict[str, Any] = json.loads(examples_text())
    document["$defs"]["example"] = {"rule": True, "match": text}
    return check_source(read_text(json.dumps(document, ensure_ascii=False, indent=2)))[1]


def _run(kind: str, text: str) -> None:
    match kind:
        case "query":
            examples_vocab().query(text)
        case "every":
            wakeful.every(text)
        case "trigger":
            cron_trigger(text)
        case "bundle":
            store().apply(json.loads(text))
        case "python":
            exec(text, {"wakeful": wakeful, "vocab": examples_vocab(), "store": store()})
        case _:
            raise AssertionError(f"there is no language {kind}")
