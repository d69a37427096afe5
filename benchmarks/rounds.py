"""What one round of a benchmark needs: a folder of its own, and a clock around its work."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wakeful-bench-") as name:
        yield Path(name)


def timed(work: Callable[[], object]) -> float:
    """The seconds that the work takes, with no garbage of what came before in it."""
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
