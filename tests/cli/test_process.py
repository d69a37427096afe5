"""The command as a process of its own: pipes, signals, a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

import pytest

from cli.conftest import GARDEN
from wakeful.cli.tour import EXAMPLES, FERN, what_next
from wakeful.cli.tour import GARDEN as TOUR_GARDEN

WAKEFUL = [sys.executable, "-m", "wakeful"]
MORNING = "2026-09-20T09:00:00Z"


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WAKEFUL, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    store = tmp_path / "garden.db"
    assert run("deploy", GARDEN, "--store", store).returncode == 0
    assert run("apply", GARDEN / "fern.json", "--store", store).returncode == 0
    return store


def test_the_garden_in_processes_of_its_own(garden: Path) -> None:
    fired = json.loads(run("tick", "--now", MORNING, "--json", "--store", garden).stdout)["fired"]
    assert fired[0]["watered"] == {"by": "wake"}
    found = run("query", ".watered, ?wake", "--json", WAKEFUL_STORE=str(garden))
    assert json.loads(found.stdout)[0]["wake"] == fired[0]["wake"]
    assert (found.returncode, found.stderr) == (0, "")


def test_a_reader_that_has_had_enough(garden: Path) -> None:
    with subprocess.Popen(
        [*WAKEFUL, "next", "1m", "-n", "100000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_a_full_disk_behind_the_answer() -> None:
    with Path("/dev/full").open("w") as full:
        found = subprocess.run([*WAKEFUL, "next", "1h"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr.startswith("wakeful: ")
    assert len(found.stderr.splitlines()) == 1


# --- run ----------------------------------------------------------------------------------------


@contextmanager
def running(store: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*WAKEFUL, "run", "--store", str(store), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def line_of(stream: IO[str] | None) -> str:
    """The next line of a running process, which must come soon."""
    assert stream is not None
    ready, _, _ = select.select([stream], [], [], 30)
    assert ready, "the process says nothing"
    return stream.readline()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_fires_says_so_and_ends_when_told(garden: Path, number: signal.Signals) -> None:
    with running(garden) as process:
        assert re.fullmatch(
            r"\S+Z  fired fern \(due 2026-09-20T09:00:00Z\), no next; watered by=wake\n", line_of(process.stdout)
        )
        assert line_of(process.stderr) == f"running {garden}, no wake waits\n"
        process.send_signal(number)
        assert process.wait(30) == 0


def test_run_waits_for_what_comes(tmp_path: Path) -> None:
    store = tmp_path / "soon.db"
    assert run("deploy", GARDEN, "--store", store).returncode == 0
    soon = datetime.now(UTC) + timedelta(seconds=1)
    bundle = {"entity": {"eid": "soon"}, "plant": {}, "wake": {"at": soon.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}}
    (tmp_path / "soon.json").write_text(json.dumps(bundle), encoding="utf-8")
    assert run("apply", tmp_path / "soon.json", "--store", store).returncode == 0
    with running(store, "--json") as process:
        fired = json.loads(line_of(process.stdout))["fired"]
        assert fired["entity"]["eid"] == "soon"
        assert datetime.fromisoformat(fired["fired"]["at"]) >= soon
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


# --- a terminal ---------------------------------------------------------------------------------


def on_terminal(*arguments: str, **environment: str) -> str:
    """What the command says to a terminal."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    process = subprocess.Popen(
        [*WAKEFUL, *arguments], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL,
        env={**kept, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    said = bytearray()
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux: nobody is left on the other side
            break
        if not chunk:
            break
        said += chunk
    os.close(ours)
    process.wait(60)
    return said.decode()


def test_colour_on_a_terminal(garden: Path) -> None:
    said = on_terminal("query", ".plant, ?wake", "--store", str(garden))
    assert "\x1b[" in said
    plain = on_terminal("query", ".plant, ?wake", "--store", str(garden), NO_COLOR="1")
    assert "\x1b[3" not in plain
    assert "window=north" in plain


def test_a_schedule_on_a_terminal_shows_its_zone() -> None:
    said = on_terminal("next", "20 4 * * * America/Detroit", "--after", "2026-03-07T09:20:00Z")
    assert "2026-03-08T08:20:00Z" in said
    assert "Sun 2026-03-08 04:20 EDT" in said
    assert "America/Detroit" in said


def test_a_caret_keeps_its_place_on_a_narrow_terminal() -> None:
    text = ".plant.window=" + "x" * 90 + " .waterd"
    said = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("explain", text, "--vocab", str(GARDEN), COLUMNS="40"))
    excerpt, carets = said.replace("\r", "").split("\n")[1:3]
    assert carets.strip() == "^^^^^^"
    assert excerpt[carets.index("^") :] == "waterd"


# --- the tour -----------------------------------------------------------------------------------


def test_the_tour_tells_the_story() -> None:
    found = run("tour")
    assert (found.returncode, found.stderr) == (0, "")
    for words in (
        "added  plant, watered",
        "next due  2026-09-20T09:00:00Z",
        "at=2026-09-20T09:00:00Z due=2026-09-20T09:00:00Z",
        "at=null",
        "by=wake",
        "Sun 04:20 EDT  23 hours later",
        "1 firing, owed since 09:05  next at 09:40",
        "1 firing, owed since 09:40  next at 09:45",
        "^^^^\n    did you mean `.plant`?",
    ):
        assert words in found.stdout


def test_the_tours_garden_is_the_examples() -> None:
    document = json.loads((GARDEN / "vocab.json").read_text(encoding="utf-8"))
    stripped = {
        name: {key: value for key, value in entry.items() if key != "description"}
        for name, entry in document["$defs"].items()
    }
    assert stripped == TOUR_GARDEN["$defs"]
    assert json.loads((GARDEN / "fern.json").read_text(encoding="utf-8")) == FERN


@pytest.mark.parametrize("with_examples", [True, False])
def test_what_to_try_next_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_examples: bool) -> None:
    monkeypatch.chdir(tmp_path)
    if with_examples:
        EXAMPLES.parent.mkdir()
        EXAMPLES.symlink_to(GARDEN)
    lines = what_next()
    assert lines[0].startswith("echo ") != with_examples
    found = subprocess.run(
        ["sh", "-e", "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 0, found.stderr
    assert "fired fern" in found.stdout
    assert (tmp_path / "garden.db").exists()


def test_a_tour_that_goes_wrong_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from wakeful import Store
    from wakeful.cli import main
    from wakeful.reports import TickReport

    monkeypatch.setattr(Store, "tick", lambda self, now=None, limit=None: TickReport([], [], [], None))
    assert main(["tour"]) == 1
    assert "step 3 went wrong" in capsys.readouterr().err
