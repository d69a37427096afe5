"""An app on 127.0.0.1 for workers to call, and a store whose commands call it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import wakeful
from runtime.garden import at
from wakeful.testing import ManualClock

EIGHT = "2026-09-20T08:00:00Z"
LONG = 60.0
"""Seconds after which a test that waits for an event has failed."""


@dataclass
class App:
    """What an app was asked, and how to reach it.  `release` lets the routes go on that wait."""

    url: str = ""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def bodies(self) -> list[Any]:
        return [json.loads(body) for _, _, body in self.requests]


class Quiet(ThreadingHTTPServer):
    """A server that says nothing of callers who hang up: some tests are about that."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def app(tick: int = 200) -> Iterator[App]:
    """A running app: `/ok` and `/text` answer, `/tick` with this status; the others misbehave, each in its way."""
    told = App()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            told.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            getattr(self, f"_{self.path.strip('/')}")(body)

        def _answer(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def _ok(self, body: bytes) -> None:
            self._answer(200, json.dumps({"got": json.loads(body)}).encode())

        def _tick(self, body: bytes) -> None:
            self._answer(tick, b"{}")

        def _list(self, body: bytes) -> None:
            self._answer(200, b"[1, 2]")

        def _nothing(self, body: bytes) -> None:
            self._answer(204, b"")

        def _text(self, body: bytes) -> None:
            self._answer(200, b"watered", "text/plain")

        def _broken(self, body: bytes) -> None:
            self._answer(500, b"oh no", "text/plain")

        def _moved(self, body: bytes) -> None:
            self._answer(302, b"", location=f"{told.url}/ok")

        def _garbage(self, body: bytes) -> None:
            self._answer(200, b'{"half": ')

        def _binary(self, body: bytes) -> None:
            self._answer(200, b"\xff\xfe\x00", "application/octet-stream")

        def _deep(self, body: bytes) -> None:
            self._answer(200, b"[" * 30_000 + b"]" * 30_000)

        def _surrogate(self, body: bytes) -> None:
            self._answer(200, b'{"a": "\\ud800"}')

        def _nan(self, body: bytes) -> None:
            self._answer(200, b'{"a": NaN}')

        def _zipped(self, body: bytes) -> None:
            self._answer(200, b"\x1f\x8b", content_encoding="gzip")

        def _huge(self, body: bytes) -> None:
            self._answer(200, b'"' + b"x" * 70_000 + b'"')

        def _endless(self, body: bytes) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while not told.release.is_set():
                    self.wfile.write(b"x" * 10_000)
            except OSError:
                return
            finally:
                self.close_connection = True

        def _rude(self, body: bytes) -> None:
            self.wfile.write(b"no such thing as HTTP\r\n\r\n")
            self.close_connection = True

        def _hangup(self, body: bytes) -> None:
            self.close_connection = True

        def _silent(self, body: bytes) -> None:
            told.release.wait(LONG)
            self.close_connection = True

        def _drips(self, body: bytes) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            try:
                while not told.release.wait(0.02):
                    self.wfile.write(b"x: y\r\n")
                    self.wfile.flush()
            except OSError:
                return
            finally:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the tests look at what was asked."""

    server = Quiet(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.release.set()
        server.shutdown()
        server.server_close()
        thread.join(LONG)


def nowhere() -> str:
    """The base URL of an app that is not there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def worker(route: str, **how: Any) -> dict[str, Any]:
    """The entry of a command that a worker does."""
    return {"tool": True, "description": "work", "worker": route, "input": {"n": {"type": "integer"}}, **how}


def working(
    *, path: str = ":memory:", start: str = EIGHT, rules: dict[str, Any] | None = None,
    commands: dict[str, Any] | None = None, **options: Any,
) -> tuple[wakeful.Store, ManualClock]:  # fmt: skip
    """A store with these commands of workers, and the clock that rules it."""
    clock = ManualClock(at(start))
    store = wakeful.open(path, clock=clock, **options)
    definitions: dict[str, Any] = {"noted": {"properties": {"text": {"type": "string"}}}}
    store.deploy({"$defs": {**definitions, **(commands or {"tick": worker("/tick")}), **(rules or {})}})
    return store, clock


def ask(store: wakeful.Store, *eids: str, to: str = "tick", **more: Any) -> None:
    """Write calls."""
    store.apply([{"entity": {"eid": eid}, "call": {"to": to, "args": {"n": n}}, **more} for n, eid in enumerate(eids)])


def execution(store: wakeful.Store, eid: str) -> dict[str, Any]:
    """How a call stands; `{}` where nothing has been noted of it."""
    (row,) = store.query(f'.eid="{eid}" ?execution')
    return dict(row.get("execution") or {})


def result(store: wakeful.Store, eid: str) -> Any:
    """The value of a call's one result."""
    (row,) = store.query(f'.result.call="{eid}"')
    return row["result"]["value"]


def waiting(store: wakeful.Store) -> list[tuple[Any, ...]]:
    """The table `work`, as (eid, token, attempts, crashes), in the order of the calls."""
    with store._engine.read() as transaction:
        return transaction.fetch(
            "SELECT e.eid, w.token, w.attempts, w.crashes FROM work w JOIN entity e ON e.num = w.num ORDER BY w.num"
        )
