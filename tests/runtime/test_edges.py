"""Corners in which a store once went wrong."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from runtime.garden import GARDEN, at, garden
from wakeful.testing import ManualClock

DUE = "2026-09-20T07:00:00Z"


def made(defs: dict[str, Any], path: str = ":memory:") -> wakeful.Store:
    store = wakeful.open(path, clock=ManualClock(at("2026-09-20T08:00:00Z")))
    store.deploy({"$defs": defs})
    return store


def test_a_close_lets_calls_under_way_end(tmp_path: Path) -> None:
    for path in (str(tmp_path / "g.db"), ":memory:"):
        store, _ = garden(path=path)
        started = threading.Barrier(5)
        odd: list[BaseException] = []

        def work(
            store: wakeful.Store = store, started: threading.Barrier = started, odd: list[BaseException] = odd
        ) -> None:
            try:
                store.apply({"plant": {}})
                started.wait(20)
                while True:
                    store.apply({"plant": {}})
                    store.query(".plant .limit=3")
            except wakeful.StoreClosed:
                pass
            except BaseException as error:
                odd.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait(20)
        store.close()
        for thread in threads:
            thread.join(20)
        assert odd == []


def test_an_interrupt_leaves_no_transaction_open(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    store, _ = garden(path=str(path))

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # an interrupt inside a callback of the collector goes nowhere
    try:
        hits = 0
        for turn in range(150):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 + turn * 0.000_02)
                for _ in range(40):
                    store.apply({"plant": {}})
            except KeyboardInterrupt:
                hits += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        assert hits > 50
    finally:
        gc.enable()
        signal.signal(signal.SIGALRM, old)
    store.apply({"entity": {"eid": "after"}, "plant": {}})
    with wakeful.open(path) as other:
        other.apply({"plant": {}}, timeout=1.0)
    store.close()


def test_a_rule_that_refers_to_what_is_not_there_is_a_refusal_and_heals() -> None:
    store = made(
        {
            "book": {},
            "loan": {"properties": {"book": {"type": "string", "ref": "book"}}},
            "lends": {"rule": True, "match": ".fired, +!loan, +loan.book=b1"},
        }
    )
    store.apply([{"entity": {"eid": "w"}, "wake": {"at": DUE}}])
    assert [refusal["error"][:40] for refusal in store.tick().refused] == ["rule `lends` refers in `loan.book` of w "]
    store.apply([{"entity": {"eid": "b1"}, "book": {}}, {"entity": {"eid": "w"}, "wake": {"note": "again"}}])
    assert store.tick().fired[0]["loan"] == {"book": "b1"}
    store.apply({"entity": {"eid": "b1"}, "tombstone": {}})
    store.apply({"entity": {"eid": "v"}, "wake": {"at": DUE}})
    assert len(store.tick().refused) == 1


def test_names_that_an_index_of_the_store_once_had() -> None:
    store = made({"wake_due": {}, "wake_retry": {}})
    store.apply({"wake_due": {}, "wake_retry": {}})
    assert store.query(".wake_due .wake_retry .count") == {"count": 1}


def test_a_refusal_may_come_again_at_the_same_instant() -> None:
    vocab: dict[str, Any] = {**GARDEN["$defs"], "strict": {"properties": {"x": {"type": "string"}}, "required": ["x"]}}
    vocab["waters"] = {"rule": True, "match": ".plant, .fired, +!strict"}
    store = made(vocab)
    store.apply({"entity": {"eid": "p"}, "plant": {}, "wake": {"at": DUE}})
    for _ in range(3):
        assert len(store.tick().refused) == 1
        store.apply({"entity": {"eid": "p"}, "wake": None})
        assert store.query(".refusal") == []
        store.apply({"entity": {"eid": "p"}, "wake": {"at": DUE}})
    assert len(store.tick().refused) == 1


def test_what_sql_refuses_is_one_refused_firing(tmp_path: Path) -> None:
    path = tmp_path / "g.db"
    store, _ = garden(path=str(path))
    store.apply([{"plant": {}, "wake": {"at": DUE}} for _ in range(20)])
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER no BEFORE INSERT ON c_watered WHEN NEW.num = 3 "
            "BEGIN SELECT RAISE(ABORT, 'not this one'); END"
        )
    report = store.tick()
    assert len(report.fired) == 19
    assert [refusal["eid"] for refusal in report.refused] == [store.query(".num=3")[0]["entity"]["eid"]]
    assert "not this one" in report.refused[0]["error"]
    assert store.query(".num=3 ?fired ?wake")[0]["wake"]["at"] == DUE
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER no")
    store.clock.advance(timedelta(minutes=1))
    assert len(store.tick().fired) == 1
    store.close()


def test_a_nested_bundle_that_is_left_out_stands_for_what_is_there() -> None:
    store = made({"book": {}, "loan": {"properties": {"book": {"type": "string", "ref": "book"}}}})
    setup = {"entity": {"eid": "l"}, "loan": {"book": {"entity": {"eid": "b"}, "$absent": True, "book": {}}}}
    store.apply(setup)
    assert store.apply(setup).changes == []
    assert store.query(".loan")[0]["loan"] == {"book": "b"}


def test_a_relative_path_stays_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store, _ = garden(path="g.db")
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    thread = threading.Thread(target=lambda: store.apply({"entity": {"eid": "x"}, "plant": {}}))
    thread.start()
    thread.join()
    assert store.query(".plant .count") == {"count": 1}
    assert list((tmp_path / "elsewhere").iterdir()) == []
    store.close()


def test_odd_arguments_are_told_in_our_own_words() -> None:
    store, _ = garden()
    for by in ("\ud800", "a\0b", "x" * 500, ""):
        with pytest.raises(wakeful.Refused, match="`by`"):
            store.apply({"plant": {}}, by=by)
    for timeout in (None, True, "5", float("nan")):
        with pytest.raises(wakeful.Refused, match="timeout"):
            store.apply({"plant": {}}, timeout=timeout)
    store.apply({"plant": {}}, timeout=float("inf"))
    store.apply({"plant": {}}, timeout=1e10)
    with pytest.raises(wakeful.Refused, match="`limit`"):
        store.tick(limit=1.5)
    with pytest.raises(wakeful.Refused, match="`now`"):
        store.tick("2026-09-20T09:00:00Z")
    with pytest.raises(wakeful.Refused, match="naive"):
        store.tick(datetime(2026, 9, 20))
    for path in (b"bytes.db", "a\0b"):
        with pytest.raises(wakeful.StoreError):
            wakeful.open(path)


def test_a_refusal_at_the_end_of_time() -> None:
    vocab = {
        "strict": {"properties": {"x": {"type": "string"}}, "required": ["x"]},
        "r": {"rule": True, "match": ".fired, +!strict"},
    }
    store = made(vocab)
    store.apply({"wake": {"at": "9999-12-31T23:59:30Z"}})
    assert len(store.tick(at("9999-12-31T23:59:30Z")).refused) == 1


def test_a_bundle_is_measured_in_bytes() -> None:
    store = made({"note": {"properties": {"meta": {"type": "object"}, "text": {"type": "string"}}}})
    big = {"note": {"meta": {str(n): "x" * 1000 for n in range(900)}, "text": "é" * 200_000}}
    with pytest.raises(wakeful.Refused, match="1048576 bytes"):
        store.apply(big)


def test_a_removal_forgets_what_was_named_before_it() -> None:
    store = made({})
    store.apply(
        [
            {"entity": {"eid": "w"}, "wake": {"at": "2026-10-01T00:00:00Z"}},
            {"entity": {"eid": "w"}, "wake": None},
            {"entity": {"eid": "w"}, "wake": {"every": "1h"}},
        ]
    )
    assert store.next_due() == at("2026-09-20T09:00:00Z")


def test_a_write_away_and_back_sets_off_no_rule() -> None:
    store = made({"p": {"properties": {"x": {"type": "integer"}}}})
    store.apply({"entity": {"eid": "a"}, "p": {"x": 1}})
    store.deploy(
        {"$defs": {"p": {"properties": {"x": {"type": "integer"}}}, "m": {}, "r": {"rule": True, "match": ".p.x, +!m"}}}
    )
    assert store.apply([{"entity": {"eid": "a"}, "p": {"x": 2}}, {"entity": {"eid": "a"}, "p": {"x": 1}}]).changes == []
    assert store.query(".m") == []


def test_rules_run_over_what_a_closed_account_leaves_behind() -> None:
    vocab: dict[str, Any] = {
        "mark": {},
        "lost": {},
        "can": {},
        "strict": {"properties": {"x": {"type": "string"}}, "required": ["x"]},
        "seen": {"properties": {"of": {"type": "string", "ref": "refusal", "death": "release"}}},
        "spills": {"rule": True, "match": ".fired, !can, +!strict"},
        "loses": {"rule": True, "match": ".mark, !seen, +!lost"},
    }
    for mend in ({"can": {}, "wake": {"note": "now"}}, {"wake": None}):
        store = made(vocab)
        store.apply({"entity": {"eid": "w"}, "wake": {"at": DUE}})
        store.tick()
        account = store.query(".refusal")[0]["entity"]["eid"]
        store.apply({"entity": {"eid": "h"}, "mark": {}, "seen": {"of": account}})
        assert store.query(".lost") == []
        store.apply({"entity": {"eid": "w"}, **mend})
        store.tick()
        assert [row["entity"]["eid"] for row in store.query(".lost")] == ["h"]


def test_a_row_that_is_due_again_goes_before_what_is_due_later() -> None:
    store = made(
        {
            "step": {"properties": {"n": {"type": "integer"}}},
            "again": {"rule": True, "match": ".step.n=0, .fired, +step.n=1, +wake.at=2026-09-20T07:10:00Z"},
        }
    )
    store.apply(
        [
            {"entity": {"eid": "a"}, "step": {"n": 0}, "wake": {"at": "2026-09-20T07:00:00Z"}},
            {"entity": {"eid": "b"}, "wake": {"at": "2026-09-20T07:30:00Z"}},
        ]
    )
    assert [bundle["entity"]["eid"] for bundle in store.tick().fired] == ["a", "a", "b"]


def test_no_order_of_properties_decides_a_fate() -> None:
    cascade = {"type": "string", "ref": "book", "death": "cascade"}
    release = {"type": "string", "ref": "book", "death": "release"}
    for properties in ({"a": cascade, "b": release}, {"b": release, "a": cascade}):
        store = made({"book": {}, "pair": {"properties": properties}})
        store.apply([{"entity": {"eid": "x"}, "book": {}}, {"entity": {"eid": "p"}, "pair": {"a": "x", "b": "x"}}])
        assert len(store.apply({"entity": {"eid": "x"}, "tombstone": {}}).changes) == 2
        assert store.query("*") == []


def test_a_row_with_a_dead_reference_can_be_written_back() -> None:
    store = made({"book": {}, "note": {"properties": {"book": {"type": "string", "ref": "book"}}}})
    store.apply([{"entity": {"eid": "b"}, "book": {}}, {"entity": {"eid": "n"}, "note": {"book": "b"}}])
    store.apply({"entity": {"eid": "b"}, "tombstone": {}})
    (row,) = store.query(".note")
    assert store.apply(row).changes == []


class TestEvolution:
    TEXT = {"type": "string"}  # noqa: RUF012

    def one(self, **properties: Any) -> dict[str, Any]:
        return {"$defs": {"a": {"properties": properties}}}

    def test_a_file_rolled_back(self) -> None:
        store = made({"a": {"properties": {"x": self.TEXT}}})
        store.apply({"entity": {"eid": "r"}, "a": {"x": "v"}})
        assert store.deploy(self.one(y={**self.TEXT, "was": "x"})).renamed == ["a.x -> a.y"]
        assert store.deploy(self.one(x=self.TEXT)).kept == ["a.y"]
        assert store.query(".a")[0]["a"] == {"x": None, "y": "v"}
        store.deploy(self.one(x=self.TEXT))

    def test_a_was_that_comes_too_late_is_a_note(self) -> None:
        store = made({"p": {}})
        store.apply({"p": {}})
        store.deploy({"$defs": {"q": {}}})
        report = store.deploy({"$defs": {"q": {"was": "p"}}})
        assert report.kept == ["p"] and "nothing was renamed" in report.notes[0]

    def test_a_kept_component_is_no_rule(self) -> None:
        store = made({"jot": {}, "p": {}})
        store.apply({"jot": {}})
        with pytest.raises(wakeful.Refused, match="cannot become a rule"):
            store.deploy({"$defs": {"p": {}, "jot": {"rule": True, "match": ".p, +!doc"}}})

    def test_file_and_kept_together_over_a_limit(self) -> None:
        store = made({"a": {"properties": {f"x{n}": self.TEXT for n in range(150)}}})
        store.apply({"a": {f"x{n}": "v" for n in range(150)}})
        with pytest.raises(wakeful.Refused, match="stored rows still hold"):
            store.deploy(self.one(**{f"y{n}": self.TEXT for n in range(150)}))

    def test_integers_that_no_double_holds_stay_integers(self) -> None:
        store = made({"a": {"properties": {"n": {"type": "integer"}}}})
        store.apply({"entity": {"eid": "r"}, "a": {"n": 2**53 + 1}})
        with pytest.raises(wakeful.Refused, match="no double can hold"):
            store.deploy(self.one(n={"type": "number"}))
        store.apply({"entity": {"eid": "r"}, "a": {"n": 2**53}})
        store.deploy(self.one(n={"type": "number"}))
        assert store.query(".a.n=9007199254740992 .count") == {"count": 1}
