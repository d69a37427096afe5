"""What a rule does to its own match and to those of others, told case by case."""

from __future__ import annotations

import pytest

from rules.declared import Kinds, accepted, judged, only_rule, refused
from wakeful_compiler.predicates import HasComponent, Not

KINDS: dict[str, Kinds] = {
    "invoice": {
        "status": "string",
        "total": "number",
        "count": "integer",
        "sent": "boolean",
        "to": "reference",
    },
    "paid": {"by": "string", "total": "number"},
    "receipt": {},
    "order": {"kind": "string"},
    "plant": {},
    "watered": {"by": "string"},
}


@pytest.mark.parametrize(
    "match",
    [
        ".invoice, .paid, +!receipt",
        ".invoice, +!paid, +paid.by=me",
        "+!receipt",
        ".invoice.status!=x, +invoice.status=x",
        ".invoice.status=open, +invoice.status=overdue",
        ".invoice.status=open,new, +invoice.status=overdue",
        ".invoice.status~=open, +invoice.status=overdue",
        "!invoice.status, .invoice, +invoice.status=open",
        ".invoice.total<5, +invoice.total=5",
        ".invoice.total=1...5, +invoice.total=5",
        ".invoice.count>5.5, +invoice.count=5",
        ".invoice.sent=false, +invoice.sent=true",
        '.invoice.status>=m, +invoice.status="a b"',
        ".invoice.to=a, +invoice.to=b",
        ".invoice, !paid, +paid.by=me",
        ".invoice.status!=.paid.by, .paid.by=x, +invoice.status=x",
        ".invoice.total<.paid.total, .paid.total<=5, +invoice.total=5",
        ".invoice.total!=.paid.total, +invoice.total=1, +paid.total=1",
    ],
)
def test_its_writes_end_its_match(match: str) -> None:
    accepted(KINDS, {"it": match})


@pytest.mark.parametrize(
    ("match", "hint"),
    [
        (".invoice, .paid, +receipt", "once: add `+!receipt`; on the write that adds it: add `^paid`"),
        (
            ".plant, .fired, +watered.by=wake",
            "once: add `+!watered`; on each firing: add `^fired`; whenever it differs: add `.watered.by!=wake`",
        ),
        (
            ".invoice, +paid.by=me, +receipt",
            "once: add `+!paid`; on the write that adds it: add `^invoice`; whenever it differs: add `.paid.by!=me`",
        ),
        (
            ".invoice, +paid.by=.invoice.status",
            "once: add `+!paid`; on the write that changes it: add `^invoice.status`; "
            "whenever it differs: add `.paid.by!=.invoice.status`",
        ),
        (
            ".invoice, .paid, *invoice.status=null",
            "once: declare a component for it, say `done`, and add `+!done`; on the write that adds it: add `^paid`; "
            "while it has a value: add `.invoice.status`",
        ),
        (
            ".invoice.count<5, *invoice.count=.invoice.count+1",
            "once: declare a component for it, say `done`, and add `+!done`; "
            "on the write that changes it: add `^invoice.count`",
        ),
        (
            ".invoice, .paid, +paid.by=me, +receipt",
            "once: add `+!receipt`; on the write that adds it: add `^invoice`; whenever it differs: add `.paid.by!=me`",
        ),
        (
            ".invoice, +invoice.status=open",
            "once: declare a component for it, say `done`, and add `+!done`; "
            "on the write that adds it: add `^invoice`; "
            "whenever it differs: add `.invoice.status!=open`",
        ),
        (
            '.invoice, +invoice.status="a, b"',
            "once: declare a component for it, say `done`, and add `+!done`; "
            "on the write that adds it: add `^invoice`; "
            'whenever it differs: add `.invoice.status!="a, b"`',
        ),
        (
            ".invoice.total<5, +invoice.total=4.5",
            "once: declare a component for it, say `done`, and add `+!done`; "
            "on the write that changes it: add `^invoice.total`; "
            "whenever it differs: add `.invoice.total!=4.5`",
        ),
        (
            ".invoice, .invoice.sent!=true, +invoice.sent=false",
            "once: declare a component for it, say `done`, and add `+!done`; "
            "on the write that adds it: add `^invoice`; "
            "whenever it differs: add `.invoice.sent!=false`",
        ),
        (
            ".invoice.total!=.paid.total, +invoice.total=1",
            "once: add `+!invoice`; whenever it differs: add `.invoice.total!=1`",
        ),
    ],
)
def test_a_rule_that_feeds_itself_is_told_how_not_to(match: str, hint: str) -> None:
    told = refused(KINDS, {"it": match})
    assert told.problem.code == "rule-feeds-itself"
    assert "`it`" in told.problem.message
    assert told.problem.hint == hint
    assert (told.place, told.span) == ("match", told.problem.span)
    for mend in [part.split("`")[-2] for part in hint.split("; ")]:
        kinds = {**KINDS, "done": {}}
        accepted(kinds, {"it": f"{match}, {mend}"})
    if told.problem.fix is not None:
        accepted(KINDS, {"it": told.problem.fix})


