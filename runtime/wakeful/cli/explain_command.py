"""`wakeful explain`: what a query, or the rules of a vocabulary, mean."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .console import Console
from .usage import Parser

if TYPE_CHECKING:
    from wakeful_compiler.predicates import Read
    from wakeful_compiler.vocabulary import Vocab

EPILOG = """\
With a query: its tree with the place of each part, the types it is read by, what it depends on, how its answer
moves as time passes, and its SQL for both engines.  With --store also how SQLite goes about it there, and which
index serves it.
Without one: the vocabulary's rules in the order in which they run, what each reads and writes, and why one
stands before another.

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
        explain_rules(vocab, now, args.json, console)
    else:
        from .query_explained import explain_query

        explain_query(vocab.query(args.query), now, steps, args.json, console)
    return 0


# --- the rules ----------------------------------------------------------------------------------


def explain_rules(vocab: Vocab, now: datetime, as_json: bool, console: Console) -> None:
    """Print the rules in their order with what each reads and writes, and what orders them."""
    from .rule_notes import rule_notes

    rules = vocab.rules.ordered
    notes = rule_notes(vocab, now)
    edges = {
        "enables": vocab.rules.edges.enables,
        "before": vocab.rules.edges.before,
        "writes_then_reads": vocab.rules.edges.feeds,
    }
    if as_json:
        listed = [
            {
                "name": rule.name,
                "description": rule.description,
                "match": rule.match,
                "reads": _reads(rule.reads),
                "writes": _reads(rule.writes_set),
            }
            for rule in rules
        ]
        console.data(
            {
                "rules": listed,
                "edges": {kind: [list(edge) for edge in found] for kind, found in edges.items()},
                "notes": notes,
            }
        )
        return
    if not rules:
        console.say("this vocabulary has no rules")
    for place, rule in enumerate(rules, 1):
        console.say(f"{place}. ", (rule.name, "strong"), *([f"  {rule.description}"] if rule.description else []))
        console.say(("   match   ", "name"), rule.match)
        console.say(("   reads   ", "name"), ", ".join(_reads(rule.reads)) or "nothing")
        console.say(("   writes  ", "name"), ", ".join(_reads(rule.writes_set)) or "nothing")
    words = {"enables": "enables", "before": "is declared before", "writes_then_reads": "writes what is read by"}
    if any(edges.values()):
        console.say()
        console.say(("why in this order", "strong"))
    for kind, found in edges.items():
        for first, second in found:
            console.say(f"   {first} {words[kind]} {second}")
    for note in notes:
        console.say(("note: ", "name"), note)


def _reads(reads: Iterable[Read]) -> list[str]:
    """Presence of a component as `plant`, a property as `plant.window`."""
    return sorted(component if name is None else f"{component}.{name}" for component, name in reads)
