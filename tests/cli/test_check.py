"""`wakeful check`: its formats, its exit codes, and where it says that mistakes are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cli.conftest import GARDEN, Command
from yardstick import yard

FIVE = """\
{ "$defs": {
  "Plant": {"properties": {}},
  "plant": {"properties": {"window": {"type": "strnig"}}},
  "water": {"properties": {"by": {"type": "string", "patern": "x"}}},
  "moved": {"properties": {"to": {"type": "string"}}},
  "first": {"rule": true, "match": ".moved, +moved.to=here"},
  "second": {"rule": true, "match": ".mooved, +!moved"}
} }
"""

PROBLEM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "pattern": "^(syntax|unknown|type|limit|vocab|rule|schedule)-"},
        "severity": {"enum": ["error", "warning"]},
        "message": {"type": "string", "minLength": 1},
        "hint": {"type": "string"},
        "fix": {"type": ["string", "null"]},
        "file": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "end_line": {"type": "integer", "minimum": 1},
        "end_column": {"type": "integer", "minimum": 1},
        "pointer": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}
PROBLEM["required"] = list(PROBLEM["properties"])
REPORT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "problems": {"type": "array", "items": PROBLEM},
        "notes": {"type": "array", "items": {"type": "string"}},
        "summary": {"type": "string"},
    },
    "required": ["ok", "problems", "notes", "summary"],
    "additionalProperties": False,
}

VocabFile = Callable[[Any], str]


def test_the_garden_is_one_line(wakeful: Command) -> None:
    answer = wakeful("check", GARDEN)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{GARDEN / 'vocab.json'}: 2 components, 1 rule, no problems\n"


def test_a_file_and_its_folder_are_the_same(wakeful: Command) -> None:
    assert wakeful("check", GARDEN / "vocab.json") == wakeful("check", GARDEN)


def test_the_garden_as_json(wakeful: Command) -> None:
    answer = wakeful("check", GARDEN, "--format", "json")
    Draft202012Validator(REPORT).validate(answer.json)
    assert answer.json["ok"] is True
    assert answer.json["problems"] == []


def test_five_mistakes_are_five_problems_in_place(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file(FIVE)
    answer = wakeful("check", path, "--json")
    Draft202012Validator(REPORT).validate(answer.json)
    found = [(problem["line"], problem["column"]) for problem in answer.json["problems"]]
    lines = FIVE.split("\n")
    assert found == [
        (2, lines[1].index('"Plant"') + 1),
        (3, lines[2].index('"strnig"') + 1),
        (4, lines[3].index('"patern"') + 1),
        (6, lines[5].index(".moved,") + 1),
        (7, lines[6].index("mooved") + 1),
    ]
    assert answer.code == 1
    assert answer.json["ok"] is False
    assert {problem["file"] for problem in answer.json["problems"]} == {path}


def test_problems_as_text_have_a_caret_each_and_a_last_line(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file(FIVE)
    answer = wakeful("check", path)
    lines = answer.out.rstrip("\n").split("\n")
    assert answer.code == 1
    assert sum(line.startswith(f"{path}:") and " error " in line for line in lines) == 5
    assert sum(set(line) == {" ", "^"} for line in lines) == 5
    assert lines[-1] == f"{path}: 5 problems"


def test_an_ungated_rule_prints_its_gate(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file({"$defs": {"a": {}, "watered": {}, "waters": {"rule": True, "match": ".a, +watered"}}})
    answer = wakeful("check", path)
    assert answer.code == 1
    assert "waters" in answer.out
    assert "+!watered" in answer.out


def test_a_text_that_is_no_json_is_a_problem_too(wakeful: Command, vocab_file: VocabFile) -> None:
    answer = wakeful("check", vocab_file('{"$defs": {"a": {},}}'), "--json")
    Draft202012Validator(REPORT).validate(answer.json)
    assert answer.code == 1
    assert [problem["code"] for problem in answer.json["problems"]] == ["syntax-json"]


def test_workflow_commands(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file(FIVE)
    lines = wakeful("check", path, "--format", "github").out.rstrip("\n").split("\n")
    assert len(lines) == 6
    for line, number in zip(lines, (2, 3, 4, 6, 7), strict=False):
        assert line.startswith(f"::error file={path},line={number},endLine={number},col=")
        head, _, words = line[2:].partition("::")
        assert words
        assert ",title=" in head


def test_workflow_commands_escape_what_would_end_them(wakeful: Command, tmp_path: Any) -> None:
    folder = tmp_path / "a,b:c%"
    folder.mkdir()
    (folder / "vocab.json").write_text(FIVE, encoding="utf-8")
    line = wakeful("check", folder, "--format", "github").out.split("\n")[0]
    assert "a%2Cb%3Ac%25/vocab.json,line=2" in line


def test_sarif(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file(FIVE)
    answer = wakeful("check", path, "--format", "sarif")
    log = answer.json
    assert (answer.code, log["version"]) == (1, "2.1.0")
    run = log["runs"][0]
    listed = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(run["results"]) == 5
    for result in run["results"]:
        assert listed[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == path
        assert place["region"]["startLine"] <= place["region"]["endLine"]


def test_notes_tell_of_a_rules_schedule(wakeful: Command, vocab_file: VocabFile) -> None:
    rule = {"rule": True, "match": '.order, +!wake, +wake.every="30 2 * * * America/New_York"'}
    path = vocab_file({"$defs": {"order": {}, "plans": rule}})
    answer = wakeful("check", path, "--json", "--now", "2026-01-01T00:00:00Z")
    assert answer.code == 0
    assert any(note.startswith("plans: ") and "2026-03-08" in note for note in answer.json["notes"])


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_no_such_file_is_used_wrongly(wakeful: Command, form: str) -> None:
    answer = wakeful("check", "nowhere", "--format", form)
    assert (answer.code, answer.out) == (2, "")
    assert "there is no file nowhere" in answer.err


def test_an_empty_folder(wakeful: Command, tmp_path: Any) -> None:
    answer = wakeful("check", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert "holds no vocab.json" in answer.err


def test_two_hundred_of_each_take_less_than_a_second(wakeful: Command, vocab_file: VocabFile) -> None:
    import time

    entries: dict[str, Any] = {f"c{place}": {"properties": {"a": {"type": "string"}}} for place in range(200)}
    entries |= {
        f"r{place}": {"rule": True, "match": f".c{place}, +!c{(place + 1) % 200}"} for place in range(0, 200, 2)
    }
    entries |= {f"s{place}": {"rule": True, "match": f".c{place}.a=x, +!wake"} for place in range(100)}
    path = vocab_file(json.dumps({"$defs": entries}))
    started = time.process_time()
    answer = wakeful("check", path)
    assert time.process_time() - started < 120 * yard()
    assert answer.code == 0, answer.out
    assert "200 components, 200 rules" in answer.out


def test_two_formats_at_once_are_a_misuse(wakeful: Command) -> None:
    for form in ("text", "github", "sarif"):
        answer = wakeful("check", GARDEN, "--json", "--format", form)
        assert (answer.code, answer.out) == (2, "")
        assert f"--format {form}" in answer.err
    assert wakeful("check", GARDEN, "--json", "--format", "json").json["ok"]
