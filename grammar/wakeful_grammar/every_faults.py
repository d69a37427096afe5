"""Why a text is no `every` expression, when not even its form is one.

Here are the near misses: what people write who come from other schedulers, and what to write instead.
"""

from __future__ import annotations

import re

from .cron_items import BLANKS, shown, words
from .problems import Problem, Span, problem_at

NAMED = {
    "@hourly": ("0", "*", "*", "*", "*"),
    "@daily": ("0", "0", "*", "*", "*"),
    "@midnight": ("0", "0", "*", "*", "*"),
    "@weekly": ("0", "0", "*", "*", "0"),
    "@monthly": ("0", "0", "1", "*", "*"),
    "@yearly": ("0", "0", "1", "1", "*"),
    "@annually": ("0", "0", "1", "1", "*"),
}
"""The named schedules and the five fields that each stands for."""

FORMS = "an elapsed time (30s, 90m, 1h30m, 1d), five cron fields (`0 9 * * 1-5`) or a name (@daily)"

_UNITS = "the units are s, m, h, d and w: 30s, 90m, 2h, 3d, 1w"
_ORDER = "minute, hour, day of month, month, day of week"
_ZONE_ORDER = ", then a zone if it is not UTC"

_DURATION = re.compile(r"([0-9]+[smhdw])+")
_LIKE_A_FIELD = re.compile(
    r"[*?]|[0-9*?,/#LW-]+|((SUN|MON|TUE|WED|THU|FRI|SAT)[,#L/-]?)+[0-9]*", re.IGNORECASE | re.ASCII
)
_AMOUNT = re.compile(r"([0-9]+)[ \t]*([A-Za-z]+)\.?")
_BARE_NUMBER = re.compile(r"[0-9]+")
_FRACTION = re.compile(r"[0-9]*\.[0-9]+[ \t]*[A-Za-z]+")
_SIGNED = re.compile(r"[+-][0-9]+[A-Za-z]+")
_LOOSE_SUM = re.compile(r"[0-9]+[A-Za-z]+([ \t,]*[0-9]+[A-Za-z]+)+")
_ISO_DURATION = re.compile(r"P[0-9TYMWDHS.,]+", re.IGNORECASE | re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?.*", re.DOTALL)

_SPELLED_UNITS = {
    spelling: unit
    for unit, spellings in {
        "s": ("s", "sec", "secs", "second", "seconds"),
        "m": ("m", "min", "mins", "minute", "minutes"),
        "h": ("h", "hr", "hrs", "hour", "hours"),
        "d": ("d", "day", "days"),
        "w": ("w", "wk", "wks", "week", "weeks"),
    }.items()
    for spelling in spellings
}
_CALENDAR_UNITS = {
    **dict.fromkeys(("mo", "mos", "mon", "month", "months"), "@monthly"),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), "@yearly"),
}
_LONGEST_AMOUNT = 12
_ZONE_LIKE = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Za-z0-9_+-]+)+|UTC")
_ZONE_IN_FRONT = re.compile(
    rf"[ \t\n\r\f\v]*(?:(?P<sign>(?:CRON_)?TZ=)(?P<zone>[^ \t\n\r\f\v]*)|(?P<alone>{_ZONE_LIKE.pattern}))"
    r"(?=[ \t\n\r\f\v]|\Z)"
)


def misshapen(text: str) -> Problem:
    """Why a text is neither an elapsed time nor a name nor five fields."""
    spans = words(text)
    if not spans:
        return problem_at(text, Span(0, 0), "schedule-empty", "the schedule is empty", f"write {FORMS}")
    first = text[spans[0].start : spans[0].end]
    whole = Span(spans[0].start, spans[-1].end)
    if first.startswith("@"):
        if first not in NAMED:
            return no_such_name(text, first, spans[0])
        return problem_at(
            text, Span(spans[2].start, whole.end), "schedule-form", f"{first} takes a zone and nothing more",
            f"write {first}, or {first} America/Detroit",
        )  # fmt: skip
    zoned = len(spans) == 2 and not _DURATION.fullmatch(text[spans[1].start : spans[1].end])
    if zoned and _DURATION.fullmatch(first):
        return problem_at(
            text, spans[1], "schedule-zone", "an elapsed time takes no zone",
            f"write {shown(first)} alone, it is as long everywhere; a time of day is written in cron fields",
        )  # fmt: skip
    return _near_duration(text, whole) or miscounted(text)


