"""The programs of examples: each runs by itself, tells its story, and leaves what it says."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wakeful
from wakeful.testing import ManualClock
from wakeful_compiler.vocab.layout import canonical_text
from wakeful_compiler.vocab.source import read_bytes
from wakeful_compiler.vocabulary import check

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/main.py"))


def told(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines that an example prints."""
    runpy.run_path(str(EXAMPLES / name / "main.py"), run_name="__main__")
    found = capsys.readouterr()
    assert found.err == ""
    return found.out.splitlines()


def program(name: str) -> dict[str, Any]:
    """What a program defines, without running it."""
    return runpy.run_path(str(EXAMPLES / name / "main.py"))


def test_they_are_all_there() -> None:
    assert NAMES == ["digest", "invoices", "reminders", "undo", "webhook", "world"]


@pytest.mark.parametrize("name", NAMES)
def test_its_vocabulary_checks_clean_and_is_laid_out(name: str) -> None:
    vocab, problems = check(EXAMPLES / name)
    assert vocab is not None
    assert problems == []
    data = (EXAMPLES / name / "vocab.json").read_bytes()
    assert canonical_text(read_bytes(data)).encode() == data


@pytest.mark.parametrize("name", NAMES)
def test_its_page_says_how_to_run_it(name: str) -> None:
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# ")
    assert f"    python examples/{name}/main.py\n" in page
    assert 5 <= len(page.splitlines()) <= 40


