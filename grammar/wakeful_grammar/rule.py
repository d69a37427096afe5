"""Rule matches: text to :class:`~wakeful_grammar.nodes.RuleTree` (section 4 of the language)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Literal, cast

from .mistaken import WHITE, Mistake, Mistaken, shown
from .nodes import (
    Absent,
    Compare,
    Copy,
    Everything,
    Gate,
    Mark,
    Occasion,
    Operator,
    Present,
    PropertyOperand,
    Range,
    Request,
    RuleTree,
    Scalar,
    Tombstone,
    Write,
)
from .problems import RuleError, Span
from .sizes import check_size, check_text

if TYPE_CHECKING:
    from .clauses import Conjunction, Directing, Draft, Group, Marking, Term

_MOST_RULES_WRITTEN_OUT = 4


def parse_rule(text: str) -> RuleTree:
    """The tree of a rule's match: its clauses, and its marks in the order written.

    Raises :class:`RuleError` with every problem that a readable match has, or the first that makes it
    unreadable; codes `syntax-…`, `rule-…` and `limit-…`.
    """
    try:
        check_text(text, "rule")
        if not text.strip(WHITE):
            raise Mistaken(
                Mistake(
                    "rule-empty-match",
                    Span(0, len(text)),
                    "a rule needs a match",
                    "write what must hold and what to write, for example `.plant, .fired, +!watered`",
                )
            )
        from .clauses import read

        draft = read(text, rule=True)
        check_size(draft, "rule")
        return _rule(draft, text)
    except Mistaken as mistaken:
        raise RuleError(mistaken.problems(text)) from None


def _rule(draft: Draft, text: str) -> RuleTree:
    from .clauses import Directing, Group, Marking

    bar = _first_bar(draft, text)
    if bar is not None:
        raise Mistaken(_written_out(draft, text, bar))
    clauses: list[Present | Absent | Compare] = []
    marks: list[Mark] = []
    mistakes: list[Mistake] = []
    for term in draft[0].terms:
        try:
            match term:
                case Present() | Absent():
                    clauses.append(term)
                case Compare():
                    _refuse_marks_in_values(term)
                    clauses.append(term)
                case Marking():
                    marks.append(_mark(term))
                case Group():
                    mistakes.append(_group(term, text))
                case Directing():
                    mistakes.append(_directive(term))
                case Request():
                    mistakes.append(
                        Mistake(
                            "rule-request",
                            term.span,
                            f"`?{term.path.text}` asks for an answer, and a rule gives none",
                            "take it away: a rule reads what its clauses, marks and copies name",
                            None,
                        )
                    )
                case Everything():
                    mistakes.append(
                        Mistake(
                            "rule-everything",
                            term.span,
                            "`*` alone says nothing in a rule",
                            "name what must be there, `.component`; `*component.property=value` writes",
                        )
                    )
        except Mistaken as mistaken:
            mistakes.extend(mistaken.mistakes)
    if mistakes:
        raise Mistaken(*mistakes)
    return RuleTree(tuple(clauses), tuple(marks), text)


# --- what a query has and a rule has not ----------------------------------------------------------


def _first_bar(draft: Draft, text: str) -> int | None:
    """Where the first `|` stands that is not under a `!`; None where there is none."""
    from .clauses import Group

    found = [text.index("|", draft[0].span.end)] if len(draft) > 1 else []
    for conjunction in draft:
        for term in conjunction.terms:
            if isinstance(term, Group) and not term.negated:
                inner = _first_bar(term.alternatives, text)
                if inner is not None:
                    found.append(inner)
    return min(found, default=None)


def _written_out(draft: Draft, text: str, bar: int) -> Mistake:
    """`|` in a rule: the message writes out the rules it stands for, each with all the marks."""
    message, hint = "a rule has no `|`", "write a rule for each alternative"
    rules = [rule for conjunction in draft for rule in _alternatives(conjunction)]
    marks = list(
        dict.fromkeys(text[term.span.start : term.span.end] for rule in rules for term in rule if _writes(term))
    )
    if len(rules) <= _MOST_RULES_WRITTEN_OUT:
        spelled = []
        for rule in rules:
            clauses = dict.fromkeys(text[term.span.start : term.span.end] for term in rule if not _writes(term))
            spelled.append(f"`{', '.join([*clauses, *marks])}`")
        count = {2: "two", 3: "three", 4: "four"}[len(rules)]
        hint = f"write {count} rules: {', '.join(spelled[:-1])} and {spelled[-1]}"
    return Mistake("rule-alternative", Span(bar, bar + 1), message, hint)


def _alternatives(conjunction: Conjunction) -> Iterator[tuple[Term, ...]]:
    """The conjunctions without groups that one stands for, at most one more than are written out."""
    from .clauses import Group

    choices: list[list[tuple[Term, ...]]] = []
    for term in conjunction.terms:
        if isinstance(term, Group) and not term.negated:
            choices.append([inner for one in term.alternatives for inner in _alternatives(one)])
        else:
            choices.append([(term,)])
    for count, chosen in enumerate(product(*choices)):
        if count > _MOST_RULES_WRITTEN_OUT:
            return
        yield tuple(term for part in chosen for term in part)


def _writes(term: Term) -> bool:
    from .clauses import Marking

    return isinstance(term, Marking) and term.sign[0] != "^"


def _group(group: Group, text: str) -> Mistake:
    if not group.negated:
        inner = text[group.span.start + 1 : group.span.end - 1].strip(WHITE)
        return Mistake(
            "rule-group",
            group.span,
            "a rule has no parentheses",
            "all its clauses must hold: take them away",
            inner,
        )
    opposites = [_opposite(conjunction, text) for conjunction in group.alternatives]
    if all(opposites):
        spelled = ", ".join(opposite for opposite in opposites if opposite)
        return Mistake("rule-group", group.span, "a rule has no groups", f"write {shown(spelled, 200)}", spelled)
    return Mistake(
        "rule-group",
        group.span,
        "a rule has no groups",
        "write each clause so that it must hold: `!component`, `!=`",
    )


def _opposite(conjunction: Conjunction, text: str) -> str | None:
    """The exact complement of one clause as a rule can write it, or None."""
    if len(conjunction.terms) != 1:
        return None
    match conjunction.terms[0]:
        case Present(path):
            return "!" + path.text
        case Absent(path):
            return "." + path.text
        case Compare(path, "=" | "!=" as operator, items):
            values = text[items[0].span.start : items[-1].span.end]
            return f".{path.text}{'!=' if operator == '=' else '='}{values}"
        case _:
            return None


def _directive(term: Directing) -> Mistake:
    return Mistake(
        "rule-directive",
        term.span,
        f"`.{term.word}` shapes an answer, and a rule gives none",
        f"take it away; to compare a component's property write `.component.{term.word}=…`",
    )


def _refuse_marks_in_values(clause: Compare) -> None:
    from .operand_mistakes import looks_like_mark, mark_in_value

    for item in clause.items:
        if isinstance(item, Scalar) and not item.quoted and looks_like_mark(item.text):
            raise Mistaken(mark_in_value(item.span, item.text))


# --- marks ----------------------------------------------------------------------------------------


def _mark(term: Marking) -> Mark:
    component, *properties = term.path.parts
    if len(properties) > 1:
        hint = f"write `{term.sign}component.property…`"
        raise _wrong(term, f"a mark is about the rule's own row, and `{term.path.text[:60]}` leads away from it", hint)
    prop = properties[0] if properties else None
    if component == "tombstone":
        if term.sign != "+" or prop is not None or term.operator is not None:
            raise _wrong(term, "the only mark that deletes a row is `+tombstone`", "write `+tombstone`", "+tombstone")
        return Tombstone(term.span)
    match term.sign:
        case "+!":
            return _gate(term, component, prop)
        case "^" | "^!":
            return _occasion(term, component, prop)
        case _:
            return _write(term, cast(Literal["+", "*"], term.sign), component, prop)


def _gate(term: Marking, component: str, prop: str | None) -> Gate:
    if term.operator is not None:
        hint = f"write `+!{component}, +{component}.property=value`"
        if prop:
            hint = f"write `+!{component}, +{component}.{prop}=…`"
        raise _wrong(term, "a gate writes its component and takes no value", hint)
    if prop is not None:
        raise _wrong(term, "a gate is a component, not a property", f"write `+!{component}`", f"+!{component}")
    return Gate(component, term.span)


def _occasion(term: Marking, component: str, prop: str | None) -> Occasion:
    from .clauses import check_operands

    if term.sign == "^!":
        if prop is not None or term.operator is not None:
            hint = f"write `^!{component}` for the component's removal"
            if prop:
                hint += f", or `^{component}.{prop}, !{component}.{prop}` for a cleared property"
            raise _wrong(term, "`^!` is the removal of a component", hint)
        return Occasion(Absent(term.path, term.span), term.span)
    if term.operator is None:
        return Occasion(Present(term.path, term.span), term.span)
    if prop is None:
        raise _wrong(term, "only a property is compared", f"write `^{component}.property{term.operator}…`")
    check_operands(term.operator, term.items)
    items = tuple(item for item in term.items if not isinstance(item, Copy))
    clause = Compare(term.path, cast(Operator, term.operator), items, True, term.span)
    _refuse_marks_in_values(clause)
    return Occasion(clause, term.span)


def _write(term: Marking, sign: Literal["+", "*"], component: str, prop: str | None) -> Write:
    if term.operator is None:
        if prop is not None:
            raise _wrong(
                term,
                f"`{sign}{component}.{prop}` has no value to write",
                f"write `{sign}{component}.{prop}=value`"
                + (
                    f", or `+{component}` for the component alone"
                    if sign == "+"
                    else f", or `*{component}.{prop}=null` to clear it"
                ),
            )
        return Write(sign, component, None, None, term.span)
    if term.operator != "=":
        head_end = term.path.span.end
        raise Mistaken(
            Mistake(
                "rule-mark",
                Span(head_end, head_end + len(term.operator)),
                f"a mark writes, and `{term.operator}` compares",
                f"write `{sign}{component}.{prop or 'property'}=value`; to compare, begin with a dot",
                "=",
            )
        )
    value = _written(term)
    if prop is None and not (sign == "*" and value == Scalar("null")):
        hint = f"write `{sign}{component}.property=value`"
        if value == Scalar("null"):
            raise _wrong(
                term,
                "`+` writes a component and never takes it away",
                f"write `*{component}=null`",
                f"*{component}=null",
            )
        raise _wrong(term, f"`{component}` is a component, and a value belongs to a property", hint)
    return Write(sign, component, prop, value, term.span)


def _written(term: Marking) -> Scalar | Copy:
    """The one value that a mark writes."""
    whole = term.items[0].span | term.items[-1].span
    if len(term.items) > 1:
        from .operand_mistakes import looks_like_mark, mark_in_value

        for item in term.items[1:]:
            if isinstance(item, Scalar) and not item.quoted and looks_like_mark(item.text):
                raise Mistaken(mark_in_value(item.span, item.text))
        raise Mistaken(
            Mistake(
                "rule-written-value",
                whole,
                "a rule writes one value, not a list",
                "write one; quote the value if the comma belongs to it, or put a blank after the comma",
            )
        )
    match term.items[0]:
        case Range():
            raise Mistaken(
                Mistake(
                    "rule-written-value",
                    whole,
                    "a rule writes one value, not a range",
                    "write one; quote the value if the dots belong to it",
                )
            )
        case PropertyOperand(path, span):
            return Copy(path, 0, "", span)
        case Copy(path, _, amount) as copy:
            if not _AMOUNT.fullmatch(amount):
                constant = Span(path.span.end, copy.span.end)
                raise Mistaken(
                    Mistake(
                        "rule-written-value",
                        constant,
                        f"{shown(amount)} is no constant to add or take away",
                        "write a number, `+1`, or a length of time, `-7-days`",
                    )
                )
            return copy
        case item:
            return item


_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?|[0-9]+[-_]?[A-Za-z]+")


def _wrong(term: Marking, message: str, hint: str, fix: str | None = None) -> Mistaken:
    return Mistaken(Mistake("rule-mark", term.span, message, hint, fix))
