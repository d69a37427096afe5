"""From a path, a folder or a mapping to a vocabulary's source and declarations."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from wakeful_grammar.problems import Problem, Span, WakefulError, problem_at

from ..errors import VocabError
from ..texts import shown
from .check import check_declarations
from .limits import DEPTH_LIMIT, SIZE_LIMIT
from .model import Declarations
from .source import Source, read_bytes, read_text, size_problem

FILE_NAME = "vocab.json"

Given = str | os.PathLike[str] | Mapping[str, Any]
"""What names a vocabulary: the path of a vocab.json, of the folder that holds one, or a loaded document."""


def read(given: Given) -> tuple[Source, Declarations, list[Problem]]:
    """The source, what it declares, and every problem found, warnings included, in the order of the file.

    Raises :class:`VocabError` only for what cannot be read at all: no such file, no JSON.  Positions in a
    mapping are those of its text as `json.dumps(…, indent=2)` writes it.
    """
    source = read_source(given)
    declarations, problems = check_declarations(source)
    return source, declarations, problems


def read_source(given: Given) -> Source:
    """The text and value of a vocabulary, unchecked; raises :class:`VocabError` when it cannot be read."""
    if isinstance(given, Mapping):
        return read_text(_text_of(given))
    path = file_of(given)
    return read_bytes(bytes_of(path), path)


def bytes_of(path: str | os.PathLike[str]) -> bytes:
    """What a vocabulary's file holds; raises :class:`VocabError` when it cannot be read or is beyond 1 MiB."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > SIZE_LIMIT:
                raise VocabError([size_problem(size)], str(path))
            # Devices and pipes have no size, so the limit is kept while reading too.
            return file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        raise _no_file(
            path, f"there is no file {_named(path)}", "name a vocab.json, or the folder that holds one"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _no_file(path, f"{_named(path)} cannot be read: {reason}", "") from None


def file_of(given: str | os.PathLike[str]) -> str:
    """The file that a path names: itself, or the vocab.json in the folder that it is."""
    if not isinstance(given, str | os.PathLike):
        raise WakefulError(f"a vocabulary is the path of a vocab.json, its folder, or a mapping, not {shown(given)}")
    path = os.fspath(given) or os.curdir
    try:
        if not os.path.isdir(path):
            return path
        found = os.path.join(path, FILE_NAME) if path != os.curdir else FILE_NAME
        os.stat(found)
        return found
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise _no_file(path, f"{_named(path)} cannot be read: {error}", "") from None
    hint = 'make one: {"$defs": {"plant": {"properties": {"window": {"type": "string"}}}}}'
    raise _no_file(found, f"the folder {_named(path)} holds no {FILE_NAME}", hint)


def _named(path: str | os.PathLike[str]) -> str:
    path = os.fspath(path)
    text = path if path.isprintable() else ascii(path)
    return text if len(text) <= 200 else text[:200] + "…"


def _no_file(path: str | os.PathLike[str], message: str, hint: str) -> VocabError:
    return VocabError([problem_at("", Span(0, 0), "vocab-file", message, hint)], _named(path))


def _text_of(document: Mapping[str, Any]) -> str:
    """The document as text; raises :class:`VocabError` for what JSON cannot say."""
    _measure(document)
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise VocabError(
            [problem_at("", Span(0, 0), "vocab-value", f"the mapping is not JSON: {error}",
                        "give text, numbers, true, false, None, lists and dicts only")]
        ) from None  # fmt: skip
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8; as an escape it can be shown, and refused where it stands.
        return json.dumps(document, indent=2, default=_plain)
    return text


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a Python {type(value).__name__} is no JSON value")


def _measure(document: Mapping[str, Any]) -> None:
    """Refuse what is circular, too deep, or so large that writing it out would take long."""
    left = SIZE_LIMIT + 1
    waiting: list[tuple[object, int]] = [(document, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEPTH_LIMIT:
            raise VocabError(
                [
                    problem_at(
                        "",
                        Span(0, 0),
                        "limit-depth",
                        f"the mapping is nested more than {DEPTH_LIMIT} levels deep",
                        "a vocabulary needs about five levels: does the mapping hold itself?",
                    )
                ]
            )
        members = list(value.values()) if isinstance(value, Mapping) else value
        if isinstance(members, (list, tuple)):
            left -= 2 * len(members) + 2
            waiting += [(member, depth + 1) for member in members if isinstance(member, (Mapping, list, tuple))]
        if left < 0:
            raise VocabError([size_problem(SIZE_LIMIT + 1, "written out, the vocabulary")])
