"""What each JSON Schema keyword may hold, for the schema of a property and for the schemas inside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nearby import only
from ..texts import bad_text, shown
from .report import Report
from .source import pointer_to

TYPES = ("string", "number", "integer", "boolean", "object", "array")
FORMATS = ("date-time", "uri")

ANNOTATIONS = frozenset({"title", "description", "$comment", "examples", "default", "deprecated"})
GENERAL = frozenset({"type", "enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
OF_TEXT = frozenset({"minLength", "maxLength", "pattern"})
_OF_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
OF_TYPE: Mapping[str, frozenset[str]] = {
    "string": OF_TEXT | {"format"},
    "number": _OF_NUMBERS,
    "integer": _OF_NUMBERS,
    "boolean": frozenset(),
    "array": frozenset(
        {
            "items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems",
            "uniqueItems",
        }
    ),
    "object": frozenset(
        {
            "properties", "patternProperties", "additionalProperties", "propertyNames", "minProperties",
            "maxProperties", "required", "dependentRequired", "dependentSchemas",
        }
    ),
}  # fmt: skip
SCHEMA_KEYWORDS = ANNOTATIONS | GENERAL | frozenset().union(*OF_TYPE.values())

_SHAPES = {
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "step": ("multipleOf",),
    "count": (
        "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties",
        "maxProperties",
    ),
    "boolean": ("uniqueItems", "deprecated"),
    "text": ("title", "description", "$comment"),
    "pattern": ("pattern",),
    "schema": ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"),
    "schemas": ("prefixItems", "allOf", "anyOf", "oneOf"),
    "named schemas": ("properties", "patternProperties", "dependentSchemas"),
    "names": ("required",),
    "named names": ("dependentRequired",),
    "values": ("enum",),
}  # fmt: skip
_SHAPE_OF = {keyword: shape for shape, keywords in _SHAPES.items() for keyword in keywords}
_PAIRS = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"),
    ("minContains", "maxContains"), ("minProperties", "maxProperties"),
)  # fmt: skip
_WORDS = {
    "number": ("a number", "for example 5 or 0.5"),
    "step": ("a number above 0", "for example 0.01"),
    "count": ("a whole number, 0 or more", "for example 1"),
    "boolean": ("true or false", "write it without quotes"),
    "text": ("text", 'for example "what it is for"'),
    "pattern": ("a regular expression as text", 'for example "^[a-z]+$"'),
    "schema": ("an object, true or false", 'for example {"type": "string"}'),
    "schemas": ("a list of JSON Schemas, at least one", 'for example [{"type": "string"}]'),
    "named schemas": ("an object of JSON Schemas", 'for example {"title": {"type": "string"}}'),
    "names": ("a list of names", 'for example ["title"]'),
    "named names": ("an object of lists of names", 'for example {"street": ["city"]}'),
    "values": ("a list of values, at least one", 'for example ["open", "paid"]'),
}


def shape_of(keyword: str) -> str | None:
    """The form that a keyword's value has, or None where it may have any, or a form of its own."""
    return _SHAPE_OF.get(keyword)


def check_keyword(report: Report, path: str, keyword: str, value: Any, pointer: str) -> None:
    """Report what is wrong with the value of one keyword; `pointer` is that value's."""
    shape = _SHAPE_OF.get(keyword)
    if shape is None:
        return
    if not _fits(shape, value):
        word, hint = _WORDS[shape]
        report.add(pointer, "vocab-keyword", f"{path}: `{keyword}` is {word}, not {shown(value)}", hint)
        return
    match shape:
        case "text":
            complaint = bad_text(value)
            if complaint is not None:
                reason, _, mend = complaint.partition(": ")
                report.add(pointer, "vocab-keyword", f"{path}: `{keyword}` {reason}", mend or "shorten it")
        case "pattern":
            _pattern(report, path, value, pointer, on_key=False)
        case "schema":
            check_schema(report, path, value, pointer)
        case "schemas":
            for index, below in enumerate(value):
                check_schema(report, path, below, pointer_to(pointer, index))
        case "named schemas":
            for name, below in value.items():
                here = pointer_to(pointer, name)
                if keyword == "patternProperties":
                    _pattern(report, path, name, here, on_key=True)
                check_schema(report, path, below, here)


