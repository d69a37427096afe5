"""Rules on occasions: what a stage's own write is, what each `^` asks of it, and when it is judged."""

from __future__ import annotations

from typing import Any

import pytest

import wakeful
from runtime.garden import at
from runtime.ruled import DATE, EIGHT, NINE, part, put, ref, refusing, ruled

INVOICE = {"status": "string", "stage": "integer", "due": DATE}
SEEN = {"n": "integer"}


def counting(occasion: str, **components: Any) -> wakeful.Store:
    """A store in which `seen.n` counts how often an occasion has come."""
    kinds = {"invoice": INVOICE, "paid": {}, "seen": SEEN, **components}
    return ruled(kinds, {"counts": f"{occasion}, .seen.n, *seen.n=.seen.n+1"})[0]


def count(store: wakeful.Store, *changes: Any) -> list[int]:
    """How often the occasion has come after each of these writes to `i`, which counts from 0."""
    store.apply({"entity": {"eid": "i"}, "seen": {"n": 0}})
    found = []
    for change in changes:
        store.apply(
            [{"entity": {"eid": "i"}, **each} for each in change]
            if isinstance(change, list)
            else {"entity": {"eid": "i"}, **change}
        )
        found.append(part(store, "i", "seen")["n"])
    return found


def test_added() -> None:
    writes = [{"paid": {}}, {"paid": {}}, {"invoice": {"stage": 1}}, {"paid": None}, {"paid": {}}]
    assert count(counting("^paid"), *writes) == [1, 1, 1, 1, 2]


def test_removed() -> None:
    writes = [{"paid": {}}, {"paid": None}, {"paid": None}, {"paid": {}}, {"invoice": {}, "paid": None}]
    assert count(counting("^!paid"), *writes) == [0, 1, 1, 1, 2]


def test_changed_is_set_cleared_and_gone() -> None:
    writes: list[Any] = [
        {"invoice": {}},
        {"invoice": {"stage": 1}},
        {"invoice": {"stage": 1}},
        {"invoice": {"stage": 1.0}},
        {"invoice": {"stage": 2}},
        {"invoice": {"status": "x"}},
        {"invoice": {"stage": None}},
        {"invoice": {"stage": 3}},
        {"invoice": None},
        {"invoice": {"stage": 3}},
    ]
    assert count(counting("^invoice.stage"), *writes) == [0, 1, 1, 1, 2, 2, 3, 4, 5, 6]


def test_changed_and_now_so() -> None:
    writes: list[Any] = [{"invoice": {"stage": n}} for n in (4, 5, 5, 6, 4, None)]
    assert count(counting("^invoice.stage>=5"), *writes) == [0, 1, 1, 2, 2, 2]
    assert count(counting("^invoice.stage!=5"), *writes) == [1, 1, 1, 2, 3, 4]


def test_what_comes_to_nothing_in_one_apply_is_no_occasion() -> None:
    back: list[Any] = [{"paid": {}, "invoice": {"stage": 1}}, [{"paid": None}, {"paid": {}}]]
    assert count(counting("^paid"), *back) == [1, 1]
    assert count(counting("^!paid"), *back) == [0, 0]
    away: list[Any] = [[{"invoice": {"stage": 1}}, {"invoice": {"stage": None}}], [{"paid": {}}, {"paid": None}]]
    assert count(counting("^invoice.stage"), *away) == [0, 0]
    assert count(counting("^paid"), *away) == [0, 0]


def test_two_occasions_must_both_be() -> None:
    store = counting("^paid, ^invoice.stage>1")
    writes: list[Any] = [
        {"paid": {}},
        {"invoice": {"stage": 2}, "paid": None},
        {"invoice": {"stage": 3}, "paid": {}},
        [{"paid": None}, {"invoice": {"stage": 4}}],
        [{"paid": {}}, {"invoice": {"stage": 5}}],
        {"paid": None},
        {"paid": {}, "invoice": {"status": "the stage stays"}},
    ]
    assert count(store, *writes) == [0, 0, 1, 1, 2, 2, 2]


def test_a_firing_is_one_even_at_an_equal_instant() -> None:
    store, _ = ruled(
        {"seen": SEEN, "moved": SEEN},
        {"counts": "^fired, *seen.n=.seen.n+1", "moves": "^fired.at, *moved.n=.moved.n+1"},
    )
    put(store, "i", seen={"n": 0}, moved={"n": 0}, wake={"at": EIGHT})
    store.tick()
    put(store, "i", wake={"at": EIGHT})
    report = store.tick()
    assert part(store, "i", "seen") == {"n": 2}
    assert part(store, "i", "moved") == {"n": 1}
    assert report.fired[0]["fired"] == {"at": EIGHT, "due": EIGHT}


