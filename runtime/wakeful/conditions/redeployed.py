"""Stored conditions under a new vocabulary: renamed with what they ask for, compiled anew, the broken ones told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wakeful_compiler.conditions import renamed_condition
from wakeful_grammar.problems import LanguageError, Problem

from ..engines.transaction import Transaction
from ..errors import Refused
from ..plans import Plans
from ..refusals import problem
from .stored import any_stored, register_all

if TYPE_CHECKING:
    from ..deploy import Deployment

_NAMED = 3
"""The wakes that are named for one broken condition; of more there is only a count."""

_HINT = (
    "write those wakes another `while`, or keep in the vocabulary what it asks for; with `--force` (`force=True`) it "
    "is deployed all the same, and firings that come to this condition are refused until one of the two is done"
)


def recompile(plans: Plans, transaction: Transaction, deployment: Deployment, *, force: bool) -> None:
    """Bring every stored condition to the new vocabulary.

    Raises Refused where some can no longer be read, with all of them; with `force` they are notes of the deploy.
    """
    if not any_stored(transaction):
        return
    broken: dict[str, tuple[LanguageError, list[int]]] = {}
    for number, text in transaction.fetch("SELECT id, text FROM conditional ORDER BY id"):
        entries = json.loads(text)
        for entry in entries:
            match = renamed_condition(entry["match"], deployment.moved_components, deployment.moved_properties)
            try:
                entry["match"] = plans.conditions.read(match).text
            except LanguageError as error:
                entry["match"] = match
                broken.setdefault(match, (error, []))[1].append(number)
        renamed = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        if renamed != text:
            transaction.execute("UPDATE c_wake SET p_while = ? WHERE x_while = ?", (renamed, number))
    problems = [_told(transaction, match, error, lists) for match, (error, lists) in broken.items()]
    if problems and not force:
        raise Refused(problems)
    deployment.notes += [each.message for each in problems]
    register_all(transaction, plans.conditions)


def _told(transaction: Transaction, match: str, error: LanguageError, lists: list[int]) -> Problem:
    among = json.dumps(lists)
    eids = transaction.fetch(
        "SELECT e.eid FROM c_wake w JOIN entity e ON e.num = w.num "
        "WHERE w.x_while IN (SELECT value FROM json_each(?)) ORDER BY e.num",
        (among,),
    )
    named = ", ".join(line[0] for line in eids[:_NAMED]) + (f" and {len(eids) - _NAMED} more" * (len(eids) > _NAMED))
    reasons = "; ".join(str(each) for each in error.problems)
    return problem(
        "vocab-while", f"the condition `{match}` of {named} can no longer be read: {reasons}", _HINT
    )  # fmt: skip
