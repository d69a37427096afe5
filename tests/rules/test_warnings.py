"""What is said of rules that can run, and most likely do not do what was meant; and what is not said of good ones."""

from __future__ import annotations

import pytest

from rules.declared import Kinds, clean, codes, judged, refused

KINDS: dict[str, Kinds] = {
    "plant": {"window": "string"},
    "watered": {"by": "string", "at": "instant"},
    "invoice": {"status": "string", "stage": "integer", "due": "instant"},
    "paid": {},
    "sent": {"at": "instant"},
    "trial": {"until": "instant"},
    "expired": {},
}


@pytest.mark.parametrize(
    "rules",
    [
        {"waters": ".plant, .wake, .fired, +!watered, +watered.by=wake"},
        {"waters": "^fired, .plant, +watered.by=wake, +watered.at=now"},
        {"once": ".plant, .fired, !watered.by, +watered.by=wake"},
        {"differs": ".plant, .fired, .watered.by!=wake, +watered.by=wake"},
        {"stage": ".invoice.status=paid, !paid, +paid"},
        {
            "one": "^fired, .invoice.stage=0, *invoice.stage=1, +wake.at=.invoice.due+7-days",
            "two": "^fired, .invoice.stage=1, *invoice.stage=2, +wake.at=.invoice.due+14-days",
            "three": "^fired, .invoice.stage=2, *invoice.stage=3",
        },
        {"ends": "^fired, .trial, !paid, +!expired, *trial=null"},
        {"deletes": "^fired, .expired, +tombstone"},
        {"late": "^invoice.status=paid, .invoice.due<now, +!expired"},
        {"fresh": ".invoice.due>=1-hour-ago, +!sent"},
        {"copies": ".invoice, +!sent, +sent.at=.invoice.due-7-days"},
        {"follows": ".invoice.due, .sent.at!=.invoice.due, +sent.at=.invoice.due"},
        {"rearms": "^fired, .invoice, +wake.at=in-5-minutes"},
        {"steps": "^fired, .invoice.stage=0, *invoice.stage=1, +wake.at=now"},
        {"a": ".plant, +!paid", "b": ".plant, +!expired", "c": ".paid, .expired, +!sent"},
        {"a": ".invoice.stage=1, +!paid", "b": ".plant, +!paid"},
        {"counts": "^invoice.status, *invoice.stage=.invoice.stage+1"},
    ],
)
def test_nothing_is_said_of_good_rules(rules: dict[str, str]) -> None:
    clean(KINDS, rules)


@pytest.mark.parametrize(
    ("match", "marked"),
    [
        (".fired, .invoice.status=open, *invoice.status=overdue", ".fired"),
        (".plant, .fired, .watered, *watered=null", ".fired"),
        (".expired, .fired, +tombstone", ".fired"),
        (".fired.at, .sent.at!=.fired.at, +sent.at=.fired.at", ".fired.at"),
    ],
)
def test_fired_is_history(match: str, marked: str) -> None:
    told = refused(KINDS, {"it": match}).problem
    assert (told.code, told.severity) == ("rule-fired-is-history", "warning")
    assert match[told.span.start : told.span.end] == marked
    assert "for every firing write `^fired`" in told.hint
    if told.fix is not None:
        clean(KINDS, {"it": match[: told.span.start] + told.fix + match[told.span.end :]})


def test_a_chain_that_one_firing_runs_through() -> None:
    steps = {f"step{stage}": f".fired, .invoice.stage={stage}, *invoice.stage={stage + 1}" for stage in range(3)}
    _, problems = judged(KINDS, {**steps, "other": ".plant, .fired, +!watered"})
    chains = [told for told in problems if told.problem.code == "rule-chain-in-one-firing"]
    assert [told.rule for told in chains] == ["step0"]
    assert "`step0 -> step1 -> step2`" in chains[0].problem.message
    assert "`^fired`" in chains[0].problem.hint
    assert ("step0", "rule-fired-is-history") in codes(KINDS, steps)


