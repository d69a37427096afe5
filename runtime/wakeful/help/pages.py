"""The page of a problem's code: what it means, why it is one, and an example with its mend."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

from wakeful_grammar.node import node


@node
class Page:
    """One page: its code, its first sentence, and the whole as Markdown."""

    code: str
    summary: str
    text: str


def page(code: str) -> Page | None:
    """The page of a code, or None where there is none."""
    return _read(code) if code in codes() else None


@lru_cache(maxsize=1)
def codes() -> tuple[str, ...]:
    """Every code that has a page, sorted."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in names if name.endswith(".md")))


@lru_cache(maxsize=512)
def _read(code: str) -> Page:
    text = _folder().joinpath(f"{code}.md").read_text(encoding="utf-8")
    _, _, body = text.partition("\n\n")
    return Page(code, body.partition("\n\n")[0].replace("\n", " "), text)


def _folder() -> Traversable:
    return resources.files("wakeful.help").joinpath("problems")
