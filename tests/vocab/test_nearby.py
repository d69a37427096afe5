"""Near names for misspelt ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.nearby import did_you_mean, near, nearest
from yardstick import yard

NAMES = ["plant", "plants", "watered", "window", "min", "minutes", "player", "seen", "enum", "a_b"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("plnt", "plant"),
        ("plantt", "plant"),
        ("lpant", "plant"),
        ("Plant", "plant"),
        ("widnow", "window"),
        ("waterd", "watered"),
        ("minuts", "minutes"),
        ("play", "player"),
        ("sean", "seen"),
        ("a-b", "a_b"),
        ("a b", "a_b"),
        ("enums", "enum"),
        ("zebra", None),
        ("x", None),
        ("", None),
        ("plant" * 20, None),
    ],
)
def test_the_nearest_name(name: str, found: str | None) -> None:
    assert nearest(name, NAMES) == found


def test_a_name_is_not_near_itself() -> None:
    assert near("plant", ["plant"]) == ()


def test_a_question_for_the_hint() -> None:
    assert did_you_mean("plamt", ["plant"]) == "did you mean `plant`?"
    assert did_you_mean("plamt", ["plant", "plait"], '"{}"') == 'did you mean "plait" or "plant"?'
    assert did_you_mean("plamt", ["plant", "plait", "plast"]) == "did you mean `plait`, `plant` or `plast`?"
    assert did_you_mean("zebra", NAMES) == ""


def slips(left: str, right: str) -> int:
    """The optimal string alignment distance, in full."""
    table = [[max(row, column) for column in range(len(right) + 1)] for row in range(len(left) + 1)]
    for row in range(1, len(left) + 1):
        for column in range(1, len(right) + 1):
            change = table[row - 1][column - 1] + (left[row - 1] != right[column - 1])
            table[row][column] = min(table[row - 1][column] + 1, table[row][column - 1] + 1, change)
            swapped = row > 1 and column > 1 and left[row - 1] == right[column - 2]
            if swapped and left[row - 2] == right[column - 1]:
                table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
    return table[-1][-1]


@given(st.text("abc", min_size=5, max_size=8), st.text("abc", min_size=1, max_size=10))
def test_a_name_within_two_slips_is_near(name: str, other: str) -> None:
    if name != other and slips(name, other) <= 2:
        assert near(name, [other]) == (other,)
    elif name != other and near(name, [other]):
        assert name.startswith(other) or other.startswith(name)


def test_a_thousand_names_are_soon_looked_through() -> None:
    names = [f"component_of_the_garden_number_{number}" for number in range(1000)]
    before = time.process_time()
    near("component_of_the_gardn_numbr_5", names)
    near("a" * 100_000, names)
    assert time.process_time() - before < 80 * yard()
