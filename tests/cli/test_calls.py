"""Calls from the command line: listed, run again, pruned, and told of by apply and tick."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Command
from wakeful.ids import derived_eid

MONDAY = "2026-09-21T09:00:00Z"
VOCAB: dict[str, Any] = {
    "$defs": {
        "sent": {"properties": {"list": {"type": "string", "enum": ["weekly", "daily"]}}},
        "send_digest": {
            "tool": True,
            "description": "Send the digest of a list",
            "input": {"list": {"type": "string"}},
            "keep": {"days": 30},
            "apply": {"entity": {"eid": "$sent"}, "sent": {"list": "$list"}},
        },
        "fetch": {"tool": True, "description": "Fetch the news", "worker": "/fetch"},
    }
}
MONDAYS = {
    "entity": {"eid": "monday"},
    "call": {"to": "send_digest", "args": {"list": "weekly"}},
    "wake": {"at": MONDAY, "every": "1w"},
}


@pytest.fixture
def digest(tmp_path: Path, wakeful: Command, vocab_file: Callable[[Any], str]) -> str:
    """The path of a store with a weekly digest, planted on the Sunday before."""
    store = str(tmp_path / "digest.db")
    assert wakeful("deploy", vocab_file(VOCAB), "--store", store).code == 0
    planted = wakeful("apply", "-", "--store", store, "--now", "2026-09-20T00:00:00Z", stdin=json.dumps(MONDAYS))
    assert planted.code == 0
    return store


def occurrence(due: str = MONDAY) -> str:
    return derived_eid("call", "monday", due)


def send(wakeful: Command, store: str, eid: str, what: str, *more: str, now: str = MONDAY) -> Any:
    bundle = {"entity": {"eid": eid}, "call": {"to": "send_digest", "args": {"list": what}}}
    return wakeful("apply", "-", "--store", store, "--now", now, *more, stdin=json.dumps(bundle))


def test_a_tick_tells_what_it_ran(wakeful: Command, digest: str) -> None:
    said = wakeful("tick", "--store", digest, "--now", MONDAY).out.splitlines()
    assert said[0].startswith(f"{MONDAY}  fired monday, next 2026-09-28T09:00:00Z")
    assert said[1] == f"{MONDAY}  ran send_digest for monday ({occurrence()})"
    assert said[2] == "1 fired, 1 call ran; next due 2026-09-28T09:00:00Z"


def test_a_one_shot_is_told_as_a_firing_and_as_a_call(wakeful: Command, digest: str) -> None:
    once = {**MONDAYS, "entity": {"eid": "once"}, "wake": {"at": "2026-09-20T12:00:00Z"}}
    wakeful("apply", "-", "--store", digest, "--now", "2026-09-20T00:00:00Z", stdin=json.dumps(once))
    assert wakeful("tick", "--store", digest, "--now", "2026-09-20T12:00:00Z").out.splitlines() == [
        "2026-09-20T12:00:00Z  fired once, no next",
        "2026-09-20T12:00:00Z  ran send_digest (once)",
        f"1 fired, 1 call ran; next due {MONDAY}",
    ]


def test_a_tick_says_what_failed(wakeful: Command, digest: str) -> None:
    bundle = {"entity": {"eid": "monday"}, "call": {"args": {"list": "yearly"}}}
    wakeful("apply", "-", "--store", digest, stdin=json.dumps(bundle))
    answer = wakeful("tick", "--store", digest, "--now", MONDAY)
    said = answer.out.splitlines()
    assert said[1].startswith(f"{MONDAY}  failed send_digest for monday ({occurrence()}): ")
    assert "sent.list" in said[1]
    assert said[2] == "1 fired, 0 calls ran, 1 failed; next due 2026-09-28T09:00:00Z"
    assert answer.code == 0


def test_apply_tells_what_it_ran_and_what_failed(wakeful: Command, digest: str) -> None:
    assert f"{MONDAY}  ran send_digest (a)" in send(wakeful, digest, "a", "weekly").out.splitlines()
    failed = send(wakeful, digest, "b", "yearly")
    assert failed.code == 0
    assert any(line.startswith(f"{MONDAY}  failed send_digest (b): ") for line in failed.out.splitlines())
    dry = send(wakeful, digest, "c", "yearly", "--dry-run").out
    assert f"{MONDAY}  failed send_digest (c): " in dry
    again = wakeful("apply", "-", "--store", digest, "--json", stdin='{"entity": {"eid": "a"}, "sent": {}}')
    assert set(again.json) == {"changes", "aliases", "notes"}


def test_a_dry_run_names_the_command_of_a_call_that_was_there(wakeful: Command, digest: str) -> None:
    bundle = {"entity": {"eid": "x"}, "call": MONDAYS["call"], "wake": {"at": "2027-01-01T00:00:00Z"}}
    wakeful("apply", "-", "--store", digest, stdin=json.dumps(bundle))
    now = ("--now", MONDAY, "--dry-run")
    said = wakeful("apply", "-", "--store", digest, *now, stdin='{"entity": {"eid": "x"}, "wake": null}').out
    assert f"{MONDAY}  ran send_digest (x)" in said.splitlines()


def test_calls_are_listed(wakeful: Command, digest: str) -> None:
    nothing = wakeful("calls", "--store", digest)
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "no calls\n")
    wakeful("tick", "--store", digest, "--now", MONDAY)
    send(wakeful, digest, "b", "yearly", now="2026-09-22T00:00:00Z")
    wakeful("apply", "-", "--store", digest, "--now", "2026-09-23T00:00:00Z",
            stdin='{"entity": {"eid": "f"}, "call": {"to": "fetch"}}')  # fmt: skip
    table = wakeful("calls", "--store", digest).out.splitlines()
    assert table[0].split() == ["when", "command", "call", "state", "ms", "error"]
    assert [line.split()[:4] for line in table[1:]] == [
        ["2026-09-23T00:00:00Z", "fetch", "f", "waiting"],
        ["2026-09-22T00:00:00Z", "send_digest", "b", "failed"],
        [MONDAY, "send_digest", occurrence(), "done"],
    ]
    found = wakeful("calls", "--store", digest, "--failed", "--json").json
    assert [call["eid"] for call in found] == ["b"]
    assert set(found[0]) == {"eid", "command", "state", "at", "ms", "error", "source", "due"}
    assert [call["eid"] for call in wakeful("calls", "--store", digest, "--waiting", "--json").json] == ["f"]
    assert wakeful("calls", "--store", digest, "--running").err == "no running calls\n"
    mine = wakeful("calls", "--store", digest, "--of", "monday", "--json").json
    assert [(call["eid"], call["due"], call["source"]) for call in mine] == [(occurrence(), MONDAY, "monday")]
    cut = wakeful("calls", "--store", digest, "--limit", "1")
    assert len(cut.out.splitlines()) == 2
    assert cut.err == "note: these are the newest 1: `--limit N` asks for more\n"


def test_calls_of_nobody(wakeful: Command, digest: str) -> None:
    answer = wakeful("calls", "--store", digest, "--of", "nobody")
    assert (answer.code, answer.out) == (1, "")
    assert "there is no entity nobody" in answer.err
    assert wakeful("calls", "--store", digest, "--failed", "--running").code == 2
    assert wakeful("calls", "--store", f"{digest}.none").code == 2


def test_a_call_is_run_again(wakeful: Command, digest: str) -> None:
    send(wakeful, digest, "b", "yearly")
    again = wakeful("rerun", "b", "--store", digest, "--now", "2026-09-22T00:00:00Z")
    assert again.code == 1
    assert "2026-09-22T00:00:00Z  failed send_digest (b): " in again.out
    bundle = {"entity": {"eid": "b"}, "call": {"args": {"list": "daily"}}}
    wakeful("apply", "-", "--store", digest, stdin=json.dumps(bundle))
    mended = wakeful("rerun", "b", "--store", digest, "--now", "2026-09-23T00:00:00Z", "--json")
    assert mended.code == 0
    assert mended.json["call"]["state"] == "done"
    assert [row["sent"] for row in mended.json["changes"] if "sent" in row] == [{"list": "daily"}]
    said = wakeful("rerun", "b", "--store", digest, "--now", "2026-09-24T00:00:00Z").out
    assert "2026-09-24T00:00:00Z  ran send_digest (b)" in said


def test_a_schedule_is_not_run_again_but_its_calls_are(wakeful: Command, digest: str) -> None:
    wakeful("tick", "--store", digest, "--now", MONDAY)
    refused = wakeful("rerun", "monday", "--store", digest)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        "error call-standing: monday is a standing request, which is never run itself\n"
        f"    run its latest call again, {occurrence()}, which was due at {MONDAY}\n"
    )
    assert wakeful("rerun", occurrence(), "--store", digest).code == 0
    assert wakeful("rerun", "nobody", "--store", digest).code == 1


def test_old_calls_are_pruned(wakeful: Command, digest: str) -> None:
    for eid in ("a", "b"):
        send(wakeful, digest, eid, "weekly")
    early = wakeful("prune", "--store", digest, "--now", "2026-10-21T09:00:00Z")
    assert (early.code, early.out, early.err) == (0, "", "no call is older than its command keeps it\n")
    assert wakeful("prune", "--store", digest, "--now", "2026-10-21T09:00:01Z").out == "2 calls pruned\n"
    assert wakeful("prune", "--store", digest, "--json").json == {"pruned": 0}
    assert wakeful("calls", "--store", digest, "--json").json == []


def test_prune_says_when_nothing_is_ever_pruned(wakeful: Command, garden: str) -> None:
    assert "no command has `" in wakeful("prune", "--store", garden).err


def test_run_tells_what_it_ran(wakeful: Command, digest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wakeful import Store

    now = datetime.now(UTC)
    bundles = [{"entity": {"eid": eid}, "call": {"to": to, "args": args}, "wake": {"at": now.isoformat()}}
               for eid, to, args in (("x", "send_digest", {"list": "weekly"}), ("y", "fetch", {}))]  # fmt: skip
    later = {"entity": {"eid": "monday"}, "wake": {"at": (now + timedelta(days=1)).isoformat()}}
    wakeful("apply", "-", "--store", digest, stdin=json.dumps([later, *bundles]))

    def run(store: Store, stop: Any, on_tick: Any) -> None:
        on_tick(store.tick())
        on_tick(store.tick())

    monkeypatch.setattr(Store, "run", run)
    said = [line.split("  ", 1)[1] for line in wakeful("run", "--store", digest).out.splitlines()]
    assert [line.split()[:3] for line in said[2:]] == [["ran", "send_digest", "(x,"], ["waiting", "fetch", "(y):"]]
