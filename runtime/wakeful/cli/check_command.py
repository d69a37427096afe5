"""`wakeful check`: every mistake in a vocab.json at once."""

from __future__ import annotations

from argparse import Namespace

from wakeful_grammar.problems import Problem

from .check_formats import Report, print_report
from .console import Console
from .usage import Parser

FORMATS = ("text", "json", "github", "sarif")
EPILOG = "Exit code: 0 no problems, 1 problems, 2 no such file."


def configure(parser: Parser) -> None:
    parser.add_argument("path", metavar="PATH", help="a vocab.json, or the folder that holds one")
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="text for people (the default), json, github for workflow annotations, sarif for code scanning",
    )  # fmt: skip
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    parser.add_now("the instant from which notes on clock changes look ahead")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.vocab.load import file_of
    from wakeful_compiler.vocabulary import check

    file = str(file_of(args.path))
    problems: tuple[Problem, ...]
    notes: list[str] = []
    try:
        vocab, found = check(file)
        problems = tuple(found)
    except VocabError as error:
        if any(problem.code == "vocab-file" for problem in error.problems):
            raise
        vocab, problems = None, error.problems
    if vocab is not None:
        from .rule_notes import rule_notes

        notes = rule_notes(vocab, args.now)
    counted = [problem for problem in problems if args.strict or problem.severity == "error"]
    declared = ""
    if vocab is not None:
        own = sum(not component.builtin for component in vocab.components.values())
        declared = f"{_counted(own, 'component')}, {_counted(len(vocab.rules.all), 'rule')}, "
    summary = f"{file}: {declared}{_verdict(problems)}"
    print_report(Report(file, not counted, problems, notes, summary), args.format, console)
    return 1 if counted else 0


def _verdict(problems: tuple[Problem, ...]) -> str:
    warnings = sum(problem.severity == "warning" for problem in problems)
    errors = len(problems) - warnings
    if not problems:
        return "no problems"
    if not warnings:
        return _counted(errors, "problem")
    return f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}" if errors else _counted(warnings, "warning")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
