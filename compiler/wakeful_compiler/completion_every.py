"""What may be typed next in an `every` expression."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wakeful_grammar.problems import LanguageError, Span

from .completion_values import Offer

_WORD = re.compile(r"[^ \t\n\r\f\v]*")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "MON-FRI", "SAT,SUN")
_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("minute", ("0", "30", "*/5", "*/15", "*")),
    ("hour", ("9", "*/2", "9-17", "*")),
    ("day of month", ("1", "15", "*")),
    ("month", (*_MONTHS, "*")),
    ("day of week", (*_DAYS, "*")),
)


def every_offers(text: str, caret: int, cadences: Mapping[str, str]) -> Iterator[tuple[Span, Offer]]:
    """Each offer with the stretch that it replaces; the text up to its end is, or begins, an expression."""
    before = text[:caret]
    words = re.split(r"[ \t\n\r\f\v]+", before.lstrip(" \t\n\r\f\v"))
    typed = words[-1]
    start = caret - len(typed)
    rest = _WORD.match(text, caret)
    span = Span(start, rest.end() if rest else caret)
    place = len(words) - 1
    if place == 0:
        whole = {**_durations(typed), **cadences}
        for form, detail in whole.items():
            if form.startswith(typed) and form != typed:
                yield span, (form, "every", detail)
        return
    if place == 5 or (place == 1 and words[0].startswith("@")):
        from .zones import zone_names

        if _reads(before[:start] + "UTC"):
            for name in sorted(zone_names()):
                if name.lower().startswith(typed.lower()):
                    yield span, (name, "zone", "")
        return
    if place < 5:
        field, values = _FIELDS[place]
        if _reads(before[:start] + " ".join("*" * (5 - place))):
            yield from ((span, (value, "every", field)) for value in values if value.startswith(typed.upper()))


def _durations(typed: str) -> dict[str, str]:
    found = re.fullmatch(r"((?:[0-9]+[smhdw])*)([0-9]{1,6})", typed, re.ASCII)
    if found is None:
        return {}
    return {f"{typed}{unit}": words for unit, words in _UNITS.items() if _reads(f"{typed}{unit}")}


def _reads(text: str) -> bool:
    from .schedules import every

    try:
        every(text)
    except LanguageError:
        return False
    return True
