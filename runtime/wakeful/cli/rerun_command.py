"""`wakeful rerun`: run a call again."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
The call is run although it has a result: what it writes goes to the same rows, and its result is replaced.  A
worker's call is put in line again, for a process that runs its worker.

Exit code: 0 run, 1 it cannot be run again, or it failed again, 2 no such store."""


def configure(parser: Parser) -> None:
    parser.add_argument("eid", metavar="EID", help="the call's eid, as `wakeful calls` lists it")
    parser.add_store()
    parser.add_now("the instant of the run")
    parser.add_json("the call, the changes and the notes")


def run(args: Namespace, console: Console) -> int:
    from dataclasses import asdict

    from .call_lines import show_call, without_accounts
    from .rows import show_rows
    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        applied = store.rerun(args.eid)
        calls = store.calls(eids=[args.eid])
        shown = [] if args.json else without_accounts(applied.changes, store)
    failed = any(call.state == "failed" for call in calls)
    if args.json:
        console.data({"call": asdict(calls[0]) if calls else None, "changes": applied.changes, "notes": applied.notes})
        return int(failed)
    if shown:
        show_rows(shown, console)
    for call in calls:
        show_call(call, console)
    for note in applied.notes:
        console.say(("note: ", "name"), note)
    return int(failed)
