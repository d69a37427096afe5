"""The table `ended`: calls that have ended and whose command says how long they are kept."""

from __future__ import annotations

from collections.abc import Iterable

from .transaction import Transaction


def note_ended(transaction: Transaction, calls: Iterable[tuple[int, str]], at: str) -> None:
    """Note that these calls, each with the name of its command, ended at a stored instant; a later end counts."""
    transaction.executemany(
        "INSERT INTO ended (num, command, at) VALUES (?, ?, ?) "
        "ON CONFLICT (num) DO UPDATE SET command = excluded.command, at = excluded.at",
        [(num, command, at) for num, command in calls],
    )
