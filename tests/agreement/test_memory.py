"""The compiled function answers as the oracle does."""

from __future__ import annotations

from hypothesis import given, settings

from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, compiled, scenes
from oracles.query import Oracle


@given(scenes())
def test_rows_in_memory_are_answered_as_the_oracle_does(scene: Scene) -> None:
    query = compiled(scene.text, scene.vocab)
    assert answer_or_kind(lambda: query.select(scene.rows, now=scene.now)) == scene.expected()


@given(scenes())
def test_each_row_is_judged_as_the_oracle_does(scene: Scene) -> None:
    query = compiled(scene.text, scene.vocab)
    oracle = Oracle(scene.vocab, scene.rows, scene.now)
    for row in scene.rows:
        where = scene.tree.where
        expected = not scene.tree.empty and (where is None or oracle.holds(where, row, None))
        assert query.matches(row, now=scene.now) == expected


@settings(max_examples=settings().max_examples * 5)
@given(close_calls())
def test_close_calls_are_judged_as_the_oracle_does(scene: Scene) -> None:
    query = compiled(scene.text, scene.vocab)
    assert query.select(scene.rows, now=scene.now) == scene.expected()
