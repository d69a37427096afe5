"""`wakeful help`: what a problem's code means, with an example and its mend."""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Misuse, Parser

EPILOG = """\
Without CODE it lists all of them, a line each.

Exit code: 0 found, 2 no such code."""


def configure(parser: Parser) -> None:
    parser.add_argument(
        "code", metavar="CODE", nargs="?", help="a problem's code, such as unknown-component; or the name of a command"
    )
    parser.add_json("the code, its first sentence and the page (or all codes with their first sentence)")


def run(args: Namespace, console: Console) -> int:
    from ..help.pages import codes, page
    from . import COMMANDS, parser_of

    if args.code is None:
        listed = [found for found in map(page, codes()) if found is not None]
        if args.json:
            console.data([{"code": found.code, "summary": found.summary} for found in listed])
        else:
            console.table(("code", "meaning"), [(found.code, found.summary) for found in listed])
        return 0
    if args.code in COMMANDS:
        for line in parser_of(args.code).format_help().rstrip("\n").split("\n"):
            console.say(line)
        return 0
    found = page(args.code)
    if found is None:
        raise Misuse(_unknown(args.code))
    if args.json:
        console.data({"code": found.code, "summary": found.summary, "text": found.text})
        return 0
    for line in found.text.rstrip("\n").split("\n"):
        console.say((line, "strong") if line.startswith("#") else line)
    return 0


def _unknown(code: str) -> str:
    from wakeful_compiler.nearby import near, question

    from ..help.pages import codes

    shown = ascii(code[:60])[1:-1]
    tail = code.rpartition("-")[2]
    close = near(code, codes()) or tuple(known for known in codes() if len(tail) > 3 and known.endswith(tail))[:3]
    hint = question(close) or "`wakeful help` lists the codes"
    return f"there is no code `{shown}`: {hint}"
