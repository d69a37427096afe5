"""Typed operands: a comparison as written becomes tests that the property's type can answer.

Every operand is checked here, before a row is read (the design's section 2, "Types decide"); one that the
type cannot take is a `type-operand` problem that names the type and shows a legal spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wakeful_grammar.nodes import Compare, Operator, Range, Scalar

from .numbers import (
    INTEGER_MAX,
    INTEGER_MIN,
    as_double,
    ceiling_within,
    floor_within,
    is_integral,
    read_number,
)
from .operand_errors import BadOperand, backwards, example, quoted
from .predicates import (
    NEVER,
    Comparison,
    Constant,
    Contains,
    HasValue,
    Member,
    Ordering,
    Predicate,
    PropertyComparison,
    all_of,
    any_of,
    negated,
)
from .vocab.model import KIND_WORDS, Property

if TYPE_CHECKING:
    from decimal import Decimal


def lower_comparison(prop: Property, node: Compare) -> Predicate:
    """The predicate of `.path op item,item` for literal items.  Raises :class:`BadOperand`."""
    operator = node.operator
    _check_operator(prop, operator, node)
    if operator == "~=":
        return any_of([Contains(prop, _scalar(item).text.casefold()) for item in node.items])
    for item in node.items:
        _refuse_null(prop, node, item)
    positive: Operator = "=" if operator == "!=" else operator
    tests = []
    for item in node.items:
        if isinstance(item, Range):
            tests.append(_range(prop, item))
        else:
            tests.append(_test(prop, positive, _scalar(item)))
    plan = any_of(_merge_members(prop, tests))
    return negated(plan) if operator == "!=" else plan


_NULLS = ("null", "none", "nil", "undefined")


def _refuse_null(prop: Property, node: Compare, item: object) -> None:
    """`=null`, which asks for the text `null` where it can be one, and never for what has no value."""
    if not isinstance(item, Scalar) or item.quoted or item.text.casefold() not in _NULLS:
        return
    textual = prop.kind in ("string", "reference")
    if textual and item.text.casefold() != "null":
        return
    path = node.path.text if prop.via else prop.path
    absent, there = f"`!{path}` asks where it has no value", f"`.{path}` where it has one"
    if node.operator == "!=":
        absent, there = f"`.{path}` asks where it has a value", f"`!{path}` where it has none"
    quote = f'; to mean the text, quote it: `.{path}{node.operator}"{item.text}"`' if textual else ""
    raise BadOperand(item.span, f"`{item.text}` is no value to compare with", f"{absent}, {there}{quote}")


def _scalar(item: object) -> Scalar:
    assert isinstance(item, Scalar), "property operands are lowered by the resolver"
    return item


def _check_operator(prop: Property, operator: Operator, node: Compare) -> None:
    span, kind = node.span, prop.kind
    if kind in ("object", "array"):
        raise BadOperand(
            span,
            f"`{prop.path}` is {KIND_WORDS[kind]}: only its presence can be asked",
            f"write `.{prop.path}` or `!{prop.path}`",
        )
    if operator == "~=" and kind != "string":
        raise BadOperand(
            span,
            f"`~=` looks inside texts; `{prop.path}` is {KIND_WORDS[kind]}",
            f"write for example `{example(prop)}`",
        )
    if operator in ("<", "<=", ">", ">=") and kind in ("boolean", "reference"):
        raise BadOperand(
            span,
            f"`{prop.path}` is {KIND_WORDS[kind]}, which has no order",
            f"write for example `{example(prop)}`",
        )


def _merge_members(prop: Property, tests: list[Predicate]) -> list[Predicate]:
    """Several plain equalities become one membership test: one look-up in memory, one IN in SQL."""
    values = [
        test.bound
        for test in tests
        if isinstance(test, Comparison) and test.operator == "=" and isinstance(test.bound, str | int | float | bool)
    ]
    if len(values) < 2:
        return tests
    rest = [
        test for test in tests if not (isinstance(test, Comparison) and test.operator == "=" and test.bound in values)
    ]
    return [Member(prop, tuple(dict.fromkeys(values))), *rest]


# --- one scalar ---------------------------------------------------------------------------------


def _test(prop: Property, operator: Operator, scalar: Scalar) -> Predicate:
    ordering = _ordering(operator)
    match prop.kind:
        case "string":
            if ordering != "=" and not scalar.quoted and read_number(scalar.text) is not None:
                raise BadOperand(
                    scalar.span,
                    f"`{prop.path}` is a string and `{scalar.text}` a number",
                    f'quote it to compare as text: `.{prop.path}{operator}"{scalar.text}"`',
                )
            return Comparison(prop, ordering, scalar.text)
        case "reference":
            return Comparison(prop, ordering, scalar.text)
        case "boolean":
            return Comparison(prop, "=", _boolean(prop, scalar))
        case "number":
            return Comparison(prop, ordering, _double(prop, scalar))
        case "integer":
            return _integer_test(prop, ordering, scalar)
        case "instant":
            from .time_tests import time_test

            return time_test(prop, ordering, scalar)
        case "object" | "array":
            raise AssertionError("refused before")


def _ordering(operator: Operator) -> Ordering:
    assert operator != "!=" and operator != "~="
    return operator


def _boolean(prop: Property, scalar: Scalar) -> bool:
    if scalar.text in ("true", "1"):
        return True
    if scalar.text in ("false", "0"):
        return False
    raise BadOperand(
        scalar.span,
        f"`{prop.path}` is a boolean; {quoted(scalar.text)} is not one",
        f"write `.{prop.path}=true` or `.{prop.path}=false`",
    )


def _number(prop: Property, scalar: Scalar) -> Decimal:
    number = read_number(scalar.text)
    if number is None:
        raise BadOperand(
            scalar.span,
            f"`{prop.path}` is {KIND_WORDS[prop.kind]}; {quoted(scalar.text)} is not a number",
            f"write for example `{example(prop)}`, with the digits 0-9",
        )
    return number


def _double(prop: Property, scalar: Scalar) -> float:
    value = as_double(_number(prop, scalar))
    if value is None:
        raise BadOperand(
            scalar.span,
            f"{quoted(scalar.text)} lies beyond every number that `{prop.path}` can hold",
            "numbers are doubles: up to about 1.8e308",
        )
    return value


def _integer_test(prop: Property, operator: Ordering, scalar: Scalar) -> Predicate:
    number = _number(prop, scalar)
    if operator == "=":
        if not is_integral(number):
            raise BadOperand(
                scalar.span,
                f"`{prop.path}` is an integer; {quoted(scalar.text)} has a fraction and never equals one",
                f"write for example `.{prop.path}={floor_within(number)}`",
            )
        value = floor_within(number)
        return Comparison(prop, "=", value) if INTEGER_MIN <= value <= INTEGER_MAX else NEVER
    return integer_bound(prop, operator, number)


def integer_bound(prop: Property, operator: Ordering, number: Decimal) -> Predicate:
    """An ordered comparison with any number, as a bound that an integer column can answer."""
    if operator in ("<", ">="):
        value = ceiling_within(number)  # n < 35.5 is n < 36; n >= 35.5 is n >= 36
        if value > INTEGER_MAX:
            return HasValue(prop) if operator == "<" else NEVER
        if value < INTEGER_MIN:
            return NEVER if operator == "<" else HasValue(prop)
    else:
        value = floor_within(number)  # n <= 35.5 is n <= 35; n > 35.5 is n > 35
        if value > INTEGER_MAX:
            return HasValue(prop) if operator == "<=" else NEVER
        if value < INTEGER_MIN:
            return NEVER if operator == "<=" else HasValue(prop)
    return Comparison(prop, operator, value)


# --- ranges -------------------------------------------------------------------------------------


def _range(prop: Property, item: Range) -> Predicate:
    low, high = item.low, item.high
    upper: Ordering = "<" if item.open_end else "<="
    match prop.kind:
        case "instant":
            from .time_tests import time_range

            return time_range(prop, item)
        case "string":
            _forwards(prop, item, low.text <= high.text)
            return all_of([_test(prop, ">=", low), _test(prop, upper, high)])
        case "number" | "integer":
            _forwards(prop, item, _number(prop, low) <= _number(prop, high))
            return all_of([_test(prop, ">=", low), _test(prop, upper, high)])
        case _:
            raise BadOperand(
                item.span,
                f"`{prop.path}` is {KIND_WORDS[prop.kind]}, which has no order and so no range",
                f"write for example `{example(prop)}`",
            )


def _forwards(prop: Property, item: Range, ordered: bool) -> None:
    if not ordered:
        raise backwards(prop, item)


# --- a property of the same row -------------------------------------------------------------------

_NUMERIC = ("number", "integer")
_TEXTUAL = ("string", "reference")


def lower_property_comparison(prop: Property, node: Compare, other: Property) -> Predicate:
    """`.a.b op .c.d`: both there and of types that compare.  Raises :class:`BadOperand`.

    Numbers and integers compare as numbers; a reference and a text, which may be an eid, by equality.
    """
    _check_operator(prop, node.operator, node)
    if node.operator == "~=":
        raise BadOperand(node.span, "`~=` takes a text, not a property", "quote it to look for the text itself")
    alike = any(prop.kind in kinds and other.kind in kinds for kinds in (_NUMERIC, _TEXTUAL))
    if prop.kind != other.kind and not alike:
        raise BadOperand(
            node.span,
            f"`{prop.path}` is {KIND_WORDS[prop.kind]} and `{other.path}` {KIND_WORDS[other.kind]}: they never compare",
            "compare properties of one type",
        )
    if node.operator not in ("=", "!=") and other.kind == "reference":
        raise BadOperand(
            node.span, f"`{other.path}` is {KIND_WORDS[other.kind]}, which has no order", "compare with `=` or `!=`"
        )
    test = PropertyComparison(prop, _ordering("=" if node.operator == "!=" else node.operator), other)
    return negated(test) if node.operator == "!=" else test


# --- one value (for what a rule writes) -----------------------------------------------------------


def constant_of(prop: Property, scalar: Scalar) -> Constant:
    """A literal typed by its property, for a written value.  Raises :class:`BadOperand`."""
    match prop.kind:
        case "string" | "reference":
            return scalar.text
        case "boolean":
            return _boolean(prop, scalar)
        case "integer":
            number = _number(prop, scalar)
            if not is_integral(number) or not INTEGER_MIN <= floor_within(number) <= INTEGER_MAX:
                raise BadOperand(scalar.span, f"`{prop.path}` is an integer; {quoted(scalar.text)} does not fit it")
            return floor_within(number)
        case "number":
            value = _double(prop, scalar)
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        case "instant" | "object" | "array":
            raise AssertionError("written by their own passes")
