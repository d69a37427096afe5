"""`wakeful deploy`: make a vocab.json a store's own."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from .console import Console
from .usage import Parser, store_path

EPILOG = """\
The store is made if there is none.  What the file no longer names is kept while any row holds it.  A refused
deploy changes nothing.

Exit code: 0 deployed, 1 problems in the file or refused, 2 no such file or store."""


def configure(parser: Parser) -> None:
    parser.add_argument("path", metavar="PATH", help="a vocab.json, or the folder that holds one")
    parser.add_store()
    parser.add_argument(
        "--force", action="store_true", help="deploy even where stored conditions (wake.while) can no longer be read"
    )
    parser.add_now("the instant that the deploy is recorded at")
    parser.add_json("what was added, kept, dropped and renamed")


def run(args: Namespace, console: Console) -> int:
    from wakeful_grammar.problems import WakefulError

    from .failures import NO, report

    try:
        return _deploy(args, console)
    except WakefulError as error:
        problems = getattr(error, "problems", ())
        code = report(error, console)
        if problems and code == NO:
            errors = sum(problem.severity == "error" for problem in problems)
            counted = f"{errors} problem{'' if errors == 1 else 's'}"
            console.remark(("nothing was deployed", "bad"), f": {counted}")
        return code


def _deploy(args: Namespace, console: Console) -> int:
    from wakeful_compiler.vocab.load import file_of

    from .stores import open_store
    from .vocab_file import load_vocab

    store_path(args.store)
    load_vocab(args.path, console)  # before a store is made for a file that will not do
    with open_store(args.store, now=args.now, create=True) as store:
        report = store.deploy(file_of(args.path), force=args.force)
    if args.json:
        console.data(asdict(report))
        return 0
    for what, names in (
        ("added", report.added), ("kept", report.kept), ("dropped", report.dropped), ("renamed", report.renamed),
    ):  # fmt: skip
        if names:
            console.say((f"{what:<8}", "name"), ", ".join(names))
    for note in report.notes:
        console.say(("note: ", "name"), note)
    console.say((f"deployed, version {report.version} of this store's vocabulary", "good"))
    return 0
