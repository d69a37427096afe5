"""What is worth a warning about one rule, and the one error about its wake (the design's section 4, "Checks")."""

from __future__ import annotations

from collections.abc import Sequence

from wakeful_grammar.problems import Span, problem_at

from ..predicates import AllOf, AnyOf, Comparison, HasComponent, Not, Predicate, TimeBound
from ..vocab.builtin import STAMPED
from .effects import Actor, actor_of, may_hold_after
from .facts import Clause
from .model import CompiledRule, RuleProblem
from .occasions import FIRED, in_a_firing
from .written import Cleared, Copied, WrittenValue, shown

_WAKE_AT = ("wake", "at")
_MOVED_BY_A_FIRING = frozenset({(FIRED, "at"), (FIRED, "due"), _WAKE_AT})


def warnings_of(rule: CompiledRule) -> list[RuleProblem]:
    """The warnings about one rule that can act."""
    if rule.facts.impossible:
        return []
    found: list[RuleProblem] = []
    if not rule.occasions and _untriggerable(rule):
        stamps = ", ".join(f"`{name}`" for name in sorted({component for component, _ in rule.reads} & STAMPED))
        but = f" but one that takes `{min(rule.gated)}` away" if rule.gated else ""
        found.append(
            _about(
                rule,
                Span(0, len(rule.match)),
                "rule-untriggerable",
                f"no write{but} sets the rule `{rule.name}` off: it reads {stamps}, which the store stamps",
                "ask for a component that a write adds or changes",
            )
        )
    if rule.kind == "state":
        found += _waiting(rule)
        found += _history(rule)
    return found + _unwaking(rule)


def _untriggerable(rule: CompiledRule) -> bool:
    """Whether all that it reads, the absence that a gate asks for apart, is stamped and sets nothing off."""
    read = {component for component, _ in rule.reads} - rule.gated
    return bool(read) and read <= STAMPED


# --- time -----------------------------------------------------------------------------------------


def waits_for_a_firing(rule: CompiledRule) -> bool:
    """Whether a state rule acts on nothing that has not fired."""
    return rule.facts.presence.get(FIRED) is True and not rule.facts.impossible


def _waiting(rule: CompiledRule) -> list[RuleProblem]:
    if waits_for_a_firing(rule):
        return []
    for clause in rule.facts.clauses:
        if _may_come(clause.test, wanted=True):
            return [
                _about(
                    rule,
                    clause.span,
                    "rule-waits-on-time",
                    f"`{clause.text}` becomes true as time passes, and time alone runs no rule",
                    "put a `wake` on the row, and act on `^fired`",
                )
            ]
    return []


def _may_come(test: Predicate, *, wanted: bool) -> bool:
    """Whether the answer can turn into `wanted` on an unchanged row, as `now` goes on."""
    match test:
        case Not(term):
            return _may_come(term, wanted=not wanted)
        case AllOf(terms) | AnyOf(terms):
            return any(_may_come(term, wanted=wanted) for term in terms)
        case Comparison(_, ordering, TimeBound()):
            rising = ordering in ("<", "<=")
            return ordering == "=" or rising is wanted
        case _:
            return False


# --- history --------------------------------------------------------------------------------------


def _history(rule: CompiledRule) -> list[RuleProblem]:
    """A rule that asks whether the row has fired, and that nothing else keeps from acting again.

    A gate, and any other clause that says what must not be there yet, says that it acts once; a difference says
    that it acts whenever there is one.
    """
    if not waits_for_a_firing(rule):
        return []
    actor = actor_of(rule)
    if any(_holds_back(clause, actor) for clause in rule.facts.clauses):
        return []
    asks = next((clause for clause in rule.facts.clauses if _about_fired(clause)), None)
    if asks is None:
        return []
    return [
        _about(
            rule,
            asks.span,
            "rule-fired-is-history",
            f"`{asks.text}` is history, which stays: the rule `{rule.name}` acts on every later write that lets the "
            "rest of its match hold",
            "for every firing write `^fired`; to act once, add a gate, `+!component`",
            fix="^fired" if asks.test == HasComponent(FIRED) else None,
        )
    ]


