"""What may be written as a value: members of an enumeration, truth, times, cadences, properties of the row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wakeful_grammar.printer import quoted

from .values import fits_kind
from .vocab.model import KIND_WORDS, Component, Property

Offer = tuple[str, str, str]
"""A candidate's text, kind and detail."""

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:+-]*")
_COUNT = re.compile(r"(in[-_ ])?([0-9]{1,6})")
_UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_WORDS = {
    "now": "this very moment",
    "today": "from midnight to midnight",
    "yesterday": "the day before today",
    "tomorrow": "the day after today",
    "noon": "today from 12:00 to 12:01",
    "midnight": "today from 00:00 to 00:01",
    "9am": "today from 9:00 to 10:00",
    "14:00": "today from 14:00 to 14:01",
}
CADENCES = {
    "30s": "every thirty seconds", "5m": "every five minutes", "1h": "every hour", "1h30m": "every ninety minutes",
    "1d": "every 24 hours", "1w": "every seven days",
    "@hourly": "at the full hour", "@daily": "at midnight", "@midnight": "at midnight",
    "@weekly": "on Sunday at midnight", "@monthly": "on the first at midnight",
    "@yearly": "on the first of January at midnight", "@annually": "on the first of January at midnight",
    "0 9 * * *": "at 9:00 every day", "0 9 * * MON-FRI": "at 9:00 on working days",
    "*/15 * * * *": "every quarter of an hour", "0 0 1 * *": "on the first of each month",
}  # fmt: skip


def value_offers(
    prop: Property, operator: str, sign: str, typed: str, components: Mapping[str, Component]
) -> Iterator[Offer]:
    """Every value worth offering for a property, of a comparison or (`sign` is + or *) of a mark."""
    writes = sign in ("+", "*")
    if prop.kind in ("object", "array"):
        if sign == "*":
            yield "null", "keyword", "clears the property"
        return
    if operator != "~=":
        yield from _typed(prop, typed, writes)
    if sign == "*":
        yield "null", "keyword", "clears the property"
    if typed.startswith("."):
        yield from _properties(prop, components)


def _typed(prop: Property, typed: str, writes: bool) -> Iterator[Offer]:
    if "const" in prop.schema and isinstance(prop.schema["const"], str):
        yield spelled(prop.schema["const"]), "member", f"the only value of {prop.path}"
    for member in prop.schema.get("enum", ()):
        if member is not None and fits_kind(prop, member) is None:
            yield spelled(_text(member)), "member", f"a value of {prop.path}"
    match prop.kind:
        case "boolean":
            yield "true", "boolean", ""
            yield "false", "boolean", ""
        case "instant":
            yield from times(typed, moments_only=writes)
        case _ if prop.path == "wake.every":
            yield from ((spelled(text), "every", detail) for text, detail in CADENCES.items())


def _text(member: object) -> str:
    if isinstance(member, bool):
        return "true" if member else "false"
    return member if isinstance(member, str) else repr(member)


def spelled(text: str) -> str:
    """The text as one value of a query, quoted where it must be."""
    return text if _PLAIN.fullmatch(text) and text != "null" else quoted(text)


def times(typed: str, *, moments_only: bool) -> Iterator[Offer]:
    """Time phrases; a number that is being typed is the count of those that have one."""
    if moments_only:
        yield "now", "time", _WORDS["now"]
    else:
        yield from ((word, "time", detail) for word, detail in _WORDS.items())
        for which in ("this", "last", "next"):
            yield from ((f"{which}-{unit}", "time", f"{which} {unit}, from edge to edge") for unit in _UNITS)
    found = _COUNT.match(typed.lower())
    for count in (int(found[2]),) if found else (1, 5):
        for unit in _UNITS:
            amount = f"{count}-{unit}{'' if count == 1 else 's'}"
            yield f"{amount}-ago", "time", "counted back from now"
            yield f"in-{amount}", "time", "counted ahead from now"
            yield f"{amount}-from-now", "time", "counted ahead from now"


def _properties(prop: Property, components: Mapping[str, Component]) -> Iterator[Offer]:
    numeric = ("number", "integer")
    for component in components.values():
        for other in component.properties.values():
            same = other.kind == prop.kind or (other.kind in numeric and prop.kind in numeric)
            if same and other.path != prop.path:
                yield f".{other.path}", "property", f"{KIND_WORDS[other.kind]} of the same row"
