"""What to write instead: the mends of a rule that feeds itself and of rules that run in a circle.

Each mend is tried on the analysis before it is offered, and is the exact text to add to a match.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from wakeful_grammar.problems import Span

from ..predicates import (
    Comparison,
    Constant,
    HasComponent,
    HasValue,
    Not,
    PropertyComparison,
    TimeBound,
    negated,
)
from ..vocab.builtin import STAMPED
from ..vocab.model import Property
from .effects import Effects, actor_of, feeds_itself, turns
from .facts import ALWAYS_THERE, Clause, Facts, clause_of, facts_of
from .literals import literal
from .model import CompiledRule, OccasionTest, RuleWrite
from .occasions import FIRED
from .written import CLEARED, Copied

_NOWHERE = Span(0, 0)


def gate_for(rule: CompiledRule) -> str | None:
    """The component to gate the rule on: one that it writes and that its match does not require."""
    for write in rule.writes:
        named = not write.removes and write.component not in rule.facts.presence
        if named and _ends(rule, _absent(write.component)):
            return write.component
    return None


def difference_for(rule: CompiledRule) -> tuple[str, str] | None:
    """When the rule would act if it asked for a difference to what it writes, and the clause that asks."""
    for write in rule.writes:
        prop, value = write.property, write.value
        if prop is None or value is None:
            continue
        when, clause = "whenever it differs", None
        if value is CLEARED:
            when, clause = "while it has a value", clause_of(HasValue(prop), _NOWHERE, f".{prop.path}")
        elif isinstance(value, Copied):
            if value.plain and value.own not in (None, (prop.component, prop.name)):
                test = negated(PropertyComparison(prop, "=", value.source))
                clause = clause_of(test, _NOWHERE, f".{prop.path}!={value.text}")
        elif isinstance(value, TimeBound):
            when, clause = "while it has none", clause_of(negated(HasValue(prop)), _NOWHERE, f"!{prop.path}")
        else:
            clause = _differs(prop, value)
        if clause is not None and _comparable(write) and _ends(rule, clause):
            return when, clause.text
    return None


def _comparable(write: RuleWrite) -> bool:
    """Whether a clause can compare the property with its copy."""
    prop = write.property
    return not isinstance(write.value, Copied) or (
        prop is not None and prop.kind == write.value.source.kind and prop.kind not in ("object", "array")
    )


def occasion_for(rule: CompiledRule) -> tuple[str, str] | None:
    """When the rule would act on an occasion that suits what it asks for, and the `^` that says so."""
    if rule.facts.presence.get(FIRED) is True:
        return "on each firing", f"^{FIRED}"
    written = rule.added | rule.removed
    # Rather something that the rule does not write itself.
    for others in (True, False):
        for clause in reversed(rule.facts.clauses):
            found = _occasion_of(clause)
            if found is not None and not (others and found[1] in written):
                return found[0], found[2]
    return None


def _occasion_of(clause: Clause) -> tuple[str, str, str] | None:
    """The occasion that a clause suggests: when it is, its component, and the `^`."""
    match clause.test:
        case HasComponent(component) if component not in STAMPED:
            return "on the write that adds it", component, f"^{component}"
        case HasComponent() | Not():
            return None
        case _:
            if clause.only is None or clause.only[0] in STAMPED:
                return None
            component, name = clause.only
            return "on the write that changes it", component, f"^{component}.{name}"


def occasions_of(rule: CompiledRule) -> Iterator[tuple[str, OccasionTest]]:
    """Every occasion that the clauses of a state rule suggest: the `^`, and what it asks."""
    if rule.facts.presence.get(FIRED) is True:
        yield f"^{FIRED}", OccasionTest(FIRED, None, firing=True)
    for clause in reversed(rule.facts.clauses):
        found = _occasion_of(clause)
        if found is not None and found[1] != FIRED:
            component, _, name = found[2][1:].partition(".")
            yield found[2], OccasionTest(component, name or None)


def mends_of_feeding(rule: CompiledRule, taken: Container[str]) -> str:
    """How a rule that feeds itself can be made to act once, on an occasion, or whenever something differs."""
    gate = gate_for(rule)
    if gate is not None:
        mends = [f"once: add `+!{gate}`"]
    else:
        marker = unused_name(rule.name, taken)
        mends = [f"once: declare a component for it, say `{marker}`, and add `+!{marker}`"]
    for found in (occasion_for(rule), difference_for(rule)):
        if found is not None:
            when, text = found
            mends.append(f"{when}: add `{text}`")
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
    occasion = _occasion_between(effects, *arrows[0])
    first, second = arrows[0]
    if occasion is not None:
        return f"add `{occasion}` to `{rules[second].name}`, so that it acts on the write alone"
    marker = unused_name(rules[second].name, taken)
    return (
        f"if `{rules[second].name}` should act once: declare a component for it, say `{marker}`, "
        f"add `+!{marker}` to `{rules[second].name}` and `.{marker}` to `{rules[first].name}`"
    )


def _occasion_between(effects: Effects, first: int, second: int) -> str | None:
    """The occasion that takes the second rule out of the circle: a write that makes true what the first turns."""
    for clause in effects.actors[second].facts.clauses:
        if not turns(effects.actors[first], clause):
            continue
        match clause.test:
            case Not(HasComponent(component)):
                return f"^!{component}"
            case HasComponent(component):
                return f"^{component}"
            case _:
                read = min(clause.about, key=str)
                return f"^{read[0]}.{read[1]}"
    return None


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
    return not facts.impossible and not feeds_itself(replace(actor_of(rule), facts=facts))


def _parts(effects: Effects, first: int, second: int, clause: Clause) -> bool:
    """Whether the clause, added to the second rule, keeps the first from enabling it and lets it act."""
    actors = list(effects.actors)
    actors[second] = replace(actors[second], facts=_with(actors[second].facts, clause))
    return not actors[second].facts.impossible and not Effects(actors).enables(first, second)
