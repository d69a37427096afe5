"""The codes of problems that the source can give, read from the source itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"(?:syntax|unknown|type|limit|vocab|rule|schedule|while|call)(?:-[a-z]+)+")
_BUILT = {
    "limit-{}-length": ("query", "rule"),
    "limit-{}": ("components", "rules", "commands"),
    "type-{}": ("order", "distinct", "tally"),
    "schedule-{}": ("duration", "form", "name"),
}
"""Codes that the source puts together, and what it puts in."""


@cache
def codes_of_the_source() -> frozenset[str]:
    """Every code that a literal of the three packages spells, whole or in parts."""
    found: set[str] = set()
    for package in ("grammar/wakeful_grammar", "compiler/wakeful_compiler", "runtime/wakeful"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for literal in _literals(ast.parse(path.read_text(encoding="utf-8"))):
                if literal in _BUILT:
                    found |= {literal.replace("{}", part) for part in _BUILT[literal]}
                elif _CODE.fullmatch(literal):
                    found.add(literal)
    return frozenset(found)


def _literals(tree: ast.AST) -> Iterator[str]:
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value
