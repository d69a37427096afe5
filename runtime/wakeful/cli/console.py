"""What the command says: to people in colour on a terminal and plainly elsewhere, to programs as JSON.

rich is imported only when a stream is a terminal, since importing it takes longer than most answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console as Rich

    from wakeful_grammar.problems import Problem

Look = Literal["", "strong", "dim", "good", "bad", "warn", "name"]
Part = str | tuple[str, Look]
"""A stretch of a line, or one with its look."""

_STYLES: dict[Look, str] = {
    "": "",
    "strong": "bold",
    "dim": "dim",
    "good": "bold green",
    "bad": "bold red",
    "warn": "bold yellow",
    "name": "cyan",
}
_WORD = r'(?:[^ "]|"(?:[^"\\]|\\.)*"?)+'
_CARET = r"[ \t]*\^+"
# Control characters could move the cursor or colour the terminal, and the last two groups reverse what is read.
_UNSAFE = "[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"


class Console:
    """The two streams of one run of the command."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out, self._err = out, err
        self.terminal = out.isatty()
        """Whether a person reads the answer."""
        self._rich: dict[TextIO, Rich] = {}

    # --- answers, on standard output ------------------------------------------------------------

    def say(self, *parts: Part) -> None:
        """One line of an answer."""
        self._line(self._out, parts)

    def data(self, value: Any) -> None:
        """The answer as one line of JSON."""
        try:
            self._out.write(json.dumps(value, ensure_ascii=False) + "\n")
        except UnicodeEncodeError:
            self._out.write(json.dumps(value) + "\n")

    def text(self, text: str) -> None:
        """An answer that is a whole text: for programs in UTF-8 and as it is, for a terminal as `say` shows it."""
        if self.terminal:
            for line in text.removesuffix("\n").split("\n"):
                self.say(line)
            return
        stream = getattr(self._out, "buffer", None)
        if stream is None:
            self._out.write(text)
            return
        self._out.flush()
        stream.write(text.encode())

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns with their heads, as wide as they need; on a terminal too narrow for them, a block for each row."""
        shown = [[printable(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(heads, *shown, strict=True)]
        if self.terminal and sum(widths) + 2 * len(widths) > self._console(self._out).width:
            for row in shown:
                self._block(heads, row)
            return
        if self.terminal:
            from rich.table import Table
            from rich.text import Text

            table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
            for place, head in enumerate(heads):
                table.add_column(Text(printable(head)), overflow="fold", style="" if place else _STYLES["name"])
            for row in shown:
                table.add_row(*map(Text, row))
            self._console(self._out).print(table)
            return
        lines: list[Sequence[str]] = [heads, *shown]
        for line in lines:
            cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
            self.say("  ".join(cells).rstrip(" "))

    def _block(self, heads: Sequence[str], row: Sequence[str]) -> None:
        """One row: its first cell, then a line for each column that has something, broken only between words."""
        width, indent = self._console(self._out).width, max(map(len, heads[1:]), default=0) + 4
        self.say((row[0], "name"))
        for head, cell in zip(heads[1:], row[1:], strict=True):
            line = ""
            for word in re.findall(_WORD, cell):
                if line and indent + len(line) + 1 + len(word) > width:
                    self.say((f"  {head}".ljust(indent), "dim"), line)
                    head, line = "", word
                else:
                    line = f"{line} {word}" if line else word
            if line:
                self.say((f"  {head}".ljust(indent), "dim"), line)

    def problem(self, problem: Problem, file: str | None = None) -> None:
        """A problem that is part of the answer, with its caret."""
        self._problem(self._out, problem, file)

    def flush(self) -> None:
        self._out.flush()
        self._err.flush()

    # --- remarks and failures, on standard error ------------------------------------------------

    def remark(self, *parts: Part) -> None:
        """One line beside the answer."""
        self._line(self._err, parts)

    def failure(self, problem: Problem, file: str | None = None) -> None:
        """A problem that is why there is no answer, with its caret."""
        self._problem(self._err, problem, file)

    # --- how ------------------------------------------------------------------------------------

    def _problem(self, stream: TextIO, problem: Problem, file: str | None) -> None:
        from wakeful_grammar.problems import render

        look: Look = "bad" if problem.severity == "error" else "warn"
        head, *rest = render(problem, file=file).split("\n")
        self._line(stream, [(head, look)])
        for line in rest:
            self._line(stream, [(line, look if re.fullmatch(_CARET, line) else "")])

    def _line(self, stream: TextIO, parts: Sequence[Part]) -> None:
        styled: list[tuple[str, Look]] = [(part, "") if isinstance(part, str) else part for part in parts]
        if stream.isatty():
            from rich.text import Text

            text = Text()
            for words, look in styled:
                text.append(printable(words), _STYLES[look])
            self._console(stream).print(text, soft_wrap=True)
            return
        text_line = "".join(printable(words) for words, _ in styled) + "\n"
        try:
            stream.write(text_line)
        except UnicodeEncodeError:
            encoding = stream.encoding or "ascii"
            stream.write(text_line.encode(encoding, "backslashreplace").decode(encoding))

    def _console(self, stream: TextIO) -> Rich:
        console = self._rich.get(stream)
        if console is None:
            from rich.console import Console as Rich

            console = self._rich[stream] = Rich(file=stream, highlight=False, markup=False, emoji=False)
        return console


def printable(text: str) -> str:
    """The text on one line, with nothing in it that a terminal would obey; its length stays the same."""
    # Nothing unsafe is printable; the pattern is compiled at the first text that may hold some.
    return text if text.isprintable() else re.sub(_UNSAFE, _picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
