"""State rules by brute force: every row of a small world, every rule tried on it (the design's section 4).

Written from the design alone and without the compiler.  The world is small enough to hold a row for every
case that its clauses can tell apart: `a.v` a text, `b.n` and `d.m` integers, `c.f` a boolean, each component
there or not, each property with or without a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Row = dict[str, dict[str, Any]]
Site = tuple[str, str | None]

PROPERTIES = {"a": "v", "b": "n", "c": "f", "d": "m"}
VALUES: dict[str, tuple[Any, ...]] = {
    # Besides x and y themselves, a text for each way in which it may hold them.
    "a": ("x", "y", "xy", "xw", "yw", "w"),
    "b": (-1, 0, 1, 2, 3, 4),
    "c": (True, False),
    "d": (-1, 0, 1, 2, 3, 4),
}
WRITABLE: dict[str, tuple[Any, ...]] = {
    "a": ("x", "y"),
    "b": (0, 1, 2, 3),
    "c": (True, False),
    "d": (0, 1, 2, 3),
}
WIDE = ("a", "b", "c")
"""Components of the world whose clauses each ask about one property."""
PAIRED = ("b", "d")
"""Components of the world that has clauses about two properties at once."""


def rows(names: Sequence[str] = WIDE) -> Iterator[Row]:
    """Every row over these components."""
    choices = [[None, {}, *({PROPERTIES[name]: value} for value in VALUES[name])] for name in names]
    for chosen in product(*choices):
        yield {name: state for name, state in zip(names, chosen, strict=True) if state is not None}


@dataclass(frozen=True)
class There:
    """`.c`, or with `wanted` false `!c`."""

    component: str
    wanted: bool = True

    @property
    def text(self) -> str:
        return f"{'.' if self.wanted else '!'}{self.component}"

    @property
    def site(self) -> Site:
        return self.component, None

    def holds(self, row: Row) -> bool:
        return (self.component in row) is self.wanted


@dataclass(frozen=True)
class HasValue:
    """`.c.p`, or with `wanted` false `!c.p`."""

    component: str
    wanted: bool = True

    @property
    def text(self) -> str:
        return f"{'.' if self.wanted else '!'}{self.component}.{PROPERTIES[self.component]}"

    @property
    def site(self) -> Site:
        return self.component, PROPERTIES[self.component]

    def holds(self, row: Row) -> bool:
        return (value_of(row, self.component) is not None) is self.wanted


TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, operand: value == operand,
    "<": lambda value, operand: value < operand,
    "<=": lambda value, operand: value <= operand,
    ">": lambda value, operand: value > operand,
    ">=": lambda value, operand: value >= operand,
    "~=": lambda value, operand: operand in value,
}


@dataclass(frozen=True)
class Test:
    """`.c.p op value,value`; with `span` the two values are the ends of a range."""

    __test__ = False

    component: str
    operator: str
    operands: tuple[Any, ...]
    span: bool = False

    @property
    def text(self) -> str:
        spelled = ("..." if self.span else ",").join(spell(operand) for operand in self.operands)
        return f".{self.component}.{PROPERTIES[self.component]}{self.operator}{spelled}"

    @property
    def site(self) -> Site:
        return self.component, PROPERTIES[self.component]

    def holds(self, row: Row) -> bool:
        value = value_of(row, self.component)
        negative = self.operator == "!="
        if value is None:
            return negative
        test = TESTS["=" if negative else self.operator]
        if self.span:
            low, high = self.operands
            return (low <= value < high) is not negative
        return any(test(value, operand) for operand in self.operands) is not negative


@dataclass(frozen=True)
class Pair:
    """`.b.n op .d.m`: false where either is missing, and its `!=` true there."""

    operator: str

    @property
    def text(self) -> str:
        return f".b.n{self.operator}.d.m"

    @property
    def site(self) -> None:
        """It is about no one component or property."""

    def holds(self, row: Row) -> bool:
        left, right = value_of(row, "b"), value_of(row, "d")
        negative = self.operator == "!="
        if left is None or right is None:
            return negative
        return TESTS["=" if negative else self.operator](left, right) is not negative


Clause = There | HasValue | Test | Pair


def spell(value: Any) -> str:
    return str(value).lower()


def value_of(row: Row, component: str) -> Any:
    return row.get(component, {}).get(PROPERTIES[component])


@dataclass(frozen=True)
class Rule:
    """A name, clauses, gates, components added, values written by component, the rules it runs before."""

    name: str
    clauses: tuple[Clause, ...]
    gates: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    written: tuple[tuple[str, Any], ...] = ()
    before: tuple[str, ...] = field(default=())

    @property
    def text(self) -> str:
        return ", ".join(
            [
                *(clause.text for clause in self.clauses),
                *(f"+!{name}" for name in self.gates),
                *(f"+{name}" for name in self.added),
                *(f"+{name}.{PROPERTIES[name]}={spell(value)}" for name, value in self.written),
            ]
        )

    @property
    def asked(self) -> list[Clause]:
        """The clauses, and the absence that each gate asks for."""
        return [*self.clauses, *(There(name, False) for name in self.gates)]

    def matches(self, row: Row) -> bool:
        return all(clause.holds(row) for clause in self.asked)

    def write(self, row: Row) -> Row:
        after = {name: dict(state) for name, state in row.items()}
        for name in (*self.gates, *self.added):
            after.setdefault(name, {})
        for name, value in self.written:
            after.setdefault(name, {})[PROPERTIES[name]] = value
        return after

    @property
    def reads(self) -> set[Site]:
        found: set[Site] = set()
        for clause in self.asked:
            if clause.site is None:
                found |= {("b", None), ("b", "n"), ("d", None), ("d", "m")}
            else:
                found |= {(clause.site[0], None), clause.site}
        return found

    @property
    def writes(self) -> set[Site]:
        return {
            *((name, None) for name in (*self.gates, *self.added)),
            *((name, None) for name, _ in self.written),
            *((name, PROPERTIES[name]) for name, _ in self.written),
        }


class World:
    """A set of rules over every row."""

    def __init__(self, rules: Sequence[Rule], names: Sequence[str] = WIDE) -> None:
        self.rules = {rule.name: rule for rule in rules}
        self.rows = list(rows(names))
        self.matched = {rule.name: [row for row in self.rows if rule.matches(row)] for rule in rules}
        self.acts = {rule.name: [(row, rule.write(row)) for row in self.matched[rule.name]] for rule in rules}

    def feeds_itself(self, name: str) -> bool:
        """The match can hold on a row, and still hold once the rule has written."""
        return any(self.rules[name].matches(after) for _, after in self.acts[name])

    def changes_something(self, name: str) -> bool:
        return any(before != after for before, after in self.acts[name])

    def turns(self, name: str, asked: Sequence[Clause]) -> bool:
        """The rule, on a row it matches, can turn these clauses together from false to true."""
        return any(
            not all(clause.holds(before) for clause in asked) and all(clause.holds(after) for clause in asked)
            for before, after in self.acts[name]
        )

    def contradict(self, first: str, second: str) -> bool:
        """On some component or property where no rule can turn what the second asks for true."""
        sites = {clause.site for clause in self.rules[second].asked} - {None}
        for site in sites:
            asked = [clause for clause in self.rules[second].asked if clause.site == site]
            both = any(all(clause.holds(row) for clause in asked) for row in self.matched[first])
            if not both and not any(self.turns(name, asked) for name in self.rules):
                return True
        return False

    def enables(self) -> set[tuple[str, str]]:
        return {
            (first, second)
            for first in self.rules
            for second in self.rules
            if first != second
            and any(self.turns(first, [clause]) for clause in self.rules[second].asked)
            and not self.contradict(first, second)
        }

    def before(self) -> set[tuple[str, str]]:
        return {(name, other) for name, rule in self.rules.items() for other in rule.before}

    def order(self) -> list[str]:
        """The one fixed order, by the words of the design; there must be no circle that it refuses."""
        enables, before = self.enables(), self.before()
        feeds = {
            (first, second)
            for first, one in self.rules.items()
            for second, other in self.rules.items()
            if first != second and one.writes & other.reads
        }
        reach = reachable(set(self.rules), enables | before | feeds)
        kept = enables | before | {(first, second) for first, second in feeds if (second, first) not in reach}
        order: list[str] = []
        while len(order) < len(self.rules):
            left = set(self.rules) - set(order)
            order.append(min(name for name in left if not any((other, name) in kept for other in left)))
        return order


def reachable(nodes: set[str], edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs with a way from the first to the second."""
    found = set(edges)
    for middle in nodes:
        for first in nodes:
            if (first, middle) in found:
                found |= {(first, last) for last in nodes if (middle, last) in found}
    return found


def has_circle(nodes: set[str], edges: set[tuple[str, str]]) -> bool:
    return any((node, node) in reachable(nodes, edges) for node in nodes)


def one_pass(order: Sequence[Rule], row: Row) -> Row:
    """Each rule once, in this order, each seeing what earlier ones wrote."""
    for rule in order:
        if rule.matches(row):
            row = rule.write(row)
    return row