def zone_in_front(text: str) -> Problem | None:
    """`TZ=Europe/Berlin 0 8 * * *`, `Europe/Berlin 0 8 * * *`: the zone stands where crontabs have it."""
    found = _ZONE_IN_FRONT.match(text)
    if found is None:
        return None
    place = "zone" if found["sign"] else "alone"
    zone, rest = found[place], text[found.end() :].strip(BLANKS)
    last = rest.rpartition(" ")[2]
    if not found["sign"] and not (rest.startswith("@") or looks_like_a_field(rest.split(" ")[0])):
        return None
    spelled = rest if _ZONE_LIKE.fullmatch(last) else f"{rest} {zone}"
    if _DURATION.fullmatch(rest):
        spelled = rest
        hint = f"write {shown(rest)} alone: an elapsed time is as long everywhere and takes no zone"
    else:
        hint = f"the zone goes last: {shown(spelled)}" if rest else "the zone goes last: `0 8 * * * Europe/Berlin`"
    fix = spelled if rest else None
    span = Span(found.start(place) - len(found["sign"] or ""), found.end())
    message = f"{shown(text[span.start : span.end])} stands where the first field belongs"
    return problem_at(
        text, Span(span.start, len(text.rstrip(BLANKS))) if fix else span, "schedule-zone", message, hint, fix=fix
    )


def no_such_name(text: str, word: str, span: Span) -> Problem:
    """The refusal of an `@` word that names no schedule."""
    lower = word.lower()
    message, fix = f"{shown(word)} names no schedule", None
    if lower in NAMED:
        message, fix = f"{shown(word)} is written in lower case", lower
        hint = f"write {lower}"
    elif lower == "@reboot":
        hint = "a store has no reboot: what it missed fires when it is back; write `at` for one moment"
    elif lower == "@every":
        hint = "write the elapsed time alone, such as 5m"
    else:
        from difflib import get_close_matches

        fix = next(iter(get_close_matches(lower[:20], NAMED, 1, 0.75)), None)
        hint = (f"did you mean {fix}? The" if fix else "the") + f" names are {', '.join(NAMED)}"
    return problem_at(text, span, "schedule-name", message, hint, fix=fix)


