"""`$x` in the texts of a command's template: where inputs stand, and what only looks like one.

`$x` names an input, `$$` is a dollar.  A text that is `$x` alone keeps the argument's type; inside text an
argument becomes text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from wakeful_grammar.node import node
from wakeful_grammar.problems import Span

from ..nearby import near, only
from ..vocab.model import Kind, Property
from ..vocab.report import Report

_DOLLAR = re.compile(r"\$(?:\$|[A-Za-z_][A-Za-z0-9_]*)?")
_ALIAS = re.compile(r"\$[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
_BRACES = re.compile(r"\{\{[^{}]{0,100}\}\}")
_NAME_INSIDE = re.compile(r"\{\{\s*\$?([a-z][a-z0-9_]*)\s*\}\}", re.ASCII)
_LIKE = (frozenset({"string", "instant", "reference"}), frozenset({"number", "integer"}))


@node
class Hole:
    """One `$x`: the input's name, and its stretch of the text."""

    name: str
    span: Span


def holes(text: str) -> list[Hole]:
    """Every `$x` of a text, left to right."""
    return [Hole(found.group()[1:], Span(*found.span())) for found in _DOLLAR.finditer(text) if _is_name(found.group())]


def pieces(text: str) -> list[str | Hole]:
    """A text cut at its inputs: what stands between them as it is meant, and each `$x`."""
    found: list[str | Hole] = []
    end = 0
    for hole in holes(text):
        found += [plain(text[end : hole.span.start]), hole]
        end = hole.span.end
    return [piece for piece in (*found, plain(text[end:])) if piece]


def only_hole(text: str) -> str | None:
    """The name of the input that the text is, when it is one `$x` and nothing else."""
    found = _DOLLAR.fullmatch(text)
    return text[1:] if found and _is_name(text) else None


def is_alias(text: object, inputs: Collection[str]) -> bool:
    """Whether an eid as a template has it is the alias of a fresh entity, and not an input of that name."""
    return isinstance(text, str) and _ALIAS.fullmatch(text) is not None and text[1:] not in inputs


def plain(text: str) -> str:
    """A text without inputs as it is meant: `$$` is a dollar."""
    return text.replace("$$", "$")


def _is_name(written: str) -> bool:
    return written not in ("$", "$$")


class Inputs:
    """The inputs of one command, asked for by its template; `used` grows, and problems are reported."""

    def __init__(self, report: Report, command: str, declared: Mapping[str, Property], broken: frozenset[str]) -> None:
        self.report, self.command, self.declared = report, command, declared
        self._broken = broken
        self.used: set[str] = set()

    def find(self, name: str, pointer: str, span: Span, also: str = "") -> Property | None:
        """The input that `$name` means; `also` is what else a name might stand for here."""
        self.used.add(name)
        found = self.declared.get(name)
        if found is None and name not in self._broken:
            close = near(name, self.declared)
            names = ", ".join(f"`${key}`" for key in list(self.declared)[:8])
            if close:
                hint = f"did you mean `${close[0]}`?"
            elif names:
                hint = f"the inputs are {names}; to mean a dollar write `$$`"
            else:
                hint = f'declare it, "input": {{{json.dumps(name)}: {{"type": "string"}}}}; to mean a dollar write `$$`'
            self.report.add(
                pointer,
                "unknown-input",
                f"{self.command}: `${name}` names no input{also}",
                hint,
                inside=span,
                fix=only(close, "${}"),
            )
        return found

    def check_text(self, text: str, pointer: str, offset: int = 0) -> bool:
        """Whether every `$` and `{{` of a text means something; what does not is reported.

        Each `$x` of the text counts as used.  `offset` is where the text begins in the one at `pointer`.
        """
        good = True
        for found in _DOLLAR.finditer(text):
            span = Span(offset + found.start(), offset + found.end())
            if found.group() == "$":
                good = False
                self.report.add(
                    pointer,
                    "vocab-dollar",
                    f"{self.command}: this `$` names nothing",
                    "`$x` stands for the input x; to mean a dollar write `$$`",
                    inside=span,
                    fix="$$",
                )
            elif found.group() != "$$" and self.find(found.group()[1:], pointer, span) is None:
                good = False
        return self.check_braces(text, pointer, offset) and good

    def check_braces(self, text: str, pointer: str, offset: int = 0) -> bool:
        """Whether a text is free of `{{holes}}`, which other template languages have; each is reported."""
        good = True
        for found in _BRACES.finditer(text):
            good = False
            name = _NAME_INSIDE.fullmatch(found.group())
            shown = found.group() if len(found.group()) <= 40 else found.group()[:39] + "…"
            self.report.add(
                pointer,
                "vocab-hole",
                f"{self.command}: `{shown}` is no hole here",
                f"write `${name[1]}`" if name else "an input is written `$x`",
                inside=Span(offset + found.start(), offset + found.end()),
                fix=f"${name[1]}" if name else None,
            )
        return good


def fits(given: Kind, wanted: Kind) -> bool:
    """Whether some argument of the kind `given` may be a value of the kind `wanted`."""
    return given == wanted or any(given in group and wanted in group for group in _LIKE)
