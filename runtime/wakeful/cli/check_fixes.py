"""`wakeful check --fix`: the fixes of a file's problems, written into it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wakeful_grammar.problems import Problem

if TYPE_CHECKING:
    from wakeful_compiler.fixes import Fixed

_BOM = b"\xef\xbb\xbf"


def fix_file(path: str) -> list[Fixed]:
    """Make every certain fix of a vocab.json in the file itself, and say which.

    The file is replaced in one step or left alone; a byte order mark, line ends and permissions stay.  Raises
    OSError when it cannot be written.
    """
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.fixes import fix_text
    from wakeful_compiler.vocab.limits import SIZE_LIMIT

    real = Path(os.path.realpath(path))
    data = real.read_bytes()
    try:
        text = data.removeprefix(_BOM).decode("utf-8") if len(data) <= SIZE_LIMIT else ""
    except UnicodeDecodeError:
        return []  # What it says cannot be known; the check that follows tells of it.
    try:
        mended, made = fix_text(text, _problems)
    except VocabError:
        return []
    if made:
        _replace(real, (_BOM if data.startswith(_BOM) else b"") + mended.encode("utf-8"))
    return made


def _problems(text: str) -> Sequence[Problem]:
    from wakeful_compiler.errors import VocabError
    from wakeful_compiler.vocab.source import read_text
    from wakeful_compiler.vocabulary import check_source

    try:
        return check_source(read_text(text))[1]
    except VocabError as error:
        return error.problems


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise


def told(fixed: Fixed, file: str) -> str:
    """One fix in one line, with its place as it was before the fixes of its round."""
    problem = fixed.problem
    if fixed.before and fixed.after:
        change = f"{fixed.before} -> {fixed.after}"
    else:
        change = f"{fixed.before} taken out" if fixed.before else f"{fixed.after} put in"
    return f"{file}:{problem.line}:{problem.column}: {problem.code}: {change}"