def check_schema(report: Report, path: str, schema: Any, pointer: str) -> None:
    """Report what is wrong with a schema inside a property's: its keywords are JSON Schema's alone."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        word, hint = _WORDS["schema"]
        report.add(pointer, "vocab-keyword", f"{path}: a schema is {word}, not {shown(schema)}", hint)
        return
    for keyword, value in schema.items():
        here = pointer_to(pointer, keyword)
        if keyword not in SCHEMA_KEYWORDS:
            close = report.near(keyword, SCHEMA_KEYWORDS)
            hint = "a schema here stands for itself: write out what it would refer to"
            if keyword != "$ref":
                hint = f"did you mean `{close[0]}`?" if close else "take it out"
            report.add(
                here,
                "unknown-keyword",
                f"{path}: {shown(keyword)} is no keyword of a schema inside a property",
                hint,
                on_key=True,
                fix=only(close),
            )
        elif keyword == "type":
            _type(report, path, value, here)
        elif keyword == "format":
            check_format(report, path, value, here)
        else:
            check_keyword(report, path, keyword, value, here)
    check_pairs(report, path, schema, pointer)


def check_pairs(report: Report, path: str, schema: Mapping[str, Any], pointer: str) -> None:
    """Report bounds between which nothing lies."""
    for low, high in _PAIRS:
        least, most = schema.get(low), schema.get(high)
        if least is None or most is None or not (_fits("number", least) and _fits("number", most)):
            continue
        if least > most:
            report.add(
                pointer_to(pointer, high),
                "vocab-keyword",
                f"{path}: no value has both `{low}` {shown(least)} and `{high}` {shown(most)}",
                "swap them?",
            )


def check_format(report: Report, path: str, value: Any, pointer: str) -> str | None:
    """The format, when it is one that the store keeps; otherwise None, and the problem is reported."""
    if value in FORMATS and isinstance(value, str):
        return value
    fix = None
    if isinstance(value, str):
        dates = ("date", "time", "datetime", "timestamp", "timestamptz", "instant")
        fix = "date-time" if value.lower() in dates else "uri" if value.lower() in ("url", "iri") else None
        fix = fix or next(iter(report.near(value, FORMATS)), None)
    report.add(
        pointer,
        "unknown-format",
        f"{path}: there is no format {shown(value)}",
        f'did you mean "{fix}"?' if fix else 'the formats are "date-time" and "uri"; for others write a `pattern`',
        fix=f'"{fix}"' if fix else None,
    )
    return None


def _type(report: Report, path: str, value: Any, pointer: str) -> None:
    types = value if isinstance(value, list) else [value]
    if not types or not all(isinstance(name, str) and name in (*TYPES, "null") for name in types):
        report.add(
            pointer,
            "unknown-type",
            f"{path}: there is no type {shown(value)}",
            f"the types are {', '.join(TYPES)} and null",
        )


def _pattern(report: Report, path: str, pattern: str, pointer: str, *, on_key: bool) -> None:
    from .patterns import check_pattern

    bad = check_pattern(pattern)
    if bad is not None:
        report.add(
            pointer,
            bad.code,
            f"{path}: the pattern {bad.message}",
            bad.hint,
            inside=None if on_key else bad.span,
            on_key=on_key,
        )


def _fits(shape: str, value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    match shape:
        case "number":
            return number
        case "step":
            return number and value > 0
        case "count":
            return number and value >= 0 and value == int(value)
        case "boolean":
            return isinstance(value, bool)
        case "text" | "pattern":
            return isinstance(value, str)
        case "schema":
            return isinstance(value, (bool, Mapping))
        case "schemas" | "values":
            return isinstance(value, list) and bool(value)
        case "named schemas":
            return isinstance(value, Mapping)
        case "names":
            return _are_names(value)
        case _:
            return isinstance(value, Mapping) and all(_are_names(names) for names in value.values())


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
