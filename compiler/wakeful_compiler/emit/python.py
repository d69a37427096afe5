"""A predicate plan as one generated Python function over a bundle.

The function assumes that values have the types the vocabulary gives them and checks only what Python would confuse
(True is 1).  When Python itself stumbles over a value (TypeError, AttributeError) it hands the row over to the plan's
closures, which read each value by its type; so ordinary rows cost what a hand-written function costs and odd rows are
still judged right.

The text of a function is a shape alone: names and values of the query never stand in it, they are put in place of
its constants once it is compiled.  So plans of one shape are compiled by Python once, and nothing that a query
says can become code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, cast

from ..bounds import Bounds
from ..predicates import (
    AllOf,
    Always,
    AnyOf,
    Bound,
    Comparison,
    Contains,
    HasComponent,
    HasValue,
    Leaf,
    Member,
    Not,
    Place,
    Predicate,
    PropertyComparison,
    TimeBound,
    hops,
    leaf_places,
    leaf_properties,
    leaves,
    property_places,
)
from ..vocab.model import Property
from .closures import emit_closures
from .readers import READERS, Matches, follow, lookup_needed, read_integer

_PYTHON_OPERATORS = {"=": "==", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def emit_python(predicate: Predicate, bounds: Bounds) -> Matches:
    """The function `matches(row, now=None, lookup=None) -> bool` of a plan, written out at once."""
    code, names = write_out(predicate, bounds, emit_closures(predicate, bounds))
    return cast(Matches, FunctionType(code, names, "matches", (None, None)))


def write_out(predicate: Predicate, bounds: Bounds, careful: Matches) -> tuple[CodeType, dict[str, Any]]:
    """The code of a plan's function and the names that it calls; `careful` judges the rows that are odd."""
    source = _Source(predicate, bounds)
    source.names["careful"] = careful
    return source.code(), source.names


