"""Random accepted rules on a real store against the model: the same rows after every apply, in every declared order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import wakeful
from oracles.rules import PROPERTIES, WIDE, WRITABLE, Row, Rule, one_stage, patched
from rules.strategies import mixed_rule_sets
from rules.test_against_oracle import acceptable
from runtime.garden import at
from wakeful.testing import ManualClock

TYPES = {"a": "string", "b": "integer", "c": "boolean"}
NUMBER = max(50, settings().max_examples // 2)

Patch = dict[str, dict[str, Any] | None]


def states(name: str) -> st.SearchStrategy[dict[str, Any] | None]:
    values = st.fixed_dictionaries({PROPERTIES[name]: st.sampled_from((None, *WRITABLE[name]))})
    return st.none() | st.just({}) | values


PATCHES: st.SearchStrategy[Patch] = st.fixed_dictionaries({}, optional={name: states(name) for name in WIDE})


def vocabulary(rules: Sequence[Rule]) -> dict[str, Any]:
    components = {name: {"properties": {PROPERTIES[name]: {"type": TYPES[name]}}} for name in WIDE}
    return {
        "$defs": {
            **components,
            **{rule.name: {"rule": True, "match": rule.text, "before": list(rule.before)} for rule in rules},
        }
    }


def stored(store: wakeful.Store) -> Row | None:
    """The one entity as the oracle sees it: components, and values that are there; None once it is deleted."""
    found = store.query(".eid=it ?a ?b ?c")
    if not found:
        return None
    return {
        name: {key: value for key, value in found[0][name].items() if value is not None}
        for name in WIDE
        if name in found[0]
    }


@settings(max_examples=NUMBER)
@given(mixed_rule_sets(), st.lists(PATCHES, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_store_does_what_the_model_does(rules: list[Rule], patches: list[Patch], shuffled: random.Random) -> None:
    ruleset, ordered = acceptable(rules)
    usable = {rule.name: rule for rule in ordered}
    occasions, state = (
        [usable[rule.name] for rule in ruleset.occasions],
        [usable[rule.name] for rule in ruleset.ordered],
    )
    declared = list(usable.values())
    shuffled.shuffle(declared)
    with wakeful.open(":memory:", clock=ManualClock(at("2026-09-20T08:00:00Z"))) as store:
        store.deploy(vocabulary(declared))
        row: Row | None = {}
        for patch in patches:
            store.apply({"entity": {"eid": "it"}, **patch})
            assert row is not None
            row = one_stage(occasions, state, row, patched(row, patch))
            assert stored(store) == row
            if row is None:
                break
