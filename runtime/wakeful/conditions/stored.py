"""The tables that tell which conditions are stored, what they depend on, and which wakes have them.

`conditional` keeps each distinct list of entries once, `condition` each distinct query; a wake's hidden `x_while`
names its list.  What no wake has any more goes by triggers, in the statement that takes the last one away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..engines.records import AMONG
from ..engines.transaction import Transaction
from .compiled import Conditions

AT_ONCE = ""
"""The `earliest` of a condition that is to be judged in the next transaction: it comes before every instant."""


def any_stored(transaction: Transaction) -> bool:
    """Whether the store has any condition at all."""
    return transaction.value("SELECT 1 FROM condition LIMIT 1") is not None


def register(transaction: Transaction, conditions: Conditions, nums: Iterable[int]) -> None:
    """Keep the tables right for these rows, whose `wake.while` was written."""
    among = (json.dumps(list(nums)),)
    texts = transaction.fetch(
        f"SELECT DISTINCT p_while FROM c_wake WHERE p_while IS NOT NULL AND num {AMONG}", among
    )  # fmt: skip
    for (text,) in texts:
        _register_list(transaction, conditions, text)
    transaction.execute(
        f"UPDATE c_wake SET x_while = (SELECT id FROM conditional WHERE text = p_while) WHERE num {AMONG}", among
    )


def register_all(transaction: Transaction, conditions: Conditions) -> None:
    """Make the tables anew from what the wakes say."""
    transaction.execute("UPDATE c_wake SET x_while = NULL WHERE x_while IS NOT NULL")
    for (text,) in transaction.fetch("SELECT DISTINCT p_while FROM c_wake WHERE p_while IS NOT NULL"):
        _register_list(transaction, conditions, text)
    transaction.execute(
        "UPDATE c_wake SET x_while = (SELECT id FROM conditional WHERE text = p_while) WHERE p_while IS NOT NULL"
    )


def judge_at_once(transaction: Transaction, where: str, params: tuple[object, ...] = ()) -> None:
    """Have the conditions that time can make hold judged in the next transaction, those of them that `where` picks."""
    transaction.execute(f"UPDATE condition SET earliest = '{AT_ONCE}' WHERE moving AND {where}", params)


def _register_list(transaction: Transaction, conditions: Conditions, text: str) -> None:
    if transaction.value("SELECT 1 FROM conditional WHERE text = ?", (text,)) is not None:
        return
    transaction.execute("INSERT INTO conditional (text) VALUES (?)", (text,))
    number = transaction.value("SELECT id FROM conditional WHERE text = ?", (text,))
    ids = [_register_condition(transaction, conditions, entry["match"]) for entry in json.loads(text)]
    transaction.executemany(
        "INSERT INTO conditional_entry VALUES (?, ?, ?)", [(number, place, each) for place, each in enumerate(ids)]
    )


def _register_condition(transaction: Transaction, conditions: Conditions, text: str) -> int:
    select = "SELECT id FROM condition WHERE text = ?"
    found: int | None = transaction.value(select, (text,))
    if found is not None:
        return found
    condition = conditions.find(text)
    moving = condition is not None and condition.moving
    transaction.execute(
        "INSERT INTO condition (text, moving, earliest) VALUES (?, ?, ?)", (text, moving, AT_ONCE if moving else None)
    )
    number: int = transaction.value(select, (text,))
    if condition is not None:
        transaction.executemany(
            "INSERT INTO condition_read VALUES (?, ?)", [(name, number) for name in sorted(condition.reads)]
        )
    return number
