"""Rules by brute force: every row of a small world, every rule tried on it (the design's section 4).

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
    return "null" if value is None else str(value).lower()


def value_of(row: Row, component: str) -> Any:
    return row.get(component, {}).get(PROPERTIES[component])


@dataclass(frozen=True)
class Occasion:
    """`^c`, `^!c` (`kind` added, removed); `^c.p` (changed), with a test `^c.p op value`."""

    component: str
    kind: str
    test: Test | None = None

    @property
    def text(self) -> str:
        if self.test is not None:
            return "^" + self.test.text[1:]
        sign = "^!" if self.kind == "removed" else "^"
        return f"{sign}{self.component}" + (f".{PROPERTIES[self.component]}" if self.kind == "changed" else "")

    def met(self, before: Row, after: Row) -> bool:
        """Whether a write that led from the one row to the other is this occasion."""
        was, now = self.component in before, self.component in after
        if self.kind != "changed":
            return (now and not was) if self.kind == "added" else (was and not now)
        differs = value_of(before, self.component) != value_of(after, self.component)
        return differs and (self.test is None or self.test.holds(after))


@dataclass(frozen=True)
class Rule:
    """A name, clauses, and marks by kind: `+!c`, `+c`, `+c.p=v`, `*c.p=v` (None clears), `*c=null`, `+tombstone`,
    a copy (target, source, constant added), occasions; and the rules it runs before."""

    name: str
    clauses: tuple[Clause, ...]
    gates: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    written: tuple[tuple[str, Any], ...] = ()
    before: tuple[str, ...] = field(default=())
    changed: tuple[tuple[str, Any], ...] = ()
    removed: tuple[str, ...] = ()
    deletes: bool = False
    copied: tuple[tuple[str, str, int], ...] = ()
    occasions: tuple[Occasion, ...] = ()

    @property
    def text(self) -> str:
        return ", ".join(
            [
                *(occasion.text for occasion in self.occasions),
                *(clause.text for clause in self.clauses),
                *(f"+!{name}" for name in self.gates),
                *(f"+{name}" for name in self.added),
                *(f"+{name}.{PROPERTIES[name]}={spell(value)}" for name, value in self.written),
                *(f"*{name}.{PROPERTIES[name]}={spell(value)}" for name, value in self.changed),
                *(f"*{name}=null" for name in self.removed),
                *(["+tombstone"] if self.deletes else []),
                *(
                    f"+{to}.{PROPERTIES[to]}=.{of}.{PROPERTIES[of]}" + (f"{step:+}" if step else "")
                    for to, of, step in self.copied
                ),
            ]
        )

    @property
    def asked(self) -> list[Clause]:
        """The clauses, and what gates, `*` and copies ask for."""
        return [
            *self.clauses,
            *(There(name, False) for name in self.gates),
            *(There(name) for name, _ in self.changed),
            *(There(name) for name in self.removed),
            *(HasValue(of) for _, of, _ in self.copied),
        ]

    def matches(self, row: Row | None) -> bool:
        return row is not None and all(clause.holds(row) for clause in self.asked)

    def output(self, row: Row) -> dict[str, dict[str, Any] | None]:
        """What it writes on this row, component by component; None takes the component away."""
        found: dict[str, dict[str, Any] | None] = {name: {} for name in (*self.gates, *self.added)}
        copies = ((to, value_of(row, of) + step) for to, of, step in self.copied)
        for name, value in (*self.written, *self.changed, *copies):
            found[name] = {PROPERTIES[name]: value}
        return {**found, **dict.fromkeys(self.removed)}

    def write(self, row: Row) -> Row | None:
        """The row as it leaves it; None once it is under `+tombstone`."""
        return None if self.deletes else patched(row, self.output(row))

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
        present = {*self.gates, *self.added, *(name for name, _ in self.written), *(to for to, _, _ in self.copied)}
        valued = [*(name for name, _ in (*self.written, *self.changed)), *(to for to, _, _ in self.copied)]
        return {
            *((name, None) for name in (*present, *self.removed)),
            *((name, PROPERTIES[name]) for name in (*valued, *self.removed)),
        }


def patched(row: Row, output: dict[str, dict[str, Any] | None]) -> Row:
    """The row after a patch."""
    after = {name: dict(state) for name, state in row.items()}
    for name, values in output.items():
        if values is None:
            after.pop(name, None)
            continue
        after.setdefault(name, {}).update(values)
        after[name] = {key: value for key, value in after[name].items() if value is not None}
    return after


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
            if after is not None
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


def one_pass(order: Sequence[Rule], row: Row | None) -> Row | None:
    """Each rule once, in this order, each seeing what earlier ones wrote; None once the row is under `+tombstone`."""
    for rule in order:
        if row is not None and rule.matches(row):
            row = rule.write(row)
    return row


# --- a stage --------------------------------------------------------------------------------------


def changes(before: Row, after: Row) -> set[Site]:
    """What differs between two rows, at the grain at which rules read."""
    found: set[Site] = set()
    for name, prop in PROPERTIES.items():
        if (name in before) != (name in after):
            found.add((name, None))
        if before.get(name, {}).get(prop) != after.get(name, {}).get(prop):
            found.add((name, prop))
    return found


def one_stage(occasions: Sequence[Rule], state: Sequence[Rule], before: Row, after: Row) -> Row | None:
    """What becomes of a row that an own write led from `before` to `after`: the occasion rules, judged all on what
    it left, then the state rules, each where something that it reads has changed; None where the row is deleted."""
    met = [
        rule
        for rule in occasions
        if all(occasion.met(before, after) for occasion in rule.occasions) and rule.matches(after)
    ]
    row, gone = after, set[str]()
    for rule, output in [(rule, rule.output(after)) for rule in met]:
        if rule.deletes:
            return None
        row = patched(row, {name: values for name, values in output.items() if name not in gone})
        gone |= {name for name, values in output.items() if values is None}
    touched = changes(before, after) | changes(after, row)
    for rule in state:
        if touched & rule.reads and rule.matches(row):
            written = rule.write(row)
            if written is None:
                return None
            touched |= changes(row, written)
            row = written
    return row


def conflict(one: Rule, other: Rule, *, loosely: bool = False) -> bool:
    """Whether both can act on one write, and leave two things; `loosely`, on one row that it left."""
    mine, its = ({**rule.output({"b": {"n": 0}, "d": {"m": 0}})} for rule in (one, other))
    clash = any(
        (mine[name] is None) != (its[name] is None)
        or any((mine[name] or {}).get(key, value) != value for key, value in (its[name] or {}).items())
        for name in mine.keys() & its.keys()
    )
    return clash and all(_can_meet(one, other, name, loosely) for name in WIDE)


def _can_meet(one: Rule, other: Rule, component: str, loosely: bool) -> bool:
    """Whether some write of one component is what both ask of it: their clauses each ask about one."""
    asked = [clause for rule in (one, other) for clause in rule.asked if clause.site and clause.site[0] == component]
    hoped = [occasion for rule in (one, other) for occasion in rule.occasions if occasion.component == component]
    if loosely:
        asked += [There(component, occasion.kind == "added") for occasion in hoped if occasion.kind != "changed"]
        asked += [occasion.test for occasion in hoped if occasion.test is not None]
        return any(all(clause.holds(row) for clause in asked) for row in rows((component,)))
    return any(
        all(clause.holds(after) for clause in asked) and all(occasion.met(before, after) for occasion in hoped)
        for before in rows((component,))
        for after in rows((component,))
    )
