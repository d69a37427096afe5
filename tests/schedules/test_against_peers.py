"""Agreement with croniter and cronsim on the plain five fields in UTC.

Two kinds are set aside, because the peers read them otherwise and the specification says how they are read
here: a range of one value with a step (`52-52/3`), and a star with a step in a day field (`*/2`, which is a
restriction here).
"""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from croniter import croniter
from cronsim import CronSim
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies.schedules import MODERN_MOMENTS
from wakeful_compiler.schedules import every

STEPS = 5


def plain_fields(low: int, high: int, *, star_steps: bool = True) -> st.SearchStrategy[str]:
    values = st.integers(low, high)
    ranges = st.tuples(values, values).filter(lambda ends: ends[0] < ends[1])
    steps = st.integers(1, high - low)
    items = st.one_of(
        values.map(str),
        ranges.map(lambda ends: f"{ends[0]}-{ends[1]}"),
        st.tuples(ranges, steps).map(lambda both: f"{both[0][0]}-{both[0][1]}/{both[1]}"),
    )
    lists = st.lists(items, min_size=1, max_size=3).map(",".join)
    stepped = steps.map(lambda step: f"*/{step}")
    return st.one_of(st.just("*"), lists, stepped) if star_steps else st.one_of(st.just("*"), lists)


PLAIN = st.tuples(
    plain_fields(0, 59),
    plain_fields(0, 23),
    plain_fields(1, 31, star_steps=False),
    plain_fields(1, 12),
    plain_fields(0, 6, star_steps=False),
).map(" ".join)


@given(text=PLAIN, start=MODERN_MOMENTS)
def test_next_agrees_with_both(text: str, start: datetime) -> None:
    schedule = every(text)
    assume(not schedule.never)
    ours = list(islice(schedule.iter(start), STEPS))
    peer = croniter(text, start, max_years_between_matches=100)
    assert [peer.get_next(datetime) for _ in range(STEPS)] == ours
    assert list(islice(CronSim(text, start), STEPS)) == ours


@given(text=PLAIN, start=MODERN_MOMENTS)
def test_previous_agrees_with_cronsim(text: str, start: datetime) -> None:
    schedule = every(text)
    assume(not schedule.never)
    ours = []
    moment: datetime | None = start
    for _ in range(STEPS):
        moment = schedule.previous(moment) if moment else None
        ours.append(moment)
    assert list(islice(CronSim(text, start, reverse=True), STEPS)) == ours
