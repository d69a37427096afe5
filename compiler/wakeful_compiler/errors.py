"""The compiler's own exception: a vocabulary that will not do, with everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable

from wakeful_grammar.problems import LanguageError, Problem, render


class VocabError(LanguageError):
    """A vocab.json that wakeful will not take; `problems` lists all of them, `file` says where they stand."""

    def __init__(self, problems: Iterable[Problem], file: str | None = None) -> None:
        super().__init__(problems)
        self.file = file
        if file is not None:
            self.args = ("\n".join(render(problem, file=file) for problem in self.problems),)