@pytest.mark.parametrize(
    ("match", "marked"),
    [
        (".invoice.due<now, .invoice.status=open, *invoice.status=overdue", ".invoice.due<now"),
        (".invoice.due<=1-day-ago, +!expired", ".invoice.due<=1-day-ago"),
        (".trial.until=today, +!expired", ".trial.until=today"),
        (".trial.until!=in-1-day, .trial.until, +!expired", ".trial.until!=in-1-day"),
    ],
)
def test_time_alone_runs_no_rule(match: str, marked: str) -> None:
    told = refused(KINDS, {"it": match}).problem
    assert (told.code, told.severity) == ("rule-waits-on-time", "warning")
    assert match[told.span.start : told.span.end] == marked
    assert "act on `^fired`" in told.hint


@pytest.mark.parametrize(
    "match",
    [".trial.until<2026-01-01, +!expired", ".trial.until>now, +!expired", ".wake, .fired, .trial.until<now, +!expired"],
)
def test_what_time_does_not_make_true(match: str) -> None:
    clean(KINDS, {"it": match})


@pytest.mark.parametrize("match", [".created.by=me, +!paid", ".entity.num>=100, !paid, +!paid", ".updated, +tombstone"])
def test_what_no_write_triggers(match: str) -> None:
    found = codes(KINDS, {"it": match})
    assert found == [("it", "rule-untriggerable")]


def test_a_refusing_rule_that_no_write_triggers() -> None:
    told = refused(KINDS, {"it": ".created.by=me"}, refusing=["it"]).problem
    assert (told.code, told.severity) == ("rule-untriggerable", "warning")
    clean(KINDS, {"it": ".created.by=me, .invoice", "late": ".invoice.due<now"}, refusing=["it", "late"])


@pytest.mark.parametrize(
    ("match", "words"),
    [
        ("^fired, ^plant, +!watered", "`^plant` is no part of"),
        ("^fired, ^!paid, +!watered", "`^!paid` is no part of"),
        ("^wake.at, ^fired, ^wake, +!watered", "`^wake` is no part of"),
        ("^paid, !paid, +!watered", "`paid` be there and `paid` absent"),
        ("^!paid, *paid=null, +!watered", "`paid` be there and `paid` absent"),
        ("^invoice.stage>5, .invoice.stage<=5, +!watered", "no value of `invoice.stage`"),
    ],
)
def test_an_occasion_that_never_comes(match: str, words: str) -> None:
    told = refused(KINDS, {"it": match}).problem
    assert (told.code, told.severity) == ("rule-never-matches", "warning")
    assert words in told.message


@pytest.mark.parametrize(
    "rules",
    [
        {"a": ".plant, +!paid, +watered.by=a", "z": ".plant, +!expired, +watered.by=z"},
        {"a": ".plant, !expired, +!paid", "z": ".plant, !paid, +!expired"},
        {"a": ".plant, .watered.by=x, *watered=null", "z": ".plant, .watered.by=x, *watered.by=y"},
        {"a": ".plant, +!sent, +sent.at=now", "z": ".paid, +!sent, +sent.at=in-1-day"},
    ],
)
def test_an_order_that_only_names_decide(rules: dict[str, str]) -> None:
    told = refused(KINDS, rules).problem
    assert (told.code, told.severity) == ("rule-order-decides", "warning")
    assert "`a` runs before `z`" in told.message
    clean(KINDS, rules, {"a": ["z"]})


@pytest.mark.parametrize(
    "rules",
    [
        {"a": ".plant, +!sent, +sent.at=now", "z": ".paid, +!sent, +sent.at=now"},
        {"a": ".plant, !paid, +!expired", "z": ".plant, +!paid"},
        {"a": ".plant.window=north, +!paid, +watered.by=a", "z": ".plant.window=south, +!expired, +watered.by=z"},
        {"a": ".plant, .watered.by!=a, +watered.by=a", "z": ".watered.by=z, +!expired, *watered.by=x"},
    ],
)
def test_an_order_that_decides_nothing(rules: dict[str, str]) -> None:
    assert "rule-order-decides" not in [code for _, code in codes(KINDS, rules)]


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "match",
    [
        "^fired, .invoice, +wake.at=now",
        "^fired, .invoice, +wake.at=5-minutes-ago",
        "^fired, .invoice, *wake.at=in-0-days",
        "^wake.at, .invoice, +wake.at=now",
        "^fired, .invoice, +wake.at=2026-01-01T00:00:00Z",
        "^fired, .invoice, *wake.at=.fired.due",
        ".fired, .wake.at!=now, +wake.at=now",
    ],
)
def test_a_wake_that_its_own_firing_makes_due_again(match: str) -> None:
    told = refused(KINDS, {"it": match}).problem
    assert (told.code, told.severity) == ("rule-rearms-now", "error")


