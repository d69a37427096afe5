"""Rules together: their order, `before`, circles and the mends that are printed, what a change sets off."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given

from oracles.rules import Rule
from rules.declared import Kinds, accepted, declared, errors, judged, names, refused
from rules.strategies import rule_sets
from rules.test_against_oracle import KINDS as WORLD
from wakeful_compiler.rules.graph import circles_of, shortest_circle
from wakeful_compiler.rules.ruleset import compile_rules
from wakeful_compiler.zones import zone
from yardstick import yard

KINDS: dict[str, Kinds] = {
    "product": {"status": "string"},
    "shelf": {"aisle": "string"},
    "tag": {"by": "string"},
    "vip": {},
    "done_a": {},
    "done_b": {},
    "done_c": {},
}
A, B, C = (f".product, +!done_{name}, +tag.by={name}" for name in "abc")


# --- the order ------------------------------------------------------------------------------------


def test_by_name_where_nothing_else_is_said() -> None:
    assert names(accepted(KINDS, {"b": B, "a": A, "c": C})) == ["a", "b", "c"]


def test_what_enables_comes_first_whatever_its_name() -> None:
    rules = {
        "a": ".shelf.aisle=Z, !product.status, +product.status=live",
        "z": ".product, +!shelf, +shelf.aisle=Z",
    }
    ruleset = accepted(KINDS, rules)
    assert names(ruleset) == ["z", "a"]
    assert ruleset.edges.enables == (("z", "a"),)


def test_before_comes_before_the_name() -> None:
    ruleset = accepted(KINDS, {"a": A, "z": B}, {"z": ["a"]})
    assert names(ruleset) == ["z", "a"]
    assert ruleset.edges.before == (("z", "a"),)


def test_a_writer_comes_before_a_reader() -> None:
    # `z` never turns a clause of `a` true, and is read by it all the same.
    ruleset = accepted(KINDS, {"a": ".product, !tag, +!done_a", "z": ".product, +!tag"})
    assert ruleset.edges.enables == ()
    assert ruleset.edges.feeds == (("z", "a"),)
    assert names(ruleset) == ["z", "a"]


def test_before_outdoes_a_writer() -> None:
    rules = {"a": ".product, !tag, +!done_a", "z": ".product, +!tag"}
    ruleset = accepted(KINDS, rules, {"a": ["z"]})
    assert names(ruleset) == ["a", "z"]


def test_two_that_write_what_the_other_reads_go_by_name() -> None:
    rules = {"b": ".product, !done_a, +!tag", "a": ".product, !tag, +!done_a"}
    ruleset = accepted(KINDS, rules)
    assert ruleset.edges.feeds == (("a", "b"), ("b", "a"))
    assert names(ruleset) == ["a", "b"]


def test_of_those_that_nothing_stands_before_the_least_name_goes_next() -> None:
    rules = {
        "a": ".tag.by=x, +!done_a",
        "b": B.replace("+tag.by=b", "+vip"),
        "z": ".product, +!tag, +tag.by=x",
    }
    assert names(accepted(KINDS, rules)) == ["b", "z", "a"]


def test_before_against_what_enables_is_refused() -> None:
    rules = {"a": ".product, +!shelf", "b": ".shelf, +!done_b"}
    told = refused(KINDS, rules, {"b": ["a"]})
    assert told.problem.code == "rule-before-order"
    assert (told.rule, told.place, told.span) == ("b", "before/0", None)
    assert told.problem.message == "`b` is to run before `a`, but `a` enables it and so goes first"
    assert told.problem.hint == "`a` can make `.shelf` true for `b`; take `a` out of the `before` of `b`"


def test_before_in_a_circle_is_refused_once() -> None:
    told = refused(KINDS, {"a": A, "b": B, "c": C}, {"a": ["b"], "b": ["c"], "c": ["a"]})
    assert told.problem.code == "rule-before-order"
    assert told.problem.message == "`before` runs in a circle: `a -> b -> c -> a`"
    assert refused(KINDS, {"a": A}, {"a": ["a"]}).problem.code == "rule-before-order"


def test_before_against_a_chain_of_enablers_names_the_chain() -> None:
    rules = {"a": ".product, +!shelf", "b": ".shelf, +!vip", "c": ".vip, +!done_c"}
    told = refused(KINDS, rules, {"c": ["a"]})
    assert told.problem.message == "`before` runs in a circle: `c -> a -> b -> c`"
    assert "`a` can make `.shelf` true for `b`; `b` can make `.vip` true for `c`; " in told.problem.hint


def test_two_circles_are_two_problems() -> None:
    rules = {"a": A, "b": B, "c": C, "d": ".product, +!vip"}
    _, problems = judged(KINDS, rules, {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]})
    assert [told.rule for told in errors(problems)] == ["a", "c"]


def test_before_names_a_rule() -> None:
    told = refused(KINDS, {"shelve": A, "b": B}, {"b": ["shelf"]})
    assert (told.problem.code, told.place) == ("unknown-rule", "before/0")
    assert "did you mean `shelve`?" in told.problem.hint


def test_a_rule_that_does_not_compile_is_no_unknown_one() -> None:
    told = refused(KINDS, {"a": ".prodct, +!tag", "b": B}, {"b": ["a"]})
    assert (told.rule, told.problem.code) == ("a", "unknown-component")


# --- circles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "circle", "mend"),
    [
        (
            {"a": ".product.status=x, +product.status=y", "b": ".product.status=y, +product.status=x"},
            "`a -> b -> a`",
            "add `^product.status` to `a`, so that it acts on the write alone",
        ),
        (
            {
                "a": ".product.status=x, +product.status=y",
                "b": ".product.status=y, +product.status=z",
                "c": ".product.status=z, +product.status=x",
            },
            "`a -> b -> c -> a`",
            "add `^product.status` to `a`, so that it acts on the write alone",
        ),
        (
            {
                "a": ".product.status=x, +product.status=y, +vip",
                "b": ".product.status=y, .vip, +product.status=x",
            },
            "`a -> b -> a`",
            "add `+!vip` to `a`",
        ),
        (
            {
                "a": ".product.status=x, +product.status=y",
                "b": ".product.status=y, .shelf.aisle=Z, +product.status=x",
            },
            "`a -> b -> a`",
            "add `.shelf.aisle!=Z` to `a`",
        ),
    ],
)
def test_a_circle_is_printed_with_a_mend_that_ends_it(rules: dict[str, str], circle: str, mend: str) -> None:
    told = refused(KINDS, rules)
    assert told.problem.code == "rule-cycle"
    assert circle in told.problem.message
    assert told.problem.hint.endswith(mend)
    assert told.rule == "a"
    span = told.problem.span
    assert rules["a"][span.start : span.end] == ".product.status=x"
    mended = dict(rules)
    for text, name in re.findall(r"`([^` ]+)` to `(\w+)`", mend):
        mended[name] += f", {text}"
    accepted({**KINDS, "done": {}}, mended)


def test_rules_that_a_gate_keeps_apart_are_no_circle() -> None:
    accepted(KINDS, {"a": ".shelf, +!tag", "b": ".tag, +!shelf"})


def test_two_circles_of_rules_are_two_problems() -> None:
    rules = {
        "a": ".product.status=x, +product.status=y",
        "b": ".product.status=y, +product.status=x",
        "c": ".tag.by=x, +tag.by=y",
        "d": ".tag.by=y, +tag.by=x",
    }
    _, problems = judged(KINDS, rules)
    assert [(told.rule, told.problem.code) for told in problems] == [("a", "rule-cycle"), ("c", "rule-cycle")]


def test_a_long_circle_is_cut() -> None:
    rules = {f"r{step:02}": f".product.status=s{step}, +product.status=s{(step + 1) % 40}" for step in range(40)}
    message = refused(KINDS, rules).problem.message
    assert "r00 -> r01" in message
    assert "… -> r00" in message
    assert len(message) < 200


@given(rule_sets(most=2))
def test_every_mend_of_a_rule_that_feeds_itself_works(rules: list[Rule]) -> None:
    matches = {rule.name: rule.text for rule in rules}
    _, problems = judged(WORLD, matches)
    for told in problems:
        if told.problem.code == "rule-feeds-itself":
            for mend in re.findall(r"add `([^`]+)`", told.problem.hint):
                again = judged({**WORLD, "done": {}}, {told.rule: f"{matches[told.rule]}, {mend}"})
                assert errors(again[1]) == []


# --- what a change sets off -----------------------------------------------------------------------


def test_a_change_sets_off_the_rules_that_read_it() -> None:
    ruleset = accepted(KINDS, {"a": ".product.status=x, +!done_a", "b": ".product, +!done_b", "c": ".vip, +!done_c"})
    assert names(ruleset) == ["a", "b", "c"]
    assert ruleset.candidates([("product", "status")]) == [0]
    assert ruleset.candidates([("vip", None), ("product", None)]) == [0, 1, 2]
    assert ruleset.candidates([("done_b", None), ("tag", "by")]) == [1]
    assert ruleset.candidates([]) == []


def test_the_zone_of_the_vocabulary_sets_the_days() -> None:
    kinds: dict[str, Kinds] = {"visit": {"seen": "instant"}}
    rules = {"it": ".visit.seen<2026-01-01, +visit.seen=2026-01-01T00:00:00Z"}
    codes = [
        [told.problem.code for told in compile_rules(declared(kinds, rules), zone(name))[1]]
        for name in ("UTC", "Asia/Tokyo", "America/New_York")
    ]
    assert codes == [[], [], ["rule-feeds-itself"]]


def test_no_rules() -> None:
    ruleset = accepted(KINDS, {})
    assert ruleset.ordered == ()
    assert ruleset.edges.enables == ()


# --- graphs ---------------------------------------------------------------------------------------


def test_a_chain_of_ten_thousand_is_no_recursion() -> None:
    arrows = [[node + 1] if node < 9_999 else [] for node in range(10_000)]
    assert len(set(circles_of(arrows))) == 10_000
    arrows[-1] = [0]
    assert len(set(circles_of(arrows))) == 1
    assert len(shortest_circle(arrows, 0)) == 10_000


# --- cost -----------------------------------------------------------------------------------------


def _seconds(work: Callable[[], object]) -> float:
    """Processor seconds, which a busy machine does not stretch."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _apart(count: int) -> tuple[Mapping[str, Kinds], Mapping[str, str]]:
    """Rules that share `wake` and `fired`, each on and for components of its own."""
    kinds: dict[str, Kinds] = {}
    for index in range(count // 2):
        kinds[f"c{index}"] = {"v": "string", "n": "integer"}
        kinds[f"w{index}"] = {"by": "string"}
    rules: dict[str, str] = {}
    for index in range(count):
        own, value = index % (count // 2), "ab"[index // (count // 2)]
        rules[f"r{index}"] = f".c{own}.v={value}, .c{own}.n>={index}, .wake, .fired, +!w{own}, +w{own}.by=r{index}"
    return kinds, rules


def _chain(count: int) -> tuple[Mapping[str, Kinds], Mapping[str, str]]:
    """Rules that all read and write one property, each enabling the next."""
    kinds: dict[str, Kinds] = {"order": {"status": "string"}}
    return kinds, {f"r{index}": f".order.status=s{index}, +order.status=s{index + 1}" for index in range(count)}


def test_rules_that_do_not_interact_cost_no_more_than_linearly() -> None:
    few, many = (declared(*_apart(count)) for count in (200, 1_000))
    small, large = (
        min(_seconds(lambda: compile_rules(declarations, zone("UTC"))) for _ in range(5))  # noqa: B023
        for declarations in (few, many)
    )
    assert large < 5 * small * 2


def test_a_thousand_rules_on_one_property_end() -> None:
    declarations = declared(*_chain(1_000))
    assert _seconds(lambda: compile_rules(declarations, zone("UTC"))) < 500 * yard()
