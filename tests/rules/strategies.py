"""Random rules over the small world of the oracle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from oracles.rules import PROPERTIES, WRITABLE, Clause, HasValue, Rule, Test, There

NAMES = ("p", "q", "r", "s", "t")

_components = st.sampled_from(sorted(PROPERTIES))
_presence = st.builds(There, _components, st.booleans()) | st.builds(HasValue, _components, st.booleans())


def _texts() -> st.SearchStrategy[Clause]:
    values = st.lists(st.sampled_from(WRITABLE["a"]), min_size=1, max_size=2, unique=True).map(tuple)
    return st.builds(Test, st.just("a"), st.sampled_from(("=", "!=", "~=")), values)


def _integers() -> st.SearchStrategy[Clause]:
    several = st.lists(st.sampled_from(WRITABLE["b"]), min_size=1, max_size=2, unique=True).map(tuple)
    one = st.sampled_from(WRITABLE["b"]).map(lambda value: (value,))
    ends = st.lists(st.sampled_from(WRITABLE["b"]), min_size=2, max_size=2, unique=True).map(
        lambda values: tuple(sorted(values))
    )
    return (
        st.builds(Test, st.just("b"), st.sampled_from(("=", "!=")), several)
        | st.builds(Test, st.just("b"), st.sampled_from(("<", "<=", ">", ">=")), one)
        | st.builds(Test, st.just("b"), st.sampled_from(("=", "!=")), ends, st.just(True))
    )


def _booleans() -> st.SearchStrategy[Clause]:
    one = st.booleans().map(lambda value: (value,))
    return st.builds(Test, st.just("c"), st.sampled_from(("=", "!=")), one)


clauses: st.SearchStrategy[Clause] = _presence | _texts() | _integers() | _booleans()


@st.composite
def _written(draw: st.DrawFn) -> tuple[tuple[str, Any], ...]:
    names = draw(st.lists(_components, max_size=2, unique=True))
    return tuple((name, draw(st.sampled_from(WRITABLE[name]))) for name in names)


@st.composite
def a_rule(draw: st.DrawFn, name: str) -> Rule:
    """A rule that has a clause or a gate, and writes something."""
    gates = tuple(draw(st.lists(_components, max_size=1)))
    asked = tuple(draw(st.lists(clauses, min_size=0 if gates else 1, max_size=3, unique=True)))
    written = draw(_written())
    added = () if gates or written else (draw(_components),)
    if not gates and draw(st.booleans()):
        # Rules that act once are what most random ones are not.
        name_written, value = next(iter(written), (None, None))
        if name_written is not None:
            asked = (*asked, Test(name_written, "!=", (value,)))
    return Rule(name, asked, gates, added, written)


@st.composite
def rule_sets(draw: st.DrawFn, most: int = 4) -> list[Rule]:
    """Some rules, in any order of declaration."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    return [draw(a_rule(name)) for name in names]


@st.composite
def rule_sets_with_before(draw: st.DrawFn) -> list[Rule]:
    """Some rules, each of which may name others to run before."""
    rules = draw(rule_sets())
    names = [rule.name for rule in rules]
    return [
        Rule(
            rule.name,
            rule.clauses,
            rule.gates,
            rule.added,
            rule.written,
            tuple(draw(st.lists(st.sampled_from(names), max_size=1))),
        )
        for rule in rules
    ]
