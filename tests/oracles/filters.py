"""Which rows a query lets through, worked out a second time from the specification alone.

Walks the syntax tree over bundles in memory, one row at a time, and shares nothing with the compiler but the
tree and the declarations.  Clear before fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from oracles import moments
from oracles.moments import Moment, Stretch
from oracles.values import NUMBER, ORDERED, OracleError, operand, ordered_test, time_test, typed
from wakeful_compiler.vocab.model import Component, Declarations, Property
from wakeful_grammar.nodes import (
    Absent,
    After,
    And,
    Compare,
    Count,
    Distinct,
    Everything,
    Fields,
    Item,
    Limit,
    Node,
    Not,
    Operator,
    Or,
    Order,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Range,
    Request,
    Scalar,
    Tally,
)

Bundle = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Filters:
    """One vocabulary, one set of rows (for hops) and one `now` to judge rows with."""

    vocab: Declarations
    rows: Sequence[Bundle]
    now: datetime

    # --- names ----------------------------------------------------------------------------------

    def resolve(self, path: Path, within: And | None, *, bare: bool = False) -> list[tuple[Component, Property | None]]:
        """The component and property of each hop of a path; a bare one finds its component first."""
        parts = path.parts
        if bare and len(parts) == 1:
            parts = (self._owner_of(parts[0], within), parts[0])
        if len(parts) == 1:
            return [(self._component(parts[0]), None)]
        steps: list[tuple[Component, Property | None]] = []
        for name, key in zip(parts[::2], parts[1::2], strict=True):
            component = self._component(name)
            if key not in component.properties:
                raise OracleError("unknown", f"{name}.{key}")
            steps.append((component, component.properties[key]))
        if any(step is not None and step.kind != "reference" for _, step in steps[:-1]):
            raise OracleError("type", f"{path.text} hops through what is no reference")
        return steps

    def _component(self, name: str) -> Component:
        if name not in self.vocab.components:
            raise OracleError("unknown", name)
        return self.vocab.components[name]

    def _owner_of(self, key: str, within: And | None) -> str:
        if key in ("eid", "num"):
            return "entity"
        owners = {name: each for name, each in self.vocab.components.items() if key in each.properties}
        beside: set[str] = set()
        for term in within.terms if within else ():
            if isinstance(term, Present | Absent | Request) or (isinstance(term, Compare) and len(term.path.parts) > 1):
                beside.add(term.path.parts[0])
        for candidates in (
            beside & set(owners),
            {name for name, each in owners.items() if not each.builtin},
            {name for name, each in owners.items() if each.builtin},
        ):
            if len(candidates) == 1:
                return candidates.pop()
            if candidates:
                break
        raise OracleError("unknown", f"bare {key}")

    # --- values ---------------------------------------------------------------------------------

    def value(self, row: Bundle, path: Path, within: And | None, *, bare: bool = False) -> Any:
        """The value of a property, hops followed; None for what is missing or of the wrong type."""
        steps = self.resolve(path, within, bare=bare)
        current: Bundle | None = row
        found: Any = None
        for component, prop in steps:
            if current is None or prop is None:
                return None
            found = typed(prop, (current.get(component.name) or {}).get(prop.name))
            current = next((each for each in self.rows if each["entity"]["eid"] == found), None)
        return found

    # --- filters --------------------------------------------------------------------------------

    def holds(self, node: Node, row: Bundle, within: And | None) -> bool:
        """Whether a row satisfies a node; `within` is the conjunction that the node stands in."""
        match node:
            case Present(path):
                if len(path.parts) == 1:
                    return row.get(path.parts[0]) is not None
                return self.value(row, path, None) is not None
            case Absent(path):
                return not self.holds(Present(path), row, within)
            case Request() | Everything():
                return True
            case Compare(path, operator, items):
                prop = self.resolve(path, within, bare=True)[-1][1]
                assert prop is not None
                value = self.value(row, path, within, bare=True)
                return self._compares(prop, value, operator, items, row)
            case And(terms):
                return all(self.holds(term, row, node) for term in terms)
            case Or(terms):
                return any(self.holds(term, row, None) for term in terms)
            case Not(term):
                return not self.holds(term, row, None)
            case _:
                assert_never(node)

    def _compares(self, prop: Property, value: Any, operator: Operator, items: tuple[Item, ...], row: Bundle) -> bool:
        if operator == "!=":
            return not self._compares(prop, value, "=", items, row)
        if value is None:
            return False
        return any(self._compares_one(prop, value, operator, item, row) for item in items)

    def _compares_one(self, prop: Property, value: Any, operator: Operator, item: Item, row: Bundle) -> bool:
        match item:
            case Range(low, high, open_end):
                return self._between(prop, value, low, high, open_end)
            case PropertyOperand(path):
                other = self.value(row, path, None)
                return other is not None and ordered_test(operator, value, other)
            case Scalar(text):
                if operator == "~=":
                    return text.casefold() in str(value).casefold()
                if prop.kind == "instant":
                    return time_test(operator, value, self._time(text), self.now)
                return ordered_test(operator, value, operand(prop, item))
            case _:
                assert_never(item)

    def _between(self, prop: Property, value: Any, low: Scalar, high: Scalar, open_end: bool) -> bool:
        if prop.kind != "instant":
            top = operand(prop, high)
            return bool(operand(prop, low) <= value and (value < top if open_end else value <= top))
        first, last = self._time(low.text), self._time(high.text)
        start = first.at if isinstance(first, Moment) else first.start
        if isinstance(last, Moment):
            return bool(start <= value and (value < last.at if open_end else value <= last.at))
        return bool(start <= value < (last.start if open_end else last.end))

    def _time(self, text: str) -> Moment | Stretch:
        return moments.read(text, self.now, self.vocab.zone)

    # --- checks ---------------------------------------------------------------------------------

    def check(self, tree: QueryTree) -> None:
        """Raise :class:`OracleError` for the first name or operand that does not fit the vocabulary."""
        if tree.where is not None:
            self._check(tree.where, None)
        for directive in tree.directives:
            match directive:
                case Order(path) | Distinct(path) | Tally(path):
                    last = self.resolve(path, None)[-1][1]
                    if last is None or last.kind in ("object", "array"):
                        raise OracleError("type", f"{path.text} has no order")
                case Fields(paths):
                    for path in paths:
                        self._own(path)
                case Limit() | After() | Count():
                    pass
                case _:
                    assert_never(directive)

    def _check(self, node: Node, within: And | None) -> None:
        match node:
            case Present(path) | Absent(path):
                self.resolve(path, None)
            case Request(path):
                self._own(path)
            case Compare(path, operator, items):
                prop = self.resolve(path, within, bare=True)[-1][1]
                assert prop is not None
                self._check_operands(prop, operator, items)
            case And(terms):
                for term in terms:
                    self._check(term, node)
            case Or(terms):
                for term in terms:
                    self._check(term, None)
            case Not(term):
                self._check(term, None)
            case Everything():
                pass
            case _:
                assert_never(node)

    def _own(self, path: Path) -> None:
        self.resolve(path, None)
        if len(path.parts) > 2:
            raise OracleError("type", f"{path.text} is not the row's own")

    def _check_operands(self, prop: Property, operator: Operator, items: tuple[Item, ...]) -> None:
        if prop.kind in ("object", "array"):
            raise OracleError("type", f"{prop.path} has presence only")
        if operator == "~=" and prop.kind != "string":
            raise OracleError("type", f"{prop.path} is no text")
        if operator in ORDERED and prop.kind in ("boolean", "reference"):
            raise OracleError("type", f"{prop.path} has no order")
        for item in items:
            match item:
                case Scalar():
                    self._check_scalar(prop, operator, item)
                case Range(low, high):
                    if prop.kind in ("boolean", "reference"):
                        raise OracleError("type", f"{prop.path} has no order")
                    self._check_scalar(prop, "<=", low)
                    self._check_scalar(prop, "<=", high)
                    if prop.kind != "instant" and operand(prop, low) > operand(prop, high):
                        raise OracleError("type", "backwards")
                case PropertyOperand(path):
                    other = self.resolve(path, None)[-1][1]
                    assert other is not None
                    alike = {"integer": "number", "reference": "string"}
                    if alike.get(prop.kind, prop.kind) != alike.get(other.kind, other.kind):
                        raise OracleError("type", f"{prop.path} and {other.path} are unlike")
                    if operator == "~=" or len(items) > 1:
                        raise OracleError("type", "a property stands alone")
                    if operator in ORDERED and other.kind == "reference":
                        raise OracleError("type", f"{other.path} has no order")
                case _:
                    assert_never(item)

    def _check_scalar(self, prop: Property, operator: Operator, scalar: Scalar) -> None:
        if prop.kind == "string":
            if operator in ORDERED and not scalar.quoted and NUMBER.fullmatch(scalar.text):
                raise OracleError("type", f"{scalar.text} is a number")
        elif prop.kind == "instant":
            try:
                self._time(scalar.text)
            except (ValueError, OverflowError):
                raise OracleError("type", f"{scalar.text} is no time") from None
        else:
            literal = operand(prop, scalar)
            if prop.kind == "integer" and operator in ("=", "!=") and literal.denominator != 1:
                raise OracleError("type", f"{scalar.text} is no integer")
