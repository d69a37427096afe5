"""Which regular expressions a `pattern` may be, and that those taken end soon."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.vocab.patterns import _first, _least, check_pattern
from wakeful_compiler.vocab.regex import BEYOND, UnreadPattern, parse_regex
from wakeful_grammar.problems import Span
from yardstick import yard

TAKEN = [
    "",
    "a",
    "^$",
    r"^[^@]+@[^@]+\.[^@]+$",
    r"^[\w.-]+@[\w-]+\.[\w.-]+$",
    r"^.+@.+$",
    r".*foo",
    r"a*b",
    r"^[0-9]+(\.[0-9]+)?$",
    r"^#[0-9a-fA-F]{6}$",
    r"^(?:red|rose|green)$",
    r"^\+?[0-9]{7,15}$",
    r"^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$",
    r"^(?=.*[A-Z])(?=.*\d).{8,}$",
    r"^(?:ab|ac)*$",
    r"^(?:[0-9]{3}-)*$",
    r"^(?i:abc)+$",
    r"(?i)^abc$",
    r"^(?P<x>a)(?P=x)$",
    r"(a)\1",
    r"^a{2,}$",
    r"a{,}b",
    r"{}",
    r"\u00e9+x",
    r"^[]a]$",
    r"^[^]a]$",
    r"\Aabc\Z",
    r"\bword\b",
    r"^[a-z]+[0-9]*$",
    r"^\d{4}-\d{2}-\d{2}$",
    r"(?#note)a",
]
NESTED = [
    r"^(a+)+$",
    r"(a*)*",
    r"((a+)b)*",
    r"^[a-z0-9]+(-[a-z0-9]+)*$",
    r"^(\d{1,3}\.){3}\d{1,3}$",
    r"(?:a?b){2,}",
]
EMPTY = [r"(^)*", r"(?:a|)*", r"(\b)+", r"(a)(?:\1)*"]
SLOW = [
    r"(a|a)*b",
    r"^(a|a)*$",
    r"^(?:a|ab|b)*$",
    r".+@.+",
    r"^.+@.+\..+$",
    r"^(\w|\d)*!$",
    r"a*a*b",
    r"^.*.*.*$x",
]
WRONG = [
    r"(",
    r")",
    r"[a",
    r"a**",
    r"\p{L}",
    r"*a",
    r"(?<n>a)",
    r"a{2,1}",
    r"[b-a]",
    r"\N{NO SUCH NAME}",
    "\\",
]
ODD = [r"[[a]", r"[a--b]", r"[a&&b]", r"(a)?(?(1)b|c)", r"(?m)^a", r"(?x)a b", r"a(?i)b", r"\N{BULLET}"]


@pytest.mark.parametrize("pattern", TAKEN)
def test_plain_patterns_are_taken(pattern: str) -> None:
    assert check_pattern(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        *((pattern, "repeats what itself repeats") for pattern in NESTED),
        *((pattern, "may match nothing") for pattern in EMPTY),
        *((pattern, "may take very long") for pattern in SLOW),
        *((pattern, "is no regular expression") for pattern in WRONG),
        *((pattern, "") for pattern in ODD),
        ("a" * 1001, "1,001 characters; the limit is 1,000"),
        ("(" * 60 + ")" * 60, "60 opening brackets; the limit is 50"),
        ("a{99999999999}", "more often than can be counted"),
    ],
)
def test_other_patterns_are_refused_with_a_reason(pattern: str, words: str) -> None:
    bad = check_pattern(pattern)
    assert bad is not None
    assert words in bad.message
    assert bad.hint
    assert bad.code in ("vocab-pattern", "limit-pattern")
    assert 0 <= bad.span.start <= bad.span.end <= len(pattern)


def test_the_part_to_blame_is_shown() -> None:
    bad = check_pattern("^x(a+)+$")
    assert bad is not None
    assert bad.span == Span(2, 7)
    bad = check_pattern("abc[")
    assert bad is not None
    assert bad.span == Span(3, 4)


@pytest.mark.parametrize("pattern", TAKEN)
@pytest.mark.parametrize("seed", ["a", "@", "f", "a.", "1-", "ab", "aB1"])
def test_a_taken_pattern_ends_soon(pattern: str, seed: str) -> None:
    text = (seed * 10_000)[:9_998] + "\n\n"
    before = time.process_time()
    re.compile(pattern, re.ASCII).search(text)
    assert time.process_time() - before < 400 * yard()


ATOMS = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        r"\d",
        r"\w",
        r"\S",
        "^",
        "$",
        r"\b",
        "é",
        "[a-d]",
        "(?i:A)",
        r"\n",
        r"\x41",
        "[]x]",
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda body: f"({body})"),
        inner.map(lambda body: f"(?={body})"),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abAx1 \né", max_size=6))
def test_what_a_pattern_may_begin_with_is_never_too_little(pattern: str, text: str) -> None:
    found = re.compile(pattern, re.ASCII).match(text)
    if found is None:
        return
    tree = parse_regex(pattern)
    begins, nullable = _first(tree)
    assert _least(tree) <= len(found.group())
    assert nullable or found.group()
    if found.group():
        code = ord(found.group()[0])
        assert begins & (1 << code if code < 128 else BEYOND)


@given(PATTERNS, st.text("ab1", min_size=1, max_size=3), st.sampled_from(["", "!", "\n\n"]))
def test_no_small_pattern_that_is_taken_runs_away(pattern: str, seed: str, end: str) -> None:
    if check_pattern(pattern) is None:
        text = seed * (600 // len(seed)) + end
        before = time.process_time()
        re.compile(pattern, re.ASCII).search(text)
        assert time.process_time() - before < 200 * yard()


@given(st.text("ab(){}[]^$|?*+.\\-,:=!<>P#dw12é", max_size=20))
def test_any_text_is_taken_or_refused(pattern: str) -> None:
    bad = check_pattern(pattern)
    assert bad is None or bad.message
    if bad is None:
        try:
            parse_regex(pattern)
        except UnreadPattern:
            pytest.fail("a pattern that was taken could not be read again")
