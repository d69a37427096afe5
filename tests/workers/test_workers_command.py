"""Workers from the command line: who does the work, and the secret that no process list shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import wakeful
from wakeful.cli import main
from wakeful.workers import verify
from workers.app import App, app, ask, execution, waiting, worker, working


@pytest.fixture(scope="module")
def told() -> Iterator[App]:
    with app() as running:
        yield running


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store in which a call waits."""
    for name in ("WAKEFUL_STORE", "WAKEFUL_WORKERS", "WAKEFUL_WORKER_SECRET"):
        monkeypatch.delenv(name, raising=False)
    found = str(tmp_path / "s.db")
    store, _ = working(path=found, commands={"tick": worker("/ok")})
    with store:
        ask(store, "c")
    return found


def state(path: str) -> str | None:
    with wakeful.open(path) as store:
        return execution(store, "c").get("state")


def test_a_tick_without_workers_leaves_their_calls(path: str) -> None:
    assert main(["tick", "--store", path]) == 0
    with wakeful.open(path) as store:
        assert waiting(store) == [("c", None, 0, 0)]


def test_a_tick_sends_calls_to_the_workers_that_it_is_told_of(
    path: str, told: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("THE_SECRET", "s3cret")
    options = ["--workers", told.url, "--worker-secret-env", "THE_SECRET"]
    assert main(["tick", "--store", path, "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["next_due"] is None
    assert state(path) == "done"
    _, headers, body = told.requests[-1]
    verify("s3cret", headers, body)


def test_the_environment_names_workers_and_secret(path: str, told: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEFUL_WORKERS", told.url)
    monkeypatch.setenv("WAKEFUL_WORKER_SECRET", "s3cret")
    assert main(["tick", "--store", path]) == 0
    assert state(path) == "done"
    _, headers, body = told.requests[-1]
    verify("s3cret", headers, body)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "app.example"], "`workers` is the base URL of an app"),
        (["--workers", "http://app.example", "--worker-secret-env", "NOT_SET"], "NOT_SET is not set"),
        (["--worker-secret-env", "THE_SECRET"], "with --workers URL"),
    ],
)
@pytest.mark.parametrize("command", ["tick", "run"])
def test_what_makes_no_sense_is_misuse(
    path: str, command: str, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("THE_SECRET", "s3cret")
    assert main([command, "--store", path, *options]) == 2
    assert said in capsys.readouterr().err
    assert state(path) is None
