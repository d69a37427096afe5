"""`wakeful help`, `wakeful schema`, and what SARIF says of a code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator

from cli.conftest import Command
from wakeful.help.pages import codes, page

VocabFile = Callable[[Any], str]


def test_a_page(wakeful: Command) -> None:
    answer = wakeful("help", "rule-feeds-itself")
    found = page("rule-feeds-itself")
    assert found is not None
    assert (answer.code, answer.out, answer.err) == (0, found.text, "")
    assert wakeful("help", "rule-feeds-itself", "--json").json == {
        "code": "rule-feeds-itself",
        "summary": found.summary,
        "text": found.text,
    }


def test_all_codes(wakeful: Command) -> None:
    lines = wakeful("help").out.rstrip("\n").split("\n")
    assert [line.split(" ")[0] for line in lines] == ["code", *codes()]
    listed = wakeful("help", "--json").json
    assert [entry["code"] for entry in listed] == list(codes())
    assert all(entry["summary"] for entry in listed)


def test_an_unknown_code_has_near_names(wakeful: Command) -> None:
    for given, wanted in (
        ("unknown-compnent", "unknown-component"),
        ("feeds-itself", "rule-feeds-itself"),
        ("nonsense", "`wakeful help` lists the codes"),
    ):
        answer = wakeful("help", given)
        assert (answer.code, answer.out) == (2, "")
        assert wanted in answer.err


def test_a_command_is_explained_too(wakeful: Command) -> None:
    assert wakeful("help", "check").out == wakeful("check", "--help").out


def test_the_schema(wakeful: Command) -> None:
    printed = json.loads(wakeful("schema").out)
    Draft202012Validator.check_schema(printed)
    assert wakeful("schema", "--json").json == printed


def test_a_file_may_name_its_schema(wakeful: Command, vocab_file: VocabFile) -> None:
    assert wakeful("check", vocab_file({"$schema": "./vocab.schema.json", "$defs": {}})).code == 0


def test_commands_are_counted(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file({"$defs": {"all": {"tool": True, "description": "x", "query": "*"}}})
    answer = wakeful("check", path)
    assert answer.code == 0
    assert "0 components, 0 rules, 1 command, no problems" in answer.out
    assert "note" not in answer.out
    assert wakeful("deploy", path, "--store", path + ".db").code == 0
