"""`wakeful check`: every mistake in a vocab.json at once, and the mending of those that have one mend."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from wakeful_grammar.problems import Problem

from .check_formats import Report, print_reports
from .console import Console
from .usage import Misuse, Parser

if TYPE_CHECKING:
    from wakeful_compiler.vocabulary import Vocab

FORMATS = ("text", "json", "github", "sarif")
EPILOG = """\
`wakeful help CODE` says more about a problem.

Exit code: 0 no problems, 1 problems (with --fix: problems left), 2 no such file."""


def configure(parser: Parser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="+", help="a vocab.json, or the folder that holds one")
    parser.add_argument(
        "--format", choices=FORMATS,
        help="text for people (the default), json, github for workflow annotations, sarif for code scanning",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    parser.add_argument("--fix", action="store_true", help="write the mends into the file where there is one for sure")
    parser.add_now("the instant from which notes on clock changes look ahead")


def run(args: Namespace, console: Console) -> int:
    if args.json and args.format not in (None, "json"):
        raise Misuse(f"--json and --format {args.format} are two answers: leave one of them out")
    form = "json" if args.json else args.format or "text"
    reports = [_report(path, args) for path in args.path]
    print_reports(reports, form, console)
    return 0 if all(report.ok for report in reports) else 1


def _report(path: str, args: Namespace) -> Report:
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.vocab.load import file_of
    from wakeful_compiler.vocabulary import check

    file = file_of(path)
    problems: tuple[Problem, ...]
    fixed: tuple[str, ...] | None = None
    if args.fix:
        from .check_fixes import fix_file, told

        fixed = tuple(told(one, file) for one in fix_file(file))
    try:
        vocab, found = check(file)
        problems = tuple(found)
    except VocabError as error:
        if any(problem.code == "vocab-file" for problem in error.problems):
            raise
        vocab, problems = None, error.problems
    notes = _notes(vocab, args) if vocab is not None else []
    ok = not any(args.strict or problem.severity == "error" for problem in problems)
    return Report(file, ok, problems, notes, f"{file}: {_declared(vocab)}{_verdict(problems)}", fixed)


def _notes(vocab: Vocab, args: Namespace) -> list[str]:
    from .rule_notes import rule_notes

    return rule_notes(vocab, args.now)


def _declared(vocab: Vocab | None) -> str:
    if vocab is None:
        return ""
    own = sum(not component.builtin for component in vocab.components.values())
    listed = [_counted(own, "component"), _counted(len(vocab.rules.all), "rule")]
    if vocab.commands:
        listed.append(_counted(len(vocab.commands), "command"))
    return ", ".join([*listed, ""])


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
