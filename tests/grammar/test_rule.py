"""What rule matches read as."""

from __future__ import annotations

import pytest

from wakeful_grammar.nodes import (
    Absent,
    Compare,
    Copy,
    Gate,
    Mark,
    Occasion,
    Path,
    Present,
    RuleTree,
    Scalar,
    Tombstone,
    Write,
)
from wakeful_grammar.problems import RuleError
from wakeful_grammar.rule import parse_rule


def mark(text: str) -> Mark:
    (only,) = parse_rule(text).marks
    return only


def codes(text: str) -> list[str]:
    with pytest.raises(RuleError) as caught:
        parse_rule(text)
    return [problem.code for problem in caught.value.problems]


def test_the_garden_rule() -> None:
    assert parse_rule(".plant, .wake, .fired, +!watered, +watered.by=wake") == RuleTree(
        (Present(Path(("plant",))), Present(Path(("wake",))), Present(Path(("fired",)))),
        (Gate("watered"), Write("+", "watered", "by", Scalar("wake"))),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+c", Write("+", "c")),
        ("+c.p=value", Write("+", "c", "p", Scalar("value"))),
        ('+c.p="a, b"', Write("+", "c", "p", Scalar("a, b", True))),
        ("+!c", Gate("c")),
        ("*c.p=value", Write("*", "c", "p", Scalar("value"))),
        ("*c.p=null", Write("*", "c", "p", Scalar("null"))),
        ("*c=null", Write("*", "c", None, Scalar("null"))),
        ("*c", Write("*", "c")),
        ("+tombstone", Tombstone()),
        ("^c", Occasion(Present(Path(("c",))))),
        ("^c.p", Occasion(Present(Path(("c", "p"))))),
        ("^c.p>=5", Occasion(Compare(Path(("c", "p")), ">=", (Scalar("5"),)))),
        ("^c.p=a,b", Occasion(Compare(Path(("c", "p")), "=", (Scalar("a"), Scalar("b"))))),
        ("^!c", Occasion(Absent(Path(("c",))))),
        ("+c.p=.d.q", Write("+", "c", "p", Copy(Path(("d", "q"))))),
        ("+c.p=.d.q-7-days", Write("+", "c", "p", Copy(Path(("d", "q")), -1, "7-days"))),
        ("*c.p=.c.p+1", Write("*", "c", "p", Copy(Path(("c", "p")), 1, "1"))),
        ("*c.p=.c.p-1.5", Write("*", "c", "p", Copy(Path(("c", "p")), -1, "1.5"))),
        ("+c.p=-7", Write("+", "c", "p", Scalar("-7"))),
        ("+c.p=now", Write("+", "c", "p", Scalar("now"))),
        ("+wake.every=@daily", Write("+", "wake", "every", Scalar("@daily"))),
        ('+c.p="null"', Write("+", "c", "p", Scalar("null", True))),
    ],
)
def test_marks(text: str, expected: Mark) -> None:
    assert mark(text) == expected


def test_clauses_and_marks_may_mix_in_any_order() -> None:
    mixed = parse_rule("+watered.by=wake, .plant & !dead +!watered recipe.minutes>=20")
    assert [type(clause) for clause in mixed.clauses] == [Present, Absent, Compare]
    assert mixed.marks == (Write("+", "watered", "by", Scalar("wake")), Gate("watered"))


def test_a_component_may_have_a_directives_name() -> None:
    tree = parse_rule(".order, .limit.n=1, +!wake, +wake.every=@daily")
    assert tree.clauses[0] == Present(Path(("order",)))


def test_everything_that_a_query_has_and_a_rule_has_not_is_told_at_once() -> None:
    assert codes(".plant, ?a, *, .limit=5, .count, !(.b), +c") == [
        "rule-request",
        "rule-everything",
        "rule-directive",
        "rule-directive",
        "rule-group",
    ]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (".a|.b, +!c", ("`.a, +!c`", "`.b, +!c`")),
        (".p (.a|.b) +!c", ("`.p, .a, +!c`", "`.p, .b, +!c`")),
        ("^fired (.a|(.b|.d=1,2)) *c.n=1", ("`^fired, .a, *c.n=1`", "`^fired, .b, *c.n=1`", ".d=1,2")),
    ],
)
def test_the_message_for_a_bar_writes_out_the_rules(text: str, rules: tuple[str, ...]) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rule(text)
    (problem,) = caught.value.problems
    assert problem.code == "rule-alternative"
    assert text[problem.span.start : problem.span.end] == "|"
    assert all(rule in problem.hint for rule in rules)


def test_many_alternatives_are_not_written_out() -> None:
    with pytest.raises(RuleError) as caught:
        parse_rule("(.a|.b) " * 20 + "+c")
    assert caught.value.problems[0].hint == "write a rule for each alternative"


def test_a_rule_has_the_limits_of_a_query() -> None:
    assert codes(".a=" + "x" * 3_998) == ["limit-rule-length"]
    assert codes(".a " * 101) == ["limit-clauses"]
    assert codes("(" * 9 + ".a" + ")" * 9) == ["limit-nesting"]
