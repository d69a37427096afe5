"""Scenes of one comparison over rows whose values lie on, just below and just above what it compares with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from agreement.scenes import Scene
from oracles import moments
from strategies import NOWS, ZONES, Bundle, comparisons, spell, spelled_instant
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Component, Declarations, Kind, Property
from wakeful_grammar.nodes import Compare, QueryTree, Range, Scalar

KINDS: tuple[Kind, ...] = (
    "string",
    "number",
    "integer",
    "boolean",
    "reference",
    "instant",
    "instant",
    "instant",
    "instant",
)
TICK = timedelta(microseconds=1)


@st.composite
def close_calls(draw: st.DrawFn) -> Scene:
    """A property `c.p` of a comparable type, a comparison of it, and a row for each edge of its operands."""
    kind = draw(st.sampled_from(KINDS))
    now = draw(st.sampled_from(NOWS))
    schema: dict[str, Any] = {"type": "string" if kind in ("instant", "reference") else kind}
    if kind == "instant":
        schema["format"] = "date-time"
    if kind == "reference":
        schema["ref"] = "entity"
    prop = Property("c", "p", kind, schema=schema, ref="entity" if kind == "reference" else None)
    vocab = Declarations({**builtin_components(), "c": Component("c", {"p": prop})}, {}, draw(st.sampled_from(ZONES)))
    compare = draw(comparisons(prop, now, ("e0", "e1", "e2")))
    values: list[Any] = [None]
    for scalar in _scalars(compare):
        values += [value for value in _edges(kind, scalar, now, vocab.zone) if value not in values]
    rows: list[Bundle] = [{"entity": {"eid": f"e{num}", "num": num + 1}, "c": {"p": v}} for num, v in enumerate(values)]
    rows.append({"entity": {"eid": "bare", "num": len(rows) + 1}})
    tree = QueryTree(compare)
    return Scene(vocab, rows, tree, spell(tree), now)


def _scalars(compare: Compare) -> Iterator[Scalar]:
    for item in compare.items:
        match item:
            case Range(low, high):
                yield from (low, high)
            case Scalar():
                yield item
            case _:
                raise ValueError(item)


def _edges(kind: Kind, scalar: Scalar, now: datetime, zone: str) -> list[Any]:
    text = scalar.text
    match kind:
        case "boolean":
            return [True, False]
        case "reference":
            return ["e0", "e1", "e2"]
        case "string":
            spellings = (text, text.upper(), text.lower(), text.casefold(), text.swapcase(), text.title())
            return [
                *spellings,
                *(f"a{spelling}b" for spelling in spellings),
                text[:-1],
                text + "\x01",
                text[::-1],
                "",
            ]
        case "number":
            value = float(text)
            near = (value, -value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
            return [number for number in near if math.isfinite(number)]
        case "integer":
            exact = Decimal(text)
            middle = int(exact.to_integral_value("ROUND_FLOOR"))
            return [number for number in range(middle - 1, middle + 3) if -(2**63) <= number < 2**63]
        case _:
            found = moments.read(text, now, zone)
            ends = (found.at,) if isinstance(found, moments.Moment) else (found.start, found.end)
            # An edge at the end of time has nothing beyond it.
            middles = [end for end in (*ends, now) if 1 < end.year < 9999]
            return [spelled_instant(middle + tick) for middle in middles for tick in (-TICK, 0 * TICK, TICK)]
