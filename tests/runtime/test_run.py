"""run: one alarm, armed at the earliest due instant; it sleeps, and never polls."""

from __future__ import annotations

import queue
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import wakeful
from cases.behaviour import case
from runtime.garden import at, garden
from wakeful import doorbell
from wakeful.alarm import Alarm
from wakeful.clock import MAX_SLEEP, Bell, SystemClock
from wakeful.testing import ManualClock

Reports = queue.Queue[wakeful.TickReport]
LONG = 20.0


@contextmanager
def running(store: wakeful.Store) -> Iterator[Reports]:
    reports: Reports = queue.Queue()
    stop = threading.Event()
    failures: list[BaseException] = []

    def body() -> None:
        try:
            store.run(stop, on_tick=reports.put)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    try:
        reports.get(timeout=LONG)  # the first look, at whatever was overdue
        yield reports
    finally:
        stop.set()
        thread.join(LONG)
        assert not thread.is_alive()
        assert failures == []


def test_it_fires_when_the_clock_comes_there(tmp_path: Path) -> None:
    store, clock = garden(path=str(tmp_path / "g.db"))
    with store:
        store.apply({"entity": {"eid": "fern"}, "plant": {}, "wake": {"at": "2026-09-20T09:00:00Z"}})
        with running(store) as reports:
            clock.set(at("2026-09-20T08:59:59.999999Z"))
            assert reports.get(timeout=LONG).fired == []
            clock.set(at("2026-09-20T09:00:00Z"))
            assert [bundle["entity"]["eid"] for bundle in reports.get(timeout=LONG).fired] == ["fern"]