def _near_duration(text: str, whole: Span) -> Problem | None:
    """What was meant as an elapsed time, as a name, or as an instant."""
    body = text[whole.start : whole.end]

    def problem(message: str, hint: str, fix: str | None = None, kind: str = "duration") -> Problem:
        return problem_at(text, whole, f"schedule-{kind}", message, hint, fix=fix)

    if match := _AMOUNT.fullmatch(body):
        amount, unit = match[1], match[2].lower()
        if match[2] == "M":
            # Elsewhere `M` is a month as often as a minute: neither may be put in the other's place unasked.
            message = f"{shown(body)} may be minutes or months, and an elapsed time has no months"
            return problem(
                message,
                f"write {amount[:12]}m for minutes; for months write @monthly, or cron fields such as `0 9 1 * *`",
            )
        short = _SPELLED_UNITS.get(unit)
        if short and len(amount) < _LONGEST_AMOUNT:
            fix = f"{amount}{short}"
            return problem(f"{shown(body)} is not how an elapsed time is written", f"write {fix}", fix)
        if name := _CALENDAR_UNITS.get(unit):
            hint = f"write {name}, or cron fields such as `0 9 1 * *`; days and weeks are exact: 30d, 52w"
            return problem("months and years have no fixed length", hint)
        return problem(f"{shown(match[2])} is no unit of time", _UNITS)
    if _BARE_NUMBER.fullmatch(body):
        return problem("an elapsed time needs a unit", _UNITS)
    if _FRACTION.fullmatch(body):
        return problem("an elapsed time takes whole numbers", "write a smaller unit or a sum: 90m, 1h30m")
    if _SIGNED.fullmatch(body):
        return problem("an elapsed time has no sign", f"write {shown(body[1:])}")
    if _LOOSE_SUM.fullmatch(body) and "M" in body:
        return problem(
            f"{shown(body)} is no elapsed time: `M` may be minutes or months", f"write m for minutes: 1h30m; {_UNITS}"
        )
    if _LOOSE_SUM.fullmatch(body):
        return problem(f"{shown(body)} is no elapsed time", f"write a sum without blanks: 1h30m; {_UNITS}")
    if _ISO_DURATION.fullmatch(body):
        return problem(f"{shown(body)} is an ISO 8601 duration", f"write a sum such as 1h30m; {_UNITS}")
    if _DATE.fullmatch(body):
        return problem("an instant does not repeat", "write it as `at` and leave `every` out", kind="form")
    if (name := f"@{body.lower()}") in NAMED:
        return problem(f"{shown(body)} needs its `@`", f"write {name}", name, kind="name")
    return None


def looks_like_a_field(word: str) -> bool:
    """Whether a word is more like a cron field than like a zone."""
    return _LIKE_A_FIELD.fullmatch(word) is not None


def looks_like_a_duration(word: str) -> bool:
    """Whether a word has the form of an elapsed time."""
    return _DURATION.fullmatch(word) is not None


def miscounted(text: str, *, zoned: bool = True) -> Problem:
    """Why words that may be fields are not five of them, with at most a zone behind where there are zones."""
    spans = words(text)
    count = len(spans)
    whole = Span(spans[0].start, spans[-1].end)

    def word(number: int) -> str:
        return text[spans[number].start : spans[number].end]

    odd_blank = next((n for n, c in enumerate(text) if c.isspace() and c not in BLANKS), None)
    if odd_blank is not None and count < 5:
        return problem_at(
            text, Span(odd_blank, odd_blank + 1), "schedule-form", "a blank here is not an ASCII one",
            "part the fields with ordinary spaces", fix=" ",
        )  # fmt: skip
    if _DURATION.fullmatch(word(0)) and count >= 5:
        hint = "five cron fields begin with a minute such as 0, 30 or */5"
        return problem_at(text, spans[0], "schedule-form", f"{shown(word(0))} is no minute", hint)
    order = _ORDER + _ZONE_ORDER if zoned else _ORDER
    if count < 5:
        if zoned and not looks_like_a_field(word(0)):
            message = f"{shown(text[whole.start : whole.end])} is no schedule"
            return problem_at(text, whole, "schedule-form", message, f"write {FORMS}")
        missing = f"{count} field{'s' if count > 1 else ''}, where cron has five"
        return problem_at(text, whole, "schedule-fields", missing, order)
    rest = Span(spans[5].start, whole.end)
    if looks_like_a_field(word(5)):
        five = text[spans[1].start : spans[5].end]
        order = "seconds and years are not taken"
        order += f": write {shown(five)} if the first field was seconds" if len(five) <= 40 else ""
    elif zoned and count > 6:
        rest = Span(spans[6].start, whole.end)
        message = f"nothing follows the zone {shown(word(5))}"
        return problem_at(text, rest, "schedule-fields", message, order)
    elif not zoned and count == 6:
        hint = "leave the zone out and give the time in UTC; an `every` expression takes a zone"
        return problem_at(text, rest, "schedule-zone", "a cron trigger is in UTC and takes no zone", hint)
    message = f"{count} words, where cron has five fields{' and a zone' if zoned else ''}"
    return problem_at(text, rest, "schedule-fields", message, order)
