"""`wakeful calls`: how the calls of a store stand."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser, count_up_to

EPILOG = """\
A call is waiting (it has not been run), running, done, failed or skipped.  A standing request is not among them:
its calls are, and `--of` lists those of one.  A call that names no command of the vocabulary waits until
`wakeful rerun` runs it.

Exit code: 0 answered, 1 there is no such entity, 2 no such store."""

_STATES = {
    "failed": "those that failed",
    "running": "those that run",
    "waiting": "those that have not been run yet",
}
_MOST = 1_000_000


def configure(parser: Parser) -> None:
    parser.add_store()
    state = parser.add_mutually_exclusive_group()
    for name, what in _STATES.items():
        state.add_argument(f"--{name}", dest="state", action="store_const", const=name, help=what)
    parser.add_argument("--of", metavar="EID", help="those that this schedule or row asked for")
    parser.add_argument("--limit", type=count_up_to(_MOST), default=100, metavar="N", help="at most N (default: 100)")
    parser.add_json("the calls, newest first,")


def run(args: Namespace, console: Console) -> int:
    from dataclasses import asdict

    from .call_lines import show_calls
    from .stores import open_store

    with open_store(args.store) as store:
        found = store.calls(args.state, args.of, limit=args.limit + 1)
    calls = found[: args.limit]
    if args.json:
        console.data([asdict(call) for call in calls])
    elif calls:
        show_calls(calls, console)
    elif not found:
        console.remark(f"no {args.state} calls" if args.state else "no calls")
    if len(found) > args.limit:
        console.remark(("note: ", "name"), f"these are the newest {args.limit:,}: `--limit N` asks for more")
    return 0
