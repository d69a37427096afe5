"""The JSON Schema keywords of a property beyond its type, compiled to tests.

A test takes a value that already has the property's type, in canonical form, and returns what is wrong with
it, or None.  The common keywords are closures here; those that look inside objects and lists, and those that
combine schemas, go through `jsonschema`, which is loaded when the first value asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from .instants import BadInstant, parse_instant
from .texts import PATTERN_TEXT_LIMIT, is_uri, shown
from .vocab.model import Property

Test = Callable[[Any], str | None]

COMPOSED = frozenset(
    {
        "items", "prefixItems", "contains", "minContains", "maxContains", "properties", "patternProperties",
        "additionalProperties", "propertyNames", "minProperties", "maxProperties", "required",
        "dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
    }
)  # fmt: skip
"""Keywords that `jsonschema` judges."""


def compile_tests(property: Property, take: Callable[[object], object]) -> tuple[Test, ...]:
    """The tests of one property, in the order in which a person would check them; `take` admits its type."""
    schema = property.schema
    tests: list[Test] = []
    if "const" in schema:
        tests.append(_one_of(property, take, [schema["const"]], "is always"))
    if "enum" in schema:
        tests.append(_one_of(property, take, list(schema["enum"]), "is one of"))
    for keyword, build in _BUILDERS.items():
        if keyword in schema:
            test = build(schema[keyword])
            if test is not None:
                tests.append(test)
    composed = {keyword: value for keyword, value in schema.items() if keyword in COMPOSED}
    if composed:
        tests.append(_composed(composed))
    return tuple(tests)


def same_json(value: Any) -> Any:
    """A hashable key under which two JSON values are equal as JSON Schema has it: 1 is 1.0, true is not 1."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, tuple([same_json(member) for member in value]))
    if isinstance(value, dict):
        return (dict, frozenset([(key, same_json(member)) for key, member in value.items()]))
    return value


def _one_of(property: Property, take: Callable[[object], object], listed: list[Any], word: str) -> Test:
    # Members are canonical like the values they are compared with; null is no value and never gets here.
    keys = frozenset(same_json(take(member)) for member in listed if member is not None)
    shown_members = ", ".join(shown(member) for member in listed[:10]) + (", …" if len(listed) > 10 else "")

    def one_of(value: Any) -> str | None:
        return None if same_json(value) in keys else f"{word} {shown_members}: {shown(value)} is not"

    def one_of_scalars(value: Any) -> str | None:
        return None if value in keys else f"{word} {shown_members}: {shown(value)} is not"

    return one_of if property.kind in ("boolean", "object", "array") else one_of_scalars


def _minimum(bound: Any) -> Test:
    return lambda value: None if value >= bound else f"is at least {shown(bound)}: {shown(value)} is below"


def _maximum(bound: Any) -> Test:
    return lambda value: None if value <= bound else f"is at most {shown(bound)}: {shown(value)} is above"


def _exclusive_minimum(bound: Any) -> Test:
    return lambda value: None if value > bound else f"is above {shown(bound)}: {shown(value)} is not"


def _exclusive_maximum(bound: Any) -> Test:
    return lambda value: None if value < bound else f"is below {shown(bound)}: {shown(value)} is not"


def _multiple_of(step: Any) -> Test:
    from fractions import Fraction

    # In decimal, as people write: 19.99 is a multiple of 0.01 although no double is.
    exact = Fraction(repr(step))
    whole = exact.numerator if exact.denominator == 1 else 0

    def multiple_of(value: Any) -> str | None:
        if whole and isinstance(value, int):
            even = value % whole == 0
        else:
            even = (Fraction(repr(value)) / exact).denominator == 1
        return None if even else f"is a multiple of {shown(step)}: {shown(value)} is not"

    return multiple_of


def _min_length(bound: Any) -> Test:
    return lambda value: (
        None if len(value) >= bound else f"has at least {_count(bound, 'character')}: {shown(value)} has {len(value)}"
    )


def _max_length(bound: Any) -> Test:
    return lambda value: (
        None if len(value) <= bound else f"has at most {_count(bound, 'character')}: {shown(value)} has {len(value)}"
    )


