"""The cases of the area `call` that are about what a vocabulary may say of commands; the rest await their running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wakeful
from cases.behaviour import amiss, case, given
from cases.world import World


def refusal(folder: Path, command: dict[str, Any]) -> wakeful.VocabError:
    """The error that deploying a vocabulary with this command raises."""
    entry = {"tool": True, "description": "x", **command}
    with pytest.raises(wakeful.VocabError) as caught:
        World(folder).deploy({"$defs": {"tick": entry}})
    return caught.value


@case("b:340")
def test_a_worker_is_an_absolute_path(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, given("b:340")["given"]["command"]).problems
    assert "`worker` is an absolute path of letters, digits, _ - and /" in problem.message


@case("b:341")
def test_a_command_does_one_thing(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path, given("b:341")["given"]["command"]).problems
    assert "does one thing" in problem.message


@case("b:347")
def test_a_tools_json_is_told_where_its_entries_belong(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("{}", encoding="utf-8")
    with pytest.raises(wakeful.VocabError) as caught:
        World(tmp_path).deploy({"$defs": {}})
    assert "commands are entries of vocab.json" in str(caught.value)


def test_every_case_of_the_area_is_told() -> None:
    assert amiss("call", globals()) == []