@pytest.mark.parametrize("name", ["digest", "webhook"])
def test_it_is_a_program(name: str) -> None:
    """The others differ from these in nothing that starting is about."""
    command = [sys.executable, str(EXAMPLES / name / "main.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_digest(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("digest", capsys)
    assert lines[0].startswith("A year later, 52 calls of `monday`.")
    weeks = [line for line in lines if re.match(r"  Mon ", line)]
    assert len(weeks) == 6
    assert all(" 09:00 in Berlin, " in line for line in weeks)
    assert [re.findall(r"(0[78]):00 UTC", line) for line in weeks] == [["08"], ["08"], ["07"], ["07"], ["08"], ["08"]]
    assert "52 calls, 52 results, all done." in lines
    assert "`monday` itself has no execution: it asks, its calls are run." in lines
    assert lines[-1] == "The last one delivered twice: 0 calls run, 52 results."


def test_a_digest_holds_every_article_once() -> None:
    digest = program("digest")
    clock = ManualClock(digest["NEW_YEAR"])
    with wakeful.open(":memory:", clock=clock) as store:
        digest["plant"](store)
        digest["live"](store, clock, datetime(2027, 1, 1, tzinfo=UTC))
        results = store.query(".result")
        titles = [row["doc"]["title"] for found in results for row in found["result"]["value"]["rows"]]
        written = {row["doc"]["title"] for row in store.query(".article.published<2026-12-28T08:00:00Z ?doc")}
        assert len(results) == len(store.query(".call.source=monday")) == 52
        # The clock changes make one week an hour shorter, and one an hour longer: no article falls into either hour.
        assert sorted(titles) == sorted(written)
        assert store.query(".execution .count") == {"count": 52}


def test_invoices(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("invoices", capsys)
    letters: dict[str, list[str]] = {}
    for line in lines:
        if match := re.match(r"(I-\d), .* (paid|stage \d):", line):
            mine = letters.setdefault(f"{match[1]} {match[2]}", [])
        elif match := re.match(r"  (\d\d \w{3})  (\w+) +to ", line):
            mine.append(f"{match[1]} {match[2]}")
    assert letters == {
        "I-1 paid": ["01 Mar invoice"],
        "I-2 paid": ["01 Mar invoice", "16 Mar reminder"],
        "I-3 stage 3": ["01 Mar invoice", "16 Mar reminder", "22 Mar warning", "05 Apr last"],
    }
    assert lines[-2:] == ["7 calls, each asked for by a rule: 7 done.", "Next due: nothing."]


def test_an_invoice_that_was_not_looked_at_for_months_gets_one_letter_a_firing() -> None:
    invoices = program("invoices")
    clock = ManualClock(invoices["START"])
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(EXAMPLES / "invoices")
        store.apply({"entity": {"eid": "cy"}, "customer": {"mail": "cy@example.org"}})
        store.apply(invoices["invoice"]("I-1", "cy", 10))
        clock.set(datetime(2026, 12, 1, tzinfo=UTC))
        store.tick()
        assert [row["letter"]["kind"] for row in store.query(".letter")] == ["invoice", "reminder", "warning", "last"]
        assert store.next_due() is None
        assert {call.source for call in store.calls()} == {"I-1"}


def test_reminders(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("reminders", capsys)
    assert [line.strip() for line in lines if re.match(r"  \w{3} \d\d ", line)] == [
        "Wed 13 May 09:30  Dentist: a week from now",
        "Fri 15 May 19:00  Concert: a week from now",
        "Tue 19 May 09:30  Dentist: tomorrow",
        "Wed 20 May 08:30  Dentist: in an hour",
    ]
    assert lines[-1] == "  3 reminders are left, all of the dentist; next due: nothing"


def test_undo(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("undo", capsys)
    assert "09:04  complaint, on second thoughts: called back in time" in lines
    assert "09:06  invitation cannot wait: sent at once" in lines
    assert "09:10  offer is sent: done" in lines
    assert "09:36  offer, third thoughts: too late, it is sent" in lines
    assert lines[-4:] == [
        "  offer       sent at 09:10",
        "  complaint   never sent, no call left",
        "  invitation  sent at 09:06",
        "  2 calls done; next due: nothing",
    ]


def test_what_was_called_back_is_never_sent() -> None:
    undo = program("undo")
    clock = ManualClock(undo["NINE"])
    with wakeful.open(":memory:", clock=clock) as store:
        store.deploy(EXAMPLES / "undo")
        undo["send_soon"](store, "m", "bob", "Hello")
        clock.advance(timedelta(minutes=9, seconds=59))
        assert store.tick().fired == []
        assert undo["call_back"](store, "m")
        clock.advance(timedelta(days=1))
        assert store.tick().fired == []
        assert store.query(".sent | .execution | .call | .wake") == []
        assert store.next_due() is None


def test_webhook(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.strip() for line in told("webhook", capsys)]
    first = lines.index("Over HTTP")
    second = lines.index("In the process")
    http, inside = lines[first:second], lines[second:]
    assert any(line.startswith("announce for books: running, attempt 1 of 3: answered 503") for line in http)
    assert "announce for books: done, {'tracking': 'PS-0001'}" in http
    assert any(line.startswith("the app: turned away, ") for line in http)
    assert "announce for bricks: failed, answered 401 Unauthorized" in http
    assert inside.count("the app: 1.2 kg to Bob is PS-0001") == 2
    assert inside.count("announce for lamp: done, {'tracking': 'PS-0001'}") == 2


def test_world(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("world", capsys)
    assert [line[:8] for line in lines if line.endswith("    the world goes on")] == [
        "12:00:30", "12:01:00", "12:01:30", "12:06:30", "12:11:30",
    ]  # fmt: skip
    assert lines[0] == "11:00:00  A world without players.  Next due: nothing."
    assert "14:00:00  Next due: nothing." in lines
    assert "17:00:00    the world goes on, 1 firing, 1 call" in lines
    assert "  960 steps; a world that never sleeps would have made 86,400." in lines
    assert lines[-1].startswith("  966 steps are kept, and 65 calls: ")


def test_a_world_makes_a_step_for_each_firing_and_sleeps_when_it_is_left(tmp_path: Path) -> None:
    world = program("world")
    clock = ManualClock(world["NOON"])
    path = str(tmp_path / "world.db")
    store = wakeful.open(path, clock=clock)
    world["plant"](store)
    fired = 0
    for player in ("ada", "bob", "cy"):
        fired += world["play"](store, clock, player, 2)
        # Whoever runs it goes away, and another process goes on.
        store.close()
        store = wakeful.open(path, clock=clock)
        fired += len(list(world["live"](store, clock, clock.now() + timedelta(hours=1))))
        assert store.next_due() is None
    steps = store.query(".step")
    assert len(steps) == fired == len(store.query(".call.source=mossvale")) == len(store.query(".result"))
    assert {row["step"]["world"] for row in steps} == {"mossvale"}
    store.close()
