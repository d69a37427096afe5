"""How the answer on an unchanged row moves as time passes: what is claimed of a plan, and that it is so."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wakeful
from agreement.close_calls import close_calls
from agreement.scenes import Scene, answer_or_kind, compiled, scenes

VOCAB = wakeful.load(
    {
        "$defs": {
            "player": {
                "properties": {
                    "seen": {"type": "string", "format": "date-time"},
                    "due": {"type": "string", "format": "date-time"},
                    "score": {"type": "number"},
                }
            }
        }
    }
)


@pytest.mark.parametrize(
    ("text", "movement"),
    [
        (".player", "constant"),
        ("", "constant"),
        (".player.score>=5", "constant"),
        (".player.seen", "constant"),
        (".player.seen>=2026-09-26", "constant"),
        (".player.seen=2026-09-26T09:00:00Z", "constant"),
        (".player.seen<.player.due", "constant"),
        (".player.seen>=1-minute-ago", "falling"),
        (".player.seen>now", "falling"),
        (".player.seen>=in-2-weeks", "falling"),
        (".player.seen<10-minutes-ago", "rising"),
        (".player.seen<=now", "rising"),
        ("!(.player.seen>=1-minute-ago)", "rising"),
        ("!(.player.seen<now)", "falling"),
        (".player.seen>=1-minute-ago .player.score=1", "falling"),
        (".player.seen>=1-minute-ago .player.due>now", "falling"),
        (".player.seen>=1-minute-ago|.player.due>now", "falling"),
        (".player.seen<1-minute-ago !(.player.due>now)", "rising"),
        (".player.seen>=1-minute-ago .player.due<now", "free"),
        (".player.seen=1-minute-ago", "free"),
        (".player.seen=now", "free"),
        (".player.seen!=now", "free"),
        (".player.seen=today", "free"),
        (".player.seen>=today", "free"),
        (".player.seen<=last-week", "free"),
        (".player.seen<9am", "free"),
        (".player.seen>=1-month-ago", "free"),
        (".player.seen=1-hour-ago..now", "free"),
    ],
)
def test_the_movement_of_a_query(text: str, movement: str) -> None:
    assert VOCAB.query(text).movement == movement


def nows(around: datetime) -> st.SearchStrategy[list[datetime]]:
    """Some instants in ascending order, minutes to months to both sides of one."""
    step = st.integers(-90, 90) | st.integers(-4_000, 4_000) | st.integers(-80_000, 80_000)
    return st.lists(step, min_size=2, max_size=8).map(
        lambda steps: [around + timedelta(minutes=minutes) for minutes in sorted(steps)]
    )


@settings(max_examples=settings().max_examples * 5)
@given(scenes() | close_calls(), st.data())
def test_no_row_moves_against_the_claim(scene: Scene, data: st.DataObject) -> None:
    assume(answer_or_kind(lambda: compiled(scene.text, scene.vocab) and None) is None)
    query = compiled(scene.text, scene.vocab)
    moments = data.draw(nows(scene.now))
    for row in scene.rows:
        answers = [query.matches(row, moment, scene.lookup) for moment in moments]
        changes = {(before, after) for before, after in pairwise(answers) if before != after}
        allowed = {
            "constant": set(),
            "falling": {(True, False)},
            "rising": {(False, True)},
            "free": {(True, False), (False, True)},
        }[query.movement]
        assert changes <= allowed, (query.movement, row, answers)
