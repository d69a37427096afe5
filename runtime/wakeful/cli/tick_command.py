"""`wakeful tick`: fire what is due, once."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime

from .console import Console
from .usage import Parser, count_up_to, workers

EPILOG = """\
A wake whose firing a rule or the vocabulary refuses is listed, keeps its instant, and is tried again later; the
others fire.  Calls of workers that are due are sent to the app at --workers, and waited for.  The calls that the tick
ran follow, each with how it ended.

Exit code: 0 done, also when a firing was refused or a call failed; 1 the store is busy or full; 2 no such store."""


def configure(parser: Parser) -> None:
    parser.add_store()
    parser.add_workers()
    parser.add_now("the instant of the tick")
    parser.add_argument("--limit", type=count_up_to(1_000_000), metavar="N", help="fire at most N wakes")
    parser.add_json("what fired, what was refused, and when the next wake is due,")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.instants import format_instant

    from .call_lines import counted, show_call
    from .firings import show_fired, show_refused
    from .stores import open_store

    with open_store(args.store, now=args.now, workers=workers(args.workers, args.worker_secret_env)) as store:
        report = store.tick(args.now, args.limit)
        calls = store.calls(eids=report.calls, limit=len(report.calls)) if report.calls and not args.json else []
    following = None if report.next_due is None else format_instant(report.next_due)
    if args.json:
        console.data({"fired": report.fired, "refused": report.refused, "calls": report.calls, "next_due": following})
        return 0
    for bundle in report.fired:
        show_fired(bundle, console)
    for refused in report.refused:
        show_refused(args.now or datetime.now(UTC), refused, console)
    ran = {call.eid: call for call in calls}
    for eid in report.calls:
        if eid in ran:
            show_call(ran[eid], console)
    done = [f"{len(report.fired)} fired", *([f"{len(report.refused)} refused"] if report.refused else [])]
    console.say(
        (", ".join(done + counted(calls)), "strong"), f"; {f'next due {following}' if following else 'no wake waits'}"
    )
    return 0
