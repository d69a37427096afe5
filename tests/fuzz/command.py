"""The door that takes arguments: the command, called in this process."""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import wakeful
from fuzz.garden import NOW, fill, vocab_file
from fuzz.mutations import mutated
from fuzz.promises import PATIENCE, Finding
from fuzz.seeds import seeds
from wakeful.cli import main
from wakeful.testing import ManualClock


def arguments() -> st.SearchStrategy[list[str]]:
    text, schedule = mutated(seeds().texts), mutated(seeds().schedules)
    forms: Iterable[tuple[Any, ...]] = (
        ("check", "FILE"),
        ("check", "FILE", "--json"),
        ("check", "FILE", "--format", "github"),
        ("check", "FILE", "--format", "sarif"),
        ("check", "FILE", "--fix"),
        ("check", "FILE", text),
        ("help", text),
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
                fill(made)
        places = {"FILE": str(file), "STORE": str(store), "VOCAB": str(vocab_file())}
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
