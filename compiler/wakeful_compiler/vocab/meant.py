"""What a schema of another language was meant to be: SQL's types, OpenAPI's keywords, bare words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nearby import nearest
from .shapes import OF_TYPE, TYPES

_MEANT_TYPES = {
    "str": "string", "text": "string", "varchar": "string", "char": "string", "uuid": "string",
    "enum": "string",
    "int": "integer", "bigint": "integer", "long": "integer", "serial": "integer",
    "float": "number", "double": "number", "decimal": "number", "real": "number", "numeric": "number",
    "bool": "boolean", "dict": "object", "map": "object", "json": "object", "list": "array", "tuple": "array",
}  # fmt: skip
DATE_WORDS = ("date", "time", "date-time", "datetime", "timestamp", "timestamptz", "instant")
INSTEAD = {
    "$ref": 'a reference is {"type": "string", "ref": "component"}',
    "nullable": 'write "type": ["string", "null"]',
    "optional": 'a property is optional unless its component\'s "required" lists it',
    "references": 'write "ref": "component"',
    "unique": "the store keeps no such promise: a rule can mark the rows that break it",
    "primaryKey": "every row has an `eid` already",
    "onDelete": 'write "death": "cascade", "detach", "release" or "keep"',
}


def meant_schema(schema: object) -> str:
    """The schema, as JSON, that a value in its place was meant to be."""
    if isinstance(schema, str):
        word = schema.lower()
        if word in DATE_WORDS:
            return '{"type": "string", "format": "date-time"}'
        if word in ("uri", "url"):
            return '{"type": "string", "format": "uri"}'
        return '{"type": "%s"}' % (meant_type(word) or "string")
    return '{"type": "string"}'


def meant_type(word: str) -> str | None:
    """The type that a word (in small letters) means elsewhere, or is a slip of."""
    if word in TYPES:
        return word
    return _MEANT_TYPES.get(word) or nearest(word, TYPES)


def guessed_type(schema: Mapping[str, Any]) -> str:
    """The type, as JSON, that a schema without one seems to have."""
    if "ref" in schema or "format" in schema:
        return '"string"'
    for type_name in ("string", "number", "array", "object"):
        if OF_TYPE[type_name] & schema.keys():
            return f'"{type_name}"'
    return '"string" (or number, integer, boolean, object, array)'
