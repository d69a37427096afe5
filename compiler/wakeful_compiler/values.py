"""What a property takes: one value at a time, checked at the write and brought to its canonical form.

Strict: nothing is cast in silence, and what the three evaluators would treat differently is refused (the
design's section 6).  Everything that can be decided once for a property is decided in :func:`admit`; what it
returns is a closure that costs a few hundred nanoseconds a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from wakeful_grammar.problems import WakefulError

from .instants import EXAMPLE, BadInstant, format_instant, parse_instant
from .json_values import EXACT, INTEGER_LEAST, INTEGER_MOST, BadPart, canonical_json, spelled_path
from .keywords import compile_tests
from .texts import PATTERN_TEXT_LIMIT, bad_text, is_uri, shown
from .vocab.model import KIND_WORDS, Property

Admit = Callable[[object], object]

_INSTANT_LONGEST = 64
# Days up to the 28th exist in every month; for the others of this shape the calendar is asked.
_CANONICAL = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]|(29|3[01]))"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{0,5}[1-9])?Z"
)


class BadValue(WakefulError):
    """A value that its property does not take; the message names the property and says why."""


def admit(property: Property) -> Admit:
    """The check of one property, compiled: it returns the canonical value or raises :class:`BadValue`.

    `None` is not a value: a write that names it clears the property, which is the caller's business.
    """
    take = admit_kind(property)
    tests = compile_tests(property, take)
    if not tests:
        return take
    path = property.path
    if len(tests) == 1:
        [only] = tests

        def take_and_test(value: object) -> object:
            taken = take(value)
            complaint = only(taken)
            if complaint is not None:
                raise BadValue(f"{path} {complaint}")
            return taken

        return take_and_test

    def take_and_test_all(value: object) -> object:
        taken = take(value)
        for test in tests:
            complaint = test(taken)
            if complaint is not None:
                raise BadValue(f"{path} {complaint}")
        return taken

    return take_and_test_all


def admit_kind(property: Property) -> Admit:
    """The check of the property's type and format alone, without its other keywords."""
    path = property.path
    match property.kind:
        case "string":
            if property.schema.get("format") == "uri":
                return _uri(path)
            return _text(path, "a string", "pattern" in property.schema)
        case "reference":
            return _text(path, KIND_WORDS["reference"], "pattern" in property.schema)
        case "instant":
            return _instant(path)
        case "integer":
            return _integer(path)
        case "number":
            return _number(path)
        case "boolean":
            return _boolean(path)
        case "object":
            return _json(path, dict, "an object")
        case "array":
            return _json(path, list, "an array")


def _text(path: str, word: str, has_pattern: bool) -> Admit:
    def text(value: object) -> object:
        if type(value) is not str:
            if not isinstance(value, str):
                raise BadValue(f"{path} is {word}: {shown(value)} is not{_mend(word, value)}")
            value = str.__str__(value)
        if has_pattern and len(value) > PATTERN_TEXT_LIMIT:
            raise BadValue(f"{path} has {len(value):,} characters; under a pattern the limit is {PATTERN_TEXT_LIMIT:,}")
        complaint = bad_text(value)
        if complaint is not None:
            raise BadValue(f"{path} {complaint}")
        return value

    return text


def _mend(word: str, value: object) -> str:
    if word == "a string" and isinstance(value, (int, float)):
        return f' (as text it is "{shown(value)}")'
    if isinstance(value, datetime):
        return " (datetimes go into date-time properties)"
    return ""


def _uri(path: str) -> Admit:
    text = _text(path, "an absolute URI", False)

    def uri(value: object) -> object:
        taken = text(value)
        if not isinstance(taken, str) or not is_uri(taken):
            raise BadValue(f"{path} is an absolute URI, like https://example.org/a%20page: {shown(value)} is not")
        return taken

    return uri


def _instant(path: str) -> Admit:
    def instant(value: object) -> object:
        try:
            if isinstance(value, str):
                canonical = _CANONICAL.fullmatch(value)
                if canonical is not None and (canonical.group(1) is None or _exists(value)):
                    return str.__str__(value)
                if len(value) > _INSTANT_LONGEST:
                    raise BadInstant(f"is an RFC 3339 instant with a zone, like {EXAMPLE}")
                return format_instant(parse_instant(value))
            if isinstance(value, datetime):
                return format_instant(value)
        except BadInstant as bad:
            given = f" (given: {shown(value)})" if isinstance(value, str) else ""
            raise BadValue(f"{path} {bad}{given}") from None
        raise BadValue(f"{path} is {KIND_WORDS['instant']}, like {EXAMPLE}: {shown(value)} is not")

    return instant


def _exists(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _integer(path: str) -> Admit:
    def integer(value: object) -> object:
        if type(value) is int:
            taken = value
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadValue(f"{path} is an integer: {shown(value)} is not")
        elif isinstance(value, float) and not value.is_integer():
            why = "has a fraction" if value - value == 0 else "is not finite"
            raise BadValue(f"{path} is an integer: {shown(value)} {why}")
        else:
            taken = int(value)
        if INTEGER_LEAST <= taken <= INTEGER_MOST:
            return taken
        raise BadValue(f"{path} lies between -2^63 and 2^63 - 1: {shown(value)} does not")

    return integer


def _number(path: str) -> Admit:
    def number(value: object) -> object:
        if type(value) is int and -EXACT < value < EXACT:
            return value
        if type(value) is float:
            taken = value
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadValue(f"{path} is a number: {shown(value)} is not")
        elif isinstance(value, float):
            taken = float(value)
        elif -EXACT < value < EXACT:
            return int(value)
        elif not INTEGER_LEAST <= value <= INTEGER_MOST:
            raise BadValue(
                f"{path} takes integers between -2^63 and 2^63 - 1: {shown(value)} is none (write it as 1e20)"
            )
        else:
            taken = float(value)
            if int(taken) != value:
                raise BadValue(
                    f"{path} is a number kept as a double, which cannot hold {value} exactly: "
                    f"the nearest is {int(taken)}; an integer property holds it"
                )
        if taken - taken != 0:
            raise BadValue(f"{path} is a finite number: {taken!r} is not")
        if -EXACT < taken < EXACT and taken.is_integer():
            return int(taken)
        return taken

    return number


def _boolean(path: str) -> Admit:
    def boolean(value: object) -> object:
        if value is True or value is False:
            return value
        raise BadValue(f"{path} is a boolean, true or false: {shown(value)} is not")

    return boolean


def _json(path: str, holder: type, word: str) -> Admit:
    def structure(value: object) -> object:
        if not isinstance(value, holder):
            raise BadValue(f"{path} is {word}: {shown(value)} is not")
        try:
            return canonical_json(value)
        except BadPart as bad:
            raise BadValue(f"{path}{spelled_path(bad.path)} {bad.message}") from None

    return structure


def fits_kind(property: Property, value: object) -> str | None:
    """Why the property's type does not take `value`, or None: what `enum` and `const` may list."""
    try:
        admit_kind(property)(value)
    except BadValue as bad:
        return str(bad)
    return None
