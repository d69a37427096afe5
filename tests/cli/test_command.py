"""The command as a whole: help, the page about it, wrong use, and what a start imports."""

from __future__ import annotations

import argparse
import io
import re
import sys
from pathlib import Path

import pytest

from cli.conftest import GARDEN, Command
from wakeful import __version__
from wakeful.cli import COMMANDS, main, parser_of
from wakeful.cli.console import Console, printable
from wakeful_compiler.zones import tzdata_version

PAGE = (Path(__file__).parents[2] / "docs" / "command.md").read_text(encoding="utf-8")


def _section(command: str) -> str:
    match = re.search(rf"^## {command}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert match is not None, f"docs/command.md has no section about {command}"
    return match.group(1)


def _actions(command: str) -> list[argparse.Action]:
    return [action for action in parser_of(command)._actions if not isinstance(action, argparse._HelpAction)]


# --- help and the page --------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_on_the_page(command: str) -> None:
    section = _section(command)
    assert f"    wakeful {command}" in section
    assert f"$ wakeful {command}" in section or f"  wakeful {command}" in section, "an example is missing"
    assert f"| [{command}](#{command}) | {COMMANDS[command]} |" in PAGE
    for action in _actions(command):
        assert action.help, f"{command} {action.dest} has no help text"
        for spelling in action.option_strings:
            assert re.search(rf"{re.escape(spelling)}\b", section), f"{command} {spelling} is not on the page"


def test_the_page_names_no_command_that_is_not_there() -> None:
    named = re.findall(r"^## ([a-z]+)$", PAGE, re.MULTILINE)
    assert named == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(wakeful: Command, command: str) -> None:
    answer = wakeful(command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"usage: wakeful {command}")
    assert "Exit code:" in answer.out


def test_help_lists_every_command(wakeful: Command) -> None:
    answer = wakeful("--help")
    assert (answer.code, answer.err) == (0, "")
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", answer.out, re.MULTILINE)


def test_version(wakeful: Command) -> None:
    assert wakeful("--version").out == f"wakeful {__version__} (tzdata {tzdata_version()})\n"


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("check", {"--format", "--json", "--strict", "--fix", "--now"}),
        ("next", {"--after", "--between", "--previous", "--anchor", "-n", "--dialect", "--now", "--json"}),
        ("match", {"--vocab", "--now", "--json"}),
        ("explain", {"--vocab", "--store", "--now", "--json"}),
        ("deploy", {"--store", "--force", "--now", "--json"}),
        ("apply", {"--store", "--by", "--dry-run", "--now", "--json"}),
        ("query", {"--store", "--now", "--json"}),
        ("due", {"--store", "--now", "--json"}),
        ("tick", {"--store", "--workers", "--worker-secret-env", "--limit", "--now", "--json"}),
        ("run", {"--store", "--workers", "--worker-secret-env", "--json"}),
        ("health", {"--store", "--bound", "--now", "--json"}),
        ("calls", {"--store", "--failed", "--running", "--waiting", "--of", "--limit", "--json"}),
        ("rerun", {"--store", "--now", "--json"}),
        ("prune", {"--store", "--now", "--json"}),
        ("schema", {"--json"}),
        ("help", {"--json"}),
        ("tour", set()),
    ],
)
def test_options(command: str, options: set[str]) -> None:
    assert {spelling for action in _actions(command) for spelling in action.option_strings} == options


# --- wrong use ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "commands:"),
        (("chekc",), "did you mean `check`?"),
        (("zzz\x1b[31m",), "there is no command"),
        (("--store", "x", "query"), "options stand behind the command: wakeful query"),
        (("--nope",), "is no option"),
        (("check",), "PATH"),
        (("check", str(GARDEN), "--format", "xml"), "invalid choice"),
        (("check", str(GARDEN), "--stric"), "unrecognized arguments: --stric"),
        (("tick", "--store", "x", "--limit", "-3"), "--limit"),
        (("tick", "--store", "x", "--now", "noon"), "--now"),
    ],
)
def test_wrong_use(wakeful: Command, arguments: tuple[str, ...], words: str) -> None:
    answer = wakeful(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err
    assert "\x1b" not in answer.err


@pytest.mark.parametrize("text", ["\x00", "\x1b[2J", "\ud800", "(" * 10_000, "." * 10_000, "9" * 20_000, "٣", "\u202e"])
@pytest.mark.parametrize("command", ["next", "explain", "match"])
def test_hostile_text_is_an_answer_or_a_problem(wakeful: Command, command: str, text: str) -> None:
    rest = () if command == "next" else ("--vocab", str(GARDEN))
    answer = wakeful(command, text, *rest, stdin="[]")
    assert answer.code in (0, 1)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800]", answer.out + answer.err)


