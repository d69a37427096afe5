"""The vocabulary that a command's `--vocab` or PATH names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wakeful_compiler.vocabulary import Vocab

    from .console import Console


def load_vocab(path: str, console: Console) -> Vocab:
    """The vocabulary, its warnings said on standard error.

    Raises VocabError with the file's name: problems in it, or no such file.
    """
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.vocab.load import file_of
    from wakeful_compiler.vocabulary import load

    file = file_of(path)
    try:
        vocab = load(file)
    except VocabError as error:
        raise VocabError(error.problems, file) from None
    for problem in vocab.warnings:
        console.failure(problem, file)
    return vocab
