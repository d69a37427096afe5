"""Reading the text of a vocab.json: what is taken, what is said of the rest, and where everything stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.errors import VocabError
from wakeful_compiler.vocab.limits import DEPTH_LIMIT, SIZE_LIMIT
from wakeful_compiler.vocab.scan import scan
from wakeful_compiler.vocab.source import Source, pointer_to, read_bytes, read_text
from wakeful_grammar.problems import Problem, Span

KEYS = st.text(max_size=5) | st.sampled_from(["a", "b", "a/b", "~", "", 'q"', "\\", "é", "😀", "\n"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
WRITTEN = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only),
    VALUES,
    st.sampled_from([None, 0, 2, "\t"]),
    st.booleans(),
)
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "'",
        '"a"',
        '"b"',
        "\\",
        "\\u00e9",
        "\\ud83d",
        "\\x",
        "1",
        "0",
        "-",
        ".5",
        "1e5",
        "01",
        "true",
        "false",
        "null",
        "nul",
        "NaN",
        "-Infinity",
        " ",
        "\n",
        "\t",
        "\x00",
        "//",
        "#",
        "é",
        "a",
        "\u00a0",
        "٣",
        "+",
    ]
)


def places(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every value below (and at) a place, with its pointer."""
    yield pointer, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, pointer_to(pointer, key))


def standard(text: str) -> tuple[bool, Any]:
    """Whether the standard module reads the text, within the limits that ours has, and as what."""

    def refuse(written: str) -> Any:
        raise ValueError(written)

    def number(written: str) -> float:
        if len(written) > 400 or not isfinite(float(written)):
            raise ValueError(written)
        return float(written)

    try:
        return True, json.loads(text, parse_constant=refuse, parse_float=number)
    except ValueError:
        return False, None


def mistake(text: str) -> Problem:
    with pytest.raises(VocabError) as caught:
        read_text(text)
    return caught.value.problems[-1]


@given(st.lists(PIECES, max_size=12).map("".join))
def test_it_takes_what_json_takes(text: str) -> None:
    taken, value = standard(text)
    assert (scan(text).mistake is None) == taken
    try:
        source = read_text(text)
    except VocabError as error:
        assert not taken
        [problem] = [found for found in error.problems if found.code != "vocab-duplicate-key"]
        assert problem.code in ("syntax-json", "limit-number")
        assert problem.hint
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    else:
        assert taken
        assert repr(source.value) == repr(value)


@given(WRITTEN, st.integers(0, 10_000), PIECES, st.booleans())
def test_it_takes_what_json_takes_after_one_slip(text: str, at: int, piece: str, delete: bool) -> None:
    at %= len(text) + 1
    text = text[:at] + ("" if delete else piece) + text[at + delete :]
    taken, value = standard(text)
    found = scan(text)
    assert (found.mistake is None) == taken
    if taken:
        assert repr(read_text(text).value) == repr(value)


@given(WRITTEN)
def test_the_place_of_a_pointer_holds_its_value(text: str) -> None:
    source = read_text(text)
    for pointer, value in places(source.value):
        span = source.locate(pointer)
        assert repr(json.loads(text[span.start : span.end])) == repr(value)
        key = source.locate(pointer, on_key=True)
        if pointer and not pointer.rpartition("/")[2].isdigit():
            name = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            assert json.loads(text[key.start : key.end]) == name


@given(st.text(max_size=30), st.booleans(), st.data())
def test_a_place_inside_text_counts_escapes(value: str, ascii_only: bool, data: st.DataObject) -> None:
    text = json.dumps({"x": value}, ensure_ascii=ascii_only)
    start = data.draw(st.integers(0, len(value)))
    end = data.draw(st.integers(start, len(value)))
    span = read_text(text).locate("/x", Span(start, end))
    assert json.loads(f'"{text[span.start : span.end]}"') == value[start:end]
    assert json.loads(f'"{text[7 : span.start]}"') == value[:start]


def test_a_place_inside_text_never_leaves_it() -> None:
    text = '{"x": "a\\n"}'
    source = read_text(text)
    assert source.locate("/x", Span(2, 9)) == Span(10, 10)
    assert source.locate("/x", Span(5, 9)) == Span(10, 10)
    assert source.locate("/x/y/z") == Span(6, 11)
    assert read_text('{"x": 5}').locate("/x", Span(0, 1)) == Span(6, 7)


def test_a_surrogate_pair_is_one_character() -> None:
    source = read_text('{"x": "\\ud83d\\ude00b\\ud83d"}')
    assert source.locate("/x", Span(1, 2)) == Span(19, 20)
    assert source.locate("/x", Span(2, 3)) == Span(20, 26)


