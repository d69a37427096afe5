"""The graph of rules and commands: which circles there are, and which there are not."""

from __future__ import annotations

import operator
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.rules.rule_index import Bounds, positions_of
from wakeful_compiler.vocabulary import check
from wakeful_grammar.problems import Problem

TEXT = {"type": "string"}
REFERENCE = {"type": "string", "ref": "entity"}
COMPONENTS: dict[str, Any] = {
    "order": {"properties": {"status": TEXT, "n": {"type": "integer"}, "of": {**REFERENCE, "death": "detach"}}},
    "bed": {"properties": {"size": TEXT, "note": TEXT}, "required": ["size"]},
    "lien": {"properties": {"on": {**REFERENCE, "death": "release"}}},
    "asked": {}, "told": {}, "seen": {},
}  # fmt: skip
ROW = {"row": REFERENCE}
HERE = {"row": "=.entity.eid"}


def command(does: Any, **inputs: Any) -> dict[str, Any]:
    """A command that takes the eid `row` and these inputs; a text is a worker's route, all else bundles."""
    kind = "worker" if isinstance(does, str) else "apply"
    return {"tool": True, "description": "x", "input": {**ROW, **inputs}, kind: does}


def patch(**components: Any) -> dict[str, Any]:
    return {"entity": {"eid": "$row"}, **components}


def rule(match: str, call: str | None = None, **more: Any) -> dict[str, Any]:
    return {"rule": True, "match": match, **({"call": call, "args": HERE} if call else {}), **more}


def errors(**entries: Any) -> list[Problem]:
    found = check({"$defs": {**COMPONENTS, **entries}})[1]
    return [problem for problem in found if problem.severity == "error"]


def circle(**entries: Any) -> str | None:
    """The circle that is told, None where there is none; no other error is expected."""
    problems = errors(**entries)
    assert all(problem.code == "rule-call-cycle" for problem in problems), problems
    shown = [problem.message.rpartition(": ")[2].strip("`") for problem in problems]
    assert len(shown) < 2
    return shown[0] if shown else None


WORKER = command("/act")
REOPENS = rule("^order.status=paid, +order.status=open")
TITLED = rule(".doc.title, +!asked", "act")
ASKS = rule(".order.status=open, +!asked", "act")

CIRCLES: list[tuple[dict[str, Any], str]] = [
    ({"act": command(patch(order={"status": "$row"})), "r": ASKS}, "r -> act -> r"),
    ({"act": command(patch(order={"status": "open"})), "r": ASKS}, "r -> act -> r"),
    ({"act": command({"order": {"status": "open"}}), "r": ASKS}, "r -> act -> r"),
    ({"act": command(patch(order={"n": 1})), "r": rule("^order.n", "act")}, "r -> act -> r"),
    ({"act": command(patch(order={"n": 1})), "r": rule("^order", "act")}, "r -> act -> r"),
    ({"act": command(patch(order=None)), "r": rule("^!order", "act")}, "r -> act -> r"),
    ({"act": command(patch(order=None)), "r": rule("^order.n", "act")}, "r -> act -> r"),
    ({"act": command(patch(asked=None)), "r": ASKS}, "r -> act -> r"),
    ({"act": command(patch(tombstone={})), "r": rule("^order.of", "act")}, "r -> act -> r"),
    ({"act": command(patch(tombstone={})), "r": rule("^!lien", "act")}, "r -> act -> r"),
    ({"act": command(patch(tombstone={})), "r": rule("!lien, .order, +!asked", "act")}, "r -> act -> r"),
    # Through rules.
    (
        {"act": command(patch(told={})), "r": rule(".seen, +!asked", "act"), "s": rule(".told, +!seen")},
        "r -> act -> s -> r",
    ),
    (
        {"act": command(patch(told={})), "r": rule(".seen, +!asked", "act"), "s": rule("^told, +seen")},
        "r -> act -> s -> r",
    ),
    (
        {"act": command(patch(order={"status": "paid"})), "r": ASKS, "s": REOPENS},
        "r -> act -> s -> r",
    ),
    (
        {"act": command(patch(told={})), "r": rule("!lien, .order, +!asked", "act"), "s": rule("^told, +tombstone")},
        "r -> act -> s -> r",
    ),
    # Through what is kept of calls.
    ({"act": WORKER, "r": rule("^call", "act")}, "r -> act -> r"),
    ({"act": WORKER, "r": rule(".call.to=x, +!asked", "act")}, "r -> act -> r"),
    ({"act": WORKER, "r": rule(".execution.state=failed, +!asked", "act")}, "r -> act -> r"),
    ({"act": WORKER, "r": rule(".result.ms>5, +!asked", "act")}, "r -> act -> r"),
    # Through `call.to`.
    ({"act": command({"call": {"to": "act"}})}, "act -> act"),
    ({"act": command({"call": {"to": "b"}}), "b": command([{"doc": {}}, {"call": {"to": "act"}}])}, "act -> b -> act"),
    ({"act": command({"call": {"to": "$row"}})}, "act -> act"),
    ({"act": command({"call": {"to": "$to"}}, to={"type": "string", "enum": ["b", "act"]}), "b": WORKER}, "act -> act"),
    ({"act": command({"call": {"to": "6f6d1c5e-6a0a-5d5e-9f5b-3a6f1d3c9b11"}})}, "act -> act"),
    ({"act": command({"wake": {"target": {"call": {"to": "act"}}}})}, "act -> act"),
    ({"act": command({"order": {"n": 1}}), "r": rule("^order, +call.to=act")}, "r -> act -> r"),
    ({"act": command({"order": {"status": "x"}}), "r": rule("^order, +call.to=.order.status")}, "r -> act -> r"),
    (
        {"act": command(patch(told={})), "b": command({"call": {"to": "act"}}), "r": rule("^told", "b")},
        "r -> b -> act -> r",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "shown"), CIRCLES)
