"""`wakeful tour`: a garden's story on a store in memory, told step by step.

Every answer shown is the library's own, and each is compared with what the story says it must be.
"""

from __future__ import annotations

from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
It needs nothing, keeps nothing and takes a second.

Exit code: 0 told, 1 an answer was not what the story says."""


def configure(parser: Parser) -> None:
    """It takes nothing."""


def run(args: Namespace, console: Console) -> int:
    from .tour import Tour

    Tour(console).tell()
    return 0
