"""`wakeful query`: read rows from a store."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
TEXT is a query such as `.plant, ?wake` or `.plant.window=north .order=doc.title .limit=10`.  Quote it.

Exit code: 0 answered, 1 the query has problems, 2 no such store."""


def configure(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the query, quoted")
    parser.add_store()
    parser.add_now()
    parser.add_json("the rows, or the aggregate that a directive asks for,")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.outside import outside

    from .rows import show_aggregate, show_rows
    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        answer = store.query(args.text, now=args.now)
        remarks = list(outside(store.vocab.query(args.text).plan.where))
    if args.json:
        console.data(answer)
    elif isinstance(answer, list):
        show_rows(answer, console)
    else:
        show_aggregate(answer, console)
    for remark in remarks:
        console.remark(("note: ", "name"), remark)
    if isinstance(answer, list) and getattr(answer, "cut", False):
        last = answer[-1]["entity"]["num"]
        console.remark(
            ("note: ", "name"),
            f"cut at {len(answer):,} rows: `.limit=N` asks for more, `.after={last}` for those behind these",
        )
    return 0
