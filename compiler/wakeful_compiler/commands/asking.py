"""The query of a command, read once and bound for each call.

Arguments are put into the syntax tree, each as one quoted value where the template has one: no text that an
argument holds is ever read as part of a query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from wakeful_grammar.nodes import After, And, Compare, Directive, Item, Node, Not, Or, Range, Scalar
from wakeful_grammar.problems import Problem, QueryError, Span
from wakeful_grammar.query import parse_query

from ..query import Query
from ..templates.holes import holes, only_hole, plain
from ..vocab.model import Command, Component
from .arguments import BadArguments
from .filling import Args, fill_text

_CACHED = 100


def asked_inputs(text: str) -> tuple[str, ...]:
    """The inputs that the text of a query names, each once, in the order written."""
    return tuple(dict.fromkeys(hole.name for hole in holes(text)))


class QueryBinding:
    """The query of one command."""

    def __init__(self, command: Command, components: Mapping[str, Component], zone: tzinfo) -> None:
        self._components, self._zone = components, zone
        self._tree = parse_query(command.template)
        self._inputs = asked_inputs(command.template)
        self._bound: dict[tuple[tuple[type, Any], ...], Query] = {}

    def query(self, args: Args) -> Query:
        """The query with canonical arguments in place.

        Raises :class:`~.arguments.BadArguments` for one that its property cannot be compared with.
        """
        # An argument that is an object or an array stands nowhere in a query: all of them have a hash.
        key = tuple((type(args[name]), args[name]) for name in self._inputs)
        found = self._bound.get(key)
        if found is None:
            found = self._bind(args)
            if len(self._bound) >= _CACHED:
                self._bound.clear()
            self._bound[key] = found
        return found

    def _bind(self, args: Args) -> Query:
        binding = _Binding(args)
        where = None if self._tree.where is None else binding.node(self._tree.where)
        tree = replace(
            self._tree, where=where, directives=tuple(binding.directive(each) for each in self._tree.directives)
        )
        try:
            return Query(tree, self._components, self._zone)
        except QueryError as error:
            raise BadArguments(tuple(binding.told(problem) for problem in error.problems)) from None


class _Binding:
    """One call's arguments on their way into the tree."""

    def __init__(self, args: Args) -> None:
        self._args = args
        self._places: list[tuple[Span, str]] = []

    def node(self, node: Node) -> Node:
        match node:
            case And(terms):
                return replace(node, terms=tuple(map(self.node, terms)))
            case Or(terms):
                return replace(node, terms=tuple(map(self.node, terms)))
            case Not(term):
                return replace(node, term=self.node(term))
            case Compare(items=items):
                return replace(node, items=tuple(map(self._item, items)))
            case _:
                return node

    def directive(self, directive: Directive) -> Directive:
        if not isinstance(directive, After) or directive.eid is None:
            return directive
        name = only_hole(directive.eid)
        if name is not None and type(self._args[name]) is int:
            return replace(directive, num=self._args[name], eid=None)
        return replace(directive, eid=self._filled(directive.eid))

    def told(self, problem: Problem) -> Problem:
        """A problem of the bound query as one of the arguments that stand where it was found."""
        names = [name for span, name in self._places if span.start < problem.span.end and problem.span.start < span.end]
        named = ", ".join(f"args.{name}" for name in dict.fromkeys(names))
        message = f"{named}: {problem.message}" if named else problem.message
        return replace(problem, message=message, pointer=f"/{names[0]}" if names else "")

    def _item(self, item: Item) -> Item:
        match item:
            case Scalar():
                return self._scalar(item)
            case Range(low, high):
                return replace(item, low=self._scalar(low), high=self._scalar(high))
            case _:
                return item

    def _scalar(self, scalar: Scalar) -> Scalar:
        names = [hole.name for hole in holes(scalar.text)]
        if not names:
            return replace(scalar, text=plain(scalar.text))
        self._places += [(scalar.span, name) for name in names]
        return replace(scalar, text=self._filled(scalar.text), quoted=True)

    def _filled(self, text: str) -> str:
        from .filling import spelled

        make, _ = fill_text(text)
        return spelled(make(self._args))
