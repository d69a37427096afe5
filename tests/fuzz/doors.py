"""Every way into the program, as one function of one input: it returns, or it has found something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from fuzz.command import arguments, call_command
from fuzz.garden import BUNDLES, COMPONENTS, NOW, PROPERTIES, QUERIES, VOCAB, vocabularies
from fuzz.mutations import document_texts, documents, mutated, rows
from fuzz.seeds import seeds
from fuzz.stores import judge_rows, load_document, write_bundles
from fuzz.texts import (
    compile_query,
    complete_text,
    read_every,
    read_query,
    read_rule,
    read_time,
    read_trigger,
    read_vocabulary,
)  # fmt: skip
from strategies import queries, spell

PARSERS: tuple[Callable[[str], None], ...] = (
    read_query, read_rule, read_time, read_every, read_trigger, read_vocabulary,
)  # fmt: skip
"""The doors that take any text at all."""


@dataclass(frozen=True, slots=True)
class Door:
    """A way in: what is handed over, and what happens then."""

    name: str
    inputs: st.SearchStrategy[Any]
    enter: Callable[[Any], None]


@cache
def doors() -> tuple[Door, ...]:
    """Every door, the cheapest first."""
    corpus = seeds()
    bundles = (*BUNDLES, *corpus.bundles)
    declared = (VOCAB, *corpus.vocabularies)
    any_text = mutated(corpus.texts)
    odd_rows = rows(COMPONENTS, PROPERTIES)
    fitting = queries(vocabularies()[0].declarations, NOW, ("fern", "oak")).map(spell)
    written = st.one_of(documents(bundles), documents(BUNDLES), odd_rows, st.lists(documents(bundles), max_size=3))
    hours = st.lists(st.sampled_from((0, 1, 24, 9_000, 69_000_000)), min_size=4, max_size=4)
    inputs = st.one_of(document_texts(declared), document_texts(bundles), mutated(corpus.broken_files), any_text)
    caret = st.integers(0, 100)

    def mostly(texts: Sequence[str]) -> st.SearchStrategy[str]:
        own = mutated(texts)
        return own | own | own | any_text

    return (
        Door("query", mostly(corpus.queries), read_query),
        Door("rule", mostly(corpus.rules), read_rule),
        Door("time", mostly(corpus.times), read_time),
        Door("every", mostly(corpus.schedules), read_every),
        Door("trigger", mostly(corpus.schedules), read_trigger),
        Door("compile", mutated((*QUERIES, *corpus.queries)) | fitting, compile_query),
        Door("complete", st.tuples(mutated((*QUERIES, *corpus.rules)), caret, st.booleans()), complete_text),
        Door("vocab.json", document_texts(declared) | mutated(corpus.broken_files), read_vocabulary),
        Door("document", documents(declared), load_document),
        Door("rows", st.tuples(st.sampled_from(QUERIES) | fitting, st.lists(odd_rows, max_size=4)), judge_rows),
        Door("bundles", st.tuples(st.lists(written, min_size=1, max_size=4), hours), write_bundles),
        Door("command", st.tuples(arguments(), inputs), call_command),
    )
