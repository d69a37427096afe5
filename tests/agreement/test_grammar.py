"""The text of a random tree parses to that tree."""

from __future__ import annotations

from hypothesis import assume, given

from agreement.scenes import Scene, answer_or_kind, compiled, scenes
from wakeful_grammar.query import parse_query


@given(scenes())
def test_a_text_parses_to_the_tree_it_was_spelled_from(scene: Scene) -> None:
    parsed = parse_query(scene.text)
    assert parsed.where == scene.tree.where
    assert sorted(parsed.directives, key=repr) == sorted(scene.tree.directives, key=repr)


@given(scenes())
def test_a_compiled_query_prints_as_one_that_answers_alike(scene: Scene) -> None:
    assume(answer_or_kind(lambda: compiled(scene.text, scene.vocab) and None) is None)
    query = compiled(scene.text, scene.vocab)
    again = compiled(str(query), scene.vocab)
    assert again.tree == query.tree
    assert again.plan == query.plan
    assert str(again) == str(query)
