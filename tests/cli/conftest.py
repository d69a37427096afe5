"""The command, called in this process, and a garden's store to call it on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wakeful.cli import main

GARDEN = Path(__file__).parents[2] / "examples" / "garden"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call of the command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


@pytest.fixture
def wakeful(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call the command with these arguments, and `stdin` as what it reads."""
    for name in ("WAKEFUL_STORE", "WAKEFUL_WORKERS", "WAKEFUL_WORKER_SECRET"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str | Path, stdin: str | bytes = "") -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        found = capsys.readouterr()
        assert "Traceback" not in found.err
        return Answer(code, found.out, found.err)

    return call


@pytest.fixture
def garden(tmp_path: Path, wakeful: Command) -> str:
    """The path of a store with the garden's vocabulary and its fern."""
    store = str(tmp_path / "garden.db")
    assert wakeful("deploy", GARDEN, "--store", store).code == 0
    assert wakeful("apply", GARDEN / "fern.json", "--store", store, "--now", "2026-09-01T00:00:00Z").code == 0
    return store


@pytest.fixture
def vocab_file(tmp_path: Path) -> Callable[[Any], str]:
    """Write a vocabulary, or the text of one, and give its path."""

    def write(document: Any) -> str:
        path = tmp_path / "vocab.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return str(path)

    return write