def test_a_bundle_that_writes_fired_is_no_firing() -> None:
    assert count(counting("^fired"), {"fired": {"at": EIGHT}}, {"fired": None}) == [0, 0]
    assert count(counting("^fired.at"), {"fired": {"at": EIGHT}}, {"fired": None}) == [1, 2]


@pytest.mark.parametrize(
    ("occasion", "after_writes", "after_firings"),
    [("^wake", 1, 1), ("^wake.at", 1, 3), ("^wake.every", 1, 1), ("^fired.due", 0, 2)],
)
def test_what_a_firing_itself_writes(occasion: str, after_writes: int, after_firings: int) -> None:
    store = counting(occasion)
    put(store, "i", seen={"n": 0})
    put(store, "i", wake={"at": EIGHT, "every": "1h"})
    assert part(store, "i", "seen") == {"n": after_writes}
    store.tick(at(EIGHT))
    store.tick(at(NINE))
    assert part(store, "i", "seen") == {"n": after_firings}


def test_what_the_store_adds_is_no_part_of_the_own_write() -> None:
    """A cadence written without `at` gets one when the rules are done."""
    store = counting("^wake.at")
    assert count(store, {"wake": {"every": "1h"}}, {"wake": {"every": "2h"}}) == [0, 0]
    assert part(store, "i", "wake")["at"] == "2026-09-20T10:00:00Z"


def test_what_rules_write_is_no_occasion() -> None:
    store, _ = ruled(
        {"invoice": INVOICE, "paid": {}, "seen": SEEN},
        {
            "adds": "^invoice, +paid",
            "holds": ".paid, !seen.n, +seen.n=0",
            "never": "^paid, .seen, *seen.n=7",
            "nor": "^seen, +invoice.stage=9",
        },
    )
    put(store, "i", invoice={})
    assert part(store, "i", "seen") == {"n": 0}
    assert part(store, "i", "invoice")["stage"] is None


def test_cascades_of_the_own_deletions_belong_to_it() -> None:
    store, _ = ruled(
        {"book": {"of": ref("shelf", "detach")}, "lent": {"by": ref("shelf", "release")}, "shelf": {}, "seen": SEEN},
        {
            "detached": {"match": "^book.of, !book.of, *seen.n=.seen.n+1", "before": ["released"]},
            "released": "^!lent, *seen.n=.seen.n+10",
        },
    )
    store.apply(
        [
            {"entity": {"eid": "s"}, "shelf": {}},
            {"entity": {"eid": "b"}, "book": {"of": "s"}, "seen": {"n": 0}},
            {"entity": {"eid": "l"}, "lent": {"by": "s"}, "seen": {"n": 0}},
        ]
    )
    store.apply({"entity": {"eid": "s"}, "tombstone": {}})
    assert part(store, "b", "seen") == {"n": 1}
    assert part(store, "l", "seen") == {"n": 10}


def test_a_row_that_the_own_write_deletes_has_no_occasions() -> None:
    store, _ = ruled(
        {"paid": {}}, {"no": refusing("^!paid", "keep it"), "nor": refusing("^paid", "no"), "clears": "^!paid, +paid"}
    )
    store.apply([{"entity": {"eid": "i"}, "wake": {}}, {"entity": {"eid": "i"}, "tombstone": {}}])
    assert store.query("*") == []


# --- judged at once, written in order ---------------------------------------------------------------


def test_a_ladder_is_climbed_one_step_a_firing() -> None:
    store, clock = ruled(
        {"invoice": INVOICE},
        {
            "remind": "^fired, .invoice.stage=0, *invoice.stage=1, +wake.at=.invoice.due+7-days",
            "warn": "^fired, .invoice.stage=1, *invoice.stage=2, +wake.at=.invoice.due+14-days",
            "sue": "^fired, .invoice.stage=2, *invoice.stage=3",
        },
    )
    put(store, "i", invoice={"stage": 0, "due": NINE}, wake={"at": NINE})
    told = []
    for day in ("2026-09-20", "2026-09-27", "2026-10-04", "2027-01-01"):
        clock.set(at(f"{day}T09:00:00Z"))
        told += [(bundle["invoice"]["stage"], bundle["wake"]["at"]) for bundle in store.tick().fired]
    assert told == [(1, "2026-09-27T09:00:00Z"), (2, "2026-10-04T09:00:00Z"), (3, None)]


def test_a_ladder_climbed_late_still_moves_one_step_a_firing() -> None:
    store, _ = ruled(
        {"invoice": INVOICE},
        {
            "remind": "^fired, .invoice.stage=0, *invoice.stage=1, +wake.at=.invoice.due+7-days",
            "warn": "^fired, .invoice.stage=1, *invoice.stage=2, +wake.at=.invoice.due+14-days",
        },
    )
    put(store, "i", invoice={"stage": 0, "due": NINE}, wake={"at": NINE})
    report = store.tick(at("2026-12-01T09:00:00Z"))
    steps = [(bundle["fired"]["due"], bundle.get("invoice", {}).get("stage")) for bundle in report.fired]
    # The wake that the second step set is due as well, and finds no step to take.
    assert steps == [("2026-09-20T09:00:00Z", 1), ("2026-09-27T09:00:00Z", 2), ("2026-10-04T09:00:00Z", None)]
    assert store.next_due() is None


