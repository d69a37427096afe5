"""Values that make trouble, shared by rows and operands so that comparisons land on edges."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from wakeful_compiler.vocab.model import Kind

ZONES = ("UTC", "America/Detroit", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia")
NOWS = (
    datetime(2026, 9, 26, 12, tzinfo=UTC),
    datetime(2026, 3, 8, 7, 15, 30, tzinfo=UTC),
    datetime(2026, 11, 1, 6, 30, tzinfo=UTC),
    datetime(2028, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 12, 31, tzinfo=UTC),
    datetime(2026, 10, 3, 15, 29, 59, tzinfo=UTC),
    datetime(2026, 10, 4, 0, 45, tzinfo=UTC),
    datetime(2011, 12, 30, 9, 30, tzinfo=UTC),
    datetime(2011, 12, 30, 12, tzinfo=UTC),
)
STRINGS = (
    "", " ", "a", "A", "b", "thai", "Thai", "a,b", "a..b", "it's", '"', "\\", "%", "_", "*", "|", "10", "9",
    "1e1", "ß", "SS", "ss", "ſ", "s", "İ", "i\u0307", "I", "ı", "\ufb01", "fi", "é", "e\u0301", "Σ", "ς", "σ",
    "😀", "null", "now", "\n", "\ufffd", "\U0010ffff", "'; DROP TABLE entity; --",
)  # fmt: skip
NUMBERS = (
    0, -0.0, 1, -1, 0.1, 0.5, 1.5, 20, 20.0, 35, 35.5, 1e15, 2**53 - 1, 2**53, -(2**53), 1e16, 1e308, -1e308,
    5e-324,
)  # fmt: skip
INTEGERS = (0, 1, -1, 2, 20, 35, 36, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**31, -(2**31) - 1)
INSTANTS = (
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
)
STEPS = (
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(milliseconds=500),
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(hours=12),
    timedelta(days=1),
    timedelta(days=7),
    timedelta(days=31),
    timedelta(days=366),
)
NAMES = (
    "a", "b2", "plant", "player", "order", "limit", "select", "table", "group", "where", "null", "value",
    "rowid", "x_y", "in", "now", "index", "z" * 40,
)  # fmt: skip
EIDS = ("fern", "b1", "x-2", "É", "7", "a b", "it's", "F", "00", '"q"')


def spelled_instant(value: datetime) -> str:
    """RFC 3339 in UTC, a fraction only where there is one."""
    text = value.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def texts() -> st.SearchStrategy[str]:
    """Strings that a store takes: no NUL, no lone surrogate."""
    return st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)


def near(now: datetime) -> st.SearchStrategy[datetime]:
    """Instants off `now` by what queries step by, and a microsecond to either side of those."""
    return st.builds(
        lambda step, times, nudge: now + step * times + timedelta(microseconds=nudge),
        st.sampled_from(STEPS),
        st.integers(-3, 3),
        st.sampled_from((0, 0, 1, -1)),
    )


def instants(now: datetime) -> st.SearchStrategy[datetime]:
    """Instants near `now`, and the ends of time."""
    return near(now) | near(now) | st.sampled_from(INSTANTS)


def values(kind: Kind, now: datetime, eids: Sequence[str]) -> st.SearchStrategy[Any]:
    """JSON values that a property of this kind takes."""
    match kind:
        case "string":
            return st.sampled_from(STRINGS) | texts()
        case "number":
            small = st.integers(-(2**53), 2**53)
            return st.sampled_from(NUMBERS) | small | st.floats(allow_nan=False, allow_infinity=False)
        case "integer":
            return st.sampled_from(INTEGERS) | st.integers(-(2**63), 2**63 - 1) | st.sampled_from((5.0, -3.0))
        case "boolean":
            return st.booleans()
        case "instant":
            return instants(now).map(spelled_instant)
        case "reference":
            return st.sampled_from(list(eids))
        case "object":
            return st.dictionaries(st.sampled_from(("a", "b")), st.sampled_from((1, None, "x", [2.5])), max_size=2)
        case "array":
            return st.lists(st.sampled_from((1, None, "x", {"a": True})), max_size=2)
