"""Names and types of a query: the syntax tree, read against a vocabulary, becomes a plan.

Every problem of a query is found in one pass; a clause with a problem stands as never-true in the plan,
which is then not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from wakeful_grammar.nodes import (
    Absent,
    After,
    And,
    Compare,
    Count,
    Distinct,
    Everything,
    Fields,
    Limit,
    Node,
    Not,
    Or,
    Order,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Request,
    Tally,
)
from wakeful_grammar.problems import Problem, Span, problem_at

from .names import Names
from .operand_errors import BadOperand
from .operands import lower_comparison, lower_property_comparison
from .plan import QueryPlan
from .predicates import ALWAYS, NEVER, HasComponent, HasValue, Predicate, all_of, any_of, negated
from .vocab.model import Component, Property


def resolve_query(tree: QueryTree, components: Mapping[str, Component]) -> tuple[QueryPlan, list[Problem]]:
    """The plan of a query and every problem in it; the plan means something only when there is none."""
    resolver = QueryResolver(tree.text, components)
    return resolver.query(tree), resolver.problems


def _named(nodes: tuple[Node, ...]) -> Iterator[Path]:
    """The paths that clauses of one conjunction name, groups left out."""
    for node in nodes:
        if isinstance(node, Present | Absent | Request | Compare):
            yield node.path


class QueryResolver:
    """One query's resolution: `problems` grows as clauses are lowered."""

    def __init__(self, text: str, components: Mapping[str, Component]) -> None:
        self.text = text
        self.components = components
        self.names = Names(text, components)
        self.problems: list[Problem] = self.names.problems
        self.carried: dict[str, Component] = {}

    def query(self, tree: QueryTree) -> QueryPlan:
        where: Predicate = NEVER if tree.empty else ALWAYS
        carry_all = False
        if tree.where is not None:
            carry_all = _asks_for_everything(tree.where)
            where = self.lower(tree.where, ())
        order: Property | None = None
        descending, count = False, False
        limit: int | None = None
        after: After | None = None
        for directive in tree.directives:
            match directive:
                case Order(path, descending):
                    order = self._sortable(path)
                case Limit(limit):
                    pass
                case After():
                    after = directive
                case Count():
                    count = True
                case Distinct() | Tally() | Fields():
                    word = type(directive).__name__.lower()
                    self.report(directive.span, "limit-not-yet", f"`.{word}` comes with a later version")
                case _:
                    assert_never(directive)
        carried = tuple(self.carried.values())
        return QueryPlan(where, carried, carry_all, order, descending, limit, after, count)

    def report(self, span: Span, code: str, message: str, hint: str = "", fix: str | None = None) -> Predicate:
        self.problems.append(problem_at(self.text, span, code, message, hint, fix=fix))
        return NEVER

    # --- clauses --------------------------------------------------------------------------------

    def lower(self, node: Node, beside: tuple[Node, ...]) -> Predicate:
        """The predicate of a node; `beside` are the clauses of the conjunction it stands in."""
        match node:
            case And(terms):
                return all_of([self.lower(term, terms) for term in terms])
            case Or(terms):
                return any_of([self.lower(term, (term,)) for term in terms])
            case Not(term):
                return negated(self.lower(term, (term,)))
            case Everything():
                return ALWAYS
            case Present(path):
                return self.presence(path, carry=True)
            case Absent(path):
                return negated(self.presence(path, carry=False))
            case Request(path):
                self.presence(path, carry=True)
                return ALWAYS
            case Compare():
                return self.comparison(node, beside)
            case _:
                assert_never(node)

    def presence(self, path: Path, *, carry: bool) -> Predicate:
        """`.path`, `!path` and `?path`: a component, or a property of one."""
        if len(path.parts) > 2:
            return self._hop(path)
        component = self.names.component(path)
        if component is None:
            return NEVER
        if carry:
            self.carried.setdefault(component.name, component)
        if len(path.parts) == 1:
            return HasComponent(component.name)
        prop = self.names.property(component, path)
        return NEVER if prop is None else HasValue(prop)

    def comparison(self, node: Compare, beside: tuple[Node, ...]) -> Predicate:
        if len(node.path.parts) > 2:
            return self._hop(node.path)
        prop = self.names.compared(node, tuple(_named(beside or (node,))))
        if prop is None:
            return NEVER
        owner = self.components[prop.component]
        self.carried.setdefault(owner.name, owner)
        try:
            if any(isinstance(item, PropertyOperand) for item in node.items):
                return self._property_comparison(prop, node)
            return lower_comparison(prop, node)
        except BadOperand as error:
            return self.report(error.span, error.code, error.message, error.hint)

    def _property_comparison(self, prop: Property, node: Compare) -> Predicate:
        (item, *rest) = node.items
        if rest or not isinstance(item, PropertyOperand):
            return self.report(
                node.span,
                "type-operand",
                "a property on the right stands alone",
                f"write `.{prop.path}{node.operator}.component.property`, without a list",
            )
        component = self.names.component(item.path)
        other = self.names.property(component, item.path) if component is not None else None
        if component is None or other is None:
            return NEVER
        self.carried.setdefault(component.name, component)
        return lower_property_comparison(prop, node, other)

    def _hop(self, path: Path) -> Predicate:
        return self.report(
            path.span,
            "limit-not-yet",
            f"`.{path.text}` reads through a reference, which comes with a later version",
            "ask for the reference's eid with `.component.property=eid` and read that entity next",
        )

    def _sortable(self, path: Path) -> Property | None:
        if path.parts in (("num",), ("eid",)):
            return self.components["entity"].properties[path.parts[0]]
        if len(path.parts) != 2:
            self.report(
                path.span,
                "type-order",
                f"`.order={path.text}` names no property",
                "write `.order=component.property`",
            )
            return None
        component = self.names.component(path)
        prop = self.names.property(component, path) if component is not None else None
        if prop is not None and prop.kind in ("object", "array"):
            self.report(path.span, "type-order", f"`{prop.path}` is an {prop.kind}, which has no order")
        return prop


def _asks_for_everything(node: Node) -> bool:
    """Whether `*` stands at the top of the query or of one of its alternatives."""
    match node:
        case Everything():
            return True
        case And(terms) | Or(terms):
            return any(_asks_for_everything(term) for term in terms)
        case _:
            return False
