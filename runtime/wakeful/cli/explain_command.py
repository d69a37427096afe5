"""`wakeful explain`: what a query, or the rules of a vocabulary, mean."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .console import Console
from .usage import Parser

if TYPE_CHECKING:
    from wakeful_compiler.emit.sql import Parameter
    from wakeful_compiler.predicates import Read
    from wakeful_compiler.query import Query
    from wakeful_compiler.vocabulary import Vocab

EPILOG = """\
With a query: its tree with the place of each part, the types it is read by, what it depends on, and its SQL.
Without one: the vocabulary's rules in the order in which they run, what each reads and writes, and why one
stands before another.

Exit code: 0 explained, 1 the query or the vocabulary has problems, 2 no such file."""


def configure(parser: Parser) -> None:
    parser.add_argument(
        "query", metavar="QUERY", nargs="?", help="the query, quoted; without it, the rules are explained"
    )
    parser.add_vocab()
    parser.add_now("the instant that relative times in the SQL's parameters are shown for")
    parser.add_json("the same")


def run(args: Namespace, console: Console) -> int:
    from .vocab_file import load_vocab

    vocab = load_vocab(args.vocab, console)
    now = args.now or datetime.now(UTC)
    if args.query is None:
        explain_rules(vocab, now, args.json, console)
    else:
        explain_query(vocab.query(args.query), now, args.json, console)
    return 0


# --- a query ------------------------------------------------------------------------------------


def explain_query(query: Query, now: datetime, as_json: bool, console: Console) -> None:
    """Print what a query means; `now` is what relative times in the SQL's parameters are shown for."""
    from .query_tree import tree_json, tree_lines

    sql = query.sql("sqlite")
    params = sql.bind(query.bounds, now)
    moves = any(_moves(bound) for bound in query.bounds.needed)
    reads = _reads(query.reads)
    types = _types(query)
    carried = ["*"] if query.plan.carry_all else ["entity", *(c.component.name for c in query.plan.carried if c.component.name != "entity")]
    if query.plan.aggregate:
        carried = []
    if as_json:
        console.data(
            {
                "query": str(query),
                "tree": tree_json(query.tree),
                "types": types,
                "reads": reads,
                "carries": carried,
                "moves_with_time": moves,
                "sql": {"sqlite": {"text": sql.text, "params": list(params)}},
            }
        )
        return
    _section(console, "query", [str(query)])
    _section(console, "tree", tree_lines(query.tree))
    width = max(map(len, types), default=0)
    typed = [f"{path.ljust(width)}  {words}" for path, words in types.items()]
    _section(console, "types", typed or ["none: it asks for no property"])
    _section(console, "reads", [", ".join(reads) or "nothing: it has no filter"])
    _section(console, "carries", [", ".join(carried) or "no rows, a figure"])
    _section(console, "SQLite", [*sql.text.split("\n"), *_shown_parameters(sql.params, params)])
    if moves:
        from wakeful_compiler.instants import format_instant

        _section(console, "time", [f"its answer moves with time; the parameters are those of {format_instant(now)}"])


def _types(query: Query) -> dict[str, str]:
    """Each property that the query compares or orders by, with its type in words."""
    from wakeful_compiler.predicates import Comparison, Contains, HasValue, Member, PropertyComparison, leaves
    from wakeful_compiler.vocab.model import KIND_WORDS, Property

    found: list[Property] = []
    for leaf in leaves(query.plan.where):
        if isinstance(leaf, PropertyComparison):
            found += [leaf.property, leaf.other]
        elif isinstance(leaf, HasValue | Comparison | Member | Contains):
            found.append(leaf.property)
    if query.plan.order is not None:
        found.append(query.plan.order)
    return {
        prop.path: KIND_WORDS[prop.kind]
        + (f" that has `{prop.ref}`" if prop.ref not in (None, "entity") else "")
        + (" or null" if prop.nullable else "")
        for prop in found
    }


def _reads(reads: Iterable[Read]) -> list[str]:
    """Presence of a component as `plant`, a property as `plant.window`."""
    return sorted(component if name is None else f"{component}.{name}" for component, name in reads)


def _shown_parameters(raw: tuple[Parameter, ...], bound: tuple[str | int | float, ...]) -> list[str]:
    marks = [" (moves with time)" if _moves(given) else "" for given in raw]
    return [f"?{place} = {value!r}{mark}" for place, (value, mark) in enumerate(zip(bound, marks, strict=True), 1)]


def _moves(given: Parameter) -> bool:
    """Whether a parameter is a bound that depends on `now`, not on the zone alone."""
    from wakeful_compiler.predicates import TimeBound

    if not isinstance(given, TimeBound):
        return False
    return given.operand is None or given.edge == "now" or not given.operand.constant


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


def _section(console: Console, title: str, lines: list[str]) -> None:
    for place, line in enumerate(lines):
        console.say(("" if place else title).ljust(8) if place else (title.ljust(8), "name"), " ", line)
