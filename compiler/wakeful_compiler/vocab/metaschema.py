"""The JSON Schema of vocab.json itself, by which editors complete and check while one types.

It takes every vocabulary that the check takes, and tells the simple mistakes of form by itself.  Each kind of
entry is reached by `if` and `then`, so that an editor's message is about that kind and no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .entries import COMMAND_KEYWORDS, COMPONENT_KEYWORDS, DOES, RULE_KEYWORDS
from .limits import PROPERTIES_LIMIT
from .metaschema_keywords import described_keyword, text
from .names import BUILT_IN, RESERVED
from .schemas import DEATHS, STORE_KEYWORDS
from .shapes import ANNOTATIONS, FORMATS, GENERAL, OF_TYPE, SCHEMA_KEYWORDS, TYPES

Schema = dict[str, Any]

_NAME = "^[a-z][a-z0-9_]{0,39}$"
_DURATION = "^([0-9]+[smhdw])+$"


def metaschema() -> Schema:
    """The schema, JSON Schema 2020-12, as a value that may be changed."""
    from ..zones import zone_names

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:wakeful:vocab",
        "title": "vocab.json",
        "description": "A vocabulary of wakeful: the components, rules and commands of one app.",
        "type": "object",
        "required": ["$defs"],
        "properties": {
            "$schema": {"type": "string", "description": "The schema that an editor checks this file by."},
            "$id": {"type": "string", "description": "A URI that names this vocabulary, for people."},
            "title": text("A short name, for people."),
            "description": text("What this vocabulary is for."),
            "$comment": text("A remark for whoever edits this file."),
            "zone": {
                "description": "The time zone of the day edges of the whole store; UTC when it is left out.",
                "enum": sorted(zone_names()),
            },
            "$defs": {
                "description": "The entries by name: components, rules and commands.",
                "type": "object",
                "propertyNames": {"allOf": [{"$ref": "#/$defs/name"}, {"not": {"const": "tombstone"}}]},
                "additionalProperties": {"$ref": "#/$defs/entry"},
            },
        },
        "additionalProperties": False,
        "$defs": {
            "name": {
                "description": "Small letters, digits and _, a letter first; the built-in names are taken.",
                "type": "string",
                "pattern": _NAME,
                "not": {"enum": sorted({*BUILT_IN, *RESERVED})},
            },
            "entry": _entry(),
            "component": _component(),
            "rule": _rule(),
            "command": _command(),
            "property": _property("A property: a JSON Schema with a type.", with_store=True),
            "input": _property("An input: a JSON Schema with a type.", with_store=False),
            "schema": _schema_inside(),
            "duration": {
                "description": 'A length of time: seconds, or a duration such as "30s" or "1m30s"; at most a day.',
                "if": {"type": "string"},
                "then": {"pattern": _DURATION},
                "else": {"type": "number", "exclusiveMinimum": 0, "maximum": 86400},
            },
        },
    }


def _entry() -> Schema:
    def says(kind: str) -> Schema:
        return {"type": "object", "properties": {kind: {"const": True}}, "required": [kind]}

    return {
        "description": 'A component, or with "rule": true a rule, or with "tool": true a command.',
        "if": says("rule"),
        "then": {"$ref": "#/$defs/rule"},
        "else": {
            "if": says("tool"),
            "then": {"$ref": "#/$defs/command"},
            "else": {"$ref": "#/$defs/component"},
        },
    }


def _closed(description: str, properties: Mapping[str, Any], known: tuple[str, ...], **more: Any) -> Schema:
    """An object with these properties and no others; they are exactly the `known` keywords of the check."""
    assert set(properties) == set(known), set(properties) ^ set(known)
    return {
        "description": description,
        "type": "object",
        "properties": dict(properties),
        "additionalProperties": False,
        **more,
    }


def _component() -> Schema:
    properties = {
        "properties": {
            "description": "The properties by name, each a JSON Schema with a type.",
            "type": "object",
            "maxProperties": PROPERTIES_LIMIT,
            "propertyNames": {"$ref": "#/$defs/name"},
            "additionalProperties": {"$ref": "#/$defs/property"},
        },
        "required": _names("Properties that must have a value once the component is there."),
        "was": _old_name("The component's old name: it is renamed with its data."),
        "component": {"description": "True says what holds anyway.", "const": True},
        "type": {"description": "A component is an object; this says so.", "const": "object"},
        "additionalProperties": {"description": "A component takes what it declares and no more.", "const": False},
        **_annotations(),
    }
    return _closed("A component: a named bag of properties that an entity may carry.", properties, COMPONENT_KEYWORDS)


def _rule() -> Schema:
    properties = {
        "rule": {"description": "This entry is a rule.", "const": True},
        "match": {
            "description": "What must hold of a row and what is then written: `.plant, .fired, +!watered`.",
            "type": "string",
            "pattern": "[^ \\t\\n\\r\\f\\v,&]",
        },
        "before": _names("Rules that this one runs before."),
        "call": text("A command that the rule asks for each time that it acts."),
        "args": {
            "description": "The arguments of `call`: values, moments, and copies such as `=.entity.eid`.",
            "type": "object",
        },
        "refuse": text("Why a write that matches is refused."),
        **_annotations(),
    }
    return _closed(
        "A rule: when a row matches, what it says is written.",
        properties,
        RULE_KEYWORDS,
        required=["rule", "match"],
        dependentRequired={"args": ["call"]},
        dependentSchemas={"refuse": {"properties": {"call": False}}},
    )


def _command() -> Schema:
    apply, query, worker = ({"required": [does]} for does in DOES)
    bundle = {"type": "object", "description": "A bundle: components and what to write into them."}
    properties = {
        "tool": {"description": "This entry is a command.", "const": True},
        "input": {
            "description": "The inputs by name, each a JSON Schema with a type; `$x` in a template stands for x.",
            "type": "object",
            "maxProperties": PROPERTIES_LIMIT,
            "propertyNames": {"$ref": "#/$defs/name"},
            "additionalProperties": {"$ref": "#/$defs/input"},
        },
        "required": _names("Inputs that a call must give."),
        "apply": {
            "description": "What the command writes: a bundle or a list of bundles, with `$x` for the input x.",
            "if": {"type": "array"},
            "then": {"minItems": 1, "items": bundle},
            "else": bundle,
        },
        "query": {"description": "What the command reads: `.plant.window=$window`.", "type": "string", "minLength": 1},
        "worker": {
            "description": "The route that a call is sent to: letters, digits, _ - and /, beginning with /.",
            "type": "string",
            "pattern": "^/([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]*$",
            "maxLength": 500,
        },
        "retry": {
            "description": "How often a worker is tried before its call has failed.",
            "type": "object",
            "required": ["attempts"],
            "properties": {
                "attempts": {
                    "description": "Tries in all, the first included.",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                },
                "base": _duration("The first wait; each further one is twice as long."),
                "cap": _duration("The longest wait."),
            },
            "additionalProperties": False,
        },
        "timeout": _duration("How long one try of a worker may take."),
        "overlap": {
            "description": "What a call does while one of the same source runs: wait for it, or be left out.",
            "enum": ["queue", "skip"],
        },
        "keep": {
            "description": "How long calls and results are kept; for good when it is left out.",
            "type": "object",
            "required": ["days"],
            "properties": {
                "days": {"description": "Days.", "type": "integer", "minimum": 1, "maximum": 36500},
            },
            "additionalProperties": False,
        },
        **_annotations(),
        "description": {"description": "What it does, for whoever may call it.", "type": "string", "minLength": 1},
    }
    return _closed(
        "A command: something that can be called; it does one thing, `apply`, `query` or `worker`.",
        properties,
        COMMAND_KEYWORDS,
        **{
            "required": ["tool", "description"],
            "if": apply,
            "then": {"properties": {"query": False, "worker": False}},
            "else": {"if": query, "then": {"properties": {"worker": False}}, "else": worker},
        },
    )


# --- properties -----------------------------------------------------------------------------------


def _property(description: str, *, with_store: bool) -> Schema:
    properties: Schema = {keyword: described_keyword(keyword) for keyword in sorted(SCHEMA_KEYWORDS - {"type"})}
    store: Schema = {
        "ref": {"description": "The component that the target has, or `entity` for any row.", "type": "string"},
        "death": {
            "description": "When the target is deleted: cascade deletes the holder, detach clears the property, "
            "release removes the component, keep leaves it.",
            "enum": list(DEATHS),
        },
        "index": {"description": "True asks for an index.", "type": "boolean"},
        "was": _old_name("The property's old name: it is renamed with its data."),
    }
    kept = set(STORE_KEYWORDS) if with_store else {"ref"}
    properties |= {keyword: store[keyword] for keyword in sorted(kept)}
    properties["format"] = {
        "description": "date-time: an RFC 3339 instant with a zone; uri: an absolute URI.",
        "enum": list(FORMATS),
    }
    properties["type"] = {
        "description": 'The type, or the type and "null".',
        "if": {"type": "array"},
        "then": {
            "minItems": 2, "maxItems": 2, "uniqueItems": True,
            "items": {"enum": [*TYPES, "null"]}, "contains": {"const": "null"},
        },
        "else": {"enum": list(TYPES)},
    }  # fmt: skip
    return {
        "description": description,
        "type": "object",
        "required": ["type"],
        "properties": properties,
        "additionalProperties": False,
        "allOf": [
            *(_only_of_type(name, kept) for name in TYPES),
            {"if": {"required": ["death"]}, "then": {"required": ["ref"]}},
        ],
    }


def _only_of_type(name: str, kept: set[str]) -> Schema:
    """A type has its own keywords and those of every type."""
    own = {*ANNOTATIONS, *GENERAL, *OF_TYPE[name], *kept}
    if name != "string":
        own -= {"ref", "death"}
    if name in ("object", "array"):
        own -= {"index"}
    is_one = {"properties": {"type": {"anyOf": [{"const": name}, {"type": "array", "contains": {"const": name}}]}}}
    return {"if": {"required": ["type"], **is_one}, "then": {"propertyNames": {"enum": sorted(own)}}}


def _schema_inside() -> Schema:
    """A schema inside a property's: JSON Schema alone, without references."""
    properties: Schema = {keyword: described_keyword(keyword) for keyword in sorted(SCHEMA_KEYWORDS)}
    types = [*TYPES, "null"]
    properties["type"] = {
        "description": "A type, or a list of them.",
        "if": {"type": "array"},
        "then": {"minItems": 1, "items": {"enum": types}},
        "else": {"enum": types},
    }
    properties["format"] = {"description": "date-time or uri.", "enum": list(FORMATS)}
    return {
        "description": "A JSON Schema for a part of a value; it stands for itself and refers to nothing.",
        "type": ["object", "boolean"],
        "properties": properties,
        "additionalProperties": False,
    }


# --- what several have ----------------------------------------------------------------------------


def _annotations() -> Schema:
    return {
        "title": text("A short name, for people."),
        "description": text("What it is for."),
        "$comment": text("A remark for whoever edits this file."),
    }


def _names(description: str) -> Schema:
    return {"description": description, "type": "array", "items": {"type": "string", "pattern": _NAME}}


def _old_name(description: str) -> Schema:
    return {"description": description, "type": "string", "pattern": _NAME}


def _duration(description: str) -> Schema:
    return {"description": description, "$ref": "#/$defs/duration"}
