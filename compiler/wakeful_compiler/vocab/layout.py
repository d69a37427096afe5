"""The canonical text of a vocab.json, which holds the same vocabulary.

The root, `$defs` and every entry have one member on a line, and so have the properties of a component that has
several; everything else stands on one line where the line has room for it.  Keys keep their order, and keys,
texts and numbers their spelling, but for a rule's `match` and a command's query: those are printed in the
canonical spelling of the language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from wakeful_grammar.printer import print_query, print_rule
from wakeful_grammar.problems import LanguageError, Problem, QueryError, RuleError
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule
from wakeful_grammar.sizes import MAX_CHARACTERS

from ..errors import VocabError
from .limits import SIZE_LIMIT
from .scan import Place, scan
from .source import Source, pointer_to, size_problem

WIDTH = 100
"""Columns up to which a list or an object stands on one line."""

_STEP = 2
_LISTED = ("properties", "input")
"""What of an entry has one member on a line as soon as it has two."""

_BLANK = re.compile(r"[ \t\n\r\f\v,&]*")


def canonical_text(source: Source) -> str:
    """The canonical text of a vocabulary: newlines are LF, the last line ends in one, and there is no byte
    order mark.  It is a fixed point: its own canonical text is itself.

    Only what must be read to be laid out is checked.  Raises :class:`VocabError`: a key that stands twice, a match
    or a query that cannot be read (one with a command's `$holes` is then left as it is), a result beyond 1 MiB.
    """
    if source.problems:
        raise VocabError(source.problems, source.file)
    scanned = scan(source.text)
    assert scanned.root is not None, "a text that `json` has read is one that the scanner reads"
    layout = _Layout(source.text, scanned.root, _canonical_matches(source))
    text = layout.block(scanned.root, 0, "") + "\n"
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > SIZE_LIMIT:
        raise VocabError([size_problem(size, "laid out, the vocabulary")], source.file)
    return text


def _canonical_matches(source: Source) -> dict[str, str]:
    """The JSON spelling of every match and query of the vocabulary, by the pointer of the text it replaces."""
    spelled: dict[str, str] = {}
    problems: list[Problem] = []
    for pointer, kind, text in _texts(source.value):
        try:
            printed = print_rule(parse_rule(text)) if kind == "match" else print_query(parse_query(text))
        except (RuleError, QueryError) as error:
            if kind == "match" or "$" not in text:
                problems += _placed(source, pointer, error)
            continue
        if len(printed) <= MAX_CHARACTERS:
            spelled[pointer] = _literal(printed)
    if problems:
        raise VocabError(sorted(problems, key=lambda problem: problem.span.start), source.file)
    return spelled


def _texts(document: object) -> Iterator[tuple[str, str, str]]:
    """Every (pointer, keyword, text) that the language prints."""
    entries = document.get("$defs") if isinstance(document, Mapping) else None
    for name, entry in entries.items() if isinstance(entries, Mapping) else ():
        for flag, keyword in (("rule", "match"), ("tool", "query")):
            text = entry.get(keyword) if isinstance(entry, Mapping) and entry.get(flag) is True else None
            if isinstance(text, str) and _BLANK.fullmatch(text) is None:
                yield pointer_to("/$defs", name, keyword), keyword, text


def _placed(source: Source, pointer: str, error: LanguageError) -> list[Problem]:
    return [
        source.problem(pointer, each.code, each.message, each.hint, inside=each.span, fix=each.fix)
        for each in error.problems
    ]


def _literal(text: str) -> str:
    """A JSON string in which every character can be seen: what does not show stands as an escape."""
    return "".join(
        char if char.isprintable() else json.dumps(char)[1:-1] for char in json.dumps(text, ensure_ascii=False)
    )


class _Layout:
    """Prints the places of one text, with the spellings that replace some of its values."""

    def __init__(self, text: str, root: Place, spelled: Mapping[str, str]) -> None:
        self._text = text
        self._spelled = spelled
        self._open = {id(root)}
        self._listed: set[int] = set()
        entries = root.members.get("$defs")
        if entries is not None:
            self._open |= {id(entries), *map(id, entries.members.values())}
            self._listed |= {
                id(entry.members[name])
                for entry in entries.members.values()
                for name in _LISTED
                if name in entry.members
            }

    def block(self, place: Place, indent: int, pointer: str, taken: int = 0) -> str:
        """The place as it stands `indent` deep, after `taken` columns of its line."""
        if not place.container or not place.members:
            return self._scalar(place, pointer)
        is_list = self._text[place.value.start] == "["
        crowded = id(place) in self._listed and len(place.members) > 1
        if id(place) not in self._open and not crowded:
            flat = self._flat(place, WIDTH - taken)
            if flat is not None:
                return flat
        inner = " " * (indent + _STEP)
        lines = []
        for name, member in place.members.items():
            key = "" if is_list else f"{self._key(member)}: "
            # One more column for the comma that may follow.
            used = len(inner) + len(key) + 1
            lines.append(f"{inner}{key}{self.block(member, indent + _STEP, pointer_to(pointer, name), used)}")
        opening, closing = "[]" if is_list else "{}"
        return f"{opening}\n" + ",\n".join(lines) + f"\n{' ' * indent}{closing}"

    def _flat(self, place: Place, room: int) -> str | None:
        """The place on one line of at most `room` columns, or None where it has too few.

        No text that the language prints lies inside a place that may be flat.
        """
        if not place.container or not place.members:
            text = self._scalar(place, "")
            return text if len(text) <= room else None
        is_list = self._text[place.value.start] == "["
        edges = "[]" if is_list else ("{ ", " }")
        parts: list[str] = []
        room -= len(edges[0]) + len(edges[1]) - 2
        for member in place.members.values():
            key = "" if is_list else f"{self._key(member)}: "
            value = self._flat(member, room - len(key) - 2)
            if value is None:
                return None
            parts.append(key + value)
            room -= len(key) + len(value) + 2
        return edges[0] + ", ".join(parts) + edges[1]

    def _scalar(self, place: Place, pointer: str) -> str:
        if place.container:
            return self._text[place.value.start] + self._text[place.value.end - 1]
        return self._spelled.get(pointer) or self._text[place.value.start : place.value.end]

    def _key(self, member: Place) -> str:
        assert member.key is not None
        return self._text[member.key.start : member.key.end]
