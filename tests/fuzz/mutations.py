"""Good and broken inputs made worse: edits, splices, repeats, nesting, odd digits and blanks, halves of characters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from hypothesis import strategies as st

from fuzz.seeds import seeds, words

MOST = 24_000
"""Characters that a mutated text has at most; every limit of the language lies far below."""

_EDITS = (0, 1, 1, 1, 2, 2, 3, 5)
"""How many edits an input suffers: one is likeliest to reach what lies behind the first look."""

_SIGNS = tuple(".,&|()!?*+^-=<>~\"'\\:;#@%$/{}[] ")
_ODD = (
    "\u00a0", "\x1c", "\x85", "\u2028", "\u200b", "\ufeff", "\u3000", "٣", "９", "²", "Ⅷ", "\ud800", "\udfff", "\udce9",
    "\0", "\n", "\r", "\t", "\x7f", "İ", "ß", "é", "\u202e", "😀", "\U0010ffff",
)  # fmt: skip
_NUMBERS = (
    "9" * 400, "9" * 5_000, "-" + "9" * 30, "1e999", "1e-999", "-0", "0x10", "1_000", "٣٤", "１２", "00", "1.", ".5",
    "9223372036854775808", "9007199254740993", "99999999999999999999-days", "1" + "0" * 18, "NaN", "Infinity",
)  # fmt: skip
_BRACKETS = (("(", ")"), ("!(", ")"), ("[", "]"), ('{"a":', "}"), ('"', '"'), ("'", "'"), ("", ".b"), (".a=", ""))
_PATHS = ("", "+", "*", "^", "!", "?", ".", "+!", "*.", "..")


def _pick(draw: st.DrawFn, options: Sequence[Any]) -> Any:
    """One of the options.  Hypothesis makes a strategy for so many integers once, for so many texts each time."""
    return options[draw(st.integers(0, len(options) - 1))]


@cache
def _thrown() -> st.SearchStrategy[str]:
    return st.sampled_from(words()) | st.sampled_from(_SIGNS + _ODD)


@st.composite
def mutated(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """One of the texts after up to five edits, or words of all of them thrown together."""
    if draw(st.integers(0, 9)) == 0:
        return "".join(draw(st.lists(_thrown(), max_size=25)))
    text = _pick(draw, texts)
    for _ in range(_pick(draw, _EDITS)):
        text = _edited(draw, text, texts)[:MOST]
    return text


def _edited(draw: st.DrawFn, text: str, texts: Sequence[str]) -> str:
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.integers(0, 12)))
    before, middle, after = text[:start], text[start:end], text[end:]
    match draw(st.integers(0, 10)):
        case 0:
            return before + after
        case 1:
            return before + _pick(draw, _SIGNS) + text[start:]
        case 2:
            return before + _pick(draw, _ODD) + text[start:]
        case 3:
            return before + _pick(draw, words()) + after
        case 4:
            return before + _pick(draw, _NUMBERS) + after
        case 5:
            return before + middle * _pick(draw, (2, 3, 40, 3_000)) + after
        case 6:
            return before + _pick(draw, texts)[start:]
        case 7:
            opening, closing = _pick(draw, _BRACKETS)
            depth = _pick(draw, (1, 2, 9, 70, 2_500))
            return before + opening * depth + middle + closing * depth + after
        case 8:
            return before + middle.swapcase() + after
        case 9:
            data = bytearray(text, "utf-8", "surrogateescape" if _escapable(text) else "replace")
            if data:
                data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
            return data.decode("utf-8", "surrogateescape")
        case _:
            return _pick(draw, _PATHS) + text + _pick(draw, ("", " ", ",", "|", "\0"))


def _escapable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in text)


@st.composite
def documents(draw: st.DrawFn, given: Sequence[dict[str, Any]]) -> Any:
    """One of the JSON documents with some of its members replaced, renamed, taken away or filled from another."""
    document = json.loads(json.dumps(_pick(draw, given)))
    for _ in range(_pick(draw, _EDITS)):
        holders = [holder for holder in _holders(document) if holder]
        if not holders:
            break
        holder = _pick(draw, holders)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = _pick(draw, keys)
        match draw(st.integers(0, 4)):
            case 0:
                del holder[key]
            case 1:
                donors = [donor for donor in _holders(_pick(draw, given)) if donor]
                donor = _pick(draw, donors) if donors else {}
                holder[key] = json.loads(json.dumps(donor))
            case 2 if isinstance(holder, dict):
                holder[_pick(draw, words() + _ODD)] = holder[key]
            case 3 if isinstance(holder[key], str):
                holder[key] = draw(mutated((holder[key], *seeds().texts)))
            case _:
                holder[key] = draw(_LEAVES)
    return document


@st.composite
def document_texts(draw: st.DrawFn, given: Sequence[dict[str, Any]]) -> str:
    """The JSON text of such a document; sometimes the text is edited too."""
    indent = _pick(draw, (None, 2))
    text = json.dumps(draw(documents(given)), indent=indent, ensure_ascii=draw(st.booleans()))
    return draw(mutated((text,))) if draw(st.booleans()) else text


def _holders(value: Any) -> list[Any]:
    found, waiting = [], [value]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            found.append(holder)
            waiting += holder.values() if isinstance(holder, dict) else holder
    return found


_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from((2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, 5e-324)),
    st.floats(),
    st.sampled_from(("", "now", "in-3-days", "$a", "=.a.b", "1h", "0 9 * * *", "\0", "\ud800", "x" * 5_000)),
    st.text(max_size=8),
    st.just({}),
    st.just([]),
    st.integers(1, 200).map(lambda depth: json.loads("[" * depth + "]" * depth)),
)

_VALUES = st.one_of(
    _LEAVES,
    st.sampled_from(
        (
            b"bytes", 1j, object(), {1, 2}, (1, 2), datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC),
            datetime.max.replace(tzinfo=UTC), timedelta(1), {1: 2}, {None: 1}, float, 10**5_000, range(3),
        )
    ),
)  # fmt: skip


def rows(names: Sequence[str], properties: Sequence[str]) -> st.SearchStrategy[dict[Any, Any]]:
    """Bundles of components and properties of these names that hold whatever a program may hand over."""
    component = st.one_of(_VALUES, st.dictionaries(st.sampled_from(properties) | _VALUES_AS_KEYS, _VALUES, max_size=4))
    return st.dictionaries(st.sampled_from(names) | _VALUES_AS_KEYS, component, max_size=5)


_VALUES_AS_KEYS = st.sampled_from(("", "$was", "$absent", "entity", "tombstone", "\ud800", "é"))
