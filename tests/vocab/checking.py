"""Small documents, and the problems found in them."""

from __future__ import annotations

import json
from typing import Any

from wakeful_compiler.vocab.check import check_declarations
from wakeful_compiler.vocab.model import Declarations
from wakeful_compiler.vocab.source import read_text
from wakeful_grammar.problems import Problem, caret_lines


def check(document: object) -> tuple[Declarations, list[Problem]]:
    return check_declarations(read_text(json.dumps(document, indent=2)))


def problems(document: object) -> list[Problem]:
    return check(document)[1]


def entry(**entries: Any) -> dict[str, Any]:
    return {"$defs": entries}


def of_property(**schema: Any) -> dict[str, Any]:
    """A vocabulary with one component `recipe` and one property `p`; `kind` stands for `ref`-able others."""
    return entry(recipe={"properties": {"p": {key.replace("_", "$"): value for key, value in schema.items()}}})


def only(document: object) -> Problem:
    [problem] = problems(document)
    return problem


def marked(problem: Problem) -> str:
    """The text that the carets stand under."""
    line, carets = caret_lines(problem)
    return line[len(carets) - carets.count("^") : len(carets)]
