"""What mutation starts from: every text and document of the specification, of the tests' data and of the examples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

_TIMES = (
    "now", "1-minute-ago", "in-3-days", "2-weeks-from-now", "today", "last-week", "this-month", "next-year", "9am",
    "9:30pm", "14:00", "noon", "midnight", "tomorrow-9am", "2026-09-20", "2026-09-20T09:00", "2026-09-20T09:00:00Z",
    "2026-09-20 09:00:00.25+05:30", "1-month-ago", "in_5_minutes",
)  # fmt: skip
_BROKEN = (
    ".plant = 1", ".plant.window==north", "plant AND watered", ".a=thai, british", ".a.b..c", "!plant?", ".limit=-1",
    ".plant.seen>=2026-13-01", "*/61 * * * *", "0 9 * * 8", "1h30", "@dayly", "0 0 31 2 *", "+!", "^", "*c",
)  # fmt: skip
_GOLDEN = re.compile(r"^=== [^\n]*\n(.*?)\n---$", re.MULTILINE | re.DOTALL)
_GOLDENS = {"queries": "query", "rules": "rule", "schedules": "every", "triggers": "every"}
_OPERAND = re.compile(r"[<>=]=?([^\s,|&()=]+)")


@dataclass(frozen=True)
class Seeds:
    """Inputs by what they are meant as; the documents are parsed JSON, broken files are texts."""

    queries: tuple[str, ...]
    rules: tuple[str, ...]
    times: tuple[str, ...]
    schedules: tuple[str, ...]
    broken_files: tuple[str, ...]
    vocabularies: tuple[dict[str, Any], ...]
    bundles: tuple[dict[str, Any], ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Everything that is written as one text."""
        return (*self.queries, *self.rules, *self.times, *self.schedules)


@cache
def words() -> tuple[str, ...]:
    """The parts that the texts are made of."""
    found = {word for text in seeds().texts for word in re.findall(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]+", text)}
    return tuple(sorted(found))


@cache
def seeds() -> Seeds:
    """The corpus as the files are now."""
    texts: dict[str, dict[str, None]] = {kind: {} for kind in ("query", "rule", "time", "every")}
    broken: dict[str, None] = {}
    vocabularies: dict[str, dict[str, Any]] = {}
    bundles: dict[str, dict[str, Any]] = {}
    for path in _files():
        rule_file = "rule" in path.name
        for key, value in _members(json.loads(path.read_text(encoding="utf-8"))):
            if isinstance(value, str):
                if key == "match":
                    texts["rule"][value] = texts["query"][value] = None
                elif key in ("query", "text", "q"):
                    texts["rule" if rule_file else "query"][value] = None
                elif key == "every":
                    texts["every"][value] = None
            elif isinstance(value, dict):
                if "$defs" in value:
                    vocabularies[json.dumps(value)] = value
                elif value and all(isinstance(member, dict | None) for member in value.values()):
                    bundles[json.dumps(value)] = value
    for path in sorted((ROOT / "tests" / "goldens").glob("*.txt")):
        for text in _GOLDEN.findall(path.read_text(encoding="utf-8")):
            if path.stem in _GOLDENS:
                texts[_GOLDENS[path.stem]][text] = None
            elif path.stem == "vocabularies":
                broken[text] = None
    for query in texts["query"]:
        texts["time"].update(dict.fromkeys(_OPERAND.findall(query)))
    return Seeds(
        (*texts["query"], *_BROKEN),
        tuple(texts["rule"]),
        (*_TIMES, *texts["time"]),
        tuple(texts["every"]),
        tuple(broken),
        tuple(vocabularies.values()),
        tuple(bundles.values()),
    )


def _files() -> Iterator[Path]:
    yield from sorted((ROOT / "spec" / "cases").glob("*.json"))
    yield from sorted((ROOT / "tests" / "grammar").glob("*.json"))
    yield from sorted((ROOT / "examples").rglob("*.json"))


def _members(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a JSON document with the key it stands under."""
    yield key, value
    for name, member in value.items() if isinstance(value, dict) else ():
        yield from _members(member, name)
    for member in value if isinstance(value, list) else ():
        yield from _members(member, key)
