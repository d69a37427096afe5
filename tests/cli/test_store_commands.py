"""The garden from the command line: deploy, apply, due, tick, query, and what goes wrong on the way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import GARDEN, Command
from wakeful import Store, StoreBusy
from wakeful import store as store_module

MORNING = "2026-09-20T09:00:00Z"
STORE_COMMANDS = (("query", ".plant"), ("due",), ("tick",), ("run",), ("apply", str(GARDEN / "fern.json")))


def test_the_garden(wakeful: Command, garden: str) -> None:
    assert wakeful("due", "--store", garden, "--now", "2026-09-20T08:59:59Z", "--json").json == []
    assert wakeful("due", "--store", garden, "--now", MORNING, "--json").json == [{"eid": "fern", "at": MORNING}]

    answer = wakeful("tick", "--store", garden, "--now", MORNING, "--json")
    assert answer.code == 0
    report = answer.json
    assert set(report) == {"fired", "refused", "calls", "next_due"}
    assert (report["refused"], report["calls"], report["next_due"]) == ([], [], None)
    (fired,) = report["fired"]
    assert fired["entity"]["eid"] == "fern"
    assert fired["fired"] == {"at": MORNING, "due": MORNING}
    assert fired["wake"]["at"] is None
    assert fired["watered"] == {"by": "wake"}

    assert wakeful("tick", "--store", garden, "--now", MORNING, "--json").json["fired"] == []
    (row,) = wakeful("query", ".watered, ?wake", "--store", garden, "--json").json
    assert (row["watered"], row["wake"]) == (fired["watered"], fired["wake"])


def test_a_daily_wake_catches_up_in_one_firing(wakeful: Command, garden: str) -> None:
    bundle = {"entity": {"eid": "ivy"}, "wake": {"at": "2026-01-01T09:00:00Z", "every": "1d"}}
    wakeful("apply", "-", "--store", garden, "--now", "2025-12-31T00:00:00Z", stdin=json.dumps(bundle))
    report = wakeful("tick", "--store", garden, "--now", "2026-01-04T10:00:00Z", "--json").json
    assert [row["entity"]["eid"] for row in report["fired"]] == ["ivy"]
    assert report["fired"][0]["fired"]["due"] == "2026-01-01T09:00:00Z"
    assert report["next_due"] == "2026-01-05T09:00:00Z"


def test_limit_fires_the_oldest(wakeful: Command, garden: str) -> None:
    lines = "\n".join(json.dumps({"entity": {"eid": eid}, "wake": {"at": at}}) for eid, at in (
        ("late", "2026-01-03T00:00:00Z"), ("early", "2026-01-01T00:00:00Z"), ("middle", "2026-01-02T00:00:00Z"),
    ))  # fmt: skip
    assert wakeful("apply", "-", "--store", garden, stdin=lines).code == 0
    report = wakeful("tick", "--store", garden, "--now", "2026-01-05T00:00:00Z", "--limit", "2", "--json").json
    assert [row["entity"]["eid"] for row in report["fired"]] == ["early", "middle"]
    assert report["next_due"] == "2026-01-03T00:00:00Z"


def test_as_a_person_reads_it(wakeful: Command, garden: str) -> None:
    table = wakeful("query", ".plant, ?wake", "--store", garden).out
    assert table == (
        "entity  plant         wake\n"
        'fern    window=north  at=2026-09-20T09:00:00Z note="water me"\n'
    )  # fmt: skip
    due = wakeful("due", "--store", garden, "--now", "2026-09-01T00:00:00Z").err
    assert due == f"nothing is due: the next wake is due at {MORNING}\n"
    assert wakeful("due", "--store", garden, "--now", MORNING).out == f"entity  due since\nfern    {MORNING}\n"
    ticked = wakeful("tick", "--store", garden, "--now", "2026-09-20T09:00:05Z").out
    assert ticked == (
        f"2026-09-20T09:00:05Z  fired fern (due {MORNING}), no next; watered by=wake\n"
        "1 fired; no wake waits\n"
    )  # fmt: skip
    assert wakeful("query", ".count", "--store", garden).out == "1\n"
    nothing = wakeful("query", "", "--store", garden)
    assert (nothing.out, nothing.err) == ("", "no rows\n")


def test_apply_answers_with_changes_aliases_and_notes(wakeful: Command, garden: str) -> None:
    bundles = [
        {"entity": {"eid": "$pot"}, "plant": {"window": "east"}},
        {"wake": {"at": "2027-01-01T00:00:00Z", "target": "$pot"}},
    ]
    answer = wakeful("apply", "-", "--store", garden, "--by", "ada", "--json", stdin=json.dumps(bundles))
    assert answer.code == 0
    assert set(answer.json) == {"changes", "aliases", "notes"}
    pot = answer.json["aliases"]["$pot"]
    first, second = answer.json["changes"]
    assert first["entity"]["eid"] == second["wake"]["target"] == pot
    assert first["created"]["by"] == "ada"


def test_a_dry_run_keeps_nothing(wakeful: Command, garden: str) -> None:
    bundle = '{"entity": {"eid": "ivy"}, "plant": {}}'
    answer = wakeful("apply", "-", "--dry-run", "--store", garden, "--json", stdin=bundle)
    assert answer.json["changes"][0]["entity"]["eid"] == "ivy"
    assert wakeful("query", ".eid=ivy", "--store", garden, "--json").json == []
    assert "nothing was kept" in wakeful("apply", "-", "--dry-run", "--store", garden, stdin=bundle).out


def test_the_store_may_be_named_in_the_environment(
    wakeful: Command, garden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAKEFUL_STORE", garden)
    assert len(wakeful("query", ".plant", "--json").json) == 1


def test_deploy_answers_as_json_and_moves_on(wakeful: Command, garden: str, tmp_path: Path) -> None:
    document = json.loads((GARDEN / "vocab.json").read_text(encoding="utf-8"))
    document["$defs"]["pot"] = {"properties": {"size": {"type": "integer"}}}
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    report = wakeful("deploy", path, "--store", garden, "--json").json
    assert set(report) == {"added", "kept", "dropped", "renamed", "notes", "version"}
    assert (report["added"], report["version"]) == (["pot"], 2)


def test_a_misspelt_rule_is_refused_and_changes_nothing(wakeful: Command, garden: str, tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(
        (GARDEN / "vocab.json").read_text(encoding="utf-8").replace('".plant,', '".plnt,'), encoding="utf-8"
    )
    answer = wakeful("deploy", path, "--store", garden, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert f"{path}:" in answer.err
    assert "^^^^" in answer.err
    assert "`.plant`" in answer.err
    assert wakeful("tick", "--store", garden, "--now", MORNING, "--json").json["fired"][0]["watered"]


def test_a_refused_deploy_makes_no_store(wakeful: Command, tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text('{"$defs": {"Plant": {}}}', encoding="utf-8")
    assert wakeful("deploy", path, "--store", tmp_path / "new.db").code == 1
    assert wakeful("deploy", "nowhere", "--store", tmp_path / "new.db").code == 2
    assert not (tmp_path / "new.db").exists()


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "place", "words"),
    [
        ('{"plant": {"window": 3}}', "stdin:1:22: error type-property", "plant.window is a string"),
        ('[{"plant": {}},\n {"plnt": {}}]', "stdin:2:3: error unknown-component", "did you mean `plant`?"),
        ('{"plant": {}}\n\n{"plant": {"windw": "x"}}\n', "stdin:3:12: error unknown-property", "`windw`"),
        ('{"plant": {}}\n{"plant": {"window": }}', "stdin:2:22: error syntax-json", ""),
        ('{"plant": {}\n{"plant": {}}', "stdin:1:13: error syntax-json", ""),
        ('{\n  "plant": {},\n  "doc": nope\n}', "stdin:3:10: error syntax-json", ""),
        ('{"plant": {}, "plant": {}}', "stdin:1:15: error syntax-duplicate-key", "stands twice"),
        ('{"plant": {"window": NaN}}', "stdin:1:22: error syntax-json", "NaN"),
        ('{"plant": {"window": 1e999}}', "stdin:1:22: error limit-number", ""),
        ("[" * 10_000, "stdin:1:65: error limit-", ""),
        ('{"n": ' + "9" * 20_000 + "}", "stdin:1:7: error limit-number", ""),
        (b"\xff\xfe{", "stdin:1:1: error syntax-encoding", "UTF-16"),
        (b'{"a": "\xe9"}', "stdin:1:8: error syntax-encoding", "UTF-8"),
        ("", "stdin:1:1: error syntax-json", "nothing in it"),
        ("5", "error type-bundle", ""),
        ('{"plant": {}}\n5', "stdin:2:1: error type-bundle", ""),
        ("[1, {}]", "stdin:1:2: error type-bundle", ""),
        ('{"plant": {"window": "\\ud800"}}', "stdin:1:22: error type-property", ""),
    ],
)
def test_a_refusal_points_at_what_is_refused(
    wakeful: Command, garden: str, given: str | bytes, place: str, words: str
) -> None:
    answer = wakeful("apply", "-", "--store", garden, "--json", stdin=given)
    assert (answer.code, answer.out) == (1, "")
    assert place in answer.err
    assert words in answer.err
    assert len(wakeful("query", ".entity", "--store", garden, "--json").json) == 1


def test_a_byte_order_mark_is_no_mistake(wakeful: Command, garden: str) -> None:
    assert wakeful("apply", "-", "--store", garden, stdin=b'\xef\xbb\xbf{"plant": {}}').code == 0


def test_a_stale_guard_shows_what_stands(wakeful: Command, garden: str) -> None:
    bundle = {"entity": {"eid": "fern"}, "$was": {"plant": {"window": "east"}}, "plant": {"window": "south"}}
    answer = wakeful("apply", "-", "--store", garden, stdin=json.dumps(bundle))
    assert (answer.code, answer.out) == (1, "")
    assert "north" in answer.err


def test_a_query_with_a_mistake_has_its_caret(wakeful: Command, garden: str) -> None:
    answer = wakeful("query", ".waterd", "--store", garden, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "query:1:2: error unknown-component" in answer.err
    assert "     ^^^^^^\n" in answer.err
    assert "`.watered`" in answer.err


@pytest.mark.parametrize(
    ("bundle", "column"),
    [
        ({"entity": {"eid": "gone"}, "plant": {}}, 20),
        ({"entity": {"eid": "never"}, "tombstone": {}}, 20),
        ({"entity": {"eid": "fern"}, "$was": {"plant": {"window": "east"}}, "plant": {}}, 38),
    ],
)
def test_a_refusal_about_a_whole_bundle_has_its_place(
    wakeful: Command, garden: str, bundle: dict[str, Any], column: int
) -> None:
    for gone in ({"plant": {}}, {"tombstone": {}}):
        wakeful("apply", "-", "--store", garden, stdin=json.dumps({"entity": {"eid": "gone"}, **gone}))
    text = json.dumps(bundle)
    assert f"stdin:1:{column}: error" in wakeful("apply", "-", "--store", garden, stdin=text).err
    both = '{"doc": {}}\n' + text
    assert f"stdin:2:{column}: error" in wakeful("apply", "-", "--store", garden, stdin=both).err


def test_a_write_that_changes_nothing_says_so(wakeful: Command, garden: str) -> None:
    answer = wakeful("apply", "-", "--store", garden, stdin='{"entity": {"eid": "fern"}, "plant": {"window": "north"}}')
    assert (answer.code, answer.out, answer.err) == (0, "", "nothing changed\n")


def test_an_entity_without_components_is_noted(wakeful: Command, garden: str) -> None:
    for bundle in ("{}", '{"plant": null}'):
        answer = wakeful("apply", "-", "--store", garden, "--json", stdin=bundle)
        (note,) = answer.json["notes"]
        assert note.endswith("an entity without components was made")


def test_a_wake_with_nothing_to_come_is_spent(wakeful: Command, garden: str) -> None:
    bundle = {"entity": {"eid": "ivy"}, "plant": {}, "wake": {"at": None}}
    assert wakeful("apply", "-", "--store", garden, stdin=json.dumps(bundle)).out.endswith("yes    spent\n")


@pytest.mark.parametrize("given", ["x", '{"plant": {}} x', "[" * 100])
def test_what_is_no_bundle_is_not_told_of_vocabularies(wakeful: Command, garden: str, given: str) -> None:
    for arguments in (("apply", "-", "--store", garden), ("match", ".plant", "--vocab", str(GARDEN))):
        answer = wakeful(*arguments, stdin=given)
        assert (answer.code, "vocab" in answer.err) == (1, False)


def test_a_value_that_an_enum_leaves_out_is_remarked(
    wakeful: Command, tmp_path: Path, vocab_file: Callable[[Any], str]
) -> None:
    kind = {"type": "string", "enum": ["web", "db"]}
    path, store = vocab_file({"$defs": {"host": {"properties": {"kind": kind}}}}), str(tmp_path / "s.db")
    assert wakeful("deploy", path, "--store", store).code == 0
    for arguments in (("query", "--store", store), ("match", "--vocab", path)):
        answer = wakeful(arguments[0], ".host.kind=wbe", *arguments[1:], "--json", stdin="[]")
        assert (answer.code, answer.json) == (0, [])
        assert '`host.kind` is never "wbe": its values are "web", "db"; did you mean "web"?' in answer.err
        assert wakeful(arguments[0], ".host.kind=web", *arguments[1:], "--json", stdin="[]").err == ""


def test_a_refused_deploy_ends_in_how_many_problems_there_are(
    wakeful: Command, tmp_path: Path, vocab_file: Callable[[Any], str]
) -> None:
    path = vocab_file({"$defs": {"Host": {}, "HOST": {}}})
    answer = wakeful("deploy", path, "--store", tmp_path / "s.db")
    assert answer.err.endswith("nothing was deployed: 2 problems\n")


# --- stores that are none -----------------------------------------------------------------------


@pytest.mark.parametrize("command", STORE_COMMANDS, ids=lambda command: command[0])
def test_no_store_named(wakeful: Command, command: tuple[str, ...]) -> None:
    answer = wakeful(*command)
    assert (answer.code, answer.out) == (2, "")
    assert "--store" in answer.err
    assert "WAKEFUL_STORE" in answer.err


@pytest.mark.parametrize("command", STORE_COMMANDS, ids=lambda command: command[0])
def test_no_such_store(wakeful: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    answer = wakeful(*command, "--store", tmp_path / "none.db")
    assert (answer.code, answer.out) == (2, "")
    assert "there is no store at" in answer.err
    assert "wakeful deploy" in answer.err
    assert list(tmp_path.iterdir()) == []


def _folder(tmp_path: Path) -> str:
    return str(tmp_path)


def _text(tmp_path: Path) -> str:
    (tmp_path / "notes.txt").write_text("no store\n" * 100, encoding="utf-8")
    return str(tmp_path / "notes.txt")


def _foreign(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    return str(tmp_path / "other.db")


def _nowhere(tmp_path: Path) -> str:
    return str(tmp_path / "no" / "folder" / "x.db")


@pytest.mark.parametrize("make", [_folder, _text, _foreign, _nowhere])
@pytest.mark.parametrize("command", [*STORE_COMMANDS, ("deploy", str(GARDEN))], ids=lambda command: command[0])
def test_what_is_no_store(wakeful: Command, tmp_path: Path, make: Any, command: tuple[str, ...]) -> None:
    answer = wakeful(*command, "--store", make(tmp_path))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wakeful: ")


@pytest.mark.parametrize("path", ["", "a\x00b", "postgresql://localhost/x", "x" * 5000])
def test_odd_paths(wakeful: Command, path: str) -> None:
    answer = wakeful("query", ".plant", "--store", path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wakeful: ")


def test_a_missing_file_of_bundles(wakeful: Command, garden: str, tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, "a\x00b"):
        answer = wakeful("apply", path, "--store", garden)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith("wakeful: ")


def test_a_busy_store_is_a_no(wakeful: Command, garden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise StoreBusy("another writer holds the store")

    monkeypatch.setattr(Store, "tick", busy)
    answer = wakeful("tick", "--store", garden, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "another writer" in answer.err


def test_a_cut_answer_says_so(wakeful: Command, garden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_ROWS", 2)
    wakeful("apply", "-", "--store", garden, stdin="\n".join('{"plant": {}}' for _ in range(3)))
    answer = wakeful("query", ".plant", "--store", garden, "--json")
    assert len(answer.json) == 2
    assert "cut at 2 rows" in answer.err
    assert "`.after=2`" in answer.err


def test_a_refused_firing_is_listed(wakeful: Command, tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    rule = {"rule": True, "match": ".stock, .fired, +!sold"}
    sold = {"properties": {"to": {"type": "string"}}, "required": ["to"]}
    path.write_text(json.dumps({"$defs": {"stock": {}, "sold": sold, "sells": rule}}), encoding="utf-8")
    store = tmp_path / "stock.db"
    assert wakeful("deploy", path, "--store", store).code == 0
    bundle = {"entity": {"eid": "chair"}, "stock": {}, "wake": {"at": MORNING}}
    assert wakeful("apply", "-", "--store", store, stdin=json.dumps(bundle)).code == 0
    answer = wakeful("tick", "--store", store, "--now", MORNING, "--json")
    assert answer.code == 0
    assert [refused["eid"] for refused in answer.json["refused"]] == ["chair"]
    assert "sold" in answer.json["refused"][0]["error"]
    assert answer.json["next_due"] == "2026-09-20T09:01:00Z"
    told = wakeful("tick", "--store", store, "--now", "2026-09-20T09:01:00Z").out
    assert told.startswith("2026-09-20T09:01:00Z  refused chair: ")
