"""`wakeful due`: what a tick would fire."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = "Exit code: 0 answered, 2 no such store."


def configure(parser: Parser) -> None:
    parser.add_store()
    parser.add_now("the instant of the tick")
    parser.add_json("the wakes that are due, oldest first,")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.instants import format_instant

    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        due = store.due(args.now)
        following = None if due else store.next_due()
    if args.json:
        console.data([{"eid": eid, "at": at} for eid, at in due])
    elif due:
        console.table(["entity", "due since"], due)
    else:
        later = f": the next wake is due at {format_instant(following)}" if following else ", and no wake waits"
        console.remark(f"nothing is due{later}")
    return 0
