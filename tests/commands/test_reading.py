"""Filled templates become patches: no argument is ever more than a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from commands.garden import NOW, document, plans
from wakeful.bundles import Alias, Patch
from wakeful.testing import ManualClock

EVERYWHERE = plans(
    {
        "apply": [
            {"entity": {"eid": "$p"}, "doc": {"title": "p"}},
            {
                "entity": {"eid": "$name"},
                "plant": {"keeper": "$name", "care": "$more", "note": "$name", "height": "$n"},
                "wake": {"target": "$p", "note": "$name!"},
            },
            {"plant": {"keeper": {"doc": {"title": "$name"}}}},
        ]
    }
)


def read(prepared: Any, args: dict[str, Any]) -> list[Patch]:
    patches: list[Patch] = prepared.reader.read_filled(prepared.commands["act"].fill(args, NOW), NOW)
    return patches


def shape(patches: list[Patch]) -> Any:
    """What a call may write where, whatever the values."""
    return [
        (
            patch.pointer, patch.alias, patch.eid is None, patch.delete, len(patch.nested),
            {
                name: sorted(key for key, value in (values or {}).items() if isinstance(value, Alias | Patch))
                for name, values in patch.components.items()
            },
        )
        for patch in patches
    ]  # fmt: skip


SAMPLE = shape(read(EVERYWHERE, {"name": "a", "more": {}, "n": 1}))


@given(
    st.one_of(st.text(min_size=1), st.sampled_from(["$p", "$name", "$#/0", "$$", "$", '{"eid": "$p"}'])),
    st.sampled_from([{}, {"entity": {"eid": "$p"}}, {"doc": {"title": "x"}}, {"tombstone": {}}]),
)
def test_no_argument_makes_an_alias_or_a_bundle(name: str, more: Any) -> None:
    try:
        patches = read(EVERYWHERE, {"name": name, "more": more, "n": 1})
    except wakeful.WakefulError as error:
        assert getattr(error, "problems", ())
        return
    assert shape(patches) == SAMPLE
    assert patches[1].eid == name
    plant = patches[1].components["plant"]
    assert plant is not None
    assert (plant["keeper"], plant["care"], plant["note"]) == (name, more, name)


@pytest.mark.parametrize("name", ["$fern", "$p", "$#/2", "$"])
def test_what_looks_like_an_alias_is_refused(name: str) -> None:
    with pytest.raises(wakeful.Refused) as caught:
        read(EVERYWHERE, {"name": name})
    told = [(problem.code, problem.pointer) for problem in caught.value.problems]
    assert told == [("type-eid", "/1/entity/eid"), ("type-eid", "/1/plant/keeper")]
    assert all("args.name" in problem.message for problem in caught.value.problems)


def test_a_bundle_without_a_name_has_its_pointer_for_one() -> None:
    aliases = [patch.alias for patch in read(EVERYWHERE, {"name": "fern"})]
    assert aliases == ["$p", None, "$#/2", "$#/2/plant/keeper"]
    single = plans({"apply": {"doc": {"title": "x"}}})
    assert [patch.alias for patch in read(single, {})] == ["$#/0"]


@pytest.mark.parametrize(
    ("apply", "args", "words"),
    [
        ({"plant": {"window": "$name"}}, {"name": "west"}, 'args.name: plant.window is one of "north", "south"'),
        ({"plant": {"leaves": "$n"}}, {"n": 0.5}, "args.n: plant.leaves is an integer"),
        ({"plant": {"bought": "in-$n-$name"}}, {"n": 2, "name": "x"}, "args.n, args.name: plant.bought is an RFC 3339"),
        ({"wake": {"every": "$name"}}, {"name": "2x"}, "args.name: wake.every: "),
        ({"entity": {"eid": "$name"}, "doc": {}}, {"name": ""}, "args.name: an eid cannot be empty"),
        ({"call": {"args": {"a": "$name", "b": "$name"}}}, {"name": "a" * 40_000}, "args.name: call.args has 80,015"),
        ({"entity": {"eid": "a"}, "$was": {"plant": {"height": "$n"}}}, {"n": 1e300}, ""),
        ({"entity": {"eid": "a"}, "$was": {"plant": {"leaves": "$n"}}}, {"n": 0.5}, "args.n: plant.leaves is an"),
    ],
)
def test_a_value_that_is_not_taken_is_told_with_its_argument(apply: Any, args: Any, words: str) -> None:
    prepared = plans({"apply": apply})
    if not words:
        assert read(prepared, args)[0].was == {"plant": {"height": 1e300}}
        return
    with pytest.raises(wakeful.Refused) as caught:
        read(prepared, args)
    (problem,) = caught.value.problems
    assert problem.message.startswith(words)


def test_moments_are_counted_from_the_instant_of_the_run() -> None:
    act = plans({"apply": {"plant": {"bought": "$day"}, "wake": {"at": "in-$whole-hours"}}})
    (patch,) = read(act, {"day": "now", "whole": 3})
    assert patch.components == {"plant": {"bought": "2026-09-26T12:00:00Z"}, "wake": {"at": "2026-09-26T15:00:00Z"}}


def test_an_argument_names_the_entity_that_is_written() -> None:
    store = wakeful.open(":memory:", clock=ManualClock(NOW))
    store.deploy(document({"apply": {"entity": {"eid": "$who"}, "plant": {"window": "$side"}}}))
    store.apply({"entity": {"eid": "fern"}, "plant": {"height": 3}})
    for eid in ("fern", "new"):
        store.apply({"call": {"to": "act", "args": {"who": eid, "side": "south"}}})
    rows = store.query(".plant")
    assert [(row["entity"]["eid"], row["plant"]["window"]) for row in rows] == [("fern", "south"), ("new", "south")]
