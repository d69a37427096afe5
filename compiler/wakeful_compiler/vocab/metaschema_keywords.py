"""What each keyword of JSON Schema may hold and means, for the schema of vocab.json."""

from __future__ import annotations

from typing import Any

from .shapes import shape_of

Schema = dict[str, Any]

_INSIDE: Schema = {"$ref": "#/$defs/schema"}
_SHAPES: dict[str, Schema] = {
    "number": {"type": "number"},
    "step": {"type": "number", "exclusiveMinimum": 0},
    "count": {"type": "integer", "minimum": 0},
    "boolean": {"type": "boolean"},
    "text": {"type": "string"},
    "pattern": {"type": "string"},
    "schema": _INSIDE,
    "schemas": {"type": "array", "minItems": 1, "items": _INSIDE},
    "named schemas": {"type": "object", "additionalProperties": _INSIDE},
    "names": {"type": "array", "items": {"type": "string"}},
    "named names": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    "values": {"type": "array", "minItems": 1},
}
_MEANINGS = {
    "title": "A short name, for people.",
    "description": "What it is for.",
    "$comment": "A remark for whoever edits this file.",
    "examples": "Values it may have, for people.",
    "default": "Fills nothing in here: write the value, or let a rule write it.",
    "deprecated": "True says that it should no longer be used.",
    "enum": "The values it may have.",
    "const": "The one value it may have.",
    "allOf": "All of these hold.",
    "anyOf": "At least one of these holds.",
    "oneOf": "Exactly one of these holds.",
    "not": "This does not hold.",
    "if": "Where this holds, `then` must, elsewhere `else`.",
    "then": "Must hold where `if` does.",
    "else": "Must hold where `if` does not.",
    "minLength": "The fewest characters.",
    "maxLength": "The most characters.",
    "pattern": "A regular expression that the text must have somewhere; `^` and `$` bind it to the ends.",
    "format": "date-time or uri.",
    "minimum": "The least value.",
    "maximum": "The greatest value.",
    "exclusiveMinimum": "Every value is above this.",
    "exclusiveMaximum": "Every value is below this.",
    "multipleOf": "Every value is a multiple of this.",
    "items": "What every member is, those of `prefixItems` apart.",
    "prefixItems": "What the first members are, one by one.",
    "contains": "Some member is so.",
    "minContains": "How many members at least are as `contains` says.",
    "maxContains": "How many members at most are as `contains` says.",
    "minItems": "The fewest members.",
    "maxItems": "The most members.",
    "uniqueItems": "True: no two members are equal.",
    "properties": "What the members of these names are.",
    "patternProperties": "What the members are whose names match these patterns.",
    "additionalProperties": "What all other members are; false: there are none.",
    "propertyNames": "What the names of all members are like.",
    "minProperties": "The fewest members.",
    "maxProperties": "The most members.",
    "required": "Members that must be there.",
    "dependentRequired": "Members that must be there when another one is.",
    "dependentSchemas": "What holds when a member is there.",
    "type": "A type.",
}


def described_keyword(keyword: str) -> Schema:
    """The schema of a keyword's value, with what the keyword means."""
    shape = shape_of(keyword)
    return {"description": _MEANINGS[keyword], **(_SHAPES[shape] if shape is not None else {})}


def text(description: str) -> Schema:
    """Text for people."""
    return {"description": description, "type": "string"}
