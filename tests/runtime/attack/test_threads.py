"""Many threads and stores on one file: no lost write, no half-seen firing, no raw error."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import wakeful
from runtime.attack.declared import INTEGER, TEXT, has, opened, rule, vocab


def together(bodies: list[Callable[[], None]]) -> None:
    errors: list[BaseException] = []

    def guarded(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_eight_threads_write_tick_and_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "t.db" if kind == "file" else ":memory:"
    store, _ = opened(path, p=has(x=INTEGER), done={}, finish=rule(".p, .fired, +!done"))
    fired: list[str] = []

    def body(number: int) -> None:
        for turn in range(20):
            eid = f"e{number}_{turn}"
            store.apply({"entity": {"eid": eid}, "p": {"x": turn}, "wake": {"at": "now"}})
            for row in store.query(".p ?done ?fired"):
                assert ("fired" in row) == ("done" in row), "a firing and its rule are one commit"
            if turn % 5 == number % 5:
                fired.extend(bundle["entity"]["eid"] for bundle in store.tick().fired)

    together([partial(body, number) for number in range(8)])
    fired += [bundle["entity"]["eid"] for bundle in store.tick().fired]
    assert sorted(fired) == sorted(f"e{number}_{turn}" for number in range(8) for turn in range(20))
    assert [row["entity"]["num"] for row in store.query(".p .done")] == list(range(1, 161))
    store.close()


def test_deploys_under_load(tmp_path: Path) -> None:
    store, clock = opened(tmp_path / "d.db", p=has(x=INTEGER))
    other = wakeful.open(tmp_path / "d.db", clock=clock)
    finished = threading.Event()

    def read(target: wakeful.Store) -> None:
        while not finished.is_set():
            assert target.query(".p.x=1 .limit=3")[0]["p"]["x"] == 1
            assert "p" in target.vocab.components

    def write() -> None:
        for _ in range(40):
            store.apply({"p": {"x": 1}}, timeout=60.0)

    def deploy() -> None:
        try:
            for number in range(8):
                store.deploy(vocab(p=has(**{"x": INTEGER, f"y{number}": TEXT})))
                other.apply({"p": {f"y{number}": "seen"}}, timeout=60.0)
                assert store.query(f".p.y{number}=seen .count") == {"count": 1}
        finally:
            finished.set()

    store.apply({"p": {"x": 1}})
    together([partial(read, store), partial(read, other), write, deploy])
    assert sorted(store.vocab.components["p"].properties) == ["x", *(f"y{number}" for number in range(8))]
    other.close()
    store.close()


EVERY_CALL: dict[str, Callable[[wakeful.Store], object]] = {
    "apply": lambda store: store.apply({}),
    "query": lambda store: store.query("*"),
    "tick": lambda store: store.tick(),
    "next_due": lambda store: store.next_due(),
    "due": lambda store: store.due(),
    "vocab": lambda store: store.vocab,
    "deploy": lambda store: store.deploy({"$defs": {}}),
    "run": lambda store: store.run(),
}


@pytest.mark.parametrize("call", EVERY_CALL)
def test_a_closed_store_says_so(call: str, tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "c.db", p={})
    store.close()
    store.close()
    with pytest.raises(wakeful.StoreClosed):
        EVERY_CALL[call](store)


def test_a_forked_store_says_so_and_a_fresh_one_works(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "f.db", p={})
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = []
        try:
            for name, call in EVERY_CALL.items():
                try:
                    call(store)
                except wakeful.StoreForked:
                    said.append(name)
            with wakeful.open(tmp_path / "f.db") as fresh:
                fresh.apply({"p": {}})
        finally:
            os.write(writer, " ".join(said).encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read().split() == list(EVERY_CALL)
    store.apply({"p": {}})
    assert store.query(".p .count") == {"count": 2}
    store.close()
