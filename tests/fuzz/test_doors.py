"""A slice of what `make fuzz` does, in every run of the tests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz.campaign import Work, campaign
from fuzz.doors import PARSERS, Door, doors
from fuzz.findings import FINDINGS
from fuzz.mutations import mutated
from fuzz.seeds import seeds

DOORS = {door.name: door for door in doors()}


@settings(
    max_examples=10_000, database=None, phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck)
)
@given(mutated(seeds().texts))
def test_ten_thousand_texts_through_every_parser(text: str) -> None:
    for parse in PARSERS:
        parse(text)


@pytest.mark.parametrize("name", [door.name for door in doors() if door.enter not in PARSERS])
@given(data=st.data())
@settings(suppress_health_check=list(HealthCheck))
def test_every_other_door(name: str, data: st.DataObject) -> None:
    DOORS[name].enter(data.draw(DOORS[name].inputs))


@pytest.mark.parametrize(("name", "found"), FINDINGS)
def test_what_was_found_stays_mended(name: str, found: Any) -> None:
    DOORS[name].enter(found)


def test_the_corpus_is_there() -> None:
    corpus = seeds()
    for kind in (corpus.queries, corpus.rules, corpus.times, corpus.schedules, corpus.bundles, corpus.broken_files):
        assert len(kind) > 20
    assert len(corpus.vocabularies) > 12


def test_a_campaign_tells_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def enter(text: str) -> None:
        assert "x" not in text

    broken = Door("broken", st.text("xy", max_size=5), enter)
    monkeypatch.setattr("fuzz.campaign.doors", lambda: (broken, DOORS["time"]))
    outcome = campaign(Work(("broken",), 20.0, 1))
    assert outcome.counts["broken"] > 1
    assert len(outcome.findings) == 1
    assert outcome.findings[0].startswith("door 'broken', input 'x'\n")
