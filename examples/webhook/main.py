"""A worker: code outside the store, called after the commit; over HTTP with a signature, or a function right here.

Run it with `python examples/webhook/main.py` (calling over HTTP needs httpx: `pip install 'wakeful[workers]'`).  The
store's clock is moved by hand; the HTTP between store and app is real, on a port of this machine.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import wakeful
from wakeful import workers
from wakeful.testing import ManualClock

SECRET = "a secret that the store and the app share"
NINE = datetime(2026, 9, 21, 9, tzinfo=UTC)


class ParcelService:
    """The app that is called.  What it does for a call it does once, whatever is delivered twice."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.numbers: dict[str, str] = {}
        self.closed_for = 1
        self._say = say

    def announce(self, call: str, shipment: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and answer for the shipment of a call."""
        if self.closed_for:
            self.closed_for -= 1
            self._say("    the app: not now")
            return 503, {}
        # The eid of a call is the same in each attempt: the key by which to do its work once.
        number = self.numbers.setdefault(call, f"PS-{len(self.numbers) + 1:04}")
        self._say(f"    the app: {shipment['kilos']} kg to {shipment['to']} is {number}")
        return 200, {"tracking": number}


@contextmanager
def served(app: ParcelService, clock: ManualClock) -> Iterator[str]:
    """The app behind a URL of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            try:
                # An app on the machine's own clock leaves `now` out.
                workers.verify(SECRET, self.headers.items(), body, now=clock.now())
            except workers.BadSignature as error:
                print(f"    the app: turned away, {error}")
                self._answer(401, {})
                return
            self._answer(*app.announce(self.headers[workers.CALL_HEADER], json.loads(body)))

        def _answer(self, status: int, answer: dict[str, Any]) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing of one's own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def show(store: wakeful.Store) -> None:
    """How the last call stands."""
    (call,) = store.calls(limit=1)
    value = [row["result"]["value"] for row in store.query(f".result.call={call.eid}")]
    print(f"    {call.command} for {call.source}: {call.state}, {call.error or value[0]}")


def over_http(clock: ManualClock) -> None:
    print("Over HTTP\n")
    app = ParcelService(print)
    with served(app, clock) as url:
        with wakeful.open(":memory:", clock=clock, workers=url, worker_secret=SECRET) as store:
            store.deploy(Path(__file__).parent)
            store.apply({"entity": {"eid": "books"}, "shipment": {"to": "Ada", "kilos": 3.5}})
            print("  A shipment is written; the rule asks for `announce`, and the worker is called after the commit:")
            store.tick()
            show(store)
            again = store.next_due()
            assert again is not None
            clock.set(again)
            print(f"  {again - NINE} later, as `retry` says:")
            store.tick()
            show(store)

        with wakeful.open(":memory:", clock=clock, workers=url, worker_secret="another secret") as store:
            vocab = json.loads((Path(__file__).parent / "vocab.json").read_text(encoding="utf-8"))
            del vocab["$defs"]["announce"]["retry"]
            store.deploy(vocab)
            print("  Somebody who does not know the secret:")
            store.apply({"entity": {"eid": "bricks"}, "shipment": {"to": "Eve", "kilos": 900}})
            store.tick()
            show(store)


def in_process(clock: ManualClock) -> None:
    print("\nIn the process\n")
    app = ParcelService(print)
    app.closed_for = 0
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(Path(__file__).parent)

        @store.worker("/shipments")
        def announce(shipment: dict[str, Any], call: workers.Call) -> dict[str, Any]:
            return app.announce(call.eid, shipment)[1]

        store.apply({"entity": {"eid": "lamp"}, "shipment": {"to": "Bob", "kilos": 1.2}})
        print("  The same vocabulary; the route is a function here:")
        store.tick()
        show(store)
        (call,) = store.calls()
        store.rerun(call.eid)
        print("  The call is run again; the app knows its eid, and gives no second number:")
        store.tick()
        show(store)


def main() -> None:
    clock = ManualClock(NINE)
    if find_spec("httpx") is not None:
        over_http(clock)
    else:
        print("Over HTTP: needs httpx, `pip install 'wakeful[workers]'`.\n")
    in_process(clock)


if __name__ == "__main__":
    main()
