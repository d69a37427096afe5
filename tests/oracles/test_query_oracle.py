"""The oracle of queries answers the vectors, those that await a later version included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cases import loader
from cases.loader import Case
from oracles.query import answer
from oracles.values import OracleError, read_instant
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Component, Declarations, Kind, Property
from wakeful_grammar.problems import QueryError
from wakeful_grammar.query import parse_query

SHARED = loader.load("query").shared


def declared(document: Mapping[str, Any]) -> Declarations:
    """The declarations of a vocabulary that has plain components only."""
    components = builtin_components()
    for name, entry in document["$defs"].items():
        properties = {}
        for key, schema in entry["properties"].items():
            kind: Kind = "instant" if schema.get("format") == "date-time" else schema["type"]
            properties[key] = Property(name, key, kind)
        components[name] = Component(name, properties)
    return Declarations(components, {})


VOCAB = declared(SHARED["vocab"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in loader.load("query").cases])
def test_the_oracle_answers_the_vector(case: Case) -> None:
    then = case["then"]
    rows = SHARED["rows"][case["rows"]] if isinstance(case["rows"], str) else case["rows"]
    bundles = [{"entity": {"eid": eid, "num": num}, **row} for num, (eid, row) in enumerate(rows.items(), start=1)]
    now = read_instant(case.data.get("now", "2026-09-26T12:00:00Z"))
    assert now is not None
    try:
        found = answer(parse_query(case["query"]), bundles, VOCAB, now)
    except QueryError as error:
        found = {"error": error.problems[0].code.partition("-")[0]}
    except OracleError as error:
        found = {"error": error.kind}
    if "eids" not in then:
        assert found == then
        return
    assert [row["entity"]["eid"] for row in found] == then["eids"]
    for row in found:
        expected = then.get("carried", {}).get(row["entity"]["eid"])
        assert expected is None or set(row) == {"entity", *expected}