def test_a_circle(entries: dict[str, Any], shown: str) -> None:
    assert circle(**entries) == shown


@pytest.mark.parametrize(
    "entries",
    [
        {"act": command(patch(order={"n": 1})), "r": ASKS},
        {"act": command(patch(order={"status": "paid"})), "r": ASKS},
        {"act": command(patch(order={"status": "paid"})), "r": rule("^order.status=open", "act")},
        {"act": command(patch(order={"n": 7})), "r": rule("^order.n, .order.n<5", "act")},
        {"act": command(patch(order={"n": 1})), "r": rule("^fired, .order", "act")},
        {"act": command(patch(fired={"at": "now"})), "r": rule("^fired, .order", "act")},
        {"act": command(patch(order={"n": 1})), "r": rule("^!order", "act")},
        {"act": command(patch(asked={}, order={"status": "open"})), "r": ASKS},
        {"act": command(patch(order=None)), "r": ASKS},
        {"act": command(patch(order={"status": None})), "r": ASKS},
        {"act": command(patch(bed={"note": "x"})), "r": rule("^bed", "act")},
        {"act": command({"doc": {"title": "x"}}), "r": rule(".order, .doc, +!asked", "act")},
        {"act": command([{"entity": {"eid": "$a"}, "doc": {}}, {"order": {"of": "$a"}}]), "r": TITLED},
        {"act": command(patch(tombstone={})), "r": rule("^!order", "act")},
        {"act": WORKER, "r": rule("^order", "act"), "s": rule(".execution.state=failed, +!told")},
        {"act": WORKER, "r": rule("^order", "act"), "s": rule(".call, +!result, +result.ms=12")},
        {"act": command({"call": {"to": "b"}}), "b": WORKER, "r": rule("^order", "act")},
        {"act": command({"call": {"to": "elsewhere"}}), "r": rule("^order", "act")},
        {"act": command({"call": {"to": "$to"}}, to={"type": "string", "enum": ["b"]}), "b": WORKER},
        {"act": command(patch(told={})), "r": rule(".seen, +!asked", "act"), "s": rule("^told, +asked")},
        {"act": command({"order": {"n": 1}}), "r": rule("^order, *call.to=null")},
        {"act": command(patch(told={})), "r": rule("^told, +seen"), "s": rule(".seen, .told, *seen=null")},
    ],
)  # fmt: skip
def test_no_circle(entries: dict[str, Any]) -> None:
    assert circle(**entries) is None


def test_every_circle_through_commands_is_told_once() -> None:
    entries = {f"c{index}": command({"call": {"to": f"c{index ^ 1}"}}) for index in range(6)}
    assert [problem.pointer for problem in errors(**entries)] == [f"/$defs/c{index}/apply" for index in (0, 2, 4)]


@pytest.mark.parametrize(
    ("match", "writes", "mend"),
    [
        (".order.n>1, .fired, +!asked", {"order": {"n": 5}}, "^fired"),
        (".order.n>1, .order.status=open, +!asked", {"order": {"n": 5}}, "^order.status"),
        (".order.n>1, .doc, +!asked", {"order": {"n": 5}}, "^doc"),
    ],
)
def test_the_occasion_that_is_offered_ends_the_circle(match: str, writes: dict[str, Any], mend: str) -> None:
    act = command(patch(**writes))
    (problem,) = errors(act=act, r=rule(match, "act"))
    assert f"add `{mend}` to `r`" in problem.hint
    assert circle(act=act, r=rule(f"{match}, {mend}", "act")) is None


def test_a_long_circle_is_cut() -> None:
    entries = {f"c{index}": command({"call": {"to": f"c{(index + 1) % 30}"}}) for index in range(30)}
    (problem,) = errors(**entries)
    assert problem.message.endswith("c11 -> … -> c0`")
    assert len(problem.hint) < 400


def test_a_thousand_rules_beside_a_thousand_commands() -> None:
    entries: dict[str, Any] = {}
    for index in range(1_000):
        entries[f"c{index}"] = command(patch(order={"status": f"s{index + 1}"}))
        entries[f"r{index}"] = rule(f"^order.status=s{index}", f"c{index}")
    began = time.process_time()
    assert circle(**entries) is None
    took = time.process_time() - began
    bare = {name: {**entry, "worker": "/x"} for name, entry in entries.items() if name[0] == "c"}
    for entry in bare.values():
        del entry["apply"]
    began = time.process_time()
    assert circle(**{**entries, **bare}) is None
    assert took < 10 * (time.process_time() - began)


ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@given(
    st.lists(st.tuples(st.sampled_from(list(ORDERINGS)), st.integers(-3, 3)), max_size=12),
    st.one_of(st.integers(-4, 4), st.sampled_from([0.5, -1.5, 2.0])),
)
def test_the_rules_whose_bounds_a_value_fails(compared: list[tuple[str, int]], value: float) -> None:
    bounds = Bounds()
    for position, (ordering, bound) in enumerate(compared):
        bounds.add(ordering, bound, 1 << position)
    failed = {position for position, (ordering, bound) in enumerate(compared) if not ORDERINGS[ordering](value, bound)}
    assert set(positions_of(bounds.failed_by(value))) == failed


def test_a_template_of_thousands_of_bundles() -> None:
    bundles = [{"order": {"n": index}} for index in range(5_000)]
    began = time.process_time()
    assert circle(act=command(bundles), r=rule("^fired, .order", "act")) is None
    assert circle(act=command(bundles), r=rule("^order.n", "act")) == "r -> act -> r"
    assert time.process_time() - began < 30
