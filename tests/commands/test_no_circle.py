"""What the check of the call graph promises: where it finds no circle, no chain of calls comes to its limit."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wakeful
from commands.garden import NOW
from wakeful.testing import ManualClock
from wakeful_compiler.vocabulary import check

NAMES = ("a", "b", "c", "d", "e")
COMMANDS = ("one", "two", "three")
REFERENCE = {"type": "string", "ref": "entity"}
COMPONENTS: dict[str, Any] = {
    **{name: {"properties": {"n": {"type": "integer"}, "of": {**REFERENCE, "death": "release"}}} for name in NAMES},
    **{f"done_{number}": {} for number in range(4)},
}

SOME, NUMBER = st.sampled_from(NAMES), st.integers(1, 2)
CLAUSES = st.one_of(
    st.builds(".{}".format, SOME),
    st.builds("!{}".format, SOME),
    st.builds(".{}.n={}".format, SOME, NUMBER),
    st.builds(".{}.n!={}".format, SOME, NUMBER),
)
OCCASIONS = st.one_of(
    st.builds("^{}".format, SOME),
    st.builds("^!{}".format, SOME),
    st.builds("^{}.n".format, SOME),
    st.builds("^{}.n={}".format, SOME, NUMBER),
)
MARKS = st.one_of(st.builds("+{}.n={}".format, SOME, NUMBER), st.builds("*{}=null".format, SOME), st.just("+tombstone"))
COMPONENT = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {}, optional={"n": st.one_of(NUMBER, st.just("$n")), "of": st.sampled_from(["$row", {"a": {"n": 1}}])}
    ),
)
BUNDLES = st.one_of(
    st.tuples(st.just({"entity": {"eid": "$row"}}), st.dictionaries(SOME, COMPONENT, min_size=1, max_size=1)).map(
        lambda pair: {**pair[0], **pair[1]}
    ),
    st.dictionaries(SOME, COMPONENT, min_size=1, max_size=2),
    st.just({"entity": {"eid": "$row"}, "tombstone": {}}),
    st.sampled_from(COMMANDS).map(lambda name: {"call": {"to": name, "args": {"row": "$row", "n": "$n"}}}),
)


@st.composite
def rules(draw: st.DrawFn, number: int) -> dict[str, Any]:
    clauses = draw(st.lists(CLAUSES, max_size=2))
    marks = draw(st.lists(MARKS, max_size=1))
    ends = draw(st.one_of(OCCASIONS, st.just(f"+!done_{number}")))
    entry = {"rule": True, "match": ", ".join([ends, *clauses, *marks])}
    if not marks or draw(st.booleans()):
        entry |= {"call": draw(st.sampled_from(COMMANDS)), "args": {"row": "=.entity.eid", "n": draw(NUMBER)}}
    return entry


@st.composite
def vocabularies(draw: st.DrawFn) -> dict[str, Any]:
    entries = dict(COMPONENTS)
    for name in COMMANDS:
        entries[name] = {
            "tool": True, "description": "x", "input": {"row": REFERENCE, "n": {"type": "integer"}},
            "required": ["row", "n"], "apply": draw(st.lists(BUNDLES, min_size=1, max_size=2)),
        }  # fmt: skip
    for number in range(draw(st.integers(1, 4))):
        entries[f"rule_{number}"] = draw(rules(number))
    return {"$defs": entries}


OWN = st.tuples(
    st.sampled_from(["x", "y"]),
    st.dictionaries(SOME, st.one_of(st.none(), st.fixed_dictionaries({"n": NUMBER})), min_size=2, max_size=4),
)


@settings(max_examples=150)
@given(vocabularies(), st.lists(OWN, min_size=1, max_size=4))
def test_a_chain_of_calls_ends(document: dict[str, Any], writes: list[tuple[str, dict[str, Any]]]) -> None:
    vocab, problems = check(document)
    errors = {problem.code for problem in problems if problem.severity == "error"}
    assume(not errors - {"rule-call-cycle"})
    if vocab is None:
        return
    store = wakeful.open(":memory:", clock=ManualClock(NOW))
    store.deploy(document)
    for eid, components in writes:
        try:
            store.apply({"entity": {"eid": eid}, **components})
        except wakeful.Refused:
            continue  # a rule deleted it
    for row in store.query(".execution"):
        assert "deep" not in (row["execution"]["error"] or ""), document
