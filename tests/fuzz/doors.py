"""Every way into the program, as one function of one input: it returns, or it has found something.

What must hold behind each door: an answer or a WakefulError, never another exception; within `PATIENCE` seconds
of the processor; problems that lie inside the text; and what is printed reads back as the same thing.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import wakeful
from fuzz.mutations import document_texts, documents, mutated, rows
from fuzz.seeds import seeds
from strategies import queries, spell
from wakeful.cli import main
from wakeful.testing import ManualClock
from wakeful_compiler.schedules import cron_trigger
from wakeful_compiler.vocab.check import check_declarations
from wakeful_compiler.vocab.layout import canonical_text
from wakeful_compiler.vocab.source import read_text
from wakeful_compiler.vocabulary import check
from wakeful_grammar.printer import print_query, print_rule
from wakeful_grammar.problems import LanguageError, WakefulError
from wakeful_grammar.query import MAX_CHARACTERS, parse_query
from wakeful_grammar.rule import parse_rule
from wakeful_grammar.time_operand import parse_time

PATIENCE = 1.0
"""Seconds of the processor, not of the clock on the wall: a shared machine stalls at will."""

NOW = datetime(2026, 3, 8, 6, 59, 30, tzinfo=UTC)

VOCAB: Mapping[str, Any] = {
    "zone": "America/Detroit",
    "$defs": {
        "plant": {
            "properties": {
                "window": {"type": "string", "index": True},
                "height": {"type": "number", "minimum": 0},
                "leaves": {"type": "integer"},
                "thirsty": {"type": "boolean"},
                "seen": {"type": "string", "format": "date-time"},
                "beside": {"type": "string", "ref": "plant", "death": "cascade"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "soil": {"type": "object"},
                "code": {"type": "string", "pattern": "^[a-z]+[0-9]{2}$"},
                "kind": {"enum": ["herb", "tree", None], "type": ["string", "null"]},
                "link": {"type": "string", "format": "uri"},
            },
            "required": ["window"],
        },
        "watered": {"properties": {"by": {"type": "string"}, "at": {"type": "string", "format": "date-time"}}},
        "recipe": {"properties": {"serves": {"type": "number"}, "minutes": {"type": "number"}}},
        "shelf": {"properties": {"aisle": {"type": "string"}}},
        "waters": {"rule": True, "match": ".plant, .wake, .fired, +!watered, +watered.by=wake, +watered.at=now"},
        "shelves": {"rule": True, "match": ".recipe, +!shelf, +shelf.aisle=Z"},
        "wakes": {"rule": True, "match": ".shelf.aisle=daily, +!wake, +wake.every=@daily"},
    },
}
BUNDLES: tuple[dict[str, Any], ...] = (
    {"entity": {"eid": "fern"}, "plant": {"window": "north"}, "wake": {"at": "2026-03-08T06:00:00Z", "every": "1d"}},
    {"entity": {"eid": "fern"}, "plant": {"window": "n", "height": 2.5, "leaves": 12, "thirsty": True, "tags": ["a"]}},
    {"entity": {"eid": "$ivy"}, "plant": {"window": "s", "beside": "$ivy", "seen": "now", "soil": {"ph": 6.5}}},
    {"entity": {"eid": "fern"}, "wake": {"every": "30 2 * * * America/Detroit", "at": None, "note": "n"}},
    {"entity": {"eid": "fern"}, "$was": {"plant": {"window": "north"}}, "plant": {"window": "south"}},
    {"entity": {"eid": "fern"}, "$absent": ["plant"], "plant": {"window": "x", "code": "ab12", "kind": "herb"}},
    {"entity": {"eid": "fern"}, "tombstone": {}},
    {"entity": {"eid": "oak", "tombstone": {}}},
    {"plant": {"window": "w", "beside": {"plant": {"window": "v"}}, "link": "https://example.org/a"}},
    {"entity": {"eid": "soup"}, "recipe": {"serves": 4, "minutes": 20}, "shelf": {"aisle": "daily"}, "doc": None},
)

QUERIES = (
    ".plant.window=north,south ?wake", ".plant.height>=2.5 .plant.leaves=1..12", ".plant.leaves!=3...9,20",
    ".plant.thirsty=true|.plant.thirsty=0", ".plant.seen>=1-month-ago", ".plant.seen=today",
    ".plant.seen=yesterday..9am",
    ".plant.seen<'2026-03-08 02:30'", ".plant.beside=fern", "!plant.tags .plant.soil", ".plant.window~=\"NÖRTH\"",
    ".plant.kind=herb (.plant.code>='ab12'|!plant.code)", ".wake.at<=in-3-days .order=-wake.at .limit=5 .after=fern",
    ".recipe.minutes=2e1", ".recipe.serves!=4", ".count .plant", ".plant .order=plant.height .after=1 .limit=2",
    ".created.at>now", ".eid=fern", ".num=1..9", "!( .plant )", "*", ".plant.beside.plant.window=north",
    ".distinct=plant.kind",
    ".plant .fields=plant.window,doc.title", ".tally=plant.leaves",
    ".plant.height>.plant.leaves", "window=north",
    ".plant.link='https://example.org/a' .doc.title~=a,b", ".fired.due=last-week", ".watered.at=noon|.watered.by=''",
)  # fmt: skip
"""Queries that this vocabulary takes, or will."""

COMPONENTS = ("plant", "watered", "recipe", "shelf", "wake", "fired", "doc", "created", "entity")
PROPERTIES = (
    "window",
    "height",
    "leaves",
    "thirsty",
    "seen",
    "beside",
    "tags",
    "soil",
    "at",
    "by",
    "eid",
    "num",
    "title",
)
_WRITTEN_OUT = {"entity": {"eid": "a", "num": 1}, "plant": {"window": "north"}}


class Finding(AssertionError):
    """An answer that breaks a promise."""


@dataclass(frozen=True, slots=True)
class Door:
    """A way in: what is handed over, and what happens then."""

    name: str
    inputs: st.SearchStrategy[Any]
    enter: Callable[[Any], None]


# --- promises -----------------------------------------------------------------------------------


@contextmanager
def _answered(text: str | None = None, kind: type[WakefulError] = WakefulError) -> Iterator[None]:
    """What is inside ends in an answer or in an error of that kind, soon; problems point into `text`."""
    begun = time.thread_time()
    try:
        yield
    except kind as error:
        if not str(error):
            raise Finding(f"{type(error).__name__} says nothing") from error
        for problem in error.problems if isinstance(error, LanguageError) else ():
            if text is not None and not 0 <= problem.span.start <= problem.span.end <= len(text):
                raise Finding(f"{problem.code} points outside the text: {problem.span}") from error
    took = time.thread_time() - begun
    if took > PATIENCE:
        raise Finding(f"it took {took:.1f} s")


def _same(before: object, after: object, what: str) -> None:
    if before != after:
        raise Finding(f"{what}: {before!r} became {after!r}")


# --- texts --------------------------------------------------------------------------------------


def read_query(text: str) -> None:
    with _answered(text, LanguageError):
        tree = parse_query(text)
        printed = print_query(tree)
        if len(printed) <= MAX_CHARACTERS:
            again = parse_query(printed)
            _same(tree, again, "a printed query")
            _same(printed, print_query(again), "a query printed twice")


def read_rule(text: str) -> None:
    with _answered(text, LanguageError):
        tree = parse_rule(text)
        printed = print_rule(tree)
        if len(printed) <= MAX_CHARACTERS:
            again = parse_rule(printed)
            _same(tree, again, "a printed match")
            _same(printed, print_rule(again), "a match printed twice")


def read_time(text: str) -> None:
    with _answered(text, LanguageError):
        parse_time(text)


def read_every(text: str) -> None:
    _schedule(text, wakeful.every)


def read_trigger(text: str) -> None:
    _schedule(text, cron_trigger)


def _schedule(text: str, read: Callable[[str], wakeful.Schedule]) -> None:
    with _answered(text, LanguageError):
        schedule = read(text)
        _same(schedule, read(str(schedule)), "a printed schedule")
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
    with _answered(text, LanguageError):
        source = read_text(text)
        check_declarations(source)
        if isinstance(source.value, Mapping):
            check(source.value)
    with _answered(text, LanguageError):
        laid_out = canonical_text(read_text(text))
        _same(laid_out, canonical_text(read_text(laid_out)), "a layout laid out")


def compile_query(text: str) -> None:
    for vocab in _vocabularies():
        with _answered(text, LanguageError):
            query = vocab.query(text)
            query.sql("sqlite")
            printed = str(query)
            if len(printed) <= MAX_CHARACTERS:
                again = vocab.query(printed)
                _same(query.reads, again.reads, "what a printed query reads")
                with suppress(WakefulError):
                    _same(
                        query.select([_WRITTEN_OUT], NOW), again.select([_WRITTEN_OUT], NOW), "a printed query's answer"
                    )
    with _answered(text, WakefulError):
        _garden().query(text)


# --- documents and rows -------------------------------------------------------------------------


def load_document(document: Any) -> None:
    if not isinstance(document, Mapping):
        return
    with _answered():
        vocab = wakeful.load(document)
        with wakeful.open(":memory:", clock=ManualClock(NOW)) as store:
            store.deploy(vocab.document)
            store.deploy(VOCAB)


def judge_rows(given: tuple[str, list[dict[Any, Any]]]) -> None:
    text, bundles = given
    with _answered():
        query = _vocabularies()[0].query(text)
        for bundle in bundles:
            query.matches(bundle, now=NOW)
        query.select(bundles, now=NOW)


def write_bundles(given: tuple[list[Any], list[int]]) -> None:
    """A store's life: bundles one apply after the other, and ticks between them."""
    bundles, hours = given
    clock = ManualClock(NOW)
    with wakeful.open(":memory:", clock=clock, random_bytes=lambda count: b"\7" * count) as store:
        store.deploy(VOCAB)
        for bundle, step in zip(bundles, hours, strict=False):
            with _answered():
                _written(store, bundle)
            with _answered():
                store.tick()
                store.next_due()
            with suppress(OverflowError):
                clock.advance(timedelta(hours=step))
        with _answered():
            json.dumps(store.query("*" if _everything_is_known() else ".plant, ?wake"))


