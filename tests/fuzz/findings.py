"""What fuzzing has found, as (door, input) in its smallest form: played by every run of the tests."""

from __future__ import annotations

from typing import Any


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


FINDINGS: tuple[tuple[str, Any], ...] = (
    # The fast reader took a number beyond any double, which the one that knows places refuses.
    ("vocab.json", "9" * 400),
    # A message showed the value with repr(), which has its own limits.
    ("bundles", ([{"recipe": 10**5_000}], [0])),
    ("bundles", ([{"recipe": _deep(5_000)}], [0])),
    ("bundles", ([{"entity": {"eid": 10**5_000}}], [0])),
    # What was no name was looked up as one.
    ("bundles", ([{"entity": {"eid": "fern"}, "$absent": [{}], "plant": {"window": "x"}}], [0])),
    # The graph of calls looked up a property that is declared and cannot be used.
    (
        "document",
        {
            "$defs": {
                "sent": {"properties": {"at": {"format": "date-time"}, "to": {"ref": "sent"}}},
                "send": {"tool": True, "description": "x", "apply": {"sent": {"at": "now", "to": {"sent": {}}}}},
            }
        },
    ),
)
