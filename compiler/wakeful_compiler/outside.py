"""Comparisons that no stored value can satisfy: with a value that the property's `enum` or `const` leaves out.

They are no errors: a row written under an older vocabulary may hold what the schema no longer lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .predicates import Comparison, Constant, Member, Predicate, leaves
from .vocab.model import Property


def outside(predicate: Predicate) -> Iterator[str]:
    """What there is to say of each comparison with values of which the property can have none, once each."""
    told: set[tuple[Property, tuple[Constant, ...]]] = set()
    for leaf in leaves(predicate):
        match leaf:
            case Comparison(prop, "=", str() | int() | float() | bool() as value):
                values: tuple[Constant, ...] = (value,)
            case Member(prop, values):
                pass
            case _:
                continue
        left_out = _left_out(prop, values)
        if left_out and (prop, left_out) not in told:
            told.add((prop, left_out))
            yield _said(prop, left_out)


def never_equal(predicate: Predicate) -> str | None:
    """Why a test fails on every row: it asks for values of which the property can have none; else None."""
    match predicate:
        case Comparison(prop, "=", str() | int() | float() | bool() as value):
            values: tuple[Constant, ...] = (value,)
        case Member(prop, values):
            pass
        case _:
            return None
    left_out = _left_out(prop, values)
    return _said(prop, left_out) if len(left_out) == len(values) else None


def _allowed(prop: Property) -> tuple[Any, ...] | None:
    listed = prop.schema.get("enum")
    if isinstance(listed, list | tuple):
        return tuple(listed)
    return (prop.schema["const"],) if "const" in prop.schema else None


def _left_out(prop: Property, values: tuple[Constant, ...]) -> tuple[Constant, ...]:
    allowed = _allowed(prop)
    if allowed is None or prop.kind == "instant":
        return ()
    return tuple(value for value in values if not any(_same(value, one) for one in allowed))


def _same(left: Any, right: Any) -> bool:
    return left == right and isinstance(left, bool) is isinstance(right, bool)


def _said(prop: Property, values: tuple[Constant, ...]) -> str:
    from .nearby import near as nearby
    from .nearby import question
    from .texts import shown

    allowed = [one for one in _allowed(prop) or () if one is not None]
    listed = ", ".join(shown(one) for one in allowed[:8]) + (", …" if len(allowed) > 8 else "")
    said = " or ".join(shown(value) for value in values[:3])
    texts = [one for one in allowed if isinstance(one, str)]
    meant = question(nearby(values[0], texts, 1), '"{}"') if isinstance(values[0], str) else ""
    return f"`{prop.path}` is never {said}: its values are {listed}" + (f"; {meant}" if meant else "")