def _written(store: wakeful.Store, bundle: Any) -> None:
    """Write it, first as a rehearsal: what a rehearsal answers, the write answers too."""
    try:
        rehearsed = store.apply(bundle, dry_run=True)
    except WakefulError as error:
        try:
            store.apply(bundle)
        except WakefulError as again:
            _same(str(error), str(again), "a refusal")
            return
        raise Finding(f"a rehearsal was refused, the write was not: {error}") from error
    _same(rehearsed.changes, store.apply(bundle).changes, "a rehearsed write")


# --- the command --------------------------------------------------------------------------------


def call_command(given: tuple[list[str], str]) -> None:
    """The arguments, in which FILE stands for a file that holds the text and STORE for a garden's store; the text is
    standard input as well."""
    arguments, text = given
    data = text.encode("utf-8", "surrogatepass")
    out, err, before = _stream(), _stream(), sys.stdin
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder) / "vocab.json", Path(folder) / "garden.db"
        file.write_bytes(data)
        if "STORE" in arguments:
            with wakeful.open(store, clock=ManualClock(NOW)) as made:
                made.deploy(VOCAB)
                made.apply(list(BUNDLES[:2]))
        places = {"FILE": str(file), "STORE": str(store), "VOCAB": str(_vocab_file())}
        begun = time.thread_time()
        try:
            sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
            with redirect_stdout(out), redirect_stderr(err):
                code = main([places.get(argument, argument) for argument in arguments])
        finally:
            sys.stdin = before
        took = time.thread_time() - begun
    if code not in (0, 1, 2):
        raise Finding(f"exit code {code}")
    if took > 2 * PATIENCE:
        raise Finding(f"it took {took:.1f} s")
    if code and not _written_to(err) and not _written_to(out) and "--check" not in arguments:
        raise Finding(f"exit code {code}, and no word why")


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _written_to(stream: io.TextIOWrapper) -> bool:
    stream.flush()
    return stream.buffer.tell() > 0