def test_a_keyboard_interrupt_is_no_traceback(wakeful: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wakeful.cli._dispatch", interrupted)
    assert wakeful("tour").code == 130


# --- streams ------------------------------------------------------------------------------------


def test_a_stream_that_cannot_spell_everything() -> None:
    for encoding, expected in (("ascii", "caf\\xe9"), ("utf-8", "café")):
        data = io.BytesIO()
        out = io.TextIOWrapper(data, encoding=encoding)
        console = Console(out, out)
        console.say("café")
        console.data(["café", "\ud800"])
        console.flush()
        said, answered = data.getvalue().decode(encoding).splitlines()
        assert said == expected
        assert answered == '["caf\\u00e9", "\\ud800"]'


def test_what_a_terminal_would_obey_is_only_shown() -> None:
    assert printable("a\x1b[31m\tb\x7f\x9b\u202ec\n") == "a␛[31m\tb␡\ufffd\ufffdc␊"


# --- start-up -----------------------------------------------------------------------------------


def _printed(program: str) -> set[str]:
    import subprocess

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(found.stdout.split("\n")[-2].split(" "))


def _run(arguments: tuple[str, ...]) -> str:
    return f"import sys; from wakeful.cli import main; main({list(arguments)!r})"


STARTS = [("check", str(GARDEN)), ("next", "20 4 * * * America/Detroit", "-n", "2", "--json"), ("next", "5m")]
HEAVY = {
    "asyncio", "difflib", "importlib.resources", "jsonschema", "pathlib", "rich", "sqlite3", "unittest", "urllib.parse",
    "wakeful.cli.tour", "wakeful.store", "wakeful_grammar.mistakes",
}  # fmt: skip
FOR_OTHER_FILES = {
    "decimal", "heapq", "wakeful_compiler.rules.conflicts", "wakeful_compiler.rules.mends", "wakeful_compiler.zones",
    "wakeful_compiler.vocab.scan", "wakeful_grammar.every", "wakeful_grammar.failures", "wakeful_grammar.query",
    "zoneinfo",
}  # fmt: skip
"""What a check needs only for mistakes, several rules, zones, schedules or queries, of which the garden has none."""


@pytest.mark.parametrize("arguments", STARTS)
def test_check_and_next_import_little(arguments: tuple[str, ...]) -> None:
    modules = _printed(f"{_run(arguments)}; print(*sys.modules)")
    assert {"wakeful.cli", "wakeful_grammar.problems"} <= modules
    not_ours = _printed("import argparse, datetime, json, lark, sys; print(*sys.modules)")
    assert not (modules - not_ours) & HEAVY
    if arguments[0] == "check":
        assert not (modules - not_ours) & FOR_OTHER_FILES


@pytest.mark.parametrize("arguments", STARTS)
def test_check_and_next_define_no_dataclass(arguments: tuple[str, ...]) -> None:
    # `@node` defines the same in a tenth of the time.
    listed = "{x.__qualname__ for m in list(sys.modules.values()) if m.__name__.startswith('wakeful')"
    listed += " for x in vars(m).values() if isinstance(x, type) and '__dataclass_params__' in vars(x)}"
    assert _printed(f"{_run(arguments)}; print(*{listed})") == {""}


@pytest.mark.parametrize("arguments", STARTS)
def test_a_start_builds_no_more_grammars_than_it_reads(arguments: tuple[str, ...]) -> None:
    counted = "import lark.lark as l; new = l.Lark.__init__; made = []\n"
    counted += "l.Lark.__init__ = lambda self, *a, **k: (made.append('grammar'), new(self, *a, **k))[1]\n"
    built = _printed(f"{counted}{_run(arguments)}; print(len(made))")
    assert built == {"2" if len(arguments) > 2 and arguments[0] == "next" else "1"}


def test_main_returns_a_code_and_ends_nothing() -> None:
    assert main(["next"]) == 2