class _Source:
    """The text and the names of one function, while it is being written."""

    def __init__(self, predicate: Predicate, bounds: Bounds) -> None:
        self.predicate, self.bounds = predicate, bounds
        self.names: dict[str, Any] = {}
        self.constants: dict[str, object] = {}
        self.lines: list[str] = []
        self.rows: dict[tuple[Property, ...], str] = {(): "row"}
        self.components: dict[Place, str] = {}
        self.present: set[Place] = set()
        self.scratch = 0

    def code(self) -> CodeType:
        top = self.predicate.terms if isinstance(self.predicate, AllOf) else (self.predicate,)
        if hops(self.predicate):
            self.names["follow"] = follow
            self.names["lookup_needed"] = lookup_needed
            self.lines.append("if lookup is None: lookup_needed()")
            # Looking another row up may cost a read: what the row itself can answer is asked first.
            top = tuple(sorted(top, key=hops))
        if self.bounds.needed:
            self.names["bounds"] = self.bounds
            names = "".join(f"b{index}, " for index in range(len(self.bounds.needed)))
            self.lines.append(f"{names}= bounds(now)")
        for index, term in enumerate(top):
            self._top_term(term, last=index == len(top) - 1)
        body = "\n".join(f"        {line}" for line in self.lines)
        code = shape_code(
            f"def matches(row, now=None, lookup=None):\n    try:\n{body}\n"
            "    except (TypeError, AttributeError):\n        return careful(row, now, lookup)\n"
        )
        consts = tuple(
            self.constants.get(value, value) if isinstance(value, str) else value for value in code.co_consts
        )
        return code.replace(co_consts=consts)

    def _top_term(self, term: Predicate, *, last: bool) -> None:
        for leaf in leaves(term):
            for place in leaf_places(leaf):
                self._component(place)
        # A leaf that needs a component settles that it is there for every later term.
        if isinstance(term, Comparison | Member | Contains | HasValue | PropertyComparison):
            for prop in leaf_properties(term):
                for place in property_places(prop):
                    self._require(place)
        if isinstance(term, HasComponent) and not last:
            self._require(((), term.component))
            return
        condition = self._expression(term)
        self.lines.append(f"return {condition}" if last else f"if not ({condition}): return False")

    def _component(self, place: Place) -> str:
        name = self.components.get(place)
        if name is None:
            via, component = place
            row = self._row(via)
            name = self.components[place] = f"c{len(self.components)}"
            there = f" if {row} is not None else None" if via else ""
            self.lines.append(f"{name} = {row}.get({self._constant(component)}){there}")
        return name

    def _row(self, via: tuple[Property, ...]) -> str:
        """The name of the row that lies behind these references, looked up once."""
        row = self.rows.get(via)
        if row is None:
            holder = self._component((via[:-1], via[-1].component))
            row = self.rows[via] = f"r{len(self.rows)}"
            self.lines.append(f"{row} = follow({holder}, {self._constant(via[-1].name)}, lookup)")
        return row

    def _require(self, place: Place) -> None:
        if place not in self.present:
            self.lines.append(f"if {self._component(place)} is None: return False")
            self.present.add(place)

    def _constant(self, value: object) -> str:
        """A literal that stands for a value: a text that no query can hold."""
        place = f"\0{len(self.constants)}"
        self.constants[place] = value
        return repr(place)

    def _named(self, value: object) -> str:
        """A name for what the function calls."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def _fresh(self) -> str:
        self.scratch += 1
        return f"v{self.scratch}"

    # --- expressions ----------------------------------------------------------------------------

    def _expression(self, node: Predicate) -> str:
        match node:
            case AllOf(terms):
                return " and ".join(f"({self._expression(term)})" for term in terms)
            case AnyOf(terms):
                return " or ".join(f"({self._expression(term)})" for term in terms)
            case Not(term):
                return f"not ({self._expression(term)})"
            case _:
                return self._leaf(node)

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case Always(answer):
                return str(answer)
            case HasComponent(component):
                return f"{self._component(((), component))} is not None"
            case PropertyComparison(left, operator, right):
                left_name, left_there = self._read(left)
                right_name, right_there = self._read(right)
                test = f"{left_name} {_PYTHON_OPERATORS[operator]} {right_name}"
                return f"{left_there} and {right_there} and {test}"
            case HasValue(prop):
                return self._guarded(prop, self._has_value(prop))
            case Comparison(prop, operator, bound):
                return self._guarded(prop, self._comparison(prop, operator, bound))
            case Member(prop, values):
                return self._guarded(prop, self._member(prop, values))
            case Contains(prop, needle):
                name, there = self._read(prop)
                return f"{there} and {self._constant(needle)} in {name}.casefold()"

    def _guarded(self, prop: Property, test: str) -> str:
        place = (prop.via, prop.component)
        if place in self.present:
            return test
        return f"{self._component(place)} is not None and {test}"

    def _get(self, prop: Property) -> str:
        return f"{self._component((prop.via, prop.component))}.get({self._constant(prop.name)})"

    def _read(self, prop: Property) -> tuple[str, str]:
        """A name for the value in comparable form, and the expression that binds it and tells it is there."""
        name = self._fresh()
        textual = prop.kind in ("string", "reference")
        read = self._get(prop) if textual else f"{self._named(READERS[prop.kind])}({self._get(prop)})"
        return name, self._guarded(prop, f"({name} := {read}) is not None")

    def _has_value(self, prop: Property) -> str:
        if prop.kind in ("string", "reference"):
            return f"{self._get(prop)}.__class__ is str"
        return f"{self._named(READERS[prop.kind])}({self._get(prop)}) is not None"

    def _comparison(self, prop: Property, operator: str, bound: Bound) -> str:
        constant = self._bound(bound)
        python = _PYTHON_OPERATORS[operator]
        if isinstance(bound, TimeBound):
            name = self._fresh()
            reader = self._named(READERS[prop.kind])
            return f"({name} := {reader}({self._get(prop)})) is not None and {name} {python} {constant}"
        if prop.kind == "boolean":
            return f"{self._get(prop)} is {bound}"
        if operator == "=":
            if prop.kind in ("number", "integer") and bound in (0, 1):
                name = self._fresh()
                return f"({name} := {self._get(prop)}) == {constant} and {name}.__class__ is not bool"
            return f"{self._get(prop)} == {constant}"
        name = self._fresh()
        test = f"({name} := {self._get(prop)}) is not None and {name} {python} {constant}"
        if prop.kind == "integer":
            integral = self._named(read_integer)
            return f"{test} and ({name}.__class__ is int or {integral}({name}) is not None)"
        if prop.kind == "number" and _takes_a_boolean(operator, bound):
            return f"{test} and {name}.__class__ is not bool"
        return test

    def _member(self, prop: Property, values: tuple[Any, ...]) -> str:
        constant = self._constant(frozenset(values))
        # 1.0 and 1 hash alike, and so does True: only those two need a second look.
        confusable = prop.kind in ("number", "integer", "boolean") and bool({0, 1} & set(values))
        if not confusable:
            return f"{self._get(prop)} in {constant}"
        name = self._fresh()
        reader = self._named(READERS[prop.kind])
        return f"({name} := {reader}({self._get(prop)})) is not None and {name} in {constant}"

    def _bound(self, bound: Bound) -> str:
        if isinstance(bound, TimeBound):
            return f"b{self.bounds.places[bound]}"
        return self._constant(bound)


@lru_cache(maxsize=1_000)
def shape_code(text: str) -> CodeType:
    """The code of the one function that a text defines; plans of one shape share it."""
    module = compile(text, "<predicate>", "exec")
    return next(value for value in module.co_consts if isinstance(value, CodeType))


def _takes_a_boolean(operator: str, bound: object) -> bool:
    """Whether True or False would pass the comparison that only numbers may pass."""
    assert isinstance(bound, int | float)
    tests: dict[str, Callable[[int], bool]] = {
        "<": lambda value: value < bound,
        "<=": lambda value: value <= bound,
        ">": lambda value: value > bound,
        ">=": lambda value: value >= bound,
    }
    return tests[operator](0) or tests[operator](1)
