"""`wakeful fmt`: files, standard input and queries; what it refuses it leaves as it is."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cli.conftest import GARDEN, Command

UGLY = '{"$defs":{"plant":{},"waters":{"rule":true,"match":"+!wet & plant.x=1"},"wet":{}}}'
LAID_OUT = """\
{
  "$defs": {
    "plant": {},
    "waters": {
      "rule": true,
      "match": ".plant.x=1, +!wet"
    },
    "wet": {}
  }
}
"""


def test_a_file_is_laid_out_in_place_and_only_once(wakeful: Command, tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_text(UGLY)
    file.chmod(0o640)
    assert wakeful("fmt", "--check", file).code == 1
    assert file.read_text() == UGLY
    answer = wakeful("fmt", tmp_path)
    assert (answer.code, answer.out, answer.err) == (0, f"{file}: formatted\n", "")
    assert file.read_text() == LAID_OUT
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    before = file.stat()
    again = wakeful("fmt", file)
    assert (again.code, again.out) == (0, "")
    assert file.stat() == before
    assert wakeful("fmt", "--check", file).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["vocab.json"]


def test_the_garden_is_laid_out(wakeful: Command) -> None:
    assert wakeful("fmt", "--check", GARDEN).code == 0


def test_a_link_stays_a_link(wakeful: Command, tmp_path: Path) -> None:
    file, link = tmp_path / "real.json", tmp_path / "vocab.json"
    file.write_text(UGLY)
    link.symlink_to(file)
    assert wakeful("fmt", link).code == 0
    assert link.is_symlink()
    assert file.read_text() == LAID_OUT


def test_newlines_are_kept_and_a_byte_order_mark_is_not(wakeful: Command, tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_bytes(b"\xef\xbb\xbf{\r\n" + UGLY[1:].encode())
    assert wakeful("fmt", file).code == 0
    assert file.read_bytes() == LAID_OUT.replace("\n", "\r\n").encode()
    assert wakeful("fmt", "--check", file).code == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"$defs": {"a": {}, "a": {}}}', "vocab-duplicate-key"),
        ('{"$defs": {"a": {},}}', "syntax-json"),
        ('{"$defs": {"a": {"rule": true, "match": ".plant .. x"}}}', "syntax-"),
        ('{"$defs": {"a": {"tool": true, "query": ".plant | "}}}', "syntax-empty-alternative"),
        ('{"$defs": {"caf\udce9": {}}}', "vocab-encoding"),
    ],
)
def test_what_cannot_be_read_is_left_as_it_is(wakeful: Command, tmp_path: Path, text: str, code: str) -> None:
    file, other = tmp_path / "broken.json", tmp_path / "other.json"
    data = text.encode(errors="surrogateescape")
    file.write_bytes(data)
    other.write_text(UGLY)
    answer = wakeful("fmt", file, other)
    assert answer.code == 1
    assert f"{file}:1:" in answer.err
    assert f"error {code}" in answer.err
    assert file.read_bytes() == data
    assert other.read_text() == LAID_OUT


def test_a_command_s_query_with_holes_may_be_no_query_yet(wakeful: Command) -> None:
    find, see = '"query": "plant.x=$x & .limit=$n"', '"query": "plant.x=$x"'
    text = f'{{"$defs": {{"find": {{"tool": true, {find}}}, "see": {{"tool": true, {see}}}}}}}'
    answer = wakeful("fmt", "--stdin", stdin=text)
    assert find in answer.out
    assert '"query": ".plant.x=$x"' in answer.out


def test_standard_input_is_printed(wakeful: Command) -> None:
    assert wakeful("fmt", "--stdin", stdin=UGLY).out == LAID_OUT
    assert wakeful("fmt", "--stdin", "--check", stdin=UGLY).code == 1
    assert wakeful("fmt", "--stdin", "--check", stdin=LAID_OUT).code == 0
    broken = wakeful("fmt", "--stdin", stdin="{")
    assert (broken.code, broken.out) == (1, "")
    assert broken.err.startswith("stdin:1:")


def test_a_query_is_printed(wakeful: Command) -> None:
    assert wakeful("fmt", "--query", "(b.c>2)&  .a, .limit=1").out == ".b.c>2 .a .limit=1\n"
    assert wakeful("fmt", "--query", ".a.b='no\u00a0break'").out == '.a.b="no\u00a0break"\n'
    assert wakeful("fmt", "--check", "--query", ".a").code == 0
    assert wakeful("fmt", "--check", "--query", " .a").code == 1
    assert wakeful("fmt", "--query", "a").code == 1


@pytest.mark.parametrize("arguments", [(), ("--stdin", "--query", ".a"), ("x.json", "--stdin")])
def test_one_thing_is_formatted(wakeful: Command, arguments: tuple[str, ...]) -> None:
    answer = wakeful("fmt", *arguments)
    assert answer.code == 2
    assert "--query TEXT" in answer.err


def test_no_such_file(wakeful: Command, tmp_path: Path) -> None:
    assert wakeful("fmt", tmp_path / "vocab.json").code == 2


def test_a_file_that_may_not_be_written_is_not_replaced(
    wakeful: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "vocab.json"
    file.write_text(UGLY)

    def refuse(*paths: object) -> None:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(Path, "replace", refuse)
    answer = wakeful("fmt", file)
    assert answer.code == 2
    assert "Permission denied" in answer.err
    assert file.read_text() == UGLY
    assert [path.name for path in tmp_path.iterdir()] == ["vocab.json"]
