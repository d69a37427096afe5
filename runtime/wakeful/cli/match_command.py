"""`wakeful match`: the rows of standard input that a query selects, without a store."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .console import Console
from .usage import Parser

if TYPE_CHECKING:
    from wakeful_compiler.emit.readers import Lookup

EPILOG = """\
Standard input is a JSON array of bundles, or a bundle on each line.  A path that goes on through a reference finds
its target among them.

    wakeful match '.plant.window=north' --vocab vocab.json < rows.json

Exit code: 0 answered, 1 the query, the vocabulary or the rows have problems, 2 no such file."""


def configure(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", help="the query, quoted")
    parser.add_vocab()
    parser.add_now()
    parser.add_json("the bundles that match, or the aggregate that a directive asks for,")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.outside import outside
    from wakeful_grammar.problems import Problem

    from .bundle_input import InputError, read_bundles
    from .rows import show_aggregate, show_rows
    from .vocab_file import load_vocab

    query = load_vocab(args.vocab, console).query(args.query)
    given = read_bundles("-")
    odd = [place for place, bundle in enumerate(given.bundles) if not isinstance(bundle, dict)]
    if odd:
        pointer = f"/{odd[0]}" if isinstance(given.value, list) else ""
        hint = 'a bundle is an object such as {"plant": {"window": "north"}}'
        raise InputError([given.place(Problem("type-bundle", "this is no bundle", hint, pointer=pointer))], given.file)
    answer = query.select(given.bundles, args.now or datetime.now(UTC), _among(given.bundles))
    if args.json:
        console.data(answer)
    elif isinstance(answer, list):
        show_rows(answer, console)
    else:
        show_aggregate(answer, console)
    for remark in outside(query.plan.where):
        console.remark(("note: ", "name"), remark)
    return 0


def _eid(bundle: Any) -> str | None:
    entity = bundle.get("entity")
    eid = entity.get("eid") if isinstance(entity, dict) else None
    return eid if isinstance(eid, str) else None


def _among(bundles: Sequence[Any]) -> Lookup:
    """Where references lead: to the bundle of standard input that has the eid; the last of several."""
    by_eid: dict[str, Any] = {}
    for bundle in bundles:
        eid = _eid(bundle)
        if eid is not None:
            by_eid[eid] = bundle
    return by_eid.get
