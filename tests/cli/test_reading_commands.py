"""`wakeful match` and `wakeful explain`: what needs a vocabulary and no store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import GARDEN, Command

ROWS = [
    {"entity": {"eid": "fern", "num": 1}, "plant": {"window": "north"}, "wake": {"at": "2026-09-20T09:00:00Z"}},
    {"entity": {"eid": "ivy", "num": 2}, "plant": {"window": "east"}, "wake": {"at": "2026-09-21T09:00:00Z"}},
]
VocabFile = Callable[[Any], str]


@pytest.mark.parametrize(
    "stdin", [json.dumps(ROWS), json.dumps(ROWS, indent=2), "\n".join(map(json.dumps, ROWS)) + "\n\n"]
)
def test_match_reads_an_array_or_lines(wakeful: Command, stdin: str) -> None:
    answer = wakeful("match", ".plant.window=east", "--vocab", GARDEN, "--json", stdin=stdin)
    assert answer.code == 0
    assert answer.json == [{"entity": {"eid": "ivy", "num": 2}, "plant": {"window": "east"}}]


def test_match_judges_by_the_given_instant(wakeful: Command) -> None:
    arguments = ("match", ".wake.at<=today", "--vocab", str(GARDEN), "--json")
    found = [
        [row["entity"]["eid"] for row in wakeful(*arguments, "--now", now, stdin=json.dumps(ROWS)).json]
        for now in ("2026-09-19T00:00:00Z", "2026-09-20T00:00:00Z", "2026-09-21T00:00:00Z")
    ]
    assert found == [[], ["fern"], ["fern", "ivy"]]


def test_match_answers_with_an_aggregate(wakeful: Command) -> None:
    arguments = ("match", ".plant .count", "--vocab", str(GARDEN))
    assert wakeful(*arguments, "--json", stdin=json.dumps(ROWS)).json == {"count": 2}
    assert wakeful(*arguments, stdin=json.dumps(ROWS)).out == "2\n"


def test_match_as_a_person_reads_it(wakeful: Command) -> None:
    rows = [*ROWS, {"plant": {"window": 'a "b"\x1b[31m'}}, {"plant": {}}]
    answer = wakeful("match", ".plant", "--vocab", GARDEN, stdin=json.dumps(rows))
    assert answer.out == (
        "entity  plant\n"
        "fern    window=north\n"
        "ivy     window=east\n"
        '-       window="a \\"b\\"\\u001b[31m"\n'
        "-       yes\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stdin", "place"),
    [
        ('[{"plant": {}}, 5]', "stdin:1:17"),
        ('{"plant": {}}\n[]', "stdin:2:1"),
        ("null", "stdin:1:1"),
        ("{", "stdin:1:2"),
    ],
)
def test_match_refuses_what_is_no_bundle(wakeful: Command, stdin: str, place: str) -> None:
    answer = wakeful("match", ".plant", "--vocab", GARDEN, "--json", stdin=stdin)
    assert (answer.code, answer.out) == (1, "")
    assert place in answer.err


@pytest.mark.parametrize("command", ["match", "explain"])
def test_a_query_or_vocabulary_that_will_not_do(wakeful: Command, vocab_file: VocabFile, command: str) -> None:
    answer = wakeful(command, ".plnt", "--vocab", GARDEN, "--json", stdin="[]")
    assert (answer.code, answer.out) == (1, "")
    assert "query:1:2: error unknown-component" in answer.err
    path = vocab_file('{"$defs": {"Plant": {}}}')
    answer = wakeful(command, ".plant", "--vocab", path, "--json", stdin="[]")
    assert (answer.code, answer.out) == (1, "")
    assert f"{path}:1:12: error " in answer.err
    answer = wakeful(command, ".plant", "--vocab", "nowhere", "--json", stdin="[]")
    assert (answer.code, answer.out) == (2, "")
    assert "there is no file nowhere" in answer.err
    assert wakeful(command, ".plant").code == 2


# --- explain ------------------------------------------------------------------------------------


def test_explain_a_query(wakeful: Command) -> None:
    text = ".plant.window=north,east  .wake.at<=tomorrow, ?doc .order=-doc.title"
    answer = wakeful("explain", text, "--vocab", GARDEN, "--now", "2026-09-20T09:00:00Z", "--json")
    assert answer.code == 0
    found = answer.json
    assert set(found) == {"query", "tree", "types", "reads", "carries", "movement", "sql"}
    assert found["query"] == ".plant.window=north,east .wake.at<=tomorrow ?doc .order=-doc.title"
    assert found["reads"] == ["plant.window", "wake.at"]
    assert list(found["types"]) == ["plant.window", "wake.at", "doc.title"]
    assert found["movement"] == "free"
    first, second, third = found["tree"]["where"]["terms"]
    assert (first["node"], first["path"]) == ("compare", "plant.window")
    assert text[slice(*second["span"])] == ".wake.at<=tomorrow"
    assert third["node"] == "request"
    sql = found["sql"]["sqlite"]
    assert sql["text"].count("?") == len(sql["params"]) == 3
    assert sql["params"][-1] == "2026-09-22T00:00:00.000000Z"


def test_explain_a_query_as_a_person_reads_it(wakeful: Command) -> None:
    answer = wakeful("explain", ".plant.window=north, ?wake", "--vocab", GARDEN)
    lines = answer.out.split("\n")
    assert lines[:6] == [
        "query    .plant.window=north ?wake",
        "tree     1:1-26   all of",
        "         1:1-19     plant.window = north",
        "         1:22-26    carry wake",
        "types    plant.window  a string",
        "reads    plant.window",
    ]
    assert "moves with time" not in answer.out
    assert "moves with time" in wakeful("explain", ".wake.at<now", "--vocab", GARDEN).out


def test_a_fixed_date_does_not_move_with_time(wakeful: Command) -> None:
    assert wakeful("explain", ".wake.at<2026-02-03", "--vocab", GARDEN, "--json").json["movement"] == "constant"


@pytest.mark.parametrize(
    ("query", "movement"),
    [
        (".wake.at<now", "rising"),
        (".wake.at>=1-hour-ago", "falling"),
        (".wake.at=today", "free"),
        (".wake", "constant"),
    ],
)
def test_explain_says_how_an_answer_moves(wakeful: Command, query: str, movement: str) -> None:
    assert f"time     {movement}: " in wakeful("explain", query, "--vocab", GARDEN).out


def test_explain_shows_the_sql_of_both_engines(wakeful: Command) -> None:
    told = wakeful("explain", ".plant.window>=m", "--vocab", GARDEN).out
    assert "WHERE t1.p_window >= ?\n" in told
    assert 'WHERE t1.p_window COLLATE "C" >= $1\n' in told
    assert "?1 = 'm'\n" in told
    assert "$1 = 'm'\n" in told


def test_explain_on_a_store_says_which_index_serves(wakeful: Command, vocab_file: VocabFile, tmp_path: Path) -> None:
    store = str(tmp_path / "greens.db")
    properties = {"window": {"type": "string", "index": True}, "size": {"type": "number"}}
    wakeful("deploy", vocab_file({"$defs": {"plant": {"properties": properties}}}), "--store", store)
    served = wakeful("explain", ".plant.window=north .plant.size>5", "--store", store, "--json").json["plan"]
    assert (served["indexes"], served["warnings"]) == (["plant.window"], [])
    assert served["steps"][0] == "SEARCH t1 (plant) USING INDEX i_plant.window (p_window=?)"
    scanned = wakeful("explain", ".plant.size>5", "--store", store)
    assert "SCAN t1 (plant)" in scanned.out
    assert "warning: no index serves this filter" in scanned.out
    assert 'declare `plant.size` with "index": true' in scanned.out
    for fine in (".plant", ".plant !doc", ".eid=fern", "*"):
        assert wakeful("explain", fine, "--store", store, "--json").json["plan"]["warnings"] == []
    either = wakeful("explain", ".plant.window=a|.doc.title=b", "--store", store).out
    assert "ask for each by itself" in either
    assert wakeful("explain", "--store", store).out == "this vocabulary has no rules\n"
    assert wakeful("explain", ".plnt", "--store", store).code == 1
    assert wakeful("explain", ".plant", "--store", store, "--vocab", GARDEN).code == 2


def test_match_follows_references_among_the_rows(wakeful: Command, vocab_file: VocabFile) -> None:
    path = vocab_file({"$defs": {"note": {"properties": {"about": {"type": "string", "ref": "entity"}}}}})
    rows = [
        {"entity": {"eid": "n1"}, "note": {"about": "pie"}},
        {"entity": {"eid": "n2"}, "note": {"about": "elsewhere"}},
        {"entity": {"eid": "pie"}, "doc": {"title": "Lemon pie"}},
        {"note": {}},
    ]
    query = ".note.about.doc.title~=lemon"
    answer = wakeful("match", query, "--vocab", path, "--json", stdin=json.dumps(rows))
    assert answer.json == [{"entity": {"eid": "n1"}, "note": {"about": "pie"}}]
    tally = wakeful("match", ".tally=note.about", "--vocab", path, "--json", stdin=json.dumps(rows))
    assert tally.json == {"tally": {"elsewhere": 1, "pie": 1}}
    assert wakeful("match", ".distinct=doc.body", "--vocab", path, stdin=json.dumps(rows)).err == "no values\n"


def test_explain_the_empty_query(wakeful: Command) -> None:
    assert "selects nothing" in wakeful("explain", "", "--vocab", GARDEN).out


def test_explain_the_rules(wakeful: Command, vocab_file: VocabFile) -> None:
    rule = {"rule": True}
    entries: dict[str, Any] = {name: {} for name in ("a", "b", "c", "d")}
    entries["x_last"] = {**rule, "match": ".b, +!c"}
    entries["z_first"] = {**rule, "match": ".a, +!b", "description": "begins"}
    entries["m_declared"] = {**rule, "match": ".d, +!wake, +wake.every=@daily", "before": ["x_last"]}
    path = vocab_file({"$defs": entries})
    found = wakeful("explain", "--vocab", path, "--json").json
    assert set(found) == {"rules", "commands", "edges", "notes"}
    assert [entry["name"] for entry in found["rules"]] == ["m_declared", "z_first", "x_last"]
    assert found["rules"][1] == {
        "name": "z_first", "kind": "state", "description": "begins", "match": ".a, +!b", "on": [],
        "reads": ["a", "b"], "writes": ["b"], "copies": {}, "deletes": False, "refuse": None,
        "call": None,
    }  # fmt: skip
    assert found["edges"]["enables"] == [["z_first", "x_last"]]
    assert found["edges"]["before"] == [["m_declared", "x_last"]]
    assert set(found["edges"]) == {"enables", "before", "writes_then_reads", "asks", "sets_off"}
    told = wakeful("explain", "--vocab", path).out
    assert told.startswith("1. m_declared\n   match   .d, ")
    assert "   z_first enables x_last\n" in told


def test_explain_rules_of_every_kind(wakeful: Command, vocab_file: VocabFile) -> None:
    rule = {"rule": True}
    entries: dict[str, Any] = {
        "a": {"properties": {"n": {"type": "integer"}}},
        "b": {"properties": {"n": {"type": "integer"}}},
        "holds": {**rule, "match": ".a, !b, +b"},
        "copies": {**rule, "match": "^a.n>1, ^fired, *b.n=.a.n+1", "before": ["ends"]},
        "ends": {**rule, "match": "^!a, +tombstone"},
        "no": {**rule, "match": ".a.n<0", "refuse": "never negative"},
    }
    path = vocab_file({"$defs": entries})
    found = {entry["name"]: entry for entry in wakeful("explain", "--vocab", path, "--json").json["rules"]}
    assert [(name, entry["kind"]) for name, entry in found.items()] == [
        ("copies", "occasion"), ("ends", "occasion"), ("holds", "state"), ("no", "refuse")
    ]  # fmt: skip
    assert found["copies"]["on"] == ["^a.n>1", "^fired"]
    assert found["copies"]["copies"] == {"b.n": ".a.n+1"}
    assert found["ends"]["deletes"] is True
    assert found["no"]["refuse"] == "never negative"
    told = wakeful("explain", "--vocab", path).out
    assert "rules on occasions" in told and "rules of state" in told and "rules that refuse" in told
    assert "   on      ^a.n>1, ^fired\n" in told
    assert "   copies  b.n = .a.n+1\n" in told
    assert "   writes  deletes the row\n" in told
    assert "   refuses never negative\n" in told
    assert "   copies is declared before ends\n" in told


def test_explain_commands(wakeful: Command, vocab_file: VocabFile) -> None:
    entries: dict[str, Any] = {
        "plant": {"properties": {"watered": {"type": "string", "format": "date-time"}}},
        "wet": {}, "seen": {},
        "water": {
            "tool": True, "description": "water a plant", "required": ["plant"],
            "input": {"plant": {"type": "string", "ref": "plant"}, "note": {"type": "string"}},
            "apply": {"entity": {"eid": "$plant"}, "plant": {"watered": "now"}, "doc": {"title": "$note"}},
        },
        "all": {"tool": True, "description": "list them", "query": ".plant"},
        "thirst": {
            "rule": True, "match": "^fired, .plant", "call": "water",
            "args": {"plant": "=.entity.eid", "note": "by wake"},
        },
        "shines": {"rule": True, "match": ".plant.watered, +!wet"},
        "notes": {"rule": True, "match": ".execution.state=failed, +!seen"},
    }  # fmt: skip
    path = vocab_file({"$defs": entries})
    found = wakeful("explain", "--vocab", path, "--json").json
    assert found["commands"][0] == {
        "name": "water", "description": "water a plant", "does": "apply",
        "input": {"plant": "reference", "note": "string"}, "required": ["plant"],
    }  # fmt: skip
    assert found["rules"][0]["call"] == {"to": "water", "args": {"plant": "=.entity.eid", "note": "by wake"}}
    assert found["edges"]["asks"] == [["thirst", "water"]]
    assert found["edges"]["sets_off"] == [["*", "notes"], ["water", "shines"]]
    told = wakeful("explain", "--vocab", path).out
    assert '   calls   water with plant "=.entity.eid", note "by wake"\n' in told
    assert "command water  water a plant\n   input   plant (reference, required), note (string)\n" in told
    assert "command all  list them\n   input   nothing\n   query   .plant\n" in told
    assert "what sets what off\n   thirst asks for water\n   every command sets off notes\n" in told
    assert "   water sets off shines\n" in told


def test_explain_a_vocabulary_without_rules(wakeful: Command, vocab_file: VocabFile) -> None:
    assert wakeful("explain", "--vocab", vocab_file({"$defs": {"a": {}}})).out == "this vocabulary has no rules\n"
