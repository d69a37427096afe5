"""The query of a command: parsed and typed with each `$x` as one operand.

An argument can never change the shape of the query: a hole stands where a value stands, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wakeful_grammar.nodes import (
    After,
    And,
    Compare,
    Distinct,
    Fields,
    Item,
    Node,
    Not,
    Or,
    Order,
    Path,
    PropertyOperand,
    QueryTree,
    Range,
    Scalar,
    Tally,
)
from wakeful_grammar.problems import Problem, QueryError

from ..operand_errors import quoted
from ..predicates import NEVER, Predicate
from ..resolve import QueryResolver
from ..vocab.model import KIND_WORDS, Component, Kind, Property
from .holes import Inputs, fits, holes, only_hole, plain

_SAMPLES: dict[Kind, str] = {
    "string": "a", "reference": "a", "number": "1", "integer": "1", "boolean": "true", "instant": "now",
    "object": "a", "array": "a",
}  # fmt: skip
"""A legal operand of each kind, to stand for an argument while types are checked."""


def check_query_template(
    inputs: Inputs, text: str, pointer: str, components: Mapping[str, Component], broken: frozenset[str]
) -> None:
    """Report what is wrong with the query of a command, whose JSON text stands at `pointer`.

    A query that mentions something broken is not looked into beyond its own text.
    """
    from wakeful_grammar.query import parse_query

    if not inputs.check_braces(text, pointer):
        return
    try:
        tree = parse_query(text)
    except QueryError as error:
        for problem in error.problems:
            _tell(inputs, problem, pointer, text)
        return
    if tree.empty:
        inputs.report.add(
            pointer,
            "vocab-template",
            f"{inputs.command}: the query is empty, and selects nothing",
            "write for example `.plant`, or `*` for every row",
        )
        return
    for directive in tree.directives:
        if isinstance(directive, After) and directive.eid is not None:
            inputs.check_text(text[directive.span.start : directive.span.end], pointer, directive.span.start)
    if any(_is_broken(path, broken) for path in _paths(tree)):
        return
    resolver = _TemplateResolver(text, components, inputs, pointer)
    resolver.query(tree)
    for problem in resolver.problems:
        _tell(inputs, problem, pointer, text)


def _tell(inputs: Inputs, problem: Problem, pointer: str, text: str) -> None:
    hint = problem.hint
    if "$" in text[problem.span.start : problem.span.end] and problem.code.startswith("syntax-"):
        hint = f"{hint}; an input, `$x`, stands only where a value is compared: `.component.property=$x`"
    inputs.report.add(
        pointer,
        problem.code,
        f"{inputs.command}: {problem.message}",
        hint,
        inside=problem.span,
        severity=problem.severity,
        fix=problem.fix,
    )


class _TemplateResolver(QueryResolver):
    """Resolves a query in which a legal value stands for each input, once its type is known to fit."""

    def __init__(self, text: str, components: Mapping[str, Component], inputs: Inputs, pointer: str) -> None:
        super().__init__(text, components)
        self.inputs, self.pointer = inputs, pointer

    def comparison(self, node: Compare, beside: tuple[Node, ...]) -> Predicate:
        written = [scalar for item in node.items for scalar in _scalars(item) if "$" in scalar.text]
        if not written:
            return super().comparison(node, beside)
        known = [self._known(scalar) for scalar in written]
        # Where the property is not found, what follows reports why.
        prop = self._property(node, beside)
        if not all(known) or (prop is not None and not all(self._fits(scalar, prop) for scalar in written)):
            return NEVER
        kind: Kind = prop.kind if prop is not None else "string"
        filled = tuple(_filled(item, kind) for item in node.items)
        return super().comparison(replace(node, items=filled), beside)

    def _known(self, scalar: Scalar) -> bool:
        span = scalar.span
        return self.inputs.check_text(self.text[span.start : span.end], self.pointer, span.start)

    def _property(self, node: Compare, beside: tuple[Node, ...]) -> Property | None:
        before = len(self.problems)
        named = tuple(path for other in beside or (node,) if isinstance(path := getattr(other, "path", None), Path))
        prop = self.names.compared(node, named)
        del self.problems[before:]
        return prop

    def _fits(self, scalar: Scalar, prop: Property) -> bool:
        name = only_hole(scalar.text)
        if name is None:
            if prop.kind in ("string", "reference", "instant") or not holes(scalar.text):
                return True
            message = f"`{prop.path}` is {KIND_WORDS[prop.kind]}; {quoted(scalar.text)} is text with an input in it"
            self.report(scalar.span, "type-input", message, "let one input be the whole value: `$x`")
            return False
        declared = self.inputs.declared[name]
        if fits(declared.kind, prop.kind):
            return True
        self.report(
            scalar.span,
            "type-input",
            f"`{prop.path}` is {KIND_WORDS[prop.kind]} and the input `${name}` {KIND_WORDS[declared.kind]}",
            f"give the input `{name}` the type of `{prop.path}`",
        )
        return False


def _scalars(item: Item) -> tuple[Scalar, ...]:
    match item:
        case Scalar():
            return (item,)
        case Range(low, high):
            return (low, high)
        case PropertyOperand():
            return ()


def _filled(item: Item, kind: Kind) -> Item:
    match item:
        case Scalar():
            return _sample(item, kind)
        case Range(low, high):
            # An end that is not known yet is taken for the other one, so that no range seems to run backwards.
            low_known, high_known = not holes(low.text), not holes(high.text)
            sample = _SAMPLES[kind]
            if low_known != high_known:
                sample = plain(low.text if low_known else high.text)
            return replace(item, low=_sample(low, kind, sample), high=_sample(high, kind, sample))
        case PropertyOperand():
            return item


def _sample(scalar: Scalar, kind: Kind, sample: str | None = None) -> Scalar:
    if not holes(scalar.text):
        return replace(scalar, text=plain(scalar.text))
    return replace(scalar, text=sample or _SAMPLES[kind], quoted=True)


# --- paths --------------------------------------------------------------------------------------


def _is_broken(path: Path, broken: frozenset[str]) -> bool:
    if not broken:
        return False
    names = {name.partition(".")[2] for name in broken}
    parts = path.parts
    if len(parts) == 1 and (parts[0] in broken or parts[0] in names):
        return True
    pairs = zip(parts[::2], [*parts[1::2], ""], strict=False)
    return any(component in broken or f"{component}.{name}" in broken for component, name in pairs)


def _paths(tree: QueryTree) -> Iterator[Path]:
    for directive in tree.directives:
        match directive:
            case Order(path) | Distinct(path) | Tally(path):
                yield path
            case Fields(paths):
                yield from paths
            case _:
                pass
    waiting = [tree.where] if tree.where is not None else []
    while waiting:
        match waiting.pop():
            case And(terms) | Or(terms):
                waiting += terms
            case Not(term):
                waiting.append(term)
            case Compare(path, _, items):
                yield path
                yield from (item.path for item in items if isinstance(item, PropertyOperand))
            case node:
                path_of = getattr(node, "path", None)
                if isinstance(path_of, Path):
                    yield path_of
