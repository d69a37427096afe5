"""`wakeful explain`: what a query, or the rules of a vocabulary, mean."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime

from .console import Console
from .usage import Parser

EPILOG = """\
With a query: its tree with the place of each part, the types it is read by, what it depends on, how its answer
moves as time passes, and its SQL for both engines.  With --store also how SQLite goes about it there, and which
index serves it.
Without one: the vocabulary's rules in the order in which a stage comes to them, on which occasions, what each reads,
writes, copies, calls and refuses, and why one stands before another; then its commands, who asks for each, and which
rules a command sets off.

Exit code: 0 explained, 1 the query or the vocabulary has problems, 2 no such file."""


def configure(parser: Parser) -> None:
    parser.add_argument(
        "query", metavar="QUERY", nargs="?", help="the query, quoted; without it, the rules are explained"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--vocab", metavar="PATH", help="the vocab.json to read by, or the folder that holds it")
    source.add_argument("--store", metavar="PATH-OR-URL", help="a store, to read by the vocabulary that it has")
    parser.add_now("the instant that relative times in the SQL's parameters are shown for")
    parser.add_json("the same")


def run(args: Namespace, console: Console) -> int:
    now = args.now or datetime.now(UTC)
    if args.store is not None:
        from .stores import open_store

        with open_store(args.store) as store:
            vocab = store.vocab
            steps = None if args.query is None else store.query_plan(args.query, now)
    else:
        from .vocab_file import load_vocab

        vocab, steps = load_vocab(args.vocab, console), None
    if args.query is None:
        from .rules_explained import explain_rules

        explain_rules(vocab, now, args.json, console)
    else:
        from .query_explained import explain_query

        explain_query(vocab.query(args.query), now, steps, args.json, console)
    return 0