def test_matches_and_copies_are_taken_before_anything_is_written() -> None:
    store, _ = ruled(
        {"a": SEEN, "b": SEEN, "go": {}},
        {"swap": "^go, *a.n=.b.n, *b.n=.a.n", "then": "^go, .a.n=1, +wake.note=found"},
    )
    put(store, "i", a={"n": 1}, b={"n": 2})
    put(store, "i", go={})
    assert (part(store, "i", "a"), part(store, "i", "b")) == ({"n": 2}, {"n": 1})
    assert part(store, "i", "wake")["note"] == "found"


@pytest.mark.parametrize(("first", "second", "left"), [("a", "b", "b"), ("b", "a", "a")])
def test_with_before_the_later_write_wins(first: str, second: str, left: str) -> None:
    rules = {name: {"match": f"^paid, +invoice.status={name}"} for name in "ab"}
    store, _ = ruled({"invoice": INVOICE, "paid": {}}, {**rules, first: {**rules[first], "before": [second]}})
    put(store, "i", paid={})
    assert part(store, "i", "invoice")["status"] == left


@pytest.mark.parametrize("removes_first", [True, False])
def test_nothing_is_written_into_what_an_earlier_rule_removed(removes_first: bool) -> None:
    rules: dict[str, Any] = {
        "removes": {"match": "^paid, *invoice=null"},
        "writes": {"match": "^paid, +invoice.stage=5, +seen"},
    }
    rules["removes" if removes_first else "writes"]["before"] = ["writes" if removes_first else "removes"]
    store, _ = ruled({"invoice": INVOICE, "paid": {}, "seen": SEEN}, rules)
    put(store, "i", invoice={"status": "open"})
    put(store, "i", paid={})
    assert part(store, "i", "invoice") is None
    assert part(store, "i", "seen") == {"n": None}


def test_state_rules_see_what_occasions_wrote() -> None:
    store, _ = ruled(
        {"invoice": INVOICE, "paid": {}, "receipt": {}},
        {"pays": "^invoice.status=paid, +paid", "receipts": ".paid, .invoice, +!receipt"},
    )
    put(store, "i", invoice={"status": "open"})
    assert part(store, "i", "receipt") is None
    put(store, "i", invoice={"status": "paid"})
    assert part(store, "i", "receipt") == {}


# --- copies ------------------------------------------------------------------------------------------


def test_copies_are_admitted_like_any_write() -> None:
    store, _ = ruled(
        {
            "a": {"n": "number", "text": "string", "who": "string"},
            "b": {
                "n": {"type": "integer", "maximum": 9},
                "code": {"type": "string", "pattern": "^[A-Z]+$"},
                "of": ref("entity"),
            },
            "go": {},
        },
        {"numbers": "^go, +b.n=.a.n+1", "texts": "^go, +b.code=.a.text", "references": "^go, +b.of=.a.who"},
    )
    put(store, "i", a={"n": 3})
    put(store, "i", go={})
    assert part(store, "i", "b")["n"] == 4
    for wrong, code in (
        ({"n": 3.5}, "type-property"),
        ({"n": 9}, "type-property"),
        ({"n": 1e30}, "type-property"),
        ({"text": "abc"}, "type-property"),
        ({"who": "nobody"}, "unknown-entity"),
    ):
        with pytest.raises(wakeful.Refused) as error:
            store.apply({"a": wrong, "go": {}})
        assert code in {found.code for found in error.value.problems}, wrong
        assert "rule `" in str(error.value)
    assert store.query(".b .count") == {"count": 1}


def test_a_reference_is_copied_with_its_target() -> None:
    store, _ = ruled(
        {"a": {"of": ref("entity")}, "b": {"of": ref("entity"), "me": ref("entity")}},
        {"copies": "^a.of, +b.of=.a.of, +b.me=.entity.eid"},
    )
    put(store, "target", wake={})
    put(store, "i", a={"of": "target"})
    assert part(store, "i", "b") == {"of": "target", "me": "i"}


@pytest.mark.parametrize("step", ["+9000-years", "-3000-years"])
def test_a_copy_off_the_calendar_refuses_the_stage(step: str) -> None:
    store, _ = ruled({"invoice": INVOICE}, {"far": f"^invoice.due, +wake.at=.invoice.due{step}"})
    with pytest.raises(wakeful.Refused) as error:
        put(store, "i", invoice={"due": NINE})
    assert error.value.problems[0].code == "limit-instant"
    assert store.query("*") == []


