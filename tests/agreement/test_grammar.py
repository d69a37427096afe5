"""The text of a random tree parses to that tree."""

from __future__ import annotations

from hypothesis import given

from agreement.scenes import Scene, scenes
from wakeful_grammar.query import parse_query


@given(scenes())
def test_a_text_parses_to_the_tree_it_was_spelled_from(scene: Scene) -> None:
    parsed = parse_query(scene.text)
    assert parsed.where == scene.tree.where
    assert sorted(parsed.directives, key=repr) == sorted(scene.tree.directives, key=repr)