def _about_fired(clause: Clause) -> bool:
    return any(component == FIRED for component, _ in clause.about)


def _holds_back(clause: Clause, actor: Actor) -> bool:
    return isinstance(clause.test, Not) and not _about_fired(clause) and not may_hold_after(clause, actor)


# --- calls ----------------------------------------------------------------------------------------


def _unwaking(rule: CompiledRule) -> list[RuleProblem]:
    """A rule that takes the wake of a call away and leaves the call: what waited then runs."""
    stays = rule.facts.presence.get("call") is True and "call" not in rule.removed and not rule.deletes
    if not stays or "wake" not in rule.removed:
        return []
    return [
        _about(
            rule,
            Span(0, len(rule.match)),
            "rule-unwake-runs",
            f"the rule `{rule.name}` takes the wake of a call away, and a call without a wake runs at once",
            "to stop the call add `*call=null`; to let it wait without end write `*wake.at=null` instead",
        )
    ]


def chain_warning(chain: Sequence[CompiledRule]) -> RuleProblem:
    """`rule-chain-in-one-firing`: state rules of which each lets the next act on the same `fired`."""
    names = [rule.name for rule in chain]
    way = " -> ".join([*names[:12], "…"] if len(names) > 12 else names)
    rule = chain[0]
    return _about(
        rule,
        Span(0, len(rule.match)),
        "rule-chain-in-one-firing",
        f"one firing runs through all of `{way}`: each lets the next one act, on the same `.fired`",
        "write `^fired` in each in place of `.fired`, and one firing is one step",
    )


# --- the wake -------------------------------------------------------------------------------------


def rearming(rule: CompiledRule) -> list[RuleProblem]:
    """`rule-rearms-now`: a rule that its own firing reaches, and that makes the row due again at once."""
    value = rule.written.get(_WAKE_AT)
    if value is None or not _is_due(value) or not _reached_by_its_firing(rule):
        return []
    write = f"wake.at={shown(value)}"
    problem = problem_at(
        rule.match,
        Span(0, len(rule.match)),
        "rule-rearms-now",
        f"the rule `{rule.name}` acts on a firing and makes the wake due again at once (`{write}`), without end",
        "set a moment that lies ahead, `wake.at=in-5-minutes`, or ask for something that its own writes end",
    )
    return [RuleProblem(rule.name, problem, "match", problem.span)]


def _is_due(value: WrittenValue) -> bool:
    """Whether the instant is due at the firing that it causes, and at every one after."""
    from .moments import compare, place_in_time

    if isinstance(value, Copied):
        fired = value.source.component == FIRED and not value.source.via
        return fired and (value.plain or (not isinstance(value.step, int | float) and _backwards(value)))
    if isinstance(value, Cleared):
        return False
    if not isinstance(value, TimeBound):
        return True  # an instant of the calendar has come when it fires, and stays past
    return compare(place_in_time(value), "<=", place_in_time(TimeBound(None, "now"))) is True


def _backwards(copy: Copied) -> bool:
    from ..times import TimeOperand
    from .moments import compare, place_in_time

    assert isinstance(copy.step, TimeOperand)
    return compare(place_in_time(TimeBound(copy.step, "start")), "<=", place_in_time(TimeBound(None, "now"))) is True


def _reached_by_its_firing(rule: CompiledRule) -> bool:
    """Whether the firing of a row sets the rule off, and may find it matching after its own writes."""
    if rule.facts.impossible or rule.deletes:
        return False
    if rule.occasions:
        if not all(map(in_a_firing, rule.occasions)):
            return False
    elif not any(component == FIRED or (read == "at" and component == "wake") for component, read in rule.reads):
        return False
    actor = actor_of(rule)
    # The firing itself changes these, whatever the rule wrote there.
    return all(
        may_hold_after(clause, actor) or bool(clause.about & _MOVED_BY_A_FIRING) for clause in rule.facts.clauses
    )


def _about(rule: CompiledRule, span: Span, code: str, message: str, hint: str, fix: str | None = None) -> RuleProblem:
    problem = problem_at(rule.match, span, code, message, hint, severity="warning", fix=fix)
    return RuleProblem(rule.name, problem, "match", span)