def test_a_copy_steps_the_calendar_in_the_zone_of_the_vocabulary() -> None:
    from runtime.ruled import vocabulary
    from wakeful.testing import ManualClock

    document = vocabulary({"invoice": INVOICE}, {"due": "^invoice.due, +wake.at=.invoice.due+1-month"})
    store = wakeful.open(":memory:", clock=ManualClock(at(EIGHT)))
    store.deploy({**document, "zone": "America/New_York"})
    put(store, "i", invoice={"due": "2026-10-20T13:00:00Z"})
    assert part(store, "i", "wake")["at"] == "2026-11-20T14:00:00Z"


# --- through references -------------------------------------------------------------------------------


LENDING = {
    "member": {"name": "string", "blocked": "boolean", "days": "integer"},
    "loan": {"by": ref("member"), "due": DATE, "who": "string", "book": ref("book")},
    "book": {"title": "string", "shelf": ref("shelf")},
    "shelf": {"row": "integer"},
    "trouble": {"row": "integer"},
}


def lending(**rules: Any) -> wakeful.Store:
    store, _ = ruled(LENDING, rules)
    store.apply(
        [
            {"entity": {"eid": "s"}, "shelf": {"row": 7}},
            {"entity": {"eid": "b"}, "book": {"title": "Emma", "shelf": "s"}},
            {"entity": {"eid": "ada"}, "member": {"name": "Ada", "blocked": False}},
            {"entity": {"eid": "bob"}, "member": {"name": "Bob", "blocked": True}},
        ]
    )
    return store


def test_clauses_and_copies_read_other_rows() -> None:
    store = lending(
        names="^loan.by, *loan.who=.loan.by.member.name",
        rows="^loan.book, .loan.book.book.title=Emma, +trouble.row=.loan.book.book.shelf.shelf.row+1",
    )
    put(store, "l", loan={"by": "ada", "book": "b"})
    assert part(store, "l", "loan")["who"] == "Ada"
    assert part(store, "l", "trouble") == {"row": 8}
    put(store, "b", book={"title": "Persuasion"})
    put(store, "m", loan={"by": "bob", "book": "b"})
    assert part(store, "m", "loan")["who"] == "Bob"
    assert part(store, "m", "trouble") is None


def test_other_rows_are_read_as_the_own_write_left_them() -> None:
    store = lending(
        names="^loan.by, *loan.who=.loan.by.member.name",
        shouts="^member.name, *member.name=shouted",
    )
    store.apply(
        [
            {"entity": {"eid": "new"}, "member": {"name": "Cleo"}},
            {"entity": {"eid": "l"}, "loan": {"by": "new"}},
            {"entity": {"eid": "k"}, "loan": {"by": "ada"}},
            {"entity": {"eid": "ada"}, "member": {"name": "Ada Two"}},
            {"entity": {"eid": "bob"}, "tombstone": {}},
            {"entity": {"eid": "j"}, "loan": {"who": "nobody"}},
        ]
    )
    assert [part(store, eid, "loan")["who"] for eid in "lkj"] == ["Cleo", "Ada Two", "nobody"]
    assert part(store, "new", "member")["name"] == "shouted"


def test_a_rule_that_refuses_reads_other_rows_when_all_is_done() -> None:
    store = lending(
        no=refusing("^loan.by, .loan.by.member.blocked=true", "a blocked member borrows nothing"),
        blocks="^member.name=Eve, *member.blocked=true",
    )
    put(store, "l", loan={"by": "ada"})
    with pytest.raises(wakeful.Refused, match="borrows nothing"):
        put(store, "m", loan={"by": "bob"})
    with pytest.raises(wakeful.Refused, match="borrows nothing"):
        store.apply(
            [{"entity": {"eid": "eve"}, "member": {"name": "Eve"}}, {"entity": {"eid": "m"}, "loan": {"by": "eve"}}]
        )


def test_a_firing_reads_other_rows() -> None:
    """Also one that is due in the same batch, as the earlier firing left it."""
    store = lending(
        lasts="^fired, .member, *member.days=30",
        renews="^fired, .loan.by.member.days>=30, +wake.at=.loan.due+30-days",
        ends="^fired, .loan.by.member.days<30, *loan=null",
    )
    put(store, "ada", member={"days": 10}, wake={"at": EIGHT})
    put(store, "bob", member={"days": 10})
    for eid, by in (("l", "ada"), ("m", "bob")):
        put(store, eid, loan={"by": by, "due": NINE}, wake={"at": NINE})
    store.tick(at(NINE))
    assert part(store, "l", "wake")["at"] == "2026-10-20T09:00:00Z"
    assert part(store, "m", "loan") is None
