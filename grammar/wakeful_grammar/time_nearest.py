"""What somebody may have meant by a text that is no time: the nearest reading that is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches

from .nodes import NOWHERE
from .time_reading import NotATime, days_in_month, read_time

_LONGEST = 40
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_MOMENT_WORDS = ("now", "ago", "in", "from", "today", "yesterday", "tomorrow", "noon", "midnight")
_UNIT_WORDS = ("second", "minute", "hour", "day", "week", "month", "year")
_WORDS = (*_MOMENT_WORDS, "this", "last", "next", *_UNIT_WORDS, *(f"{unit}s" for unit in _UNIT_WORDS))
_SYNONYMS = {
    "a": "1",
    "an": "1",
    "one": "1",
    "before": "ago",
    "back": "ago",
    "earlier": "ago",
    "after": "from-now",
    "later": "from-now",
    "hence": "from-now",
    "past": "last",
    "previous": "last",
    "current": "this",
    "following": "next",
    "coming": "next",
    "yr": "year",
    "yrs": "years",
    "wk": "week",
    "wks": "weeks",
    "tonight": "today",
    "sec.": "sec",
    "min.": "min",
}

_REPAIRS = (
    (re.compile(r"(this|last|next)-([a-z]+)s"), r"\1-\2"),
    (re.compile(r"(?:last|past|previous)-([0-9]+)-?([a-z]+)"), r"\1-\2-ago"),
    (re.compile(r"(?:next|coming)-([0-9]+)-?([a-z]+)"), r"in-\1-\2"),
    (re.compile(r"-([0-9]+)([a-z])"), r"\1\2-ago"),
    (re.compile(r"\+-?([0-9]+)([a-z])"), r"in-\1\2"),
    (re.compile(r"-([0-9]+)-?([a-z]+)"), r"\1-\2-ago"),
    (re.compile(r"\+-?([0-9]+)-?([a-z]+)"), r"in-\1-\2"),
    (re.compile(r"in([0-9]+)-?([a-z]+)"), r"in-\1-\2"),
    (re.compile(r"([0-9]+)-?([a-z]+?)-?ago"), r"\1-\2-ago"),
    (re.compile(r"([0-9]+)([a-z])"), r"\1\2-ago"),
    (re.compile(r"([0-9]+)-?([a-z]+)"), r"\1-\2-ago"),
    (re.compile(r"today-1-?d(?:ays?)?"), "yesterday"),
    (re.compile(r"today-?\+-?1-?d(?:ays?)?"), "tomorrow"),
    (re.compile(r"(?:now|today)-([0-9]+)([a-z])"), r"\1\2-ago"),
    (re.compile(r"(?:now|today)-?\+-?([0-9]+)([a-z])"), r"in-\1\2"),
    (re.compile(r"(?:now|today)-([0-9]+)-?([a-z]+)"), r"\1-\2-ago"),
    (re.compile(r"(?:now|today)-?\+-?([0-9]+)-?([a-z]+)"), r"in-\1-\2"),
    (re.compile(r"([0-9]{1,2}(?::[0-9]{2})?)-?([ap])\.?m?\.?"), r"\1\2m"),
    (re.compile(r"([0-9]{1,2}:[0-9]{2}):[0-9]{2}(?:\.[0-9]+)?"), r"\1"),
    (re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})"), r"\1-\2-\3"),
)
_DATE = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:[-t]?(.+))?")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(:[0-9]{2})?(\.[0-9]{1,6})?[0-9]*-?(z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})?")
_CLOCK = re.compile(r"(?:at-)?([0-9]{1,2})(?::([0-9]{2}))?-?([ap])m?")
_UNIX = re.compile(r"[0-9]{9,10}|[0-9]{13}")


def nearest_reading(text: str) -> str | None:
    """A readable time near to `text`, spelled so that it needs no quotes; None where nothing is near."""
    if not text.isascii() or not 0 < len(text) <= _LONGEST:
        return None
    joined = re.sub(r"[-_ \t\n\r\f\v]+", "-", text.strip(" \t\n\r\f\v").lower())
    for candidate in _candidates(joined):
        try:
            read_time(candidate, NOWHERE)
        except NotATime:
            continue
        return candidate
    return None


def ahead_too(text: str) -> str | None:
    """`in-5m` for `5m`, which may have been meant backwards or forwards; None for any other text."""
    found = re.fullmatch(r"([0-9]{1,12})([a-z]+)", text.lower())
    if found is None:
        return None
    joint = "" if len(found[2]) == 1 else "-"
    return f"in-{found[1]}{joint}{found[2]}" if nearest_reading(text) else None


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield text.strip("-")
    if _UNIX.fullmatch(text):
        seconds = int(text[:10])
        yield (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield from _dates(text)
    spelled = _spelled(text)
    for form in (text, spelled):
        yield form
        for pattern, replacement in _REPAIRS:
            if pattern.fullmatch(form):
                yield pattern.sub(replacement, form)
                yield _spelled(pattern.sub(replacement, form))


def _dates(text: str) -> Iterator[str]:
    found = _DATE.fullmatch(text)
    if found is None:
        return
    year, month = int(found[1]), min(max(int(found[2]), 1), 12)
    day = min(max(int(found[3]), 1), days_in_month(max(year, 1), month))
    date = f"{max(year, 1):04}-{month:02}-{day:02}"
    rest = found[4] or ""
    clock, time = _CLOCK.fullmatch(rest), _TIME.fullmatch(rest)
    if clock:
        hour = int(clock[1]) % 12 + (12 if clock[3] == "p" else 0)
        yield f"{date}T{hour:02}:{clock[2] or '00'}"
    if time:
        zone = (time[5] or "").upper()
        zone = "Z" if zone in ("Z", "UTC", "GMT") else zone
        if len(zone) == 5:
            zone = f"{zone[:3]}:{zone[3:]}"
        second = ":59" if time[3] == ":60" else time[3] or ""
        yield f"{date}T{int(time[1]):02}:{time[2]}{second}{time[4] or ''}{zone}"
    yield date


def _spelled(text: str) -> str:
    """The text with each word replaced by the nearest one that the language has."""
    words = []
    for word in text.split("-"):
        known = _SYNONYMS.get(word, word)
        if known == word and word.isalpha() and word not in _WORDS:
            known = next(iter(get_close_matches(word, _WORDS, 1, 0.7)), word)
        words.append(known)
    return "-".join(words)
