"""The report of `wakeful check` in its four formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wakeful_grammar.node import node
from wakeful_grammar.problems import Problem

from .console import Console

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@node
class Report:
    """What a check found in one file; `ok` is its verdict and `summary` the last line that a person reads.

    `fixed` tells of each fix made in the file, None where none was asked for.
    """

    file: str
    ok: bool
    problems: tuple[Problem, ...]
    notes: list[str]
    summary: str
    fixed: tuple[str, ...] | None = None


Reports = Sequence[Report]


def print_reports(reports: Reports, form: str, console: Console) -> None:
    """Print the reports, one for each file: form is text, json, github or sarif."""
    printers: dict[str, Callable[[Reports, Console], None]] = {
        "text": _text,
        "json": _json,
        "github": _github,
        "sarif": _sarif,
    }
    printers[form](reports, console)


def problem_json(problem: Problem, file: str) -> dict[str, Any]:
    """A problem in the shape that `--json` promises."""
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
        "fix": problem.fix,
        "file": file,
        "line": problem.line,
        "column": problem.column,
        "end_line": problem.end_line,
        "end_column": problem.end_column,
        "pointer": problem.pointer,
    }


def _text(reports: Reports, console: Console) -> None:
    for report in reports:
        for line in report.fixed or ():
            console.say(("fixed ", "good"), line)
        for problem in report.problems:
            console.problem(problem, report.file)
        for note in report.notes:
            console.say(("note: ", "name"), note)
        console.say((report.summary, "good" if report.ok else "bad"))


def _json(reports: Reports, console: Console) -> None:
    answer: dict[str, Any] = {
        "ok": all(report.ok for report in reports),
        "problems": [problem_json(problem, report.file) for report in reports for problem in report.problems],
        "notes": [note for report in reports for note in report.notes],
        "summary": "\n".join(report.summary for report in reports),
    }
    if any(report.fixed is not None for report in reports):
        answer["fixed"] = [line for report in reports for line in report.fixed or ()]
    console.data(answer)


# --- GitHub workflow commands -------------------------------------------------------------------


def _github(reports: Reports, console: Console) -> None:
    for report in reports:
        _annotations(report, console)


def _annotations(report: Report, console: Console) -> None:
    for line in report.fixed or ():
        console.say(f"fixed {line}")
    for problem in report.problems:
        where = {
            "file": report.file,
            "line": problem.line,
            "endLine": problem.end_line,
            "col": problem.column,
            "endColumn": problem.end_column,
            "title": problem.code,
        }
        listed = ",".join(f"{key}={_github_property(str(value))}" for key, value in where.items())
        words = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
        console.say(f"::{problem.severity} {listed}::{_github_text(words)}")
    for note in report.notes:
        console.say(f"::notice file={_github_property(report.file)}::{_github_text(note)}")
    console.say(report.summary)


def _github_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_text(text).replace(":", "%3A").replace(",", "%2C")


# --- SARIF 2.1.0 --------------------------------------------------------------------------------


def _sarif(reports: Reports, console: Console) -> None:
    from wakeful import __version__

    codes = sorted({problem.code for report in reports for problem in report.problems})
    results = [_sarif_result(problem, report.file, codes) for report in reports for problem in report.problems]
    rules = [_sarif_rule(code) for code in codes]
    console.data(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": {"name": "wakeful", "version": __version__, "rules": rules}},
                    "columnKind": "unicodeCodePoints",
                    "results": results,
                }
            ],
        }
    )


def _sarif_rule(code: str) -> dict[str, Any]:
    from ..help.pages import page

    found = page(code)
    if found is None:
        return {"id": code}
    return {"id": code, "shortDescription": {"text": found.summary}, "help": {"text": found.text}}


def _sarif_result(problem: Problem, file: str, codes: list[str]) -> dict[str, Any]:
    from urllib.parse import quote

    artifact = {"uri": quote(file.replace("\\", "/"))}
    region = {
        "startLine": problem.line,
        "startColumn": problem.column,
        "endLine": problem.end_line,
        "endColumn": problem.end_column,
    }
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.severity,
        "message": {"text": f"{problem.message}\n{problem.hint}" if problem.hint else problem.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if problem.fix is not None:
        replacement = {"deletedRegion": region, "insertedContent": {"text": problem.fix}}
        result["fixes"] = [{"artifactChanges": [{"artifactLocation": artifact, "replacements": [replacement]}]}]
    return result
