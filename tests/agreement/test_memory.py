"""Closures and the written-out function answer as the oracle does, and alike on rows that no store would hold."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, compiled, judges, scenes
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
    both = judges(compiled(scene.text, scene.vocab))
    for row in scene.rows:
        where = scene.tree.where
        expected = not scene.tree.empty and (where is None or oracle.holds(where, row, None))
        for matches in both:
            assert bool(matches(row, scene.now, scene.lookup)) == expected


@settings(max_examples=settings().max_examples * 5)
@given(close_calls())
def test_close_calls_are_judged_as_the_oracle_does(scene: Scene) -> None:
    query = compiled(scene.text, scene.vocab)
    expected = scene.expected()
    assert query.select(scene.rows, now=scene.now) == expected
    for matches in judges(query):
        query.matches = matches
        assert query.select(scene.rows, now=scene.now) == expected


ODD = st.sampled_from(
    [None, True, False, 0, 1, -1, 1.0, 0.5, math.nan, "", "x", "1", "2026-09-26T12:00:00Z", [], ["x"], {}, 5]
)


@given(scenes(), st.data())
def test_odd_rows_are_judged_alike(scene: Scene, data: st.DataObject) -> None:
    assume(answer_or_kind(lambda: compiled(scene.text, scene.vocab) and None) is None)
    closures, written = judges(compiled(scene.text, scene.vocab))
    for row in scene.rows:
        odd: dict[str, Any] = {}
        for name, component in row.items():
            keys = [*component, *scene.vocab.components[name].properties] if name != "entity" else []
            spoilt = data.draw(st.dictionaries(st.sampled_from(keys), ODD)) if keys else {}
            odd[name] = data.draw(ODD) if keys and data.draw(st.integers(0, 9)) == 0 else {**component, **spoilt}
        others = {each["entity"]["eid"]: each for each in (*scene.rows, odd)}
        assert bool(closures(odd, scene.now, others.get)) == bool(written(odd, scene.now, others.get))
