"""`wakeful fmt`: the canonical text of a vocab.json, or of a query."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from .console import Console
from .usage import Misuse, Parser

EPILOG = """\
    wakeful fmt vocab.json                  lay it out in place
    wakeful fmt --check vocab.json          say whether that would change it
    wakeful fmt --stdin < vocab.json        print it laid out
    wakeful fmt --query 'b>2 & .a'          print `.b>2 .a`

Two-space indent; one line for each member of an entry and for each property of a component that has several;
matches and queries in their canonical spelling. Keys keep their order, and keys, other texts and numbers their
spelling. A file with CRLF at its first line's end keeps CRLF; a byte order mark is taken away. A file that cannot
be read, that has a key twice, or a match with a mistake in it, is left as it is.

Exit code: 0 done, 1 problems, or with --check something would change, 2 no such file."""


def configure(parser: Parser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="a vocab.json, or the folder that holds one")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if something would change")
    parser.add_argument("--stdin", action="store_true", help="read a vocab.json from standard input and print it")
    parser.add_argument("--query", metavar="TEXT", help="print a query's canonical spelling")


def run(args: Namespace, console: Console) -> int:
    if sum((bool(args.paths), args.stdin, args.query is not None)) != 1:
        raise Misuse("what should be formatted? Give one of: PATH (several are fine), --stdin, --query TEXT")
    if args.query is not None:
        return _query(args.query, args.check, console)
    if args.stdin:
        return _stdin(args.check, console)
    codes = [_file(path, args.check, console) for path in args.paths]
    return max(codes)


def _query(text: str, check: bool, console: Console) -> int:
    from wakeful_grammar.printer import print_query
    from wakeful_grammar.query import parse_query

    printed = print_query(parse_query(text))
    if check:
        return int(printed != text)
    console.text(printed + "\n")
    return 0


def _stdin(check: bool, console: Console) -> int:
    from wakeful_compiler.vocab.limits import SIZE_LIMIT

    given = sys.stdin.buffer.read(SIZE_LIMIT + 1)
    printed = _formatted(given, "stdin")
    if check:
        return int(printed != given)
    console.text(printed.decode())
    return 0


def _file(path: str, check: bool, console: Console) -> int:
    """Format one file; a problem with it is said and does not keep the others from being formatted."""
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.vocab.load import bytes_of, file_of

    from .failures import report

    try:
        # What a link names is what is replaced, not the link.
        file = Path(os.path.realpath(file_of(path)))
        given = bytes_of(file)
        printed = _formatted(given, file_of(path))
        if printed == given:
            return 0
        if not check:
            _replace(file, printed)
    except (VocabError, OSError) as error:
        return report(error, console)
    console.say(f"{file_of(path)}: {'would change' if check else 'formatted'}")
    return int(check)


def _formatted(data: bytes, file: str) -> bytes:
    """The canonical bytes of a vocab.json, with the newlines that its first line ends in."""
    from wakeful_compiler.vocab.layout import canonical_text
    from wakeful_compiler.vocab.source import read_bytes

    text = canonical_text(read_bytes(data, file))
    first, newline, _ = data.partition(b"\n")
    if newline and first.endswith(b"\r"):
        text = text.replace("\n", "\r\n")
    return text.encode()


def _replace(file: Path, data: bytes) -> None:
    """Put `data` in the file's place in one step: a reader, or a crash, finds the old text or the new one."""
    from tempfile import NamedTemporaryFile

    with file.open("r+b"):  # a file that may not be written is not replaced either
        mode = file.stat().st_mode & 0o7777
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as stream:
        written = Path(stream.name)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            written.chmod(mode)
            written.replace(file)
        except BaseException:
            written.unlink()
            raise
