"""Random applies against a small model of patch semantics: dicts in, dicts out, all or nothing."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from runtime.attack.declared import INTEGER, TEXT, has, opened, ref

DEATHS = {"tie": "cascade", "pin": "detach", "tag": "release", "see": "keep"}
PLAIN = ("a", "b")
EIDS = tuple("uvwxyz")
Bundle = dict[str, Any]


class Fault(Exception):
    """The model refuses the apply."""


class Model:
    """What a store without rules makes of bundles."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, dict[str, Any]]] = {}
        self.order: list[str] = []
        self.dead: set[str] = set()

    def apply(self, bundles: list[Bundle]) -> None:
        before = copy.deepcopy(self.__dict__)
        try:
            self._apply(bundles)
        except Fault:
            self.__dict__.update(before)
            raise

    def _apply(self, bundles: list[Bundle]) -> None:
        for bundle in bundles:
            eid = bundle["entity"]["eid"]
            if eid in self.dead or ("tombstone" in bundle and eid not in self.rows):
                raise Fault
            if eid not in self.rows:
                self.rows[eid] = {}
                self.order.append(eid)
        for bundle in bundles:
            eid = bundle["entity"]["eid"]
            if "tombstone" in bundle:
                self._delete(eid)
                continue
            if eid in self.dead:
                raise Fault
            for name, patch in bundle.items():
                if name != "entity":
                    self._patch(self.rows[eid], name, patch)

    def _patch(self, row: dict[str, dict[str, Any]], name: str, patch: dict[str, Any] | None) -> None:
        if patch is None:
            row.pop(name, None)
            return
        target = patch.get("to")
        if target is not None and target not in self.rows:
            raise Fault
        blank = {"to": None} if name in DEATHS else {"n": None, "t": None}
        row.setdefault(name, blank).update(patch)

    def _delete(self, eid: str) -> None:
        if eid not in self.rows:
            return
        del self.rows[eid]
        self.dead.add(eid)
        for holder, row in list(self.rows.items()):
            for name, death in DEATHS.items():
                if row.get(name, {}).get("to") != eid:
                    continue
                if death == "cascade":
                    self._delete(holder)
                    break
                if death == "detach":
                    row[name]["to"] = None
                elif death == "release":
                    del row[name]

    def answer(self) -> list[Bundle]:
        return [{"eid": eid, **self.rows[eid]} for eid in self.order if eid in self.rows]


plain_patches = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "n": st.none() | st.integers(-3, 3),
        "t": st.none() | st.sampled_from(("", "Straße", "İ", "x")),
    },
)
ties = st.none() | st.fixed_dictionaries({}, optional={"to": st.none() | st.sampled_from(EIDS)})
writes = st.fixed_dictionaries(
    {"entity": st.fixed_dictionaries({"eid": st.sampled_from(EIDS)})},
    optional={**dict.fromkeys(PLAIN, plain_patches), **dict.fromkeys(DEATHS, ties)},
)
tombs = st.sampled_from(EIDS).map(lambda eid: {"entity": {"eid": eid}, "tombstone": {}})
applies = st.lists(st.lists(st.one_of(writes, writes, writes, tombs), min_size=1, max_size=6), max_size=8)


def stored(store: wakeful.Store) -> list[Bundle]:
    found = []
    for row in store.query("*"):
        row.pop("created")
        row.pop("updated", None)
        found.append({"eid": row.pop("entity")["eid"], **row})
    return found


@given(calls=applies, dry=st.booleans())
def test_any_applies_leave_what_the_model_says(calls: list[list[Bundle]], dry: bool) -> None:
    store, _ = opened(
        **dict.fromkeys(PLAIN, has(n=INTEGER, t=TEXT)),
        **{name: has(to=ref("a", death=death)) for name, death in DEATHS.items()},
    )
    model = Model()
    for bundles in calls:
        given_bundles = copy.deepcopy(bundles)
        try:
            model.apply(bundles)
        except Fault:
            with pytest.raises(wakeful.Refused):
                store.apply(bundles)
        else:
            before = {row["eid"]: row for row in stored(store)}
            promised = store.apply(bundles, dry_run=True) if dry else None
            applied = store.apply(bundles)
            assert promised is None or promised == applied
            after = {row["eid"]: row for row in stored(store)}
            touched = {bundle["entity"]["eid"]: bundle for bundle in applied.changes}
            for eid in {*before, *after} - set(touched):
                assert before.get(eid) == after.get(eid), f"{eid} changed and was not told"
            for eid, bundle in touched.items():
                assert ("tombstone" in bundle) == (eid not in after)
                assert "updated" not in bundle or before[eid] != after[eid], "a write that changes nothing is none"
                for name in {*PLAIN, *DEATHS} & set(bundle):
                    assert bundle[name] == after[eid].get(name)
        assert stored(store) == model.answer()
        assert bundles == given_bundles, "what was given is not written to"
