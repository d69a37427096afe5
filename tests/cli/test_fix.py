"""`wakeful check --fix`: what it mends, and that it leaves the rest of a file alone."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.conftest import Command
from diagnostics.judging import examples_text, problems
from wakeful_compiler.fixes import fix_text

VocabFile = Callable[[Any], str]


def mended(text: str) -> str:
    return fix_text(text, lambda given: problems("vocab", given))[0]


MENDED = [
    ('{"$defs": {"a": {}, }}', '{"$defs": {"a": {} }}'),
    ("{'$defs': {}}", '{"$defs": {}}'),
    (
        '{"$defs": {"a": {"propertis": {"b": {"tpye": "strng"}}}}}',
        '{"$defs": {"a": {"properties": {"b": {"type": "string"}}}}}',
    ),
    ('{"$defs": {"a": {"properties": {"b": "text"}}}}', '{"$defs": {"a": {"properties": {"b": {"type": "string"}}}}}'),
    (
        '{"$defs": {"plant": {}, "r": {"rule": true, "match": ".plnat AND .wake, +!doc, +doc.titel == x"}}}',
        '{"$defs": {"plant": {}, "r": {"rule": true, "match": ".plant & .wake, +!doc, +doc.title=x"}}}',
    ),
    (
        '{"$defs": {"a": {"tool": true, "description": "x", "input": {"title": {"type": "string"}},\r\n'
        '"apply": {"doc": {"title": "{{titel}} costs $5"}}}}}',
        '{"$defs": {"a": {"tool": true, "description": "x", "input": {"title": {"type": "string"}},\r\n'
        '"apply": {"doc": {"title": "$title costs $$5"}}}}}',
    ),
    ('{"zone": "berlin", "$defs": {}}', '{"zone": "Europe/Berlin", "$defs": {}}'),
    (
        "{$defs: {a: {properties: {b: {type: string, index: True}}}}}",
        '{"$defs": {"a": {"properties": {"b": {"type": "string", "index": true}}}}}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given_text", "expected"), MENDED)
def test_every_certain_fix_is_made(given_text: str, expected: str) -> None:
    assert mended(given_text) == expected
    assert problems("vocab", expected) == [] or "is used nowhere" in str(problems("vocab", expected)[0])


@pytest.mark.parametrize(
    "text",
    [
        '{"$defs": {"a": {}}}',
        '{"$defs": {"a": {"enum": ["x"}, "b": {}}}',
        "{'$defs': {",
        '{"$defs": {"a": {}, "a": {}}}',
        '{"$defs": {"ab": {}, "ac": {}, "x": {"properties": {"y": {"type": "string", "ref": "ad"}}}}}',
    ],
)
def test_what_is_not_certain_is_left_alone(text: str) -> None:
    assert mended(text) == text


def test_the_file_is_mended_and_told(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file('{"$defs": {"a": {"properties": {"b": {"type": "strnig"}}}}}')
    answer = wakeful("check", path, "--fix")
    assert answer.code == 0
    assert answer.out.split("\n")[0] == f'fixed {path}:1:47: unknown-type: "strnig" -> "string"'
    assert answer.out.endswith(f"{path}: 1 component, 0 rules, no problems\n")
    assert json.loads(Path(path).read_text(encoding="utf-8"))["$defs"]["a"]["properties"]["b"] == {"type": "string"}
    again = wakeful("check", path, "--fix", "--json")
    assert (again.code, again.json["fixed"], again.json["problems"]) == (0, [], [])


def test_what_has_no_fix_stays_reported(wakeful: Command, vocab_file: VocabFile) -> None:
    answer = wakeful("check", vocab_file('{"$defs": {"A": {}, "b": {"propertis": {}}}}'), "--fix", "--json")
    assert answer.code == 1
    assert [problem["code"] for problem in answer.json["problems"]] == ["vocab-name"]
    assert len(answer.json["fixed"]) == 1


def test_bytes_that_are_no_mistake_stay(wakeful: Command, tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_bytes(b'\xef\xbb\xbf{"$defs": {\r\n\t"a": {"propertis": {}}\r\n}}\r\n')
    path.chmod(0o640)
    assert wakeful("check", path, "--fix").code == 0
    assert path.read_bytes() == b'\xef\xbb\xbf{"$defs": {\r\n\t"a": {"properties": {}}\r\n}}\r\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [left.name for left in tmp_path.iterdir()] == ["vocab.json"]


def test_a_link_stays_a_link(wakeful: Command, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text('{"$defs": {"a": {"propertis": {}}}}', encoding="utf-8")
    link = tmp_path / "vocab.json"
    link.symlink_to("real.json")
    assert wakeful("check", link, "--fix").code == 0
    assert link.is_symlink()
    assert "properties" in link.read_text(encoding="utf-8")


def test_a_file_that_is_no_utf_8_is_left_alone(wakeful: Command, tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_bytes(b'{"$defs": {"\xff": {}}}')
    answer = wakeful("check", path, "--fix", "--json")
    assert (answer.code, answer.json["fixed"]) == (1, [])
    assert path.read_bytes() == b'{"$defs": {"\xff": {}}}'


def test_several_files_are_one_answer(wakeful: Command, tmp_path: Path) -> None:
    for name, text in (("a", '{"$defs": {"a": {}}}'), ("b", '{"$defs": {"B": {}}}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "vocab.json").write_text(text, encoding="utf-8")
    answer = wakeful("check", tmp_path / "a", tmp_path / "b", "--json")
    assert answer.code == 1
    assert [problem["file"] for problem in answer.json["problems"]] == [str(tmp_path / "b" / "vocab.json")]
    assert len(answer.json["summary"].split("\n")) == 2
    assert wakeful("check", tmp_path / "a", tmp_path / "a").code == 0


@given(st.integers(0, 3000), st.integers(0, 12), st.text(alphabet='{}[]",:abt $.+!=\n', max_size=6))
def test_a_broken_text_gets_no_worse(at: int, cut: int, put: str) -> None:
    whole = examples_text()
    text = whole[:at] + put + whole[at + cut :]
    before = problems("vocab", text)
    after_text, made = fix_text(text, lambda given_text: problems("vocab", given_text))
    after = problems("vocab", after_text)
    assert (after_text == text) == (not made)
    readable = not any(problem.code == "syntax-json" for problem in before)
    if readable or made:
        assert not any(problem.code == "syntax-json" for problem in after)
    assert fix_text(after_text, lambda given_text: problems("vocab", given_text))[0] == after_text
