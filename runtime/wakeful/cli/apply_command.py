"""`wakeful apply`: write bundles into a store."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
FILE holds one bundle, a JSON array of bundles, or a bundle on each line; `-` is standard input.  All of it is
written, with everything the rules make of it, or nothing.

Exit code: 0 written, 1 refused or stale, 2 no such file or store."""


def configure(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a bundle, an array of bundles, or NDJSON; - for standard input")
    parser.add_store()
    parser.add_argument("--by", metavar="NAME", help="the author that `created` and `updated` name")
    parser.add_argument("--dry-run", action="store_true", help="answer the same, keep nothing")
    parser.add_now("the instant of the write")
    parser.add_json("the changes, the aliases and the notes")


def run(args: Namespace, console: Console) -> int:
    from wakeful import Refused, Stale

    from .bundle_input import read_bundles
    from .call_lines import calls_of, show_call, without_accounts
    from .failures import refusal
    from .rows import show_rows, word
    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        given = read_bundles(args.file)
        try:
            applied = store.apply(given.value, by=args.by, dry_run=args.dry_run)
        except Refused as error:
            refusal(
                [given.place(problem) if problem.pointer is not None else problem for problem in error.problems],
                console,
                given.file,
            )
            if isinstance(error, Stale):
                for eid, components in error.current.items():
                    console.remark(f"    {eid} now: {word(components)}")
            return 1
        if not args.json:
            calls = calls_of(applied.changes, store, kept=not args.dry_run)
            shown = without_accounts(applied.changes, store)
    if args.json:
        console.data({"changes": applied.changes, "aliases": applied.aliases, "notes": applied.notes})
        return 0
    show_rows(shown, console, "nothing else changed" if calls else "nothing changed")
    for call in calls:
        show_call(call, console)
    for alias, eid in applied.aliases.items():
        console.say((alias, "name"), f" is {eid}")
    for note in applied.notes:
        console.say(("note: ", "name"), note)
    if args.dry_run:
        console.say(("a dry run: nothing was kept", "warn"))
    return 0
