"""What to write instead: the mends of a rule that feeds itself and of rules that run in a circle.

Each mend is tried on the analysis before it is offered, and is the exact text to add to a match.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from wakeful_grammar.problems import Span

from ..predicates import Comparison, Constant, HasComponent, HasValue, TimeBound, negated
from ..vocab.model import Property
from .effects import Actor, Effects, feeds_itself
from .facts import ALWAYS_THERE, Clause, Facts, clause_of, facts_of
from .literals import literal
from .model import CompiledRule

_NOWHERE = Span(0, 0)


def gate_for(rule: CompiledRule) -> str | None:
    """The component to gate the rule on: one that it writes and that its match does not require."""
    for write in rule.writes:
        if write.component not in rule.facts.presence and _ends(rule, _absent(write.component)):
            return write.component
    return None


def difference_for(rule: CompiledRule) -> str | None:
    """The clause that lets the rule act only where a property it writes differs, as text."""
    for write in rule.writes:
        if write.property is None or write.value is None:
            continue
        if isinstance(write.value, TimeBound):
            clause = clause_of(negated(HasValue(write.property)), _NOWHERE, f"!{write.property.path}")
        else:
            clause = _differs(write.property, write.value)
        if _ends(rule, clause):
            return clause.text
    return None


def mends_of_feeding(rule: CompiledRule, taken: Container[str]) -> str:
    """How a rule that feeds itself can be made to act once, or whenever something differs."""
    gate = gate_for(rule)
    if gate is not None:
        mends = [f"once: add `+!{gate}`"]
    else:
        marker = unused_name(rule.name, taken)
        mends = [f"once: declare a component for it, say `{marker}`, and add `+!{marker}`"]
    difference = difference_for(rule)
    if difference is not None:
        when = "while it has none" if difference.startswith("!") else "whenever it differs"
        mends.append(f"{when}: add `{difference}`")
    return "; ".join(mends)


def unused_name(rule: str, taken: Container[str]) -> str:
    """A name for a component that marks what a rule has done."""
    for name in ("done", f"{rule[:35]}_done", *(f"done_{number}" for number in range(2, 10_000))):
        if name not in taken:
            return name
    raise AssertionError("a vocabulary has no ten thousand names")


def mend_of_circle(
    rules: Sequence[CompiledRule], effects: Effects, circle: Sequence[int], taken: Container[str]
) -> str:
    """How a circle of rules, each enabling the next and the last the first, can be broken."""
    arrows = [(circle[place - 1], circle[place]) for place in range(len(circle))]
    for candidate in (_gate_between, _difference_between):
        for first, second in arrows:
            text = candidate(rules, effects, first, second)
            if text is not None:
                return f"add `{text}` to `{rules[second].name}`"
    first, second = arrows[0]
    marker = unused_name(rules[second].name, taken)
    return (
        f"if `{rules[second].name}` should act once: declare a component for it, say `{marker}`, "
        f"add `+!{marker}` to `{rules[second].name}` and `.{marker}` to `{rules[first].name}`"
    )


def _gate_between(rules: Sequence[CompiledRule], effects: Effects, first: int, second: int) -> str | None:
    """A gate for the second rule on something that it writes and that the first requires."""
    for write in rules[second].writes:
        name = write.component
        required = rules[first].facts.presence.get(name) is True and name not in ALWAYS_THERE
        if required and _parts(effects, first, second, _absent(name)):
            return f"+!{name}"
    return None


def _difference_between(rules: Sequence[CompiledRule], effects: Effects, first: int, second: int) -> str | None:
    """A clause for the second rule that asks for another value than the one that the first requires."""
    for clause in rules[first].facts.clauses:
        match clause.test:
            case Comparison(prop, "=", bound) if not isinstance(bound, TimeBound):
                if _parts(effects, first, second, _differs(prop, bound)):
                    return f".{prop.path}!={literal(bound)}"
            case _:
                pass
    return None


def _absent(component: str) -> Clause:
    return clause_of(negated(HasComponent(component)), _NOWHERE, f"+!{component}")


def _differs(prop: Property, value: Constant) -> Clause:
    return clause_of(negated(Comparison(prop, "=", value)), _NOWHERE, f".{prop.path}!={literal(value)}")


def _with(facts: Facts, clause: Clause) -> Facts:
    return facts_of((*facts.clauses, clause))


def _ends(rule: CompiledRule, clause: Clause) -> bool:
    """Whether the clause, added to the match, keeps the rule from feeding itself and still lets it act."""
    facts = _with(rule.facts, clause)
    added = frozenset(write.component for write in rule.writes)
    return not facts.impossible and not feeds_itself(Actor(rule.name, facts, rule.written, added))


def _parts(effects: Effects, first: int, second: int, clause: Clause) -> bool:
    """Whether the clause, added to the second rule, keeps the first from enabling it and lets it act."""
    actors = list(effects.actors)
    actors[second] = replace(actors[second], facts=_with(actors[second].facts, clause))
    return not actors[second].facts.impossible and not Effects(actors).enables(first, second)
