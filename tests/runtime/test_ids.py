"""Derived ids are the UUIDv5 that their recipes in spec/runtime.md name."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from wakeful.ids import NAMESPACE, derived_eid


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_a_derived_eid_is_the_uuid5_of_its_recipe(recipe: list[str]) -> None:
    assert derived_eid(*recipe) == str(uuid.uuid5(NAMESPACE, "\x1f".join(recipe)))
