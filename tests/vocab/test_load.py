"""Where a vocabulary comes from: a file, a folder, a mapping; and what may not stand beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from wakeful_compiler.errors import VocabError
from wakeful_compiler.vocab.folder import check_folder
from wakeful_compiler.vocab.load import read
from wakeful_grammar.problems import LanguageError, Problem, Span

PLANT: dict[str, Any] = {"$defs": {"plant": {"properties": {"window": {"type": "string"}}}}}


def refusal(given: Any) -> Problem:
    with pytest.raises(VocabError) as caught:
        read(given)
    [problem] = caught.value.problems
    assert problem.hint or problem.code == "vocab-file"
    return problem


def test_a_file_its_folder_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_text(json.dumps(PLANT))
    for given in (file, str(file), tmp_path, str(tmp_path), PLANT, MappingProxyType(PLANT)):
        source, declared, problems = read(given)
        assert problems == []
        assert "plant" in declared.components
        assert source.value == PLANT
        assert source.file == (None if isinstance(given, Mapping) else str(file))


def test_problems_of_a_mapping_stand_in_its_text() -> None:
    source, _, [problem] = read({"$defs": {"Plant": {}}})
    assert source.text == '{\n  "$defs": {\n    "Plant": {}\n  }\n}'
    assert (problem.line, problem.column) == (3, 5)


def test_what_cannot_be_found_is_said_plainly(tmp_path: Path) -> None:
    assert "there is no file" in refusal(tmp_path / "none.json").message
    assert "holds no vocab.json" in refusal(tmp_path).message
    assert refusal(tmp_path / "none.json").code == "vocab-file"
    assert "cannot be read" in refusal("a\0b").message
    assert "no file" in refusal("x" * 200).message
    assert "cannot be read" in refusal("x" * 5000).message
    (tmp_path / "vocab.json").mkdir()
    assert "cannot be read" in refusal(tmp_path).message


def test_an_error_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_bytes(b"\xef\xbb\xbf{\n,}")
    with pytest.raises(VocabError) as caught:
        read(file)
    assert isinstance(caught.value, LanguageError)
    assert caught.value.file == str(file)
    assert str(caught.value).startswith(f"{file}:2:1: error syntax-json: ")


def test_an_error_without_a_file_stands_alone() -> None:
    error = VocabError([Problem("vocab-name", "x is no name", "call it y", Span(0, 1), excerpt="x")])
    assert str(error) == "1:1: error vocab-name: x is no name\n    x\n    ^\n    call it y"


def test_files_without_end_are_not_read_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_bytes(b" " * (2**20 + 7))
    problem = refusal(file)
    assert problem.code == "limit-vocab-size"
    assert "1,048,583" in problem.message
    if os.path.exists("/dev/zero"):  # noqa: PTH110 - a device, not a path of ours
        assert refusal("/dev/zero").code == "limit-vocab-size"


def test_mappings_that_are_no_json() -> None:
    circular: dict[str, Any] = {}
    circular["$defs"] = circular
    assert refusal(circular).code == "limit-depth"
    shared: Any = []
    for _ in range(40):
        shared = [shared, shared]
    assert refusal({"$defs": shared}).code == "limit-vocab-size"
    assert "a Python set" in refusal({"$defs": {1, 2}}).message
    assert refusal({"$defs": float("nan")}).code == "vocab-value"
    assert refusal({("a",): 1}).code == "vocab-value"
    assert read({"$defs": {"\ud800": {}}})[2][0].code == "vocab-name"
    assert read({"$defs": {1: {}, None: {}}})[2][0].code == "vocab-name"


# --- the folder ---------------------------------------------------------------------------------


def codes(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    found = check_folder(folder)
    assert check_folder(folder / "vocab.json") == found
    assert all(problem.hint for problem in found)
    return [problem.message.partition(",")[0] for problem in found]


def test_an_empty_folder_is_fine(tmp_path: Path) -> None:
    assert codes(tmp_path) == []
    assert check_folder(tmp_path / "none" / "vocab.json") == []
    assert check_folder("a\0b") == []


def test_tools_belong_in_the_vocabulary(tmp_path: Path) -> None:
    assert codes(tmp_path, tools_json="") == ["tools.json is not read: commands are entries of vocab.json"]
    assert "vocab.json" in check_folder(tmp_path)[0].message
    assert '"tool": true' in check_folder(tmp_path)[0].hint


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("wrangler_toml", 'name = "x"\n[triggers]\ncrons = ["0 9 * * *"]', ["cron triggers"]),
        ("wrangler_toml", "[triggers]\ncrons = []", []),
        ("wrangler_toml", '[[queues.producers]]\nqueue = "q"', ["queues"]),
        (
            "wrangler_toml",
            '[env.live.triggers]\ncrons = ["* * * * *"]\n[[env.live.queues.consumers]]\nqueue = "q"',
            ["cron triggers", "queues"],
        ),
        ("wrangler_toml", "# crons and queues\nname = 'x'", []),
        ("wrangler_toml", "broken = = crons", ["cron triggers"]),
        ("wrangler_json", '{"triggers": {"crons": ["0 9 * * *"]}}', ["cron triggers"]),
        ("wrangler_json", '{"queues": {"producers": []}}', []),
        (
            "wrangler_jsonc",
            '{// "queues"\n "queues": {"producers": [{"queue": "a//b"},]}, /* crons */}',
            ["queues"],
        ),
        ("wrangler_json", '{"triggers": 5, "env": 5, "queues": null}', []),
        ("wrangler_json", "[]", []),
        ("wrangler_json", "[" * 100_000, []),
        ("wrangler_json", '{"crons": ', ["cron triggers"]),
    ],
)
def test_cron_triggers_and_queues_become_wakes(tmp_path: Path, name: str, text: str, named: list[str]) -> None:
    file = name.replace("_", ".")
    assert codes(tmp_path, **{name: text}) == [f"{file} names {what}" for what in named]
    assert all('{"wake": ' in problem.hint for problem in check_folder(tmp_path))
