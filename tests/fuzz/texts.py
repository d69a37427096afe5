"""The doors that take a text: every parser, the compiler of queries, completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

import wakeful
from fuzz.garden import NOW, standing_store, vocabularies
from fuzz.promises import Finding, answered, same
from wakeful_compiler.schedules import cron_trigger
from wakeful_compiler.vocab.layout import canonical_text
from wakeful_compiler.vocab.metaschema import metaschema
from wakeful_compiler.vocab.source import read_text
from wakeful_compiler.vocabulary import check
from wakeful_grammar.printer import print_query, print_rule
from wakeful_grammar.problems import LanguageError, WakefulError
from wakeful_grammar.query import parse_query
from wakeful_grammar.rule import parse_rule
from wakeful_grammar.sizes import MAX_CHARACTERS
from wakeful_grammar.time_operand import parse_time

_ROW = {"entity": {"eid": "a", "num": 1}, "plant": {"window": "north"}}


def read_query(text: str) -> None:
    with answered(text, LanguageError):
        tree = parse_query(text)
        printed = print_query(tree)
        if len(printed) <= MAX_CHARACTERS:
            again = parse_query(printed)
            same(tree, again, "a printed query")
            same(printed, print_query(again), "a query printed twice")


def read_rule(text: str) -> None:
    with answered(text, LanguageError):
        tree = parse_rule(text)
        printed = print_rule(tree)
        if len(printed) <= MAX_CHARACTERS:
            again = parse_rule(printed)
            same(tree, again, "a printed match")
            same(printed, print_rule(again), "a match printed twice")


def read_time(text: str) -> None:
    with answered(text, LanguageError):
        parse_time(text)


def read_every(text: str) -> None:
    _schedule(text, wakeful.every)


def read_trigger(text: str) -> None:
    _schedule(text, cron_trigger)


def _schedule(text: str, read: Callable[[str], wakeful.Schedule]) -> None:
    with answered(text, LanguageError):
        schedule = read(text)
        same(schedule, read(str(schedule)), "a printed schedule")
        schedule.describe()
        schedule.notes(NOW)
        first = schedule.next(NOW, NOW - timedelta(hours=5, seconds=1))
        if schedule.never and first is not None:
            raise Finding("a schedule that never comes has come")
        if first is not None:
            second = schedule.next(first, NOW - timedelta(hours=5, seconds=1))
            if first <= NOW or (second is not None and second <= first):
                raise Finding(f"occurrences do not rise: {NOW}, {first}, {second}")


def read_vocabulary(text: str) -> None:
    with answered(text, LanguageError):
        value = read_text(text).value
        if isinstance(value, Mapping):
            vocab, _ = check(value)
            if vocab is not None and not _schema().is_valid(value):
                raise Finding("the schema refuses what the check takes")
    with answered(text, LanguageError):
        laid_out = canonical_text(read_text(text))
        same(laid_out, canonical_text(read_text(laid_out)), "a layout laid out")


def compile_query(text: str) -> None:
    for vocab in vocabularies():
        with answered(text, LanguageError):
            query = vocab.query(text)
            query.sql("sqlite")
            query.sql("postgresql")
            printed = str(query)
            if len(printed) <= MAX_CHARACTERS:
                again = vocab.query(printed)
                same(query.reads, again.reads, "what a printed query reads")
                with suppress(WakefulError):
                    same(query.select([_ROW], NOW), again.select([_ROW], NOW), "a printed query's answer")
    with answered(text, WakefulError):
        standing_store().query(text)


def complete_text(given: tuple[str, int, bool]) -> None:
    text, caret, rule = given
    with answered():
        for candidate in wakeful.complete(vocabularies()[0], text, caret, rule):
            if not 0 <= candidate.span.start <= candidate.span.end <= len(text):
                raise Finding(f"{candidate} is no place in the text")


@cache
def _schema() -> Any:
    return Draft202012Validator(metaschema())
