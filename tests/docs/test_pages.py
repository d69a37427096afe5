"""The Python on the pages runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = [
    pytest.param(block, id=f"{page}:{number}")
    for page in ("docs/python.md", "docs/workers.md")
    for number, block in enumerate(re.findall(r"(?sm)^```python\n(.*?)^```", (ROOT / page).read_text()))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_example_runs(block: str) -> None:
    exec(compile(block, "example", "exec"), {})


def test_there_are_examples() -> None:
    assert len(BLOCKS) == 6
