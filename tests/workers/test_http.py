"""Calls over HTTP, to an app that answers in every way that an app may."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import wakeful
from runtime.garden import at
from wakeful.workers import verify
from workers.app import EIGHT, App, app, ask, execution, nowhere, result, worker, working


@pytest.fixture(scope="module")
def told() -> Iterator[App]:
    with app() as running:
        yield running


def call(told: App, route: str, **how: Any) -> wakeful.Store:
    """A store that has called a route once."""
    store, _ = working(commands={"tick": worker(route, **how)}, workers=told.url)
    ask(store, "c")
    store.tick()
    return store


@pytest.mark.parametrize(
    ("route", "value"),
    [
        ("/ok", {"got": {"n": 0}}),
        ("/list", {"value": [1, 2]}),
        ("/nothing", None),
        ("/text", {"text": "watered"}),
    ],
)
def test_an_answer_becomes_the_value_of_the_result(told: App, route: str, value: Any) -> None:
    with call(told, route) as store:
        assert execution(store, "c") == {"state": "done", "at": EIGHT, "error": None}
        assert result(store, "c") == value


@pytest.mark.parametrize(
    ("route", "error"),
    [
        ("/broken", "answered 500 Internal Server Error"),
        ("/moved", "answered 302, a redirect to {url}/ok: redirects are not followed; name the final address"),
        ("/garbage", "the answer calls itself JSON, and cannot be read as JSON"),
        ("/nan", "the answer calls itself JSON, and cannot be read as JSON"),
        ("/binary", "the answer is neither JSON nor text in UTF-8"),
        ("/zipped", "answered in a compressed form, which was not asked for"),
        ("/huge", "the answer has 70,002 bytes; the limit is 65,536 (64 KiB): store it, and answer its eid"),
        ("/endless", "the answer has more than 65,536 bytes (64 KiB): store it, and answer its eid"),
        (
            "/surrogate",
            "the answer.a holds half of a surrogate pair (U+D800), which is no character: take it out",
        ),
    ],
)
def test_what_is_no_answer_is_a_failure_that_says_so(told: App, route: str, error: str) -> None:
    seen = len(told.requests)
    with call(told, route) as store:
        assert execution(store, "c") == {"state": "failed", "at": EIGHT, "error": error.replace("{url}", told.url)}
        assert result(store, "c") is None
    assert len(told.requests) == seen + 1, "a call is sent once, and no redirect is followed"


@pytest.mark.parametrize(("route", "said"), [("/rude", "does not speak HTTP"), ("/hangup", "or hung up")])
def test_what_does_not_speak_http_is_told_in_plain_words(told: App, route: str, said: str) -> None:
    with call(told, route) as store:
        assert said in execution(store, "c")["error"]
        assert execution(store, "c")["state"] == "failed"


def test_a_deep_answer_fails_and_disturbs_nothing(told: App) -> None:
    with call(told, "/deep") as store:
        assert execution(store, "c")["state"] == "failed"


@pytest.mark.parametrize("route", ["/silent", "/drips"])
def test_the_timeout_is_the_time_that_all_of_it_may_take(told: App, route: str) -> None:
    with call(told, route, timeout=0.2) as store:
        assert execution(store, "c") == {"state": "failed", "at": EIGHT, "error": "no answer within 0.2 s"}
        ended = threading.Event()
        watch(store, ended)
        assert ended.wait(20), "the connection was cut, so the thread that waited on it is free"


def watch(store: wakeful.Store, ended: threading.Event) -> None:
    """Set the event once no thread of the pool is held up by a call that was given up."""
    pool = store._pool

    def look() -> None:
        with pool._changed:
            while pool._runners.stuck:
                pool._changed.wait(0.05)
        ended.set()

    threading.Thread(target=look, daemon=True).start()


def test_an_app_that_is_not_there_fails_the_call() -> None:
    store, _ = working(workers=nowhere())
    with store:
        ask(store, "c")
        store.tick()
        error = execution(store, "c")["error"]
        assert error.startswith("http://127.0.0.1:")
        assert error.endswith("/tick: nothing answers there (connection refused)")


def test_a_host_that_does_not_exist_fails_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    store, _ = working(workers="http://no-such-host.invalid")
    with store:
        ask(store, "c")
        store.tick()
        assert "nothing answers there" in execution(store, "c")["error"]


def test_the_headers_name_the_call_its_source_and_when(told: App) -> None:
    store, clock = working(commands={"tick": worker("/ok")}, workers=f"{told.url}/", worker_secret=["new", b"old"])
    with store:
        store.apply({"entity": {"eid": "büro %"}, "call": {"to": "tick"}, "wake": {"at": EIGHT, "every": "1h"}})
        report = store.tick()
        path, headers, body = told.requests[-1]
        assert path == "/ok"
        assert json.loads(body) == {}
        assert headers["x-yak-command-call"] == report.calls[0]
        assert headers["x-yak-command-source"] == "b%C3%BCro%20%25"
        assert headers["x-yak-command-at"] == EIGHT
        assert headers["content-type"] == "application/json"
        verify("old", headers, body, clock.now())
        ask(store, "alone")
        store.tick()
        assert "x-yak-command-source" not in told.requests[-1][1]


def test_moments_are_counted_from_when_the_call_was_written(told: App) -> None:
    when = {"input": {"at": {"type": "string", "format": "date-time"}}}
    store, clock = working(commands={"tick": {**worker("/ok"), **when}}, workers=told.url)
    with store:
        store.apply({"entity": {"eid": "c"}, "call": {"to": "tick", "args": {"at": "in-1-hour"}}})
        clock.set(at("2026-09-20T12:00:00Z"))
        store.tick()
        assert result(store, "c") == {"got": {"at": "2026-09-20T09:00:00Z"}}


def test_no_proxy_of_the_environment_is_used(told: App, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, nowhere())
    with call(told, "/ok") as store:
        assert execution(store, "c")["state"] == "done"


@pytest.mark.parametrize(
    "url",
    ["app.example", "ftp://app.example", "https://", "https://a:b@app.example", "https://app.example/?x", 5,
     "https://app.example/#x", "http://app.example:99999", "http://app .example", "http://äpp.example", ""],
)  # fmt: skip
def test_a_base_url_that_is_none_is_refused_at_open(url: Any) -> None:
    with pytest.raises(wakeful.StoreError, match="`workers`"):
        wakeful.open(":memory:", workers=url)


def test_without_httpx_opening_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(wakeful.StoreError, match=r"pip install 'wakeful\[workers\]'"):
        wakeful.open(":memory:", workers="https://app.example")


@pytest.mark.parametrize("options", [{"worker_secret": b"s"}, {"worker_threads": 0}, {"worker_threads": True}])
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(wakeful.StoreError):
        wakeful.open(":memory:", **options)
