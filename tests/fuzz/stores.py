"""The doors that take documents and rows: deploying a vocabulary, judging rows in memory, the life of a store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from random import Random
from typing import Any

import wakeful
from fuzz.garden import NOW, VOCAB, vocabularies
from fuzz.promises import Finding, answered, same
from wakeful.testing import ManualClock
from wakeful_grammar.problems import WakefulError


def load_document(document: Any) -> None:
    if not isinstance(document, Mapping):
        return
    with answered():
        vocab = wakeful.load(document)
        with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
            store.deploy(vocab.document)
            store.deploy(VOCAB)


def judge_rows(given: tuple[str, list[dict[Any, Any]]]) -> None:
    text, bundles = given
    with answered():
        query = vocabularies()[0].query(text)
        for bundle in bundles:
            query.matches(bundle, now=NOW)
        query.select(bundles, now=NOW)


def write_bundles(given: tuple[list[Any], list[int]]) -> None:
    """A store's life: bundles one apply after the other, and ticks between them."""
    bundles, hours = given
    clock, dice = ManualClock(NOW), Random()
    with wakeful.open(":memory:", clock=clock, random_bytes=dice.randbytes) as store:
        store.deploy(VOCAB)
        for turn, (bundle, step) in enumerate(zip(bundles, hours, strict=False)):
            with answered():
                _written(store, bundle, dice, turn)
            with answered():
                store.tick()
                store.next_due()
            with answered():
                clock.advance(timedelta(hours=step))
        with answered():
            json.dumps(store.query("*"))


def _written(store: wakeful.Store, bundle: Any, dice: Random, turn: int) -> None:
    """Write it, first as a rehearsal: what a rehearsal answers, the write answers too, given the same dice."""

    def apply(*, dry_run: bool) -> Any:
        dice.seed(turn)
        return store.apply(bundle, dry_run=dry_run).changes

    try:
        rehearsed = apply(dry_run=True)
    except WakefulError as error:
        try:
            apply(dry_run=False)
        except WakefulError as again:
            same(str(error), str(again), "a refusal")
            raise
        raise Finding(f"a rehearsal was refused, the write was not: {error}") from error
    same(rehearsed, apply(dry_run=False), "a rehearsed write")