def _pattern(pattern: Any) -> Test:
    search = compile_pattern(pattern).search
    return lambda value: None if search(value) else f"fits the pattern {pattern}: {shown(value)} does not"


def _min_items(bound: Any) -> Test:
    return lambda value: (
        None if len(value) >= bound else f"has at least {_count(bound, 'item')}: this one has {len(value)}"
    )


def _max_items(bound: Any) -> Test:
    return lambda value: (
        None if len(value) <= bound else f"has at most {_count(bound, 'item')}: this one has {len(value)}"
    )


def _unique_items(wanted: Any) -> Test | None:
    def unique_items(value: Any) -> str | None:
        seen: set[Any] = set()
        for index, member in enumerate(value):
            key = same_json(member)
            if key in seen:
                return f"has no item twice: {shown(member)} stands again at [{index}]"
            seen.add(key)
        return None

    return unique_items if wanted else None


def _count(number: Any, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


_BUILDERS: Mapping[str, Callable[[Any], Test | None]] = {
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "exclusiveMaximum": _exclusive_maximum,
    "multipleOf": _multiple_of,
    "minLength": _min_length,
    "maxLength": _max_length,
    "pattern": _pattern,
    "minItems": _min_items,
    "maxItems": _max_items,
    "uniqueItems": _unique_items,
}


@lru_cache(maxsize=1000)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern as the store takes it: Python's `re` with ASCII classes."""
    return re.compile(pattern, re.ASCII)


def _composed(schema: Mapping[str, Any]) -> Test:
    validator: Any = None

    def composed(value: Any) -> str | None:
        nonlocal validator
        if validator is None:
            validator = _validator_class()(schema, format_checker=_format_checker())
        from jsonschema.exceptions import best_match

        error = best_match(validator.iter_errors(value))
        if error is None:
            return None
        where = "".join(f"[{part}]" if isinstance(part, int) else f" .{part}" for part in error.absolute_path)
        message = error.message if len(error.message) <= 200 else error.message[:200] + "…"
        return f"does not fit its schema{' at' + where if where else ''}: {message}"

    return composed


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    """`jsonschema`'s validator of 2020-12, with patterns and multiples as the compiled keywords have them."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str):
            if len(instance) > PATTERN_TEXT_LIMIT:
                yield ValidationError(f"{len(instance):,} characters; under a pattern the limit is 10,000")
            elif not compile_pattern(wanted).search(instance):
                yield ValidationError(f"{shown(instance)} does not fit the pattern {wanted}")

    def pattern_properties(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, dict):
            for spelled, below in wanted.items():
                for key, member in instance.items():
                    if _key_fits(spelled, key):
                        yield from validator.descend(member, below, path=key, schema_path=spelled)

    def additional(validator: Any, below: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, dict):
            patterns = schema.get("patternProperties", {})
            for key in instance.keys() - schema.get("properties", {}).keys():
                if not any(_key_fits(spelled, key) for spelled in patterns):
                    if below is False:
                        yield ValidationError(f"the key {shown(key)} is not in its schema")
                    else:
                        yield from validator.descend(instance[key], below, path=key)

    def multiple_of(validator: Any, step: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, (int, float)) and not isinstance(instance, bool):
            complaint = _multiple_of(step)(instance)
            if complaint is not None:
                yield ValidationError(complaint)

    extend: Any = validators.extend
    return extend(
        Draft202012Validator,
        {
            "pattern": pattern,
            "patternProperties": pattern_properties,
            "additionalProperties": additional,
            "multipleOf": multiple_of,
        },
    )


def _key_fits(pattern: str, key: str) -> bool:
    return len(key) <= PATTERN_TEXT_LIMIT and compile_pattern(pattern).search(key) is not None


@lru_cache(maxsize=1)
def _format_checker() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())

    @checker.checks("date-time", raises=BadInstant)
    def is_instant(value: object) -> bool:
        return not isinstance(value, str) or parse_instant(value) is not None

    @checker.checks("uri")
    def is_absolute_uri(value: object) -> bool:
        return not isinstance(value, str) or is_uri(value)

    return checker