def test_a_write_that_makes_something_due_wakes_it(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    with store, running(store) as reports:
        store.apply({"entity": {"eid": "late"}, "plant": {}, "wake": {"at": "2026-09-20T07:00:00Z"}})
        assert [bundle["entity"]["eid"] for bundle in reports.get(timeout=LONG).fired] == ["late"]


def test_a_write_that_touches_no_wake_rings_nothing(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    with store, running(store) as reports:
        store.apply({"entity": {"eid": "fern"}, "plant": {}})
        store.apply({"entity": {"eid": "fern"}, "wake": {"at": "2026-09-20T07:00:00Z"}})
        report = reports.get(timeout=LONG)
        assert len(report.fired) == 1, "the one ring is that of the wake"


class ArmedClock(SystemClock):
    """Tells what the alarm was armed at, and comes back at once."""

    def __init__(self, now: datetime) -> None:
        self.instant = now
        self.armed: list[datetime | None] = []

    def now(self) -> datetime:
        return self.instant

    def sleep(self, bell: Bell, until: datetime | None) -> None:
        self.armed.append(until)


class Stops:
    """A stop flag that is set after so many looks."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_the_alarm_is_armed_at_the_earliest_and_at_nothing_when_nothing_waits(tmp_path: Path) -> None:
    clock = ArmedClock(at("2026-09-20T08:00:00Z"))
    store = wakeful.open(tmp_path / "g.db", clock=clock)
    with store:
        store.run(Stops(3))
        store.apply([{"wake": {"at": "2026-09-20T12:00:00Z"}}, {"wake": {"at": "2026-09-20T11:00:00Z"}}])
        store.run(Stops(3))
    assert clock.armed == [None, at("2026-09-20T11:00:00Z")]


class Recorder(Bell):
    """A bell that remembers how long it was asked to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, seconds: float | None) -> bool:
        self.waits.append(seconds)
        return False


@case("SB48")
@case("SB49")
@case("SB50")
@case("SB53")
@case("SB54")
def test_no_sleep_is_longer_than_a_minute_however_far_the_instant() -> None:
    bell = Recorder()
    clock = SystemClock()
    clock.sleep(bell, None)
    clock.sleep(bell, datetime(9999, 1, 1, tzinfo=UTC))
    clock.sleep(bell, clock.now() - timedelta(days=400))
    bell.close()
    assert bell.waits == [MAX_SLEEP, MAX_SLEEP, 0.0]


class Troubled:
    """Ticks whose first ones fail as an engine fails."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def __call__(self, stopped: Callable[[], bool]) -> wakeful.TickReport:
        if self.errors:
            raise self.errors.pop(0)
        return wakeful.TickReport([], [], [], None)


def test_a_busy_or_full_store_is_waited_out_with_growing_patience() -> None:
    clock = ArmedClock(at("2026-09-20T08:00:00Z"))
    bell = Bell()
    troubled = Troubled(wakeful.StoreBusy("b"), wakeful.StoreFull("f"), wakeful.StoreError("e"))
    Alarm(troubled, clock, bell).run(Stops(8))
    bell.close()
    waits = [(until - clock.now()).total_seconds() if until else None for until in clock.armed]
    assert waits == [0.1, 0.2, 0.4, None]


def test_a_corrupt_store_ends_the_run() -> None:
    bell = Bell()
    with pytest.raises(wakeful.StoreCorrupt):
        Alarm(Troubled(wakeful.StoreCorrupt("gone")), ArmedClock(at("2026-09-20T08:00:00Z")), bell).run(None)
    bell.close()


def test_a_ring_before_the_sleep_is_not_lost() -> None:
    bell = Bell()
    for _ in range(100_000):
        bell.ring()
    assert bell.wait(LONG)
    assert not bell.wait(0.0)
    bell.close()
    bell.ring()


def test_it_stops_between_two_transactions(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    with store:
        for _ in range(2):
            store.apply([{"wake": {"at": "2026-09-20T07:00:00Z"}} for _ in range(1000)])
        reports: list[wakeful.TickReport] = []
        store.run(Stops(3), on_tick=reports.append)
        assert [len(report.fired) for report in reports] == [1000]
        assert store.query(".fired .count") == {"count": 1000}


def test_an_event_that_is_set_wakes_the_sleeper(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    with store, running(store):
        pass


def test_closing_the_store_ends_a_run_quietly(tmp_path: Path) -> None:
    for path in (str(tmp_path / "g.db"), ":memory:"):
        store, _ = garden(path=path)
        with running(store):
            store.close()


def test_a_run_ends_when_the_store_is_closed_without_a_stop(tmp_path: Path) -> None:
    store, _ = garden(path=str(tmp_path / "g.db"))
    ticked = threading.Event()
    thread = threading.Thread(target=lambda: store.run(on_tick=lambda report: ticked.set()))
    thread.start()
    assert ticked.wait(LONG)
    store.close()
    thread.join(LONG)
    assert not thread.is_alive()


def test_a_tick_between_a_ring_and_the_close_does_not_keep_a_run_alive() -> None:
    asleep: queue.SimpleQueue[tuple[Bell, datetime | None]] = queue.SimpleQueue()

    class Watched(ManualClock):
        def sleep(self, bell: Bell, until: datetime | None) -> None:
            asleep.put((bell, until))
            super().sleep(bell, until)

    store = wakeful.open(":memory:", clock=Watched(at("2026-09-20T08:00:00Z")))
    thread = threading.Thread(target=store.run)
    thread.start()
    asleep.get(timeout=LONG)
    close = store._engine.close

    def close_when_all_rings_are_heard() -> None:
        store.apply({"wake": {"at": "2030-01-01T00:00:00Z"}})
        bell, until = asleep.get(timeout=LONG)
        while until is None or select.select([bell._listen], [], [], 0)[0]:
            bell, until = asleep.get(timeout=LONG)
        close()

    store._engine.close = close_when_all_rings_are_heard
    store.close()
    thread.join(LONG)
    assert not thread.is_alive()


def test_a_write_through_another_store_rings_the_doorbell(tmp_path: Path) -> None:
    path = str(tmp_path / "g.db")
    store, clock = garden(path=path)
    with store, running(store) as reports:
        with wakeful.open(path, clock=clock) as other:
            other.apply({"entity": {"eid": "late"}, "plant": {}, "wake": {"at": "2026-09-20T07:00:00Z"}})
        assert [bundle["entity"]["eid"] for bundle in reports.get(timeout=LONG).fired] == ["late"]
    assert not doorbell.bells_folder(path).exists()


def test_bells_that_nobody_listens_to_are_swept_away(tmp_path: Path) -> None:
    path = str(tmp_path / "g.db")
    lost = doorbell.Doorbell(path)
    assert lost.socket is not None
    lost.socket.close()
    assert len(list(doorbell.bells_folder(path).iterdir())) == 1
    doorbell.ring(path)
    assert list(doorbell.bells_folder(path).iterdir()) == []


def test_a_path_too_long_for_a_socket_has_its_bells_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    path = str(deep / "g.db")
    store, clock = garden(path=path)
    with store, running(store) as reports, wakeful.open(path, clock=clock) as other:
        other.apply({"plant": {}, "wake": {"at": "2026-09-20T07:00:00Z"}})
        assert len(reports.get(timeout=LONG).fired) == 1
    assert not doorbell.bells_folder(path).exists()


def test_an_unexpected_error_is_logged_and_the_tick_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    clock = ArmedClock(at("2026-09-20T08:00:00Z"))
    bell = Bell()
    reports: list[wakeful.TickReport] = []
    troubled = Troubled(KeyError("a bug"), wakeful.StoreBusy("b"), ZeroDivisionError("another"))
    with caplog.at_level("WARNING", logger="wakeful"):
        Alarm(troubled, clock, bell).run(Stops(8), reports.append)
    bell.close()
    waits = [(until - clock.now()).total_seconds() if until else None for until in clock.armed]
    assert waits == [0.1, 0.2, 0.4, None]
    assert len(reports) == 1
    traced = [record.exc_info[0] for record in caplog.records if record.exc_info]
    assert traced == [KeyError, ZeroDivisionError]


@pytest.mark.parametrize(
    "error", [wakeful.StoreForked("f"), wakeful.StoreClosed("c"), KeyboardInterrupt(), SystemExit(3)]
)
def test_what_ends_a_run(error: BaseException) -> None:
    def tick(stopped: Callable[[], bool]) -> wakeful.TickReport:
        raise error

    bell = Bell()
    with pytest.raises(type(error)):
        Alarm(tick, ArmedClock(at("2026-09-20T08:00:00Z")), bell).run(None)
    bell.close()


def test_what_on_tick_raises_ends_the_run() -> None:
    def told(report: wakeful.TickReport) -> None:
        raise KeyError(report)

    store, _ = garden()
    with pytest.raises(KeyError):
        store.run(None, told)
