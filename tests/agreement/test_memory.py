"""The compiled function answers as the oracle does."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings

from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, compiled, scenes
from oracles.query import Oracle


@given(scenes())
def test_rows_in_memory_are_answered_as_the_oracle_does(scene: Scene) -> None:
    def answer() -> Any:
        return compiled(scene.text, scene.vocab).select(scene.rows, now=scene.now, lookup=scene.lookup)

    assert answer_or_kind(answer) == scene.expected()


@given(scenes())
def test_each_row_is_judged_as_the_oracle_does(scene: Scene) -> None:
    oracle = Oracle(scene.vocab, scene.rows, scene.now)
    assume(answer_or_kind(lambda: compiled(scene.text, scene.vocab) and None) is None)
    query = compiled(scene.text, scene.vocab)
    for row in scene.rows:
        where = scene.tree.where
        expected = not scene.tree.empty and (where is None or oracle.holds(where, row, None))
        assert query.matches(row, now=scene.now, lookup=scene.lookup) == expected


@settings(max_examples=settings().max_examples * 5)
@given(close_calls())
def test_close_calls_are_judged_as_the_oracle_does(scene: Scene) -> None:
    query = compiled(scene.text, scene.vocab)
    assert query.select(scene.rows, now=scene.now) == scene.expected()