@pytest.mark.parametrize(
    "match",
    [".invoice, +invoice", ".invoice.status=x, +invoice.status=x", ".invoice.count=5...6, +invoice.count=5"],
)
def test_a_rule_that_changes_nothing_is_refused(match: str) -> None:
    assert refused(KINDS, {"it": match}).problem.code == "rule-without-effect"


@pytest.mark.parametrize(
    "match",
    [
        ".invoice, +!invoice",
        ".invoice.total>5, .invoice.total<=5, +!paid",
        ".invoice.count>5, .invoice.count<6, +!paid",
        ".invoice.sent!=true, .invoice.sent!=false, .invoice.sent, +!paid",
        ".invoice.status=open, .invoice.status~=x, +!paid",
        ".invoice.status~=open, !invoice.status, +!paid",
        "!invoice, .invoice.status=open, +!paid",
        "!invoice, .invoice.total=.paid.total, +!receipt",
        '.invoice.status<"", +!paid',
        ".invoice.count=99999999999999999999, +!paid",
        "!entity, +!paid",
    ],
)
def test_a_match_that_can_never_hold_is_a_warning(match: str) -> None:
    told = refused(KINDS, {"it": match})
    assert (told.problem.code, told.problem.severity) == ("rule-never-matches", "warning")


@pytest.mark.parametrize(
    "match",
    [
        ".invoice.total>1, .invoice.total<1.0000000000000005, +!paid",
        '.invoice.status>"a", .invoice.status<"a!", +!paid',
        ".invoice.status~=a, .invoice.status~=b, .invoice.status!=ab, +!paid",
        "!invoice, .invoice.status!=open, +!paid",
        ".invoice.status!=.paid.by, !paid, +!receipt",
    ],
)
def test_a_match_that_may_hold_is_none(match: str) -> None:
    accepted(KINDS, {"it": match})


@pytest.mark.parametrize(
    ("first", "second", "enables"),
    [
        (".invoice, +!paid", ".paid, +!receipt", True),
        (".invoice, +!paid", "!paid, +!receipt", False),
        (".invoice, .paid, +!receipt", ".invoice, .paid, +!order", False),
        (".order, +!paid, +paid.by=me", ".paid.by=me, +!receipt", True),
        (".order, +!paid, +paid.by=me", ".paid.by=you, +!receipt", False),
        (".order, +!paid, +paid.by=me", ".paid.by!=you, +!receipt", False),
        (".order, +!paid, +paid.by=Me", ".paid.by~=me, +!receipt", True),
        # A value that turns nothing: the clause was true already.
        (".invoice.count<3, +invoice.count=4", ".invoice.count<5, +!receipt", False),
        (".invoice.count<3, +invoice.count=4", ".invoice.count>=3, +!receipt", True),
        # The two exclude each other where no rule can turn the second's clause true.
        (".order.kind=a, +!paid", ".order.kind=b, .paid, +!receipt", False),
        (".order.kind=a,c, +!paid", ".order.kind=b,c, .paid, +!receipt", True),
        ("!order, +!paid", ".order, .paid, +!receipt", False),
        (".order, +!paid", "!order, .paid, +!receipt", False),
        # Each clause is asked alone, so a second one that is false on those rows does not count.
        ("!invoice, +invoice.count=1", ".invoice.count=1, .order.kind=x, .paid, +!receipt", True),
        # Two properties compared.
        (".order, +!invoice, +invoice.total=1", ".invoice.total=.paid.total, +!receipt", True),
        (".paid.total>1, +!invoice, +invoice.total=1", ".invoice.total=.paid.total, +!receipt", False),
    ],
)
def test_what_enables_what(first: str, second: str, enables: bool) -> None:
    ruleset, _ = judged(KINDS, {"a": first, "b": second})
    assert (("a", "b") in ruleset.edges.enables) is enables


def test_a_third_rule_that_turns_the_clause_ends_the_contradiction() -> None:
    rules = {"a": ".order.kind=a, +!paid", "b": ".order.kind=b, .paid, +!receipt"}
    assert accepted(KINDS, rules).edges.enables == ()
    assert ("a", "b") in judged(KINDS, {**rules, "c": ".invoice, .order.kind!=b, +order.kind=b"})[0].edges.enables


def test_a_gate_reads_and_asks_for_absence() -> None:
    rule = only_rule(KINDS, ".invoice.total>5, !paid.by, .order, +!receipt, +paid.by=me")
    assert rule.reads == {
        ("invoice", None),
        ("invoice", "total"),
        ("paid", None),
        ("paid", "by"),
        ("order", None),
        ("receipt", None),
    }
    assert rule.writes_set == {("receipt", None), ("paid", None), ("paid", "by")}
    assert rule.components == {"invoice", "paid", "order", "receipt"}
    assert Not(HasComponent("receipt")) in getattr(rule.where, "terms", ())


def test_a_clause_that_is_always_true_is_read_all_the_same() -> None:
    rule = only_rule(KINDS, ".order, .invoice.count!=99999999999999999999, +!receipt")
    assert ("invoice", "count") in rule.reads


def test_the_order_of_a_list_is_no_difference() -> None:
    rules = {"a": ".invoice.status~=x,y, *invoice=null", "b": ".invoice.status~=y,x, *invoice.status=x"}
    ruleset, _ = judged(KINDS, rules)
    assert ruleset.edges.enables == ()
