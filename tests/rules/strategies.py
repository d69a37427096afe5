"""Random rules over the small world of the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from oracles.rules import PAIRED, WIDE, WRITABLE, Clause, HasValue, Occasion, Pair, Rule, Test, There

NAMES = ("p", "q", "r", "s", "t")


def _presence(names: Sequence[str]) -> st.SearchStrategy[Clause]:
    components = st.sampled_from(names)
    return st.builds(There, components, st.booleans()) | st.builds(HasValue, components, st.booleans())


def _texts() -> st.SearchStrategy[Clause]:
    values = st.lists(st.sampled_from(WRITABLE["a"]), min_size=1, max_size=2, unique=True).map(tuple)
    return st.builds(Test, st.just("a"), st.sampled_from(("=", "!=", "~=")), values)


def _integers(name: str) -> st.SearchStrategy[Clause]:
    several = st.lists(st.sampled_from(WRITABLE[name]), min_size=1, max_size=2, unique=True).map(tuple)
    one = st.sampled_from(WRITABLE[name]).map(lambda value: (value,))
    ends = st.lists(st.sampled_from(WRITABLE[name]), min_size=2, max_size=2, unique=True).map(
        lambda values: tuple(sorted(values))
    )
    return (
        st.builds(Test, st.just(name), st.sampled_from(("=", "!=")), several)
        | st.builds(Test, st.just(name), st.sampled_from(("<", "<=", ">", ">=")), one)
        | st.builds(Test, st.just(name), st.sampled_from(("=", "!=")), ends, st.just(True))
    )


def _booleans() -> st.SearchStrategy[Clause]:
    one = st.booleans().map(lambda value: (value,))
    return st.builds(Test, st.just("c"), st.sampled_from(("=", "!=")), one)


WIDE_CLAUSES = _presence(WIDE) | _texts() | _integers("b") | _booleans()
PAIRED_CLAUSES = (
    _presence(PAIRED)
    | _integers("b")
    | _integers("d")
    | st.builds(Pair, st.sampled_from(("=", "!=", "<", "<=", ">", ">=")))
)


@st.composite
def _written(draw: st.DrawFn, names: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    chosen = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    return tuple((name, draw(st.sampled_from(WRITABLE[name]))) for name in chosen)


@st.composite
def _rule(draw: st.DrawFn, name: str, names: Sequence[str], clauses: st.SearchStrategy[Clause]) -> Rule:
    """A state rule that has a clause or a gate, and writes something."""
    kind = draw(st.sampled_from(("write", "write", "write", "change", "remove", "remove", "delete")))
    if kind == "write":
        return draw(_writing_rule(name, names, clauses))
    asked = tuple(draw(st.lists(clauses, min_size=1, max_size=3, unique=True)))
    if kind == "delete":
        return Rule(name, asked, deletes=True)
    component = draw(st.sampled_from(names))
    if kind == "remove":
        return Rule(name, asked, removed=(component,))
    value = draw(st.sampled_from((None, *WRITABLE[component])))
    if value is not None and draw(st.booleans()):
        asked = (*asked, Test(component, "!=", (value,)))
    return Rule(name, asked, changed=((component, value),))


@st.composite
def _writing_rule(draw: st.DrawFn, name: str, names: Sequence[str], clauses: st.SearchStrategy[Clause]) -> Rule:
    gates = tuple(draw(st.lists(st.sampled_from(names), max_size=1)))
    asked = tuple(draw(st.lists(clauses, min_size=0 if gates else 1, max_size=3, unique=True)))
    written = draw(_written(names))
    added = () if gates or written else (draw(st.sampled_from(names)),)
    if written and not gates and draw(st.booleans()):
        # Most random rules feed themselves; this one rarely does.
        [(component, value), *_] = written
        asked = (*asked, Test(component, "!=", (value,)))
    return Rule(name, asked, gates, added, written)


def _occasions(names: Sequence[str]) -> st.SearchStrategy[Occasion]:
    components = st.sampled_from(names)
    tested = (_texts() | _integers("b") | _booleans()).filter(lambda clause: clause.component in names)
    return st.builds(Occasion, components, st.sampled_from(("added", "removed", "changed"))) | tested.map(
        lambda test: Occasion(test.component, "changed", test)
    )


@st.composite
def occasion_rules(draw: st.DrawFn, name: str) -> Rule:
    """A rule with one occasion or two."""
    most = draw(st.sampled_from((1, 1, 2)))
    occasions = tuple(draw(st.lists(_occasions(WIDE), min_size=1, max_size=most, unique=True)))
    asked = tuple(draw(st.lists(WIDE_CLAUSES, max_size=most - 1, unique=True)))
    kind = draw(st.sampled_from(("write", "write", "change", "remove", "delete")))
    component = draw(st.sampled_from(WIDE))
    value = draw(st.sampled_from(WRITABLE[component]))
    match kind:
        case "write":
            return Rule(name, asked, written=((component, value),), occasions=occasions)
        case "change":
            cleared = draw(st.booleans())
            return Rule(name, asked, changed=((component, None if cleared else value),), occasions=occasions)
        case "remove":
            return Rule(name, asked, removed=(component,), occasions=occasions)
        case _:
            return Rule(name, asked, deletes=True, occasions=occasions)


@st.composite
def mixed_rule_sets(draw: st.DrawFn) -> list[Rule]:
    """Some state rules and some on occasions, of which each may name others of its kind to run before."""
    state = draw(rule_sets(most=2))
    names = [name for name in draw(st.permutations(NAMES)) if name not in {rule.name for rule in state}]
    asking = [draw(occasion_rules(name)) for name in names[: draw(st.integers(1, 3))]]
    if draw(st.booleans()):
        # Many of those that no `before` orders conflict.
        return [*state, *(replace(rule, before=(after,)) for rule, after in zip(asking, names[1:], strict=False)
                          if after in {other.name for other in asking}), *asking[-1:]]  # fmt: skip
    befores = st.lists(st.sampled_from([rule.name for rule in asking]), max_size=1).map(tuple)
    return [*state, *(replace(rule, before=draw(befores)) for rule in asking)]


@st.composite
def rule_sets(draw: st.DrawFn, most: int = 4) -> list[Rule]:
    """Some rules, in any order of declaration."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    return [draw(_rule(name, WIDE, WIDE_CLAUSES)) for name in names]


@st.composite
def paired_rule_sets(draw: st.DrawFn, most: int = 3) -> list[Rule]:
    """Some rules that may compare two properties of their row, and copy the one to the other."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    return [draw(_copying_rule(name) if draw(st.booleans()) else _rule(name, PAIRED, PAIRED_CLAUSES)) for name in names]


@st.composite
def _copying_rule(draw: st.DrawFn, name: str) -> Rule:
    to, of = draw(st.permutations(PAIRED))
    step = draw(st.sampled_from((0, 0, 1, -1)))
    asked = draw(st.lists(PAIRED_CLAUSES, max_size=2, unique=True))
    asked += [Pair(operator) for operator in draw(st.sampled_from((["!="], ["<"], ["="], [])))]
    gates = (to,) if draw(st.booleans()) else ()
    return Rule(name, tuple(asked), gates, copied=((to, of, step),))


@st.composite
def rule_sets_with_before(draw: st.DrawFn) -> list[Rule]:
    """Some rules, each of which may name others to run before."""
    rules = draw(rule_sets())
    names = [rule.name for rule in rules]
    return [replace(rule, before=tuple(draw(st.lists(st.sampled_from(names), max_size=1)))) for rule in rules]