# --- what the doors share -----------------------------------------------------------------------


@cache
def _vocabularies() -> tuple[wakeful.Vocab, ...]:
    return wakeful.load(VOCAB), wakeful.load({"$defs": {}})


@cache
def _garden() -> wakeful.Store:
    store = wakeful.open(":memory:", clock=ManualClock(NOW))
    store.deploy(VOCAB)
    store.apply(list(BUNDLES[:2]))
    return store


@cache
def _everything_is_known() -> bool:
    try:
        parse_query("*")
        _vocabularies()[0].query("*")
    except WakefulError:
        return False
    return True


@cache
def _vocab_file() -> Path:
    path = Path(tempfile.mkdtemp()) / "vocab.json"
    path.write_text(json.dumps(VOCAB), encoding="utf-8")
    return path


def _queries() -> st.SearchStrategy[str]:
    """Queries that fit the vocabulary, over its whole range of values."""
    return queries(_vocabularies()[0].declarations, NOW, ("fern", "oak")).map(spell)


def _own(texts: Sequence[str]) -> st.SearchStrategy[str]:
    """Mostly texts of the kind that the door is for."""
    own = mutated(texts)
    return own | own | own | _texts()


def _texts() -> st.SearchStrategy[str]:
    return mutated(seeds().texts)


