"""The SARIF log, held to the parts of the 2.1.0 schema that it uses, each object closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cli.conftest import Command
from goldens.test_goldens import goldens

VocabFile = Callable[[Any], str]


def closed(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
FROM_ONE = {"type": "integer", "minimum": 1}
MESSAGE = closed("text", text={"type": "string", "minLength": 1})
ARTIFACT = closed("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$"})
REGION = closed(
    "startLine startColumn endLine endColumn",
    startLine=FROM_ONE, startColumn=FROM_ONE, endLine=FROM_ONE, endColumn=FROM_ONE,
)  # fmt: skip
REPLACEMENT = closed("deletedRegion", deletedRegion=REGION, insertedContent=closed("text", text=TEXT))
CHANGE = closed(
    "artifactLocation replacements",
    artifactLocation=ARTIFACT,
    replacements={"type": "array", "minItems": 1, "items": REPLACEMENT},
)
FIX = closed("artifactChanges", artifactChanges={"type": "array", "minItems": 1, "items": CHANGE})
PLACE = closed(
    "physicalLocation", physicalLocation=closed("artifactLocation", artifactLocation=ARTIFACT, region=REGION)
)
RESULT = closed(
    "message ruleId",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": PLACE},
    fixes={"type": "array", "uniqueItems": True, "items": FIX},
)
RULE = closed("id", id=TEXT, shortDescription=MESSAGE, help=MESSAGE)
DRIVER = closed("name", name=TEXT, version=TEXT, rules={"type": "array", "uniqueItems": True, "items": RULE})
RUN = closed(
    "tool results",
    tool=closed("driver", driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
LOG = {
    **closed("version runs", version={"const": "2.1.0"}, runs={"type": "array", "items": RUN}),
    "properties": {"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
}


@pytest.mark.parametrize("text", [golden.text for golden in goldens("vocabularies")], ids=lambda text: text[:40])
def test_the_log_keeps_to_the_schema(wakeful: Command, vocab_file: VocabFile, text: str) -> None:
    answer = wakeful("check", vocab_file(text), "--format", "sarif")
    Draft202012Validator(LOG).validate(answer.json)
    [run] = answer.json["runs"]
    assert run["results"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all("shortDescription" in rule for rule in rules)


def test_a_path_becomes_a_uri_reference(wakeful: Command, tmp_path: Any) -> None:
    folder = tmp_path / "ä b#?"
    folder.mkdir()
    (folder / "vocab.json").write_text('{"$defs": {"A": {}}}', encoding="utf-8")
    log = wakeful("check", folder, "--format", "sarif").json
    Draft202012Validator(LOG).validate(log)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.endswith("/%C3%A4%20b%23%3F/vocab.json")
