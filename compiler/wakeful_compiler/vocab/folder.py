"""What stands beside a vocab.json and says elsewhere what belongs in it (the design's section 1)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wakeful_grammar.problems import Problem, Span, problem_at

from .limits import SIZE_LIMIT

WRANGLER_FILES = ("wrangler.toml", "wrangler.json", "wrangler.jsonc")

_CRONS = (
    "cron triggers",
    'a schedule is a wake row: {"wake": {"every": "0 9 * * MON-FRI"}}, and a rule that acts on `.fired`',
)
_QUEUES = ("queues", 'work for later is a row with a wake: {"wake": {"at": "2026-09-20T09:00:00Z"}}')
_STRING = r'("(?:[^"\\]++|\\.)*+"?)'
_COMMENTS = "(?s)" + _STRING + r"|//[^\n]*|/\*(?:.*?\*/|.*)"
_TRAILING_COMMAS = "(?s)" + _STRING + r"|,(?=\s*[}\]])"


def check_folder(path: str | os.PathLike[str]) -> list[Problem]:
    """What a deploy refuses in a folder (that of `path`, if it is a file), with where its content belongs.

    A `tools.json`, and a `wrangler.toml`, `.json` or `.jsonc` that names cron triggers or queues.  The
    problems are about files other than the vocabulary, and name them; their positions say nothing.
    """
    problems: list[Problem] = []
    try:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        if os.path.exists(os.path.join(folder, "tools.json")):
            problems.append(
                _problem(
                    "vocab-tools-json",
                    "tools.json is not read: commands are entries of vocab.json",
                    'move each one under "$defs" there, with "tool": true, and delete tools.json',
                )
            )
        for name in WRANGLER_FILES:
            file = os.path.join(folder, name)
            if os.path.isfile(file):
                problems += [
                    _problem(
                        "vocab-wrangler",
                        f"{name} names {what}, which nothing here runs",
                        f"{mend}; leave them out",
                    )
                    for what, mend in _named_in(name, file)
                ]
    except (OSError, ValueError):
        # A folder that cannot be looked at is the business of whoever reads the vocabulary from it.
        return problems
    return problems


def _problem(code: str, message: str, hint: str) -> Problem:
    return problem_at("", Span(0, 0), code, message, hint)


def _named_in(name: str, file: str) -> Iterator[tuple[str, str]]:
    with open(file, "rb") as opened:
        text = opened.read(SIZE_LIMIT).decode("utf-8", "replace")
    document = _document(name, text)
    if document is None:
        # What cannot be read is still searched: better a needless question than a silent second clock.
        names_crons = re.search(r"\bcrons\b", text) is not None
        names_queues = re.search(r"\bqueues\b", text) is not None
    else:
        # An environment may have its own.
        environments = document.get("env")
        tables = [document, *(environments.values() if isinstance(environments, Mapping) else ())]
        names_crons = any(_crons(table) for table in tables)
        names_queues = any(isinstance(table, Mapping) and _queues(table.get("queues")) for table in tables)
    if names_crons:
        yield _CRONS
    if names_queues:
        yield _QUEUES


def _crons(table: Any) -> bool:
    triggers = table.get("triggers") if isinstance(table, Mapping) else None
    return isinstance(triggers, Mapping) and bool(triggers.get("crons"))


def _queues(queues: Any) -> bool:
    return any(queues.values()) if isinstance(queues, Mapping) else bool(queues)


def _document(name: str, text: str) -> Mapping[str, Any] | None:
    try:
        if name.endswith(".toml"):
            import tomllib

            return tomllib.loads(text)
        text = text.removeprefix("\ufeff")
        for skipped in (_COMMENTS, _TRAILING_COMMAS):
            text = re.sub(skipped, lambda match: match.group(1) or "", text)
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, Mapping) else {}
