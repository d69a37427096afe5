"""The command line's own grammar: parsers that answer with a message, and the options that commands share."""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from wakeful_grammar.problems import WakefulError

if TYPE_CHECKING:
    from datetime import datetime

STORE_VARIABLE = "WAKEFUL_STORE"
WORKERS_VARIABLE = "WAKEFUL_WORKERS"
SECRET_VARIABLE = "WAKEFUL_WORKER_SECRET"

_LISTED = re.compile(r" +(?:\S+ {2,})?")
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


class Misuse(WakefulError):
    """The command was used wrongly; the message says how to use it."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal: paragraphs are filled, lines of a list wrap under their own text."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = []
        for paragraph in text.split("\n\n"):
            lines = paragraph.split("\n")
            if not any(line.startswith(" ") for line in lines):
                lines = [" ".join(lines)]
            paragraphs.append("\n".join(_wrapped(line, width) for line in lines))
        return "\n\n".join(paragraphs)


def _wrapped(line: str, width: int) -> str:
    listed = _LISTED.match(line)
    return textwrap.fill(
        line, max(width, 20), subsequent_indent=" " * listed.end() if listed else "", break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True,
    )  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser of one command, which raises :class:`Misuse` where argparse would end the process."""

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=_Formatter,
        )
        self.advice: Callable[[Sequence[str]], str] | None = None
        """What a command has to say of arguments that cannot be read, if anything."""
        self._given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._given = args or ()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        unread = message.startswith(("unrecognized arguments", "the following arguments are required"))
        advice = self.advice(self._given) if unread and self.advice is not None else ""
        if advice:
            raise Misuse(f"{advice}\n`{self.prog} --help` says more")
        raise Misuse(f"{message}\n{self.format_usage().strip()}\n`{self.prog} --help` says more")

    # --- options that commands share ------------------------------------------------------------

    def add_json(self, what: str) -> None:
        self.add_argument("--json", action="store_true", help=f"print {what} as JSON")

    def add_now(self, what: str = "the instant to judge by") -> None:
        self.add_argument(
            "--now", type=instant, metavar="INSTANT", help=f"{what} (RFC 3339 with a zone; the clock's own by default)"
        )

    def add_store(self) -> None:
        self.add_argument(
            "--store", metavar="PATH", help=f"the store's file (or set {STORE_VARIABLE} in the environment)"
        )

    def add_workers(self) -> None:
        self.add_argument(
            "--workers",
            metavar="URL",
            help=f"the base URL of the app that does the work of commands (or set {WORKERS_VARIABLE})",
        )
        self.add_argument(
            "--worker-secret-env",
            metavar="NAME",
            help=f"the environment variable with the secret that signs calls ({SECRET_VARIABLE} by default)",
        )

    def add_vocab(self) -> None:
        self.add_argument(
            "--vocab", required=True, metavar="PATH", help="the vocab.json to read by, or the folder that holds it"
        )


def instant(text: str) -> datetime:
    """An argument that is an instant.  Raises ArgumentTypeError, which names the option and the mend."""
    from wakeful_compiler.instants import BadInstant, parse_instant

    try:
        return parse_instant(text)
    except BadInstant as error:
        shown = ascii(text[:60])[1:-1]
        raise argparse.ArgumentTypeError(f"`{shown}` {_reason(text, str(error))}") from None


def _reason(text: str, reason: str) -> str:
    if not reason.startswith("is an RFC 3339"):
        return reason
    hint = "is not an instant: write date, time and zone, like 2026-09-20T09:00:00Z"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return f"names a day, not an instant: write {text}T00:00:00Z"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2})?([Zz]|[+-][0-9]{2}:[0-9]{2})?", text):
        clock = text[11:16] + (text[16:19] if text[16:17] == ":" else ":00")
        zone = re.search(r"([Zz]|[+-][0-9]{2}:[0-9]{2})$", text[16:])
        return f"is not an instant: write {text[:10]}T{clock}{zone.group().upper() if zone else 'Z'}"
    return hint


def count_up_to(most: int, least: int = 0) -> Callable[[str], int]:
    """An argument that is a whole number within bounds."""

    def read(text: str) -> int:
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"`{ascii(text[:40])[1:-1]}` is not a whole number from {least} to {most:,}"
            )
        return int(text)

    return read


def store_path(given: str | None) -> str:
    """The store that `--store` or the environment names.  Raises :class:`Misuse` when neither does."""
    path = given if given is not None else os.environ.get(STORE_VARIABLE)
    if path:
        return path
    if given is not None:
        raise Misuse("`--store` is empty: give the path of a file, such as --store garden.db")
    raise Misuse(
        "which store? Add --store PATH, such as --store garden.db, "
        f"or set {STORE_VARIABLE}=garden.db in the environment"
    )


def workers(url: str | None, secret_variable: str | None) -> tuple[str | None, str | None]:
    """The base URL of workers and the secret, as options and the environment name them.

    Raises :class:`Misuse` for a variable that is named and not set, or a secret without anybody to call.
    """
    base = url if url is not None else os.environ.get(WORKERS_VARIABLE) or None
    secret = os.environ.get(secret_variable or SECRET_VARIABLE) or None
    if secret_variable is not None and secret is None:
        raise Misuse(f"the environment variable {secret_variable} is not set: put the secret of the workers there")
    if secret_variable is not None and base is None:
        raise Misuse("a secret signs calls of workers: say where they are, with --workers URL")
    return base, None if base is None else secret