def _commands() -> st.SearchStrategy[list[str]]:
    text, schedule = _texts(), mutated(seeds().schedules)
    forms: Iterable[tuple[Any, ...]] = (
        ("check", "FILE"),
        ("check", "FILE", "--json"),
        ("check", "FILE", "--format", "github"),
        ("check", "FILE", "--format", "sarif"),
        ("check", text, text),
        ("fmt", "FILE"),
        ("fmt", "--stdin"),
        ("fmt", "--query", text),
        ("next", text),
        ("next", text, text),
        ("next", schedule, "--after", text),
        ("next", schedule, "--anchor", text, "--json"),
        ("next", schedule, "-n", text, "--dialect", "trigger"),
        ("match", text, "--vocab", "VOCAB"),
        ("match", text, "--vocab", "VOCAB", "--json", "--now", "2026-03-08T07:00:00Z"),
        ("match", ".plant", "--vocab", "FILE"),
        ("explain", text, "--vocab", "VOCAB"),
        ("explain", text, "--vocab", "VOCAB", "--json"),
        ("explain", "--vocab", "FILE"),
        ("query", text, "--store", "STORE"),
        ("query", text, "--store", "STORE", "--json"),
        ("apply", "-", "--store", "STORE"),
        ("apply", "FILE", "--store", "STORE", "--json"),
        ("deploy", "FILE", "--store", "STORE"),
        ("due", "--store", "STORE", "--now", text),
        ("tick", "--store", "STORE", "--now", "2027-01-01T00:00:00Z"),
        (text, text),
    )
    return st.sampled_from(list(forms)).flatmap(
        lambda form: st.tuples(*(st.just(part) if isinstance(part, str) else part for part in form)).map(list)
    )


@cache
def doors() -> tuple[Door, ...]:
    """Every door, the cheapest first."""
    corpus = seeds()
    bundles = (*BUNDLES, *corpus.bundles)
    vocabularies = (VOCAB, *corpus.vocabularies)
    odd_rows = rows(COMPONENTS, PROPERTIES)
    written = st.one_of(documents(bundles), documents(BUNDLES), odd_rows, st.lists(documents(bundles), max_size=3))
    return (
        Door("query", _own(corpus.queries), read_query),
        Door("rule", _own(corpus.rules), read_rule),
        Door("time", _own(corpus.times), read_time),
        Door("every", _own(corpus.schedules), read_every),
        Door("trigger", _own(corpus.schedules), read_trigger),
        Door("compile", mutated((*QUERIES, *corpus.queries)) | _queries(), compile_query),
        Door("vocab.json", document_texts(vocabularies), read_vocabulary),
        Door("document", documents(vocabularies), load_document),
        Door("rows", st.tuples(st.sampled_from(QUERIES) | _queries(), st.lists(odd_rows, max_size=4)), judge_rows),
        Door(
            "bundles",
            st.tuples(
                st.lists(written, min_size=1, max_size=4),
                st.lists(st.sampled_from((0, 1, 24, 9_000, 69_000_000)), min_size=4, max_size=4),
            ),
            write_bundles,
        ),
        Door(
            "command",
            st.tuples(_commands(), st.one_of(document_texts(vocabularies), document_texts(bundles), _texts())),
            call_command,
        ),
    )


PARSERS: tuple[Callable[[str], None], ...] = (
    read_query, read_rule, read_time, read_every, read_trigger, read_vocabulary,
)  # fmt: skip
"""The doors that take any text at all."""
