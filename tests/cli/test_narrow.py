"""What a narrow terminal shows: rows as blocks, help as wide as it is."""

from __future__ import annotations

import io
import re

import pytest

from wakeful.cli import COMMANDS, main, parser_of
from wakeful.cli.console import Console
from wakeful.cli.rows import show_rows

ROWS = [
    {
        "entity": {"eid": "fern", "num": 1},
        "doc": {"title": "Boston fern, the old one"},
        "wake": {"at": "2026-09-20T09:00:00Z", "every": "1d", "note": "water me"},
    }
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    show_rows(ROWS, Console(stream, io.StringIO()))
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in stream.getvalue().split("\n")[:-1]]


def test_a_wide_terminal_shows_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    head, row = shown(120, monkeypatch)
    assert head.split() == ["entity", "doc", "wake"]
    assert 'title="Boston fern, the old one"  at=2026-09-20T09:00:00Z every=1d note="water me"' in row


def test_a_narrow_terminal_shows_a_block_for_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(50, monkeypatch) == [
        "fern",
        '  doc   title="Boston fern, the old one"',
        "  wake  at=2026-09-20T09:00:00Z every=1d",
        '        note="water me"',
    ]


def test_nothing_is_broken_however_narrow_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(10, monkeypatch)
    for part in ("at=2026-09-20T09:00:00Z", "every=1d", 'note="water me"', 'title="Boston fern, the old one"'):
        assert any(line.endswith(part) for line in lines)


@pytest.mark.parametrize("name", [*COMMANDS, ""])
def test_help_is_as_wide_as_the_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main([name, "--help"] if name else ["--help"]) == 0
    lines = capsys.readouterr().out.split("\n")
    example = re.compile(r" {4}wakeful ")
    assert [line for line in lines if len(line) > 60 and not example.match(line)] == []
    if name:
        assert parser_of(name).format_help().strip() == "\n".join(lines).strip()
