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

from .names import Names, properties_of
from .nearby import near
from .operand_errors import BadOperand
from .operands import lower_comparison, lower_property_comparison
from .plan import Aggregate, Carried, QueryPlan
from .predicates import ALWAYS, NEVER, HasComponent, HasValue, Predicate, all_of, any_of, negated
from .vocab.model import KIND_WORDS, Component, Property


def resolve_query(tree: QueryTree, components: Mapping[str, Component]) -> tuple[QueryPlan, list[Problem]]:
    """The plan of a query and every problem in it; the plan means something only when there is none."""
    resolver = QueryResolver(tree.text, components)
    return resolver.query(tree), resolver.problems


def naming_paths(nodes: tuple[Node, ...]) -> Iterator[Path]:
    """The paths by which clauses of one conjunction name a component, groups left out."""
    for node in nodes:
        # What a bare property belongs to is the question: it names no component itself.
        if isinstance(node, Present | Absent | Request) or (isinstance(node, Compare) and len(node.path.parts) > 1):
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
        carry_all: Mapping[str, Component] | None = None
        if tree.where is not None:
            carry_all = self.components if _asks_for_everything(tree.where) else None
            where = self.lower(tree.where, ())
        order: Property | None = None
        descending = False
        limit: int | None = None
        after: After | None = None
        aggregate: Aggregate | None = None
        fields: tuple[Path, ...] | None = None
        for directive in tree.directives:
            match directive:
                case Order(path, descending):
                    order = self._valued(path, "order")
                case Limit(limit):
                    pass
                case After():
                    after = directive
                case Count():
                    aggregate = Aggregate("count")
                case Distinct(path):
                    aggregate = Aggregate("distinct", self._valued(path, "distinct"))
                case Tally(path):
                    aggregate = Aggregate("tally", self._valued(path, "tally"))
                case Fields(fields):
                    pass
                case _:
                    assert_never(directive)
        if fields is None:
            carried = tuple(Carried(each, tuple(each.properties.values())) for each in self.carried.values())
        else:
            carried, carry_all = self._fields(fields), None
        return QueryPlan(where, carried, carry_all, order, descending, limit, after, aggregate)

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
                return self.request(path)
            case Compare():
                return self.comparison(node, beside)
            case _:
                assert_never(node)

    def presence(self, path: Path, *, carry: bool) -> Predicate:
        """`.path`, `!path` and `?path`: a component, or a property of one."""
        if len(path.parts) > 1:
            prop = self.names.reached(path)
            if prop is None:
                return NEVER
            if carry:
                self._carry(prop)
            return HasValue(prop)
        component = self.names.component(path)
        if component is None:
            return NEVER
        if carry:
            self.carried.setdefault(component.name, component)
        return HasComponent(component.name)

    def _carry(self, prop: Property) -> None:
        """Carry the component by which a path begins: what lies behind a reference is another row's."""
        first = prop.via[0] if prop.via else prop
        self.carried.setdefault(first.component, self.components[first.component])

    def request(self, path: Path) -> Predicate:
        """`?path`, which carries and never filters."""
        if len(path.parts) > 2:
            self._not_its_own(path, "?")
        else:
            self.presence(path, carry=True)
        return ALWAYS

    def comparison(self, node: Compare, beside: tuple[Node, ...]) -> Predicate:
        prop = self.names.compared(node, naming_paths(beside or (node,)))
        if prop is None:
            return NEVER
        self._carry(prop)
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
        other = self.names.reached(item.path)
        if other is None:
            return NEVER
        self._carry(other)
        return lower_property_comparison(prop, node, other)

    # --- directives -----------------------------------------------------------------------------

    def _valued(self, path: Path, word: str) -> Property | None:
        """The property that `.order`, `.distinct` or `.tally` is about: one whose values have an order."""
        if path.parts in (("num",), ("eid",)):
            return self.components["entity"].properties[path.parts[0]]
        if len(path.parts) == 1:
            self._no_property(path, word)
            return None
        prop = self.names.reached(path)
        if prop is not None and prop.kind in ("object", "array"):
            self.report(
                path.span,
                f"type-{word}",
                f"`{prop.path}` is {KIND_WORDS[prop.kind]}: only its presence can be asked",
                f"write `.{word}=` with a property that is a text, a number, a boolean, an instant or a reference",
            )
            return None
        return prop

    def _no_property(self, path: Path, word: str) -> None:
        name = path.parts[0]
        owners = [each for each in self.components.values() if name in each.properties]
        own = [each for each in owners if not each.builtin] or owners
        component = self.components.get(name)
        if component is not None:
            hint = f"write `.{word}={name}.property`; {properties_of(component)}"
        elif own:
            hint = "write " + ", ".join(f"`.{word}={each.name}.{name}`" for each in own)
        else:
            hint = self._candidates(name, word)
        fix = f"{own[0].name}.{name}" if component is None and len(own) == 1 else None
        self.report(path.span, f"type-{word}", f"`.{word}={path.text}` names no property", hint, fix)

    def _candidates(self, name: str, word: str) -> str:
        """What `.order=heigth` may have meant: properties of a near name, else those of what the query carries."""
        every = [prop for each in self.components.values() if not each.builtin for prop in each.properties.values()]
        meant = near(name, {prop.name for prop in every})
        found = [prop for prop in every if prop.name in meant] or [
            prop
            for each in self.carried.values()
            for prop in each.properties.values()
            if prop.kind not in ("object", "array")
        ]
        spelled = ", ".join(f"`.{word}={prop.path}`" for prop in found[:4])
        question = f"did you mean {spelled}?" if meant else f"write for example {spelled}"
        return question if found else f"write `.{word}=component.property`"

    def _fields(self, paths: tuple[Path, ...]) -> tuple[Carried, ...]:
        """What `.fields` leaves of a row, component by component in the order written."""
        chosen: dict[str, dict[str, Property]] = {}
        for path in paths:
            if len(path.parts) > 2:
                self._not_its_own(path, ".fields=")
                continue
            component = self.names.component(path)
            if component is None:
                continue
            shown = chosen.setdefault(component.name, {})
            if len(path.parts) == 1:
                shown.update(component.properties)
            else:
                prop = self.names.property(component, path)
                if prop is not None:
                    shown[prop.name] = prop
        return tuple(Carried(self.components[name], tuple(shown.values())) for name, shown in chosen.items())

    def _not_its_own(self, path: Path, mark: str) -> None:
        prop = self.names.reached(path)
        if prop is None:
            return
        own = prop.via[0].path
        self.report(
            path.span,
            "type-hop",
            f"a row carries what is its own; `{path.text}` belongs to the entity that `{own}` names",
            f"write `{mark}{own}` for the reference, and ask for that entity in a query of its own",
            fix=own,
        )


def _asks_for_everything(node: Node) -> bool:
    """Whether `*` stands anywhere in a filter: it carries wherever it stands, as every clause does."""
    match node:
        case Everything():
            return True
        case And(terms) | Or(terms):
            return any(_asks_for_everything(term) for term in terms)
        case Not(term):
            return _asks_for_everything(term)
        case _:
            return False
