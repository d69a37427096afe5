"""A loaded vocabulary: its declarations, its rules in their order, and the queries compiled against it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from wakeful_grammar.problems import Problem

from .errors import VocabError
from .rules.ruleset import RuleSet, compile_rules
from .vocab.folder import check_folder
from .vocab.load import file_of, read
from .vocab.model import Component, Declarations
from .zones import zone as find_zone

if TYPE_CHECKING:
    from .query import Query

_CACHED_QUERIES = 1_000


class Vocab:
    """A checked vocabulary.  Make one with :func:`load`."""

    __slots__ = ("_queries", "declarations", "document", "rules", "warnings", "zone")

    def __init__(
        self,
        declarations: Declarations,
        rules: RuleSet,
        document: Mapping[str, Any],
        warnings: tuple[Problem, ...],
        zone: tzinfo,
    ) -> None:
        self.declarations = declarations
        self.rules = rules
        self.document = document
        self.warnings = warnings
        self.zone = zone
        self._queries: dict[tuple[str, str | None], Query] = {}

    @property
    def components(self) -> Mapping[str, Component]:
        """Every component by name, the built-in ones included."""
        return self.declarations.components

    def query(self, text: str, zone: str | None = None) -> Query:
        """The compiled query; a repeated text is compiled once.

        `zone` names the zone of the day edges in place of the vocabulary's own.  Raises QueryError with every
        problem of the query and its position.
        """
        key = (text, zone)
        query = self._queries.get(key)
        if query is None:
            from wakeful_grammar.query import parse_query

            from .query import Query

            query = Query(parse_query(text), self.components, self.zone if zone is None else find_zone(zone))
            if len(self._queries) >= _CACHED_QUERIES:
                self._queries.clear()
            self._queries[key] = query
        return query

    def __repr__(self) -> str:
        own = [name for name, component in self.components.items() if not component.builtin]
        return f"<Vocab: {len(own)} components, {len(self.rules.all)} rules>"


def load(source: str | os.PathLike[str] | Mapping[str, Any]) -> Vocab:
    """Read and check a vocabulary: the path of a vocab.json, the folder that holds one, or a mapping.

    Raises VocabError, whose `problems` are all that is wrong, each with its line and column.
    """
    vocab, problems = check(source)
    if vocab is None:
        file = None if isinstance(source, Mapping) else str(file_of(source))
        raise VocabError([problem for problem in problems if problem.severity == "error"], file)
    return vocab


def check(source: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[Vocab | None, list[Problem]]:
    """The vocabulary, or None where it has errors, and every problem in it, warnings included, in file order."""
    file, declarations, problems = read(source)
    zone = UTC if declarations.zone == "UTC" else find_zone(declarations.zone)
    rules, found = compile_rules(declarations, zone)
    problems = [*problems, *(file.rule_problem(item) for item in found)]
    if not isinstance(source, Mapping):
        problems += check_folder(source)
    problems.sort(key=lambda problem: (problem.line, problem.column))
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    return Vocab(declarations, rules, file.value, tuple(problems), zone), problems
