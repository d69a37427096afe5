"""The command `wakeful`: one module per subcommand, each imported when it is the one asked for.

Exit codes: 0 done, 1 the answer is no (problems found, refused, stale, the store busy or full), 2 used wrongly,
130 interrupted from the keyboard.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from wakeful_grammar.problems import WakefulError

from .console import Console
from .usage import Misuse, Parser

if TYPE_CHECKING:
    from argparse import Namespace

COMMANDS = {
    "check": "find every mistake in a vocab.json",
    "fmt": "the canonical layout and spelling of a vocab.json",
    "next": "when a schedule comes next, or came last",
    "match": "the rows of standard input that a query selects",
    "explain": "what a query or the rules of a vocabulary mean",
    "deploy": "make a vocab.json a store's own",
    "apply": "write bundles into a store",
    "query": "read rows from a store",
    "due": "what a tick would fire now",
    "tick": "fire what is due, once",
    "run": "stay, and fire wakes as they come due",
    "health": "whether what is due gets fired",
    "calls": "how the calls of a store stand: which failed, which run, which wait",
    "rerun": "run a call again",
    "prune": "delete calls that are older than their command keeps them",
    "schema": "the JSON Schema of vocab.json, for editors",
    "help": "what a problem's code means, with an example and its mend",
    "tour": "a garden's story on a store in memory, step by step",
}
"""Every command with what it does, in the order of the help."""

DONE, NO, USED_WRONGLY, INTERRUPTED = 0, 1, 2, 130


class Command(Protocol):
    """What the module of a command has."""

    EPILOG: str

    def configure(self, parser: Parser) -> None:
        """Say what the command takes."""

    def run(self, args: Namespace, console: Console) -> int:
        """Answer, and return the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (the process's own by default) and return its exit code."""
    if argv is not None:
        return _run(list(argv))
    # The process is this command's own.  Looking for garbage among modules and grammars, which are none, costs
    # a sixth of the time that `check` takes, half of it at the end.
    gc.set_threshold(50_000)
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()


def _run(arguments: list[str]) -> int:
    console = Console(sys.stdout, sys.stderr)
    try:
        code = _dispatch(arguments, console)
        console.flush()
        return code
    except SystemExit as ended:  # argparse, after --help
        return ended.code if isinstance(ended.code, int) else USED_WRONGLY
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer had enough of it.  The interpreter flushes once more when it ends.
        _discard_output()
        return DONE
    except (WakefulError, OSError) as error:
        from .failures import report

        if isinstance(error, OSError) and error.filename is None:
            _discard_output()  # standard output itself may be what failed, on a full disk
        return report(error, console)


def _dispatch(arguments: list[str], console: Console) -> int:
    if not arguments or arguments[0].startswith("-"):
        return _top(arguments, console)
    name, *rest = arguments
    if name not in COMMANDS:
        raise Misuse(_unknown(name))
    return command(name).run(parser_of(name).parse_args(rest), console)


def command(name: str) -> Command:
    """The module of a command, imported now."""
    return cast("Command", import_module(f".{name}_command", __name__))


def parser_of(name: str) -> Parser:
    """The parser of one command."""
    module = command(name)
    summary = COMMANDS[name]
    parser = Parser(f"wakeful {name}", summary[0].upper() + summary[1:] + ".", module.EPILOG)
    module.configure(parser)
    return parser


def _top(arguments: list[str], console: Console) -> int:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name.ljust(width)}  {summary}" for name, summary in COMMANDS.items())
    parser = Parser(
        "wakeful",
        "Rows that wake themselves: schedules, rules and data in one transaction.",
        f"commands:\n{listed}\n\n`wakeful COMMAND --help` says more; `wakeful tour` shows what it is all for.",
    )
    parser.usage = "wakeful COMMAND …"
    parser.add_argument("--version", action="store_true", help="print the version, and that of the time zones")
    args, rest = parser.parse_known_args(arguments)
    if args.version and not rest:
        from wakeful import __version__
        from wakeful_compiler.zones import tzdata_version

        console.say(f"wakeful {__version__} (tzdata {tzdata_version()})")
        return DONE
    if rest:
        named = next((word for word in rest if word in COMMANDS), None)
        where = f"options stand behind the command: wakeful {named} …" if named else "name a command first"
        raise Misuse(f"`{rest[0]}` is no option of wakeful itself: {where}\n`wakeful --help` lists the commands")
    raise Misuse(parser.format_help().rstrip())


def _unknown(name: str) -> str:
    from wakeful_compiler.nearby import nearest

    near = nearest(name, COMMANDS)
    hint = f"did you mean `{near}`?" if near else f"there are {', '.join(COMMANDS)}"
    return f"there is no command `{ascii(name[:40])[1:-1]}`: {hint}"


def _discard_output() -> None:
    import os

    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass
