"""Opening the store that a command works on."""

from __future__ import annotations

from datetime import datetime

import wakeful
from wakeful import Store, StoreBusy, StoreError

from .usage import Misuse, store_path


def open_store(
    given: str | None, *, now: datetime | None = None, by: str | None = None, create: bool = False,
    workers: tuple[str | None, str | None] = (None, None),
) -> Store:  # fmt: skip
    """The store that `--store` or the environment names; `now`, where given, is what its clock shows.

    `workers` is where workers are and the secret that signs what they are sent.

    Raises :class:`Misuse` for what is no store of ours, StoreBusy when it cannot be had.
    """
    from wakeful.testing import ManualClock

    path = store_path(given)
    clock = None if now is None else ManualClock(now)
    try:
        return wakeful.open(path, clock=clock, by=by, create=create, workers=workers[0], worker_secret=workers[1])
    except StoreBusy:
        raise
    except StoreError as error:
        hint = "" if create or "`workers`" in str(error) else _hint(path)
        raise Misuse(f"{error}{hint}") from None
    except ValueError as error:
        raise Misuse(f"`--store` is no path: {error}") from None


def _hint(path: str) -> str:
    from pathlib import Path

    missing = not path.startswith(("postgresql:", "postgres:")) and not Path(path).exists()
    return f"\n`wakeful deploy vocab.json --store {path}` makes one" if missing and path != ":memory:" else ""