@pytest.mark.parametrize(
    ("text", "line", "column", "width", "words", "fix"),
    [
        ('{"a": 1,}', 1, 8, 1, "comma before the closing bracket", ""),
        ('{"a": [1,\n 2,\n]}', 2, 3, 1, "comma before the closing bracket", ""),
        ("{'a': 1}", 1, 2, 3, "single quotes", '"a"'),
        ("{\n  // why\n}", 2, 3, 6, "no comments", None),
        ('{"a": 1 /* x */}', 1, 9, 8, "no comments", None),
        ('{"a": # x\n1}', 1, 7, 3, "no comments", None),
        ("{a: 1}", 1, 2, 1, "name without quotes", '"a"'),
        ('{"a": yes}', 1, 7, 3, "text without quotes", '"yes"'),
        ('{"a": True}', 1, 7, 4, "True is not JSON", "true"),
        ('{"a": None}', 1, 7, 4, "None is not JSON", "null"),
        ('{"a": NaN}', 1, 7, 3, "NaN is not a JSON number", None),
        ('{"a": -Infinity}', 1, 7, 9, "-Infinity is not a JSON number", None),
        ('{"a": 1e999}', 1, 7, 5, "beyond what is kept", None),
        ('{"a": 007}', 1, 7, 3, "007 is not a JSON number", None),
        ('{"a": +1}', 1, 7, 2, "+1 is not a JSON number", None),
        ('{"a": .5}', 1, 7, 2, ".5 is not a JSON number", None),
        ('{"a": 1\n "b": 2}', 1, 8, 1, "comma is missing", ","),
        ('{"a" 1}', 1, 6, 1, "colon is missing", None),
        ('{"a" = 1}', 1, 6, 1, "`=` after a name", ":"),
        ('{"a": "x}', 1, 7, 3, "closing quote is missing", None),
        ('{"a": "x\ny"}', 1, 7, 2, "closing quote is missing", None),
        ('{"a": "x\ty"}', 1, 9, 1, "control character", "\\u0009"),
        ('{"a": "\\d"}', 1, 8, 2, "no escape of JSON", "\\\\d"),
        ('{"a": "\\u12"}', 1, 8, 2, "four hexadecimal digits", None),
        ('{"a": “x”}', 1, 7, 1, "not a quote that JSON knows", '"'),
        ('{"a": [1}', 1, 9, 1, "`}` closes `[` of line 1, column 7", "]"),
        ('{"a": {\n  "b": [1', 2, 10, 1, "ends before `[` of line 2, column 8", None),
        ('{"a": 1}}', 1, 9, 1, "more text after the end", None),
        ('{,"a": 1}', 1, 2, 1, "comma with nothing before it", ""),
        ('{"a":,}', 1, 6, 1, "comma with nothing before it", ""),
        ("", 1, 1, 1, "nothing here", None),
        (" \n", 2, 1, 1, "nothing here", None),
    ],
)
def test_slips_are_named_where_they_stand(
    text: str, line: int, column: int, width: int, words: str, fix: str | None
) -> None:
    problem = mistake(text)
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert max(1, problem.end_column - problem.column) == width
    assert problem.fix == fix
    assert problem.hint


def test_one_fix_mends_one_slip() -> None:
    for text in ('{"a": 1,}', "{'a': 1}", "{a: 1}", '{"a": True}', '{"a": 1 "b": 2}', '{"a": "\\d"}'):
        problem = mistake(text)
        assert problem.fix is not None
        read_text(text[: problem.span.start] + problem.fix + text[problem.span.end :])


def test_names_that_stand_twice_do_not_stop_the_reading() -> None:
    source = read_text('{\n "a": 1,\n "\\u0061": 2,\n "b": {"c": 1, "c": 2}\n}')
    assert source.value == {"a": 2, "b": {"c": 2}}
    assert [(problem.code, problem.line, problem.column) for problem in source.problems] == [
        ("vocab-duplicate-key", 3, 2),
        ("vocab-duplicate-key", 4, 16),
    ]
    assert "line 2" in source.problems[0].message
    assert source.problems[1].pointer == "/b/c"


def test_nesting_has_a_limit_and_no_recursion_error() -> None:
    deep = "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT
    assert isinstance(read_text(deep), Source)
    for text, depth in ((f"[{deep}]", DEPTH_LIMIT + 1), ("[" * 100_000, 100_000), ('{"a":' * 5_000, 5_000)):
        problem = mistake(text)
        assert problem.code == "limit-depth"
        assert str(depth) in problem.message
        assert str(DEPTH_LIMIT) in problem.message


def test_numbers_have_a_limit() -> None:
    assert mistake(f'{{"a": {"9" * 20_000}}}').code == "limit-number"
    assert mistake(f'{{"a": 0.{"9" * 20_000}}}').code == "limit-number"


def test_the_size_has_a_limit() -> None:
    fits = b'{"$defs": {}}'.ljust(SIZE_LIMIT)
    assert read_bytes(fits).value == {"$defs": {}}
    with pytest.raises(VocabError) as caught:
        read_bytes(fits + b" ")
    [problem] = caught.value.problems
    assert problem.code == "limit-vocab-size"
    assert "1,048,577" in problem.message
    assert "1,048,576" in problem.message
    assert mistake('"' + "é" * SIZE_LIMIT + '"').code == "limit-vocab-size"


def test_a_byte_order_mark_is_not_part_of_the_text() -> None:
    assert read_bytes(b"\xef\xbb\xbf{}").value == {}
    with pytest.raises(VocabError, match="UTF-16"):
        read_bytes('{"a": 1}'.encode("utf-16"))


def test_bytes_that_are_not_utf_8_are_shown() -> None:
    with pytest.raises(VocabError) as caught:
        read_bytes(b'{"a":\n "\xc3\xa9\xff"}')
    [problem] = caught.value.problems
    assert problem.code == "vocab-encoding"
    assert "0xff" in problem.message
    assert (problem.line, problem.column) == (2, 4)


@given(st.binary(max_size=40))
def test_any_bytes_end_in_a_source_or_an_error(data: bytes) -> None:
    try:
        assert isinstance(read_bytes(data), Source)
    except VocabError as error:
        assert error.problems
