"""The schema of one property: its type, its keywords, and what the store makes of it.

Checked by kind in code rather than by a schema of schemas, so that each mistake has its own message.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast, get_args

from ..nearby import only, question
from ..texts import shown
from ..values import fits_kind
from .meant import DATE_WORDS, INSTEAD, guessed_type, meant_schema, meant_type
from .model import KIND_WORDS, Death, Kind, Property
from .names import NAME
from .report import Report
from .shapes import (
    ANNOTATIONS,
    GENERAL,
    OF_TEXT,
    OF_TYPE,
    SCHEMA_KEYWORDS,
    TYPES,
    check_format,
    check_keyword,
    check_pairs,
)
from .source import pointer_to

DEATHS: tuple[Death, ...] = get_args(Death)
STORE_KEYWORDS = frozenset({"ref", "death", "index", "was"})
KEYWORDS = SCHEMA_KEYWORDS | STORE_KEYWORDS


def read_property(
    report: Report,
    path: tuple[str, str],
    schema: object,
    pointer: str,
    components: Collection[str],
    siblings: Collection[str],
) -> Property | None:
    """The property `path` that a schema declares, or None once its problems are reported.

    `components` are the names that a `ref` may have, `siblings` the properties of the same component.
    """
    component, name = path
    called = f"{component}.{name}"
    if not isinstance(schema, Mapping):
        kind = meant_schema(schema)
        report.add(
            pointer,
            "vocab-property",
            f"{called} is a JSON Schema, an object with a `type`, not {shown(schema)}",
            f"write {kind}",
            fix=kind if isinstance(schema, str) else None,
        )
        return None
    unknown = [keyword for keyword in schema if keyword not in KEYWORDS]
    if unknown:
        _unknown(report, called, schema, unknown, pointer)
        return None
    before = report.errors
    read = _type(report, called, schema, pointer)
    if read is None:
        return None
    type_name, nullable = read
    _keywords(report, called, schema, type_name, pointer)
    kind = _kind(report, called, schema, type_name, pointer, components)
    death = _death(report, called, schema, pointer)
    index = _index(report, called, schema, kind, pointer)
    was = read_was(report, called, schema, name, siblings, pointer)
    if report.errors > before:
        return None
    ref = schema.get("ref")
    found = Property(component, name, kind, nullable, schema, ref, death, index, was)
    return found if _members(report, found, pointer) else None


def read_was(
    report: Report, called: str, entry: Mapping[str, Any], name: str, siblings: Collection[str], pointer: str
) -> str | None:
    """The old name under `was`, or None when there is none or its problem is reported."""
    was = entry.get("was")
    here = pointer_to(pointer, "was")
    if "was" not in entry:
        return None
    if not isinstance(was, str) or NAME.fullmatch(was) is None:
        report.add(
            here,
            "vocab-was",
            f"{called}: `was` is the old name, not {shown(was)}",
            'for example "was": "old_name"',
        )
    elif was == name:
        report.add(
            here,
            "vocab-was",
            f"{called}: `was` names the name that it has now",
            "take it out, or name the old one",
        )
    elif was in siblings:
        report.add(
            here,
            "vocab-was",
            f"{called}: `was` names `{was}`, which this file declares as well",
            f"a renamed one is declared once: take the entry `{was}` out",
        )
    else:
        return was
    return None


def _unknown(report: Report, called: str, schema: Mapping[str, Any], unknown: list[str], pointer: str) -> None:
    first = unknown[0]
    declared = schema.get("type")
    own = KEYWORDS
    if isinstance(declared, str) and declared in TYPES:
        own = STORE_KEYWORDS | ANNOTATIONS | GENERAL | OF_TYPE[declared] | {"required"}
    # A close name that the schema already uses is not what the odd one was meant to be.
    close = report.near(first, own - schema.keys())
    if first in INSTEAD:
        hint, close = INSTEAD[first], ()
    elif close[:1] == ("required",) and declared != "object":
        hint, close = _required_hint(called), ()
    elif close:
        hint = f"did you mean `{close[0]}`?"
    else:
        hint = "remarks go into `description` or `$comment`; what JSON Schema does not know is not kept"
    listed = ", ".join(shown(keyword) for keyword in unknown[:5]) + (", …" if len(unknown) > 5 else "")
    what = "is no keyword" if len(unknown) == 1 else "are no keywords"
    report.add(
        pointer_to(pointer, first),
        "unknown-keyword",
        f"{called}: {listed} {what} of a property",
        hint,
        on_key=True,
        fix=only(close) if len(unknown) == 1 else None,
    )


def _type(report: Report, called: str, schema: Mapping[str, Any], pointer: str) -> tuple[str, bool] | None:
    """The type's name and whether null is a value too."""
    if "type" not in schema:
        report.add(
            pointer,
            "vocab-type-missing",
            f"{called} declares no type",
            f'add "type": {guessed_type(schema)}',
            on_key=True,
        )
        return None
    given = schema["type"]
    here = pointer_to(pointer, "type")
    if isinstance(given, str):
        if given in TYPES:
            return given, False
        if given.lower() in DATE_WORDS:
            report.add(
                here,
                "unknown-type",
                f'{called}: there is no type "{given}"',
                'an instant is {"type": "string", "format": "date-time"}',
            )
            return None
        meant = meant_type(given.lower())
        report.add(
            here,
            "unknown-type",
            f"{called}: there is no type {shown(given)}",
            f'did you mean "{meant}"?' if meant else f"the types are {', '.join(TYPES)}",
            fix=f'"{meant}"' if meant else None,
        )
        return None
    if isinstance(given, list) and len(given) == 2 and given.count("null") == 1:
        [other] = [name for name in given if name != "null"]
        if isinstance(other, str) and other in TYPES:
            return other, True
    report.add(
        here,
        "unknown-type",
        f'{called}: a type is one name, or one name and "null", not {shown_list(given)}',
        'for example "string" or ["string", "null"]',
    )
    return None


