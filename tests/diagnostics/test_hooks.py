"""The hook that pre-commit finds in this repository."""

from __future__ import annotations

import re

from diagnostics.judging import ROOT
from wakeful.cli import COMMANDS


def test_the_hook_checks_every_vocabulary_that_a_commit_changes() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = dict(re.findall(r"^[- ] ([a-z]+): (.*)$", text, re.M))
    assert entries["id"] == "wakeful-check"
    program, command = entries["entry"].split(" ")
    assert (program, command in COMMANDS) == ("wakeful", True)
    assert entries["language"] == "python"
    wanted = re.compile(entries["files"])
    assert all(wanted.search(path) for path in ("vocab.json", "app/garden/vocab.json"))
    assert not wanted.search("my-vocab.json")