@pytest.mark.parametrize(
    "match",
    [
        "^invoice, +wake.at=now",
        "^fired, .invoice.stage=0, *invoice.stage=1, +wake.at=now",
        ".invoice, +!wake, +wake.at=now",
    ],
)
def test_a_wake_that_is_due_once_more(match: str) -> None:
    clean(KINDS, {"it": match})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"a": "^fired, +plant.window=a", "b": "^fired, +plant.window=b"}, "write a and b into `plant.window`"),
        ({"a": "^fired, *invoice.stage=null", "b": "^fired, *invoice.stage=1"}, "write null and 1 into"),
        ({"a": "^paid, *invoice=null", "b": "^paid, +invoice.stage=1"}, "one takes `invoice` away"),
        ({"a": "^paid, *invoice=null", "b": "^paid, +invoice"}, "one takes `invoice` away"),
        ({"a": "^paid, +sent.at=now", "b": "^paid, +sent.at=in-1-day"}, "write now and in-1-day"),
        ({"a": "^paid, +sent.at=.invoice.due", "b": "^paid, +sent.at=.invoice.due+1-day"}, ".invoice.due and .invoice"),
        ({"a": "^fired, +plant.window=a", "b": "^wake.at, +plant.window=b"}, "write a and b"),
    ],
)
def test_two_writes_on_one_occasion(rules: dict[str, str], words: str) -> None:
    told = refused(KINDS, rules)
    assert (told.rule, told.problem.code) == ("a", "rule-conflict")
    assert words in told.problem.message
    assert '"before": ["b"]' in told.problem.hint
    for before in ({"a": ["b"]}, {"b": ["a"]}):
        clean(KINDS, rules, before)


@pytest.mark.parametrize(
    "rules",
    [
        {"a": "^fired, +plant.window=a", "b": "^paid, +plant.window=b"},
        {"a": "^fired, .invoice.stage=0, *invoice.stage=1", "b": "^fired, .invoice.stage=1, *invoice.stage=2"},
        {"a": "^paid, +plant.window=b", "b": "^!paid, +plant.window=a"},
        {"a": "^fired, +plant.window=a", "b": "^fired, +plant, +watered.by=b"},
        {"a": "^paid, +sent.at=now", "b": "^invoice, +sent.at=in-0-days"},
        {"a": "^paid, +sent.at=.invoice.due", "b": "^invoice, +sent.at=.invoice.due"},
        {"a": "^paid, *invoice=null", "b": "^sent, *invoice=null"},
    ],
)
def test_writes_that_do_not_conflict(rules: dict[str, str]) -> None:
    clean(KINDS, rules)


def test_before_in_a_row_orders_its_ends() -> None:
    rules = {name: f"^fired, +plant.window={name}" for name in "abc"}
    assert [rule.name for rule in clean(KINDS, rules, {"c": ["a"], "a": ["b"]}).occasions] == ["c", "a", "b"]
    assert codes(KINDS, rules, {"c": ["a"]}) == [("a", "rule-conflict"), ("b", "rule-conflict")]


def test_a_thousand_steps_of_one_ladder_are_looked_through() -> None:
    rules = {f"r{step}": f"^fired, .invoice.stage={step}, *invoice.stage={step + 1}" for step in range(1_000)}
    clean(KINDS, rules)


def test_before_keeps_to_the_order_of_the_kinds() -> None:
    rules = {"acts": "^invoice, +!paid", "holds": ".invoice.stage>5, !expired, +expired", "no": ".invoice.stage<0"}
    for mine, its in (("holds", "acts"), ("no", "holds"), ("no", "acts")):
        told = refused(KINDS, rules, {mine: [its]}, refusing=["no"])
        assert (told.rule, told.problem.code, told.place) == (mine, "rule-before-order", "before/0")
        clean(KINDS, rules, {its: [mine]}, refusing=["no"])
    told = refused(KINDS, {"a": "^invoice, +!paid", "b": "^invoice, +!sent"}, {"a": ["b"], "b": ["a"]})
    assert told.problem.code == "rule-before-order"
