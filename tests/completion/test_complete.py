"""Candidates for the word at a caret: the right ones, and only such as lead to a text that can be read."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from strategies.pools import EIDS, NOWS
from strategies.queries import queries
from strategies.spelling import spell
from strategies.vocabularies import document, vocabularies
from wakeful_compiler.completion import complete_every
from wakeful_compiler.schedules import every
from wakeful_grammar.problems import LanguageError
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule

VOCAB = wakeful.load(
    {
        "$defs": {
            "plant": {
                "description": "something that grows",
                "properties": {
                    "window": {"type": "string", "enum": ["north", "south", "far east"]},
                    "height": {"type": "number"},
                    "edible": {"type": "boolean"},
                    "bought": {"type": "string", "format": "date-time"},
                    "keeper": {"type": "string", "ref": "person"},
                    "care": {"type": "object"},
                },
            },
            "person": {"properties": {"name": {"type": "string"}}},
        }
    }
)


def offered(text: str, caret: int | None = None, rule: bool = False) -> list[str]:
    at = len(text) if caret is None else caret
    return [candidate.text for candidate in wakeful.complete(VOCAB, text, at, rule)]


def inserted(text: str, wanted: str, caret: int | None = None, rule: bool = False) -> str:
    at = len(text) if caret is None else caret
    [found] = [c for c in wakeful.complete(VOCAB, text, at, rule) if c.text == wanted]
    return text[: found.span.start] + found.text + text[found.span.end :]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [".plant", ".person", ".wake", ".count", ".order="]),
        (".", ["plant", "person", "count", "order="]),
        (".pl", ["plant"]),
        ("pla", [".plant"]),
        ("heig", ["height"]),
        ("!", ["plant"]),
        ("?pl", ["plant"]),
        (".plant.", ["window", "height", "edible", "bought", "keeper", "care"]),
        (".plant.window", ["=", "!=", "~=", "<"]),
        (".plant.edible", ["=", "!="]),
        (".plant.window=", ["north", "south", '"far east"']),
        ('.plant.window="f', ['"far east"']),
        (".plant.window=north,so", ["south"]),
        ("window=no", ["north"]),
        (".plant.edible!=", ["true", "false"]),
        (".plant.bought>=", ["now", "today", "last-week", "1-day-ago", "in-5-minutes"]),
        (".plant.bought>=12", ["12-days-ago", "12-hours-from-now"]),
        (".plant.bought>=in-3", ["in-3-days"]),
        (".plant.bought>=.", [".wake.at", ".created.at"]),
        (".plant.keeper.", ["person"]),
        (".plant.keeper.person.", ["name"]),
        (".plant .order=", ["plant"]),
        (".plant .order=-plant.", ["height"]),
        (".plant .fields=plant.", ["care"]),
        ("(.plant | .pe", ["person"]),
        (".plant & !(.per", ["person"]),
        (".wake.every=", ["1d", '"0 9 * * MON-FRI"']),
    ],
)
def test_queries(text: str, wanted: list[str]) -> None:
    found = offered(text)
    assert [word for word in wanted if word not in found] == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [".plant", "+", "+!", "*", "^", "^!"]),
        (".plant, +", ["plant", "+!", "tombstone"]),
        (".plant, +!pe", ["person"]),
        (".plant, +person.", ["name="]),
        (".plant, *plant.window=", ["north", "null"]),
        (".plant, *plant.care=", ["null"]),
        (".plant, +wake.every=", ["1d"]),
        (".plant, +wake.at=in-2", ["in-2-days"]),
        ("^pl", ["plant"]),
        ("^plant.window", ["="]),
    ],
)
def test_rules(text: str, wanted: list[str]) -> None:
    found = offered(text, rule=True)
    assert [word for word in wanted if word not in found] == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (")", False),
        (".plant.window==", False),
        (".plant.nonesuch=", False),
        (".nonesuch.", False),
        (".plant.height=", False),
        (".plant.care>", False),
        (".plant .limit=", False),
        ('.plant.window="north" x', False),
        (".plant, +created.", True),
        (".plant, +plant.keeper.", True),
        (".plant, +!plant.", True),
        ("x" * 5000, False),
    ],
)
def test_nothing_is_offered_where_nothing_fits(text: str, rule: bool) -> None:
    assert offered(text, rule=rule) == []


def test_marks_and_directives_keep_to_their_language() -> None:
    assert not {"+", "^", "tombstone"} & {*offered(""), *offered(".plant, +")}
    assert not {".count", "count"} & {*offered("", rule=True), *offered(".", rule=True)}
    assert "created" not in offered(".plant, +", rule=True)


def test_a_candidate_replaces_the_word_that_the_caret_stands_in() -> None:
    assert inserted(".plant.windx=north", "window", caret=9) == ".plant.window=north"
    assert inserted(".pl .person", "plant", caret=3) == ".plant .person"
    assert inserted('.plant.window="far e', '"far east"') == '.plant.window="far east"'
    assert inserted("plan", ".plant") == ".plant"


def test_own_components_come_first_and_say_what_they_are() -> None:
    first = wakeful.complete(VOCAB, ".", 1)[0]
    assert (first.text, first.kind, first.detail) == ("plant", "component", "something that grows")


ENDINGS = ("", "a", "=1", "a=1", ".b=1", "a.b=1", "a.b", "1", "x", "=a", "b", "b=1", ".a")


def leads_on(text: str, rule: bool) -> bool:
    """Whether the text can be read, or is the beginning of one that can."""
    parse = parse_rule if rule else parse_query
    for ending, closing in product(ENDINGS, ("", ")", "))", ")))", "))))")):
        try:
            parse(text + ending + closing)
        except LanguageError:
            continue
        return True
    return False


def check(vocab: wakeful.Vocab, text: str, caret: int, rule: bool) -> None:
    seen = set()
    for candidate in wakeful.complete(vocab, text, caret, rule):
        assert 0 <= candidate.span.start <= caret <= candidate.span.end <= len(text)
        if candidate.kind in seen and candidate.kind != "time":
            continue  # One of a kind tells of all: names are alike to the parser.
        seen.add(candidate.kind)
        assert leads_on(text[: candidate.span.start] + candidate.text, rule), candidate


@given(st.text(max_size=40) | st.text(alphabet=".plantwidow!?*+^=<>~,|()\"' 5-", max_size=40), st.integers(-5, 50))
def test_any_text_gets_an_answer(text: str, caret: int) -> None:
    for rule in (False, True):
        check(VOCAB, text, max(0, min(caret, len(text))), rule)
        wakeful.complete(VOCAB, text, caret, rule)


@given(st.data())
def test_candidates_lead_to_a_text_that_can_be_read(data: st.DataObject) -> None:
    declared = data.draw(vocabularies())
    vocab = wakeful.load(document(declared))
    text = spell(data.draw(queries(declared, NOWS[0], EIDS)))
    caret = data.draw(st.integers(0, len(text)))
    check(vocab, text, caret, rule=False)
    check(vocab, text[:caret], caret, rule=False)


@given(st.data())
def test_a_known_name_cut_short_is_offered(data: st.DataObject) -> None:
    component = data.draw(st.sampled_from(sorted(VOCAB.components)))
    prop = data.draw(st.sampled_from(sorted(VOCAB.components[component].properties)))
    cut = data.draw(st.integers(0, len(component)))
    assert component in offered(f".{component[:cut]}")
    cut = data.draw(st.integers(0, len(prop)))
    assert prop in offered(f".doc, .{component}.{prop[:cut]}")


# --- `every` ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ["1d", "@daily", "0 9 * * MON-FRI"]),
        ("5", ["5m", "5h"]),
        ("1h3", ["1h3m"]),
        ("@we", ["@weekly"]),
        ("@daily Europe/B", ["Europe/Berlin"]),
        ("0 9 * ", ["JAN", "*"]),
        ("0 9 * * m", ["MON", "MON-FRI"]),
        ("0 9 * * * ", ["America/Detroit", "UTC"]),
    ],
)
def test_every(text: str, wanted: list[str]) -> None:
    found = [candidate.text for candidate in complete_every(text, len(text))]
    assert [word for word in wanted if word not in found] == []


@given(st.text(alphabet="0123456789*/,-@ dailyhmwMONFRIEuropeBn#L", max_size=25), st.integers(0, 30))
def test_every_candidate_leads_to_an_expression(text: str, caret: int) -> None:
    caret = min(caret, len(text))
    for candidate in complete_every(text, caret)[:5]:
        begun = text[: candidate.span.start] + candidate.text
        assert any(_reads(begun + ending) for ending in ("", " *", " * *", " * * *", " * * * *", "0"))


def _reads(text: str) -> bool:
    try:
        every(text)
    except LanguageError:
        return False
    return True
