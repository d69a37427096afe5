"""`wakeful prune`: delete the calls that are older than their command keeps them."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
Calls that ended more than `keep.days` of their command ago go, with their results; those of a command without `keep`
stay for good.  A tick prunes by itself; this does it all at once.

Exit code: 0 done, 1 the store is busy or full, 2 no such store."""


def configure(parser: Parser) -> None:
    parser.add_store()
    parser.add_now("the instant by which calls are old")
    parser.add_json("how many calls were deleted")


def run(args: Namespace, console: Console) -> int:
    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        pruned = store.prune(args.now)
        keeps = any(command.keep_days is not None for command in store.vocab.commands.values())
    if args.json:
        console.data({"pruned": pruned})
    elif pruned:
        console.say((f"{pruned:,} {'call' if pruned == 1 else 'calls'} pruned", "strong"))
    elif keeps:
        console.remark("no call is older than its command keeps it")
    else:
        console.remark('nothing to prune: no command has `"keep": {"days": N}`, so their calls are kept for good')
    return 0
