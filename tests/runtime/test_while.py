"""Conditional schedules: how `wake.while` is written and stored, what it does to `at`, and what a deploy does to it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from wakeful.testing import ManualClock

NOON = datetime(2026, 9, 26, 12, tzinfo=UTC)
MOMENT = {"type": "string", "format": "date-time"}
VOCAB: dict[str, Any] = {
    "$defs": {
        "player": {
            "properties": {"seen": MOMENT, "name": {"type": "string"}, "world": {"type": "string", "ref": "entity"}}
        },
        "world": {"properties": {"name": {"type": "string"}, "open": {"type": "boolean"}}},
        "sale": {"properties": {"opens": MOMENT, "lot": {"type": "integer"}}},
    }
}
IDLE = [
    {"match": ".player.seen>=1-minute-ago", "every": "30s"},
    {"match": ".player.seen>=10-minutes-ago", "every": "5m"},
]


def opened(path: Path | str = ":memory:", vocab: Mapping[str, Any] = VOCAB) -> tuple[wakeful.Store, ManualClock]:
    clock = ManualClock(NOON)
    store = wakeful.open(path, clock=clock)
    store.deploy(vocab)
    return store, clock


def put(store: wakeful.Store, eid: str, **changes: Any) -> wakeful.Applied:
    return store.apply({"entity": {"eid": eid}, **changes})


def wake(store: wakeful.Store, eid: str = "w") -> dict[str, Any]:
    (row,) = store.query(f'.eid="{eid}" ?wake')
    found: dict[str, Any] = row["wake"]
    return found


def when(**later: float) -> str:
    return (NOON + timedelta(**later)).isoformat().replace("+00:00", "Z")


def stored(store: wakeful.Store, sql: str) -> list[Any]:
    with store._engine.read() as transaction:
        return [row[0] for row in transaction.fetch(sql)]


def one(match: str, every: str = "1h") -> dict[str, Any]:
    return {"while": [{"match": match, "every": every}]}


# --- what is written ------------------------------------------------------------------------------


def test_spellings_of_one_condition_are_one() -> None:
    store, _ = opened()
    spellings = ("seen>=1-minute-ago", ".player.seen>=1-minute-ago", " .seen>=1-minute-ago ", "( .seen>=1-minute-ago )")
    for number, match in enumerate(spellings):
        put(store, f"w{number}", wake=one(match))
        assert wake(store, f"w{number}")["while"] == one(".player.seen>=1-minute-ago")["while"]
    assert stored(store, "SELECT count(*) FROM condition") == [1]
    assert stored(store, "SELECT count(*) FROM conditional") == [1]


@pytest.mark.parametrize(
    ("match", "canonical"),
    [
        ("name=x .world", ".world.name=x .world"),
        (".world|open=true", ".world|.world.open=true"),
        ("!(seen<now) !player", "!(.player.seen<now) !player"),
        (".player.world.world.name=Eldermoor", ".player.world.world.name=Eldermoor"),
        ("num=3", ".entity.num=3"),
        ("seen>.sale.opens", ".player.seen>.sale.opens"),
    ],
)
def test_a_canonical_text_names_every_component(match: str, canonical: str) -> None:
    store, _ = opened()
    put(store, "w", wake=one(match))
    assert wake(store)["while"] == one(canonical)["while"]
    assert put(store, "w", wake=one(canonical)).changes == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "this one is empty"),
        ([3], "entry 0 needs a query and a cadence"),
        (
            [{"match": ".player", "every": "1h"}, {"every": "1h"}],
            "entry 1 needs a query and a cadence: it lacks `match`",
        ),
        ([{"match": ".player", "every": "1h", "when": 1}], 'entry 0 has no member "when"'),
        ([{"match": 5, "every": "1h"}], "entry 0's match is a query as text"),
        ([{"match": ".player", "every": 5}], "entry 0's every is a cadence as text"),
        ([{"match": ".plyer", "every": "1h"}], "entry 0's match: there is no component `plyer`"),
        ([{"match": "", "every": "1h"}], "the empty query finds nothing"),
        ([{"match": ".player .limit=1", "every": "1h"}], "a condition only filters, and `.limit=1` does not"),
        ([{"match": ".player ?world", "every": "1h"}], "a condition only filters, and `?world` does not"),
        ([{"match": ".player", "every": "0 0 31 2 *"}], "entry 0's every is unreadable"),
        ([{"match": ".player", "every": "1h"}] * 17, "at most 16 conditions; this one has 17"),
    ],
)
def test_what_is_no_while_is_refused(given: list[Any], said: str) -> None:
    store, _ = opened()
    with pytest.raises(wakeful.Refused, match=r"(?s).") as refused:
        put(store, "w", wake={"while": given})
    assert any(said in problem.message for problem in refused.value.problems)
    assert all((problem.pointer or "").startswith("/wake/while") for problem in refused.value.problems)


@pytest.mark.parametrize("given", [".player.seen>=1-minute-ago", {"match": ".player", "every": "1h"}, 3])
def test_a_while_that_is_no_list_is_told_how_one_looks(given: Any) -> None:
    store, _ = opened()
    with store, pytest.raises(wakeful.Refused) as refused:
        put(store, "w", wake={"while": given})
    (problem,) = refused.value.problems
    assert (problem.code, problem.pointer) == ("type-property", "/wake/while")
    assert problem.hint == 'write {"match": ".player.seen>=1-minute-ago", "every": "30s"}, in a list'


def test_a_calendar_may_be_the_cadence_of_an_entry() -> None:
    store, clock = opened()
    put(store, "w", wake=one(".player", "0 9 * * * America/Detroit"))
    put(store, "p", player={})
    assert wake(store)["at"] == "2026-09-26T13:00:00Z"
    clock.advance(timedelta(hours=2))
    store.tick()
    assert wake(store)["at"] == "2026-09-27T13:00:00Z"
    assert stored(store, "SELECT x_cadence FROM c_wake WHERE x_followed = p_at") == ["0 9 * * * America/Detroit"]


# --- normalisation --------------------------------------------------------------------------------


def test_a_while_sleeps_unless_it_holds_at_its_own_write() -> None:
    store, _ = opened()
    put(store, "w", wake=one(".player"))
    assert wake(store)["at"] is None
    put(store, "p", player={})
    put(store, "v", wake=one(".player", "2h"))
    assert wake(store, "v")["at"] == when(hours=2)


def test_another_while_starts_anew_and_the_same_one_moves_nothing() -> None:
    store, clock = opened()
    put(store, "p", player={})
    put(store, "w", wake=one(".player", "1h"))
    clock.advance(timedelta(minutes=10))
    put(store, "w", wake=one(".player", "60m"))
    assert wake(store)["at"] == when(hours=1)
    put(store, "w", wake=one(".sale"))
    assert wake(store)["at"] is None


def test_an_every_beside_it_starts_and_takes_over() -> None:
    store, clock = opened()
    put(store, "w", wake={**one(".player", "10m"), "every": "1h"})
    assert wake(store)["at"] == when(hours=1)
    put(store, "p", player={})
    assert wake(store)["at"] == when(minutes=10)
    clock.advance(timedelta(minutes=10))
    put(store, "p", player=None, doc={})
    store.tick()
    assert wake(store)["at"] == when(minutes=70)


def test_a_slower_entry_that_stands_first_decides() -> None:
    store, clock = opened()
    put(store, "w", wake={"while": [{"match": ".player", "every": "2h"}, {"match": ".sale", "every": "30m"}]})
    put(store, "p", player={})
    clock.advance(timedelta(minutes=5))
    put(store, "s", sale={})
    assert wake(store)["at"] == when(hours=2)


def test_a_wake_that_a_command_writes_is_read_the_same() -> None:
    vocab = {"$defs": {**VOCAB["$defs"], "start": {
        "tool": True, "description": "Start", "input": {"who": {"type": "string"}},
        "apply": {"entity": {"eid": "w"}, "wake": {"while": [{"match": ".player.name=Bea", "every": "1h"}]}},
    }}}  # fmt: skip
    store, _ = opened(vocab=vocab)
    put(store, "p", player={"name": "Bea"})
    put(store, "c", call={"to": "start", "args": {}})
    assert wake(store)["at"] == when(hours=1)


def test_a_dry_run_says_the_same_and_keeps_nothing() -> None:
    store, _ = opened()
    put(store, "w", wake=one(".player"))
    answer = store.apply({"player": {}}, dry_run=True)
    assert [bundle["wake"]["at"] for bundle in answer.changes if "wake" in bundle] == [when(hours=1)]
    assert wake(store)["at"] is None


# --- time -----------------------------------------------------------------------------------------


def test_a_rising_condition_arms_at_the_first_write_after_it_rose() -> None:
    store, clock = opened()
    put(store, "w", wake=one(".sale.opens<=now .sale.lot=1"))
    put(store, "s", sale={"opens": when(hours=1), "lot": 1})
    put(store, "t", sale={"opens": when(minutes=1), "lot": 2})
    assert stored(store, "SELECT earliest FROM condition") == ["2026-09-26T12:01:00.000000Z"]
    clock.advance(timedelta(minutes=30))
    put(store, "e", doc={})
    assert wake(store)["at"] is None
    assert stored(store, "SELECT earliest FROM condition") == ["2026-09-26T13:00:00.000000Z"]
    clock.advance(timedelta(minutes=30))
    put(store, "e", doc={"title": "any write will do"})
    assert wake(store)["at"] == when(hours=2)


def test_a_clock_that_was_put_back_is_not_taken_for_time_that_passed() -> None:
    store, clock = opened()
    put(store, "s", sale={"opens": when(hours=1)})
    clock.advance(timedelta(hours=2))
    put(store, "w", wake={**one(".sale.opens<=now"), "at": None})
    clock.set(NOON)
    put(store, "e", doc={})
    assert wake(store)["at"] is None
    clock.advance(timedelta(hours=1))
    put(store, "e", doc={"title": "x"})
    assert wake(store)["at"] == when(hours=2)


def test_what_costs_nothing_is_not_read() -> None:
    store, _ = opened()
    put(store, "s", sale={"opens": when(days=9)})
    for number in range(20):
        put(store, f"w{number}", wake=one(f".sale.opens<=in-{number}-hours"))
        put(store, f"v{number}", wake=one(f".player.seen>={number + 1}-minutes-ago"))
    statements: list[str] = []
    connection: Any = store._engine._connection()
    connection.set_trace_callback(statements.append)
    put(store, "e", world={"name": "Mossvale"})
    connection.set_trace_callback(None)
    assert not [text for text in statements if "c_sale" in text or "c_player" in text]


# --- where it is kept -----------------------------------------------------------------------------


def test_what_no_wake_has_any_more_goes() -> None:
    store, _ = opened()
    tables = ("conditional", "condition", "condition_read")
    counted = " || ',' || ".join(f"(SELECT count(*) FROM {name})" for name in tables)
    counted = f"SELECT {counted}"
    put(store, "w", wake={"while": IDLE})
    put(store, "v", wake={"while": IDLE[:1]}, world={})
    assert stored(store, counted) == ["2,2,2"]
    put(store, "w", tombstone={})
    assert stored(store, counted) == ["1,1,1"]
    put(store, "v", wake={"while": [{"match": ".sale .world", "every": "1h"}]})
    assert stored(store, counted) == ["1,1,2"]
    put(store, "v", wake=None)
    assert stored(store, counted) == ["0,0,0"]


# --- deploy ---------------------------------------------------------------------------------------


def test_a_rename_reaches_stored_conditions() -> None:
    store, _ = opened()
    put(store, "w", wake={"while": IDLE})
    put(store, "v", wake=one(".player.world.world.name=x .player.seen<.sale.opens !player"))
    renamed = {"$defs": {
        "hero": {"was": "player", "properties": {
            "met": {**MOMENT, "was": "seen"}, "name": {"type": "string"},
            "world": {"type": "string", "ref": "entity"}}},
        "world": {"properties": {"title": {"type": "string", "was": "name"}, "open": {"type": "boolean"}}},
        "sale": VOCAB["$defs"]["sale"],
    }}  # fmt: skip
    store.deploy(renamed)
    assert [entry["match"] for entry in wake(store)["while"]] == [
        ".hero.met>=1-minute-ago", ".hero.met>=10-minutes-ago"
    ]  # fmt: skip
    assert wake(store, "v")["while"][0]["match"] == ".hero.world.world.title=x .hero.met<.sale.opens !hero"
    put(store, "bea", hero={"met": "now"})
    assert wake(store)["at"] == when(seconds=30)


def test_a_deploy_that_breaks_a_condition_wants_force_and_a_broken_firing_is_accounted_for() -> None:
    store, clock = opened()
    put(store, "w", wake={**one(".sale.lot=1"), "at": when(hours=1)})
    put(store, "v", wake={"at": when(hours=1)})
    without = {"$defs": {name: entry for name, entry in VOCAB["$defs"].items() if name != "sale"}}
    with pytest.raises(wakeful.Refused, match=r"`\.sale\.lot=1` of w can no longer be read"):
        store.deploy(without)
    report = store.deploy(without, force=True)
    assert any("of w can no longer be read" in note for note in report.notes)
    put(store, "e", doc={})
    clock.advance(timedelta(hours=1))
    ticked = store.tick()
    assert [bundle["entity"]["eid"] for bundle in ticked.fired] == ["v"]
    assert [found["eid"] for found in ticked.refused] == ["w"]
    assert [row["refusal"]["about"] for row in store.query(".refusal")] == ["w"]
    store.deploy(VOCAB)
    clock.advance(timedelta(minutes=1))
    assert [bundle["entity"]["eid"] for bundle in store.tick().fired] == ["w"]
    assert store.query(".refusal") == []


# --- the idle world -------------------------------------------------------------------------------


def test_an_idle_world_lives_for_thirty_days(tmp_path: Path) -> None:
    rng = random.Random(5)
    store, clock = opened(tmp_path / "world.db")
    put(store, "world", world={"name": "Eldermoor"}, wake={"while": IDLE})
    end, seen, fired = NOON + timedelta(days=30), NOON - timedelta(days=1), list[datetime]()
    visits = sorted(NOON + timedelta(seconds=rng.randrange(30 * 86_400)) for _ in range(60))
    moments = [visit + timedelta(seconds=20 * turn) for visit in visits for turn in range(rng.choice((1, 1, 5, 20)))]
    for moment in [*sorted(set(moments)), end]:
        while (due := store.next_due()) is not None and due <= moment:
            clock.set(due)
            report = store.tick()
            fired += [due for _ in report.fired]
            assert due - seen <= timedelta(minutes=15)
            if rng.random() < 0.05:
                store.close()
                store = wakeful.open(tmp_path / "world.db", clock=clock)
        if moment - seen > timedelta(minutes=15):
            assert store.next_due() is None
        clock.set(moment)
        seen = moment
        put(store, "bea", player={"seen": moment})
        assert store.next_due() is not None
    assert len(fired) > 300
    assert fired == sorted(set(fired))


def test_a_player_who_is_seen_once() -> None:
    store, clock = opened()
    put(store, "world", world={"name": "Eldermoor"}, wake={"while": IDLE})
    put(store, "bea", player={"seen": NOON})
    fired = []
    while (due := store.next_due()) is not None:
        clock.set(due)
        fired += [bundle["fired"]["at"][11:19] for bundle in store.tick().fired]
    assert fired == ["12:00:30", "12:01:00", "12:01:30", "12:06:30", "12:11:30"]


def test_what_was_missed_is_one_firing() -> None:
    store, clock = opened()
    put(store, "world", wake={"while": IDLE})
    put(store, "bea", player={"seen": NOON})
    clock.advance(timedelta(hours=5))
    put(store, "bea", player={"seen": clock.now()})
    assert len(store.tick().fired) == 1
    assert wake(store, "world")["at"] == when(hours=5, seconds=30)
