"""`wake.while` as it is written: a list of `{match, every}`, each read and put in its one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wakeful_compiler.nearby import nearest
from wakeful_compiler.texts import shown
from wakeful_grammar.problems import LanguageError, Problem

from ..refusals import problem
from ..schedules import cadence_problem, same_cadence
from .compiled import Conditions

MAX_ENTRIES = 16

_MEMBERS = ("match", "every")
EXAMPLE = 'write {"match": ".player.seen>=1-minute-ago", "every": "30s"}'

Entry = dict[str, str]


def read_entries(given: object, conditions: Conditions, pointer: str) -> tuple[list[Entry], list[Problem]]:
    """The entries in canonical form, and every problem with them, its pointer beginning with `pointer`."""
    if not isinstance(given, list) or not given:
        return [], [
            problem("type-while", "`wake.while` is a list of conditions, and this one is empty" if given == []
                    else f"`wake.while` is a list of conditions, not {shown(given)}",
                    "write null to take it away" if given == [] else f"{EXAMPLE}, in a list", pointer)
        ]  # fmt: skip
    if len(given) > MAX_ENTRIES:
        return [], [
            problem("limit-while", f"a wake has at most {MAX_ENTRIES} conditions; this one has {len(given)}",
                    "join what has one cadence into one query, with `|` between the alternatives", pointer)
        ]  # fmt: skip
    entries: list[Entry] = []
    problems: list[Problem] = []
    for index, entry in enumerate(given):
        found = _entry(entry, index, conditions, f"{pointer}/{index}", problems)
        if found is not None:
            entries.append(found)
    return entries, problems


def same_entries(left: list[Entry] | None, right: list[Entry] | None) -> bool:
    """Whether two lists in canonical form mean the same: equal conditions, and equal cadences in any spelling."""
    if left is None or right is None or len(left) != len(right):
        return left is right
    return all(
        one["match"] == other["match"] and same_cadence(one["every"], other["every"])
        for one, other in zip(left, right, strict=True)
    )


def _entry(given: object, index: int, conditions: Conditions, here: str, problems: list[Problem]) -> Entry | None:
    if not isinstance(given, Mapping):
        message = f"entry {index} needs a query and a cadence, and is {shown(given)}"
        problems.append(problem("type-while", message, EXAMPLE, here))
        return None
    before = len(problems)
    for key in given:
        if key not in _MEMBERS:
            near = nearest(key, _MEMBERS) if isinstance(key, str) else None
            hint = f"did you mean `{near}`?" if near else "its members are `match` and `every`"
            problems.append(
                problem("type-while", f"entry {index} has no member {shown(key)}", hint, f"{here}/{_escape(key)}")
            )
    missing = [key for key in _MEMBERS if given.get(key) is None]
    if missing:
        lacks = " and ".join(f"`{key}`" for key in missing)
        message = f"entry {index} needs a query and a cadence: it lacks {lacks}"
        problems.append(problem("type-while", message, EXAMPLE, here))
        return None
    match = _match(given["match"], index, conditions, f"{here}/match", problems)
    every = _every(given["every"], index, f"{here}/every", problems)
    return {"match": match, "every": every} if len(problems) == before else None


def _match(given: object, index: int, conditions: Conditions, here: str, problems: list[Problem]) -> str:
    if not isinstance(given, str):
        message = f"entry {index}'s match is a query as text, not {shown(given)}"
        problems.append(problem("type-while", message, "write for example `.player.seen>=1-minute-ago`", here))
        return ""
    try:
        return conditions.read(given).text
    except LanguageError as error:
        problems += [
            replace(found, message=f"entry {index}'s match: {found.message}", pointer=here) for found in error.problems
        ]
        return ""


def _every(given: object, index: int, here: str, problems: list[Problem]) -> str:
    if not isinstance(given, str):
        message = f"entry {index}'s every is a cadence as text, not {shown(given)}"
        problems.append(problem("type-while", message, 'write for example "30s" or "0 9 * * *"', here))
        return ""
    found = cadence_problem(given)
    if found is not None:
        said = f"entry {index}'s every is unreadable: {found.message}"
        problems.append(replace(found, message=said, pointer=here))
    return given


def _escape(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
