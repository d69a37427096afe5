"""`wakeful run`: stay, and fire wakes as they come due."""

from __future__ import annotations

import signal
import threading
from argparse import Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .console import Console
from .usage import Parser, workers

if TYPE_CHECKING:
    from wakeful import TickReport

EPILOG = """\
One alarm, armed at the next due instant; nothing polls.  Calls of workers are sent to the app at --workers, each as a
POST to the route of its command.  SIGTERM and SIGINT finish the running transaction and what workers are doing, 10
seconds of it at most, and end it with exit code 0.

Exit code: 0 stopped, 2 no such store."""

FOLLOWED = 1000
"""The most calls of workers whose end is waited for, the latest."""


def configure(parser: Parser) -> None:
    parser.add_store()
    parser.add_workers()
    parser.add_json("each firing, each refused one and each call that ended as a line of its own")


def run(args: Namespace, console: Console) -> int:
    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        # From here on, so that no signal falls into the time it takes to open the store.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())

    from dataclasses import asdict

    from wakeful_compiler.instants import format_instant

    from .call_lines import show_call
    from .firings import show_fired, show_refused
    from .stores import open_store

    started = False
    followed: dict[str, str] = {}

    def log_calls(report: TickReport) -> None:
        """Tell how calls stand: one of a worker when it is handed over, and again once it has ended."""
        followed.update(dict.fromkeys(report.calls, ""))
        for eid in list(followed)[:-FOLLOWED]:
            del followed[eid]
        calls = {call.eid: call for call in store.calls(eids=list(followed), limit=FOLLOWED)} if followed else {}
        for eid, told in list(followed.items()):
            call = calls.get(eid)
            if call is None or call.state not in ("waiting", "running"):
                del followed[eid]
            if call is None or call.state == told or (call.state == "running" and told):
                continue
            if eid in followed:
                followed[eid] = call.state
            if args.json:
                console.data({"call": asdict(call)})
            else:
                show_call(call, console)

    def log(report: TickReport) -> None:
        nonlocal started
        for bundle in report.fired:
            if args.json:
                console.data({"fired": bundle})
            else:
                show_fired(bundle, console)
        for refused in report.refused:
            if args.json:
                console.data({"refused": refused})
            else:
                show_refused(datetime.now(UTC), refused, console)
        log_calls(report)
        if not started:
            started = True
            due = report.next_due
            console.remark(f"running {store.path}, {f'next due {format_instant(due)}' if due else 'no wake waits'}")
        console.flush()

    with open_store(args.store, workers=workers(args.workers, args.worker_secret_env)) as store:
        store.run(stop, log)
    return 0
