"""Values and literals as the types of the specification see them, for the oracle of queries."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, assert_never

from oracles.moments import Moment, Stretch
from wakeful_compiler.vocab.model import Property
from wakeful_grammar.nodes import Operator, Scalar

Kind = Literal["unknown", "type"]
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
ORDERED = ("<", "<=", ">", ">=")


class OracleError(Exception):
    """The query does not fit the vocabulary; `kind` begins the code that the compiler must give."""

    def __init__(self, kind: Kind, words: str) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind = kind


def operand(prop: Property, scalar: Scalar) -> Any:
    """A literal of any type but a date-time, as a value to compare with."""
    match prop.kind:
        case "string" | "reference":
            return scalar.text
        case "boolean":
            if scalar.text not in ("true", "false", "1", "0"):
                raise OracleError("type", f"{scalar.text} is no boolean")
            return scalar.text in ("true", "1")
        case "number" | "integer":
            if not NUMBER.fullmatch(scalar.text):
                raise OracleError("type", f"{scalar.text} is no number")
            if prop.kind == "integer":
                return Fraction(Decimal(scalar.text))
            double = float(scalar.text)
            if double in (float("inf"), float("-inf")):
                raise OracleError("type", f"{scalar.text} is no double")
            return double
        case _:
            raise OracleError("type", f"{prop.path} takes no operand")


def typed(prop: Property, value: Any) -> Any:
    """A stored value as the property's type sees it; None when it is missing or of another type."""
    match prop.kind:
        case "string" | "reference":
            return value if isinstance(value, str) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "number" | "integer":
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                return None
            if value in (float("inf"), float("-inf")):
                return None
            return value if prop.kind == "number" or value == int(value) else None
        case "instant":
            return read_instant(value) if isinstance(value, str) else None
        case "object":
            return value if isinstance(value, dict) else None
        case "array":
            return value if isinstance(value, list) else None
        case _:
            assert_never(prop.kind)


def read_instant(text: str) -> datetime | None:
    shape = re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6})0*)?([Zz]|[+-][0-9]{2}:[0-9]{2})",
        text,
    )
    if shape is None:
        return None
    try:
        return datetime.fromisoformat(f"{shape[1]}.{shape[2] or '':0<6}{shape[3].upper()}".upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def ordered_test(operator: Operator, value: Any, operand: Any) -> bool:
    match operator:
        case "=":
            return bool(value == operand)
        case "<":
            return bool(value < operand)
        case "<=":
            return bool(value <= operand)
        case ">":
            return bool(value > operand)
        case ">=":
            return bool(value >= operand)
        case _:
            raise AssertionError(operator)


def time_test(operator: Operator, value: datetime, operand: Moment | Stretch, now: datetime) -> bool:
    if isinstance(operand, Moment):
        if operator == "=" and operand.leaning == "ago":
            return operand.at <= value < now
        if operator == "=" and operand.leaning == "ahead":
            return now <= value < operand.at
        return ordered_test(operator, value, operand.at)
    match operator:
        case "=":
            return operand.start <= value < operand.end
        case "<":
            return value < operand.start
        case "<=":
            return value < operand.end
        case ">":
            return value >= operand.end
        case ">=":
            return value >= operand.start
        case _:
            raise AssertionError(operator)
