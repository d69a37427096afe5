"""A loaded vocabulary: its declarations, its rules in their order, and the queries compiled against it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from wakeful_grammar.problems import Problem, WakefulError

from .errors import VocabError
from .rules.ruleset import RuleSet, compile_rules
from .texts import shown
from .vocab.check import check_declarations
from .vocab.folder import check_folder
from .vocab.load import Given, file_of, read_source
from .vocab.model import Command, Component, Declarations
from .vocab.source import Source

if TYPE_CHECKING:
    from .commands.compiled import CompiledCommands
    from .query import Query

_CACHED_QUERIES = 1_000


class Vocab:
    """A checked vocabulary.  Make one with :func:`load`."""

    __slots__ = ("_compiled", "_queries", "declarations", "document", "rules", "warnings", "zone")

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
        self._compiled: CompiledCommands | None = None

    @property
    def components(self) -> Mapping[str, Component]:
        """Every component by name, the built-in ones included."""
        return self.declarations.components

    @property
    def commands(self) -> Mapping[str, Command]:
        """Every command by name, as declared."""
        return self.declarations.commands

    @property
    def compiled_commands(self) -> CompiledCommands:
        """Every command by name, ready to check arguments and to be filled in; each is made on first use."""
        if self._compiled is None:
            from .commands.compiled import CompiledCommands

            self._compiled = CompiledCommands(self.commands, self.components, self.zone)
        return self._compiled

    def query(self, text: str, zone: str | None = None) -> Query:
        """The compiled query; a repeated text is compiled once.

        `zone` names the zone of the day edges in place of the vocabulary's own.  Raises QueryError with every
        problem of the query and its position.
        """
        if not isinstance(text, str):
            raise WakefulError(f"a query is a text such as '.plant, ?wake', not {shown(text)}")
        key = (text, zone)
        query = self._queries.get(key)
        if query is None:
            from wakeful_grammar.query import parse_query

            from .query import Query

            query = Query(parse_query(text), self.components, self.zone if zone is None else _zone(zone))
            if len(self._queries) >= _CACHED_QUERIES:
                self._queries.clear()
            self._queries[key] = query
        return query

    def __repr__(self) -> str:
        own = [name for name, component in self.components.items() if not component.builtin]
        return f"<Vocab: {len(own)} components, {len(self.rules.all)} rules>"


def load(source: Given) -> Vocab:
    """Read and check a vocabulary: the path of a vocab.json, the folder that holds one, or a mapping.

    Raises VocabError, whose `problems` are all that is wrong, each with its line and column.
    """
    vocab, problems = check(source)
    if vocab is None:
        file = None if isinstance(source, Mapping) else file_of(source)
        raise VocabError([problem for problem in problems if problem.severity == "error"], file)
    return vocab


def check(source: Given) -> tuple[Vocab | None, list[Problem]]:
    """The vocabulary, or None where it has errors, and every problem in it, warnings included, in file order."""
    vocab, problems = check_source(read_source(source))
    if not isinstance(source, Mapping):
        beside = check_folder(source)
        problems = sorted([*problems, *beside], key=_place)
        vocab = None if beside else vocab
    return vocab, problems


def check_source(file: Source) -> tuple[Vocab | None, list[Problem]]:
    """What :func:`check` finds in a text already read, whatever stands beside its file."""
    declarations, problems = check_declarations(file)
    zone = _zone(declarations.zone)
    rules, found = compile_rules(declarations, zone)
    problems = sorted([*problems, *(file.rule_problem(item) for item in found)], key=_place)
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    return Vocab(declarations, rules, file.value, tuple(problems), zone), problems


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    from .zones import zone

    return zone(name)


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column