def shown_list(value: object) -> str:
    """A short list with its members, anything else as :func:`shown` has it."""
    if isinstance(value, list) and 0 < len(value) <= 4:
        return "[" + ", ".join(shown(member, 20) for member in value) + "]"
    return shown(value)


def _keywords(report: Report, called: str, schema: Mapping[str, Any], type_name: str, pointer: str) -> None:
    """Check the keywords of JSON Schema: whether the type has them, and what they hold."""
    own = ANNOTATIONS | GENERAL | OF_TYPE[type_name]
    for keyword, value in schema.items():
        here = pointer_to(pointer, keyword)
        if keyword in STORE_KEYWORDS or keyword in ("type", "format"):
            if keyword == "format" and type_name != "string":
                _misplaced(report, called, keyword, f"a property of type {type_name}", here)
        elif keyword not in own:
            _misplaced(report, called, keyword, f"a property of type {type_name}", here)
        elif keyword in OF_TEXT and schema.get("format") == "date-time":
            _misplaced(report, called, keyword, "an instant", here)
        else:
            check_keyword(report, called, keyword, value, here)
    check_pairs(report, called, schema, pointer)
    if "default" in schema:
        report.add(
            pointer_to(pointer, "default"),
            "vocab-default-unused",
            f"{called}: `default` fills nothing in here",
            "write the value when the row is made, or let a rule write it where it is missing",
            on_key=True,
            severity="warning",
        )


def _misplaced(report: Report, called: str, keyword: str, what: str, pointer: str) -> None:
    owners = " or ".join(owner for owner, keywords in OF_TYPE.items() if keyword in keywords)
    hint = f"it belongs to properties of type {owners}: change the type, or take it out"
    if keyword == "required":
        hint = _required_hint(called)
    report.add(
        pointer,
        "vocab-keyword-misplaced",
        f"{called}: `{keyword}` says nothing about {what}",
        hint,
        on_key=True,
    )


def _required_hint(called: str) -> str:
    return f'list the property in its component instead: "required": ["{called.partition(".")[2]}"]'


def _kind(
    report: Report,
    called: str,
    schema: Mapping[str, Any],
    type_name: str,
    pointer: str,
    components: Collection[str],
) -> Kind:
    given = None
    if "format" in schema and type_name == "string":
        given = check_format(report, called, schema["format"], pointer_to(pointer, "format"))
    if "ref" in schema:
        here, ref = pointer_to(pointer, "ref"), schema["ref"]
        if type_name != "string":
            report.add(
                here,
                "vocab-keyword-misplaced",
                f"{called}: a reference holds an eid, which is a string",
                'write "type": "string"',
                on_key=True,
            )
        elif given is not None:
            report.add(
                here,
                "vocab-keyword-misplaced",
                f"{called}: a reference is no {given}",
                "take `format` or `ref` out",
                on_key=True,
            )
        elif not isinstance(ref, str) or ref not in components:
            close = report.near(ref, [known for known in components if NAME.fullmatch(known)])
            report.add(
                here,
                "unknown-component",
                f"{called}: `ref` names no component: {shown(ref)}",
                question(close, '"{}"') or 'name a component of this file, or "entity" for any row',
                fix=only(close),
            )
        return "reference"
    return "instant" if given == "date-time" else cast(Kind, type_name)


def _death(report: Report, called: str, schema: Mapping[str, Any], pointer: str) -> Death:
    if "death" not in schema:
        return "keep"
    given, here = schema["death"], pointer_to(pointer, "death")
    if "ref" not in schema:
        report.add(
            here,
            "vocab-keyword-misplaced",
            f"{called}: `death` says nothing without a `ref`",
            'add "ref": "component", or take it out',
            on_key=True,
        )
    for death in DEATHS:
        if death == given:
            return death
    hint = question(report.near(given, DEATHS), '"{}"')
    report.add(
        here,
        "vocab-keyword",
        f"{called}: `death` is one of {', '.join(DEATHS)}, not {shown(given)}",
        hint or "cascade deletes the holder, detach clears the property, release removes the component",
    )
    return "keep"


def _index(report: Report, called: str, schema: Mapping[str, Any], kind: Kind, pointer: str) -> bool:
    given, here = schema.get("index", False), pointer_to(pointer, "index")
    if not isinstance(given, bool):
        report.add(
            here,
            "vocab-keyword",
            f"{called}: `index` is true or false, not {shown(given)}",
            "for example true",
        )
    elif given and kind in ("object", "array"):
        report.add(
            here,
            "vocab-keyword-misplaced",
            f"{called}: {KIND_WORDS[kind]} takes no index",
            "queries ask only whether it is there: take `index` out",
            on_key=True,
        )
    return given is True


def _members(report: Report, found: Property, pointer: str) -> bool:
    """Whether the type takes every value that `enum` and `const` name."""
    listed: list[tuple[str, Any]] = []
    if "const" in found.schema:
        listed.append((pointer_to(pointer, "const"), found.schema["const"]))
    for index, member in enumerate(found.schema.get("enum", ())):
        listed.append((pointer_to(pointer, "enum", index), member))
    good = True
    for here, member in listed:
        if member is None and found.nullable:
            continue
        complaint = fits_kind(found, member)
        if complaint is not None:
            good = False
            hint = (
                f'write "type": ["{found.schema["type"]}", "null"]'
                if member is None
                else "no write could ever match it"
            )
            report.add(here, "vocab-keyword", complaint, hint)
    return good
