"""What a command declares: its inputs, the one thing it does, and how a worker is called (the design's section 1).

Commands are checked in full here, though they run only with a later version.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Literal, cast

from wakeful_grammar.problems import ScheduleError

from ..nearby import only
from ..templates.holes import Inputs
from ..texts import shown
from .entries import COMMAND_KEYWORDS, DOES, check_annotations, check_entry_keywords
from .limits import PROPERTIES_LIMIT
from .model import Command, Component, Property, Retry
from .names import check_name
from .report import Report
from .schemas import read_property
from .source import pointer_to

WORKER_PATH = re.compile(r"/(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]*")
ATTEMPTS_LIMIT = 100
SECONDS_LIMIT = 86_400.0
DAYS_LIMIT = 36_500
_FOR_WORKERS = ("retry", "timeout", "overlap")


def read_command(
    report: Report,
    name: str,
    entry: Mapping[str, Any],
    pointer: str,
    components: Mapping[str, Component],
    referable: Collection[str],
    broken: set[str],
) -> Command | None:
    """The command that an entry declares, or None where it cannot be used; what is wrong is reported.

    `components` are those of the file and the built-in ones; `referable` the names that a `ref` may have.
    """
    before = report.errors
    check_entry_keywords(report, name, entry, pointer, "command", COMMAND_KEYWORDS)
    check_annotations(report, name, entry, pointer)
    if "description" not in entry or entry["description"] == "":
        report.add(
            pointer,
            "vocab-command",
            f"{name} is a command and has no description",
            'say what it does, for whoever may call it: "description": "water a plant"',
            on_key=True,
        )
    inputs, bad_inputs = _inputs(report, name, entry, pointer, referable)
    required = _required(report, name, entry, inputs, bad_inputs, pointer)
    does = _does(report, name, entry, pointer)
    asked = Inputs(report, name, inputs, bad_inputs)
    for keyword in DOES:
        if keyword in entry:
            _template(asked, keyword, entry[keyword], pointer_to(pointer, keyword), components, frozenset(broken))
    retry, timeout, overlap, keep = _running(report, name, entry, pointer)
    if does is None or report.errors > before:
        return None
    _remarks(asked, does, required, pointer)
    description = entry["description"]
    return Command(name, description, inputs, required, does, entry[does], retry, timeout, overlap, keep)


# --- inputs -------------------------------------------------------------------------------------


def _inputs(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str, referable: Collection[str]
) -> tuple[dict[str, Property], frozenset[str]]:
    """The inputs by name, and the names of those that cannot be used."""
    given, here = entry.get("input", {}), pointer_to(pointer, "input")
    if not isinstance(given, Mapping):
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `input` is an object of JSON Schemas, not {shown(given)}",
            'for example {"plant": {"type": "string", "ref": "entity"}}',
        )
        return {}, frozenset()
    if len(given) > PROPERTIES_LIMIT:
        report.add(
            here,
            "limit-properties",
            f"{name} has {len(given):,} inputs; the limit of a command is {PROPERTIES_LIMIT}",
            "let one input of type object hold what belongs together",
            on_key=True,
        )
    inputs: dict[str, Property] = {}
    for key, schema in given.items():
        place = pointer_to(here, key)
        if not check_name(report, place, key, name, given.keys()):
            continue
        stored = [word for word in ("death", "index", "was") if isinstance(schema, Mapping) and word in schema]
        for word in stored:
            report.add(
                pointer_to(place, word),
                "vocab-keyword-misplaced",
                f"{name}.{key}: `{word}` says nothing about an input, which is not stored",
                "take it out",
                on_key=True,
            )
        found = None if stored else read_property(report, (name, key), schema, place, referable, given.keys())
        if found is not None:
            inputs[key] = found
    return inputs, frozenset(given.keys() - inputs.keys())


def _required(
    report: Report,
    name: str,
    entry: Mapping[str, Any],
    inputs: Mapping[str, Property],
    broken: frozenset[str],
    pointer: str,
) -> tuple[str, ...]:
    given, here = entry.get("required", []), pointer_to(pointer, "required")
    if not isinstance(given, list):
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `required` is a list of inputs, not {shown(given)}",
            'for example "required": ["plant"]',
        )
        return ()
    required: dict[str, None] = {}
    for index, key in enumerate(given):
        if isinstance(key, str) and key in inputs:
            required[key] = None
        elif not isinstance(key, str) or key not in broken:
            close = report.near(key, inputs)
            report.add(
                pointer_to(here, index),
                "unknown-input",
                f"{name}: `required` lists {shown(key)}, which is no input",
                f"did you mean `{close[0]}`?" if close else "declare it under `input`, or take it out",
                fix=only(close),
            )
    return tuple(required)


# --- the one thing ------------------------------------------------------------------------------


def _does(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str
) -> Literal["apply", "query", "worker"] | None:
    named = [keyword for keyword in DOES if keyword in entry]
    if len(named) == 1:
        return cast(Literal["apply", "query", "worker"], named[0])
    found = " and ".join(f"`{keyword}`" for keyword in named) or "none"
    report.add(
        pointer_to(pointer, named[1]) if named else pointer,
        "vocab-command",
        f"{name}: a command does one thing, `apply`, `query` or `worker`: this one has {found}",
        "keep one of them, and make a command of the other" if named else 'for example "apply": {"plant": {}}',
        on_key=True,
    )
    return None


def _template(
    asked: Inputs, does: str, given: object, here: str, components: Mapping[str, Component], broken: frozenset[str]
) -> None:
    from ..templates.bundle_template import BundleTemplate
    from ..templates.query_template import check_query_template

    report, name = asked.report, asked.command
    if does == "apply":
        BundleTemplate(asked, components, broken).check(given, here)
    elif does == "worker":
        _worker(report, name, given, here)
    elif isinstance(given, str):
        check_query_template(asked, given, here, components, broken)
    else:
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `query` is text, not {shown(given)}",
            'for example ".plant, .plant.window=$window"',
        )


def _remarks(asked: Inputs, does: str, required: tuple[str, ...], pointer: str) -> None:
    """Warn of inputs that a template leaves aside, or asks for without their being required."""
    if does == "worker":
        return
    name = asked.command
    for key in asked.declared:
        here = pointer_to(pointer, "input", key)
        if key not in asked.used:
            asked.report.add(
                here,
                "vocab-input-unused",
                f"{name}: the input `{key}` is used nowhere",
                f"write `${key}` where its value belongs, or take it out",
                on_key=True,
                severity="warning",
            )
        elif does == "query" and key not in required:
            asked.report.add(
                here,
                "vocab-input-optional",
                f"{name}: a call without `{key}` fails: the query compares with it, and never changes its shape",
                f'list it in the command: "required": ["{key}"]',
                on_key=True,
                severity="warning",
            )


def _worker(report: Report, name: str, given: object, pointer: str) -> None:
    if isinstance(given, str) and WORKER_PATH.fullmatch(given) and len(given) <= 500:
        return
    path = re.sub(r"^[A-Za-z]+://[^/]*", "", given[:200]) if isinstance(given, str) else ""
    better = re.sub(r"[^A-Za-z0-9_/-]+", "-", path).strip("-/")
    better = re.sub(r"-*/[-/]*", "/", better)
    report.add(
        pointer,
        "vocab-worker-path",
        f"{name}: `worker` is an absolute path of letters, digits, _ - and /, not {shown(given)}",
        f'for example "/{better or "tick"}"; the server it is on is configured where the store runs',
    )


# --- how it runs --------------------------------------------------------------------------------


def _running(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str
) -> tuple[Retry | None, float | None, Literal["queue", "skip"], int | None]:
    if "worker" not in entry and ("apply" in entry or "query" in entry):
        for keyword in _FOR_WORKERS:
            if keyword in entry:
                report.add(
                    pointer_to(pointer, keyword),
                    "vocab-keyword-misplaced",
                    f"{name}: `{keyword}` says nothing about a command that runs inside the store",
                    "it belongs to a `worker`: take it out",
                    on_key=True,
                    severity="warning",
                )
    retry = _retry(report, name, entry["retry"], pointer_to(pointer, "retry")) if "retry" in entry else None
    timeout = None
    if "timeout" in entry:
        timeout = _seconds(report, f"{name}: `timeout`", entry["timeout"], pointer_to(pointer, "timeout"))
    overlap: Literal["queue", "skip"] = "queue"
    if entry.get("overlap", "queue") == "skip":
        overlap = "skip"
    elif entry.get("overlap", "queue") != "queue":
        close = report.near(entry["overlap"], ("queue", "skip"))
        report.add(
            pointer_to(pointer, "overlap"),
            "vocab-keyword",
            f'{name}: `overlap` is "queue" or "skip", not {shown(entry["overlap"])}',
            "queue lets a call wait for the one before it, skip leaves it out",
            fix=only(close),
        )
    return retry, timeout, overlap, _keep(report, name, entry, pointer)


def _members(
    report: Report, what: str, given: object, known: tuple[str, ...], pointer: str, example: str
) -> Mapping[str, Any] | None:
    """An object of known members, or None once it is reported that it is none."""
    if not isinstance(given, Mapping):
        report.add(pointer, "vocab-keyword", f"{what} is an object, not {shown(given)}", f"for example {example}")
        return None
    for keyword in given:
        if keyword not in known:
            close = report.near(keyword, [word for word in known if word not in given])
            report.add(
                pointer_to(pointer, keyword),
                "unknown-keyword",
                f"{what} has no {shown(keyword)}",
                f"did you mean `{close[0]}`?" if close else f"it has {', '.join(known)}",
                on_key=True,
                fix=only(close),
            )
    return given


def _retry(report: Report, name: str, given: object, pointer: str) -> Retry | None:
    what, example = f"{name}: `retry`", '{"attempts": 5, "base": "4s", "cap": "1m"}'
    members = _members(report, what, given, ("attempts", "base", "cap"), pointer, example)
    if members is None:
        return None
    attempts = _whole(report, f"{what}: `attempts`", members.get("attempts"), ATTEMPTS_LIMIT, pointer, "attempts")
    base = cap = None
    if "base" in members:
        base = _seconds(report, f"{what}: `base`", members["base"], pointer_to(pointer, "base"))
    if "cap" in members:
        cap = _seconds(report, f"{what}: `cap`", members["cap"], pointer_to(pointer, "cap"))
    if base is not None and cap is not None and base > cap:
        report.add(
            pointer_to(pointer, "cap"),
            "vocab-keyword",
            f"{what}: `cap`, the longest wait, is shorter than `base`, the first one",
            "swap them?",
        )
    base = 4.0 if base is None else base
    return Retry(attempts or 1, base, max(base, 64.0) if cap is None else cap)


def _whole(report: Report, what: str, given: object, most: int, pointer: str, key: str) -> int | None:
    if isinstance(given, (int, float)) and not isinstance(given, bool) and given == given // 1 and 1 <= given <= most:
        return int(given)
    missing = given is None
    report.add(
        pointer if missing else pointer_to(pointer, key),
        "vocab-keyword",
        f"{what} is a whole number from 1 to {most:,}, {'and must be there' if missing else f'not {shown(given)}'}",
        f'for example "{key}": 5',
        on_key=missing,
    )
    return None


def _seconds(report: Report, what: str, given: object, pointer: str) -> float | None:
    """A length of time: a number of seconds, or a duration as `every` spells it."""
    seconds: float | None = None
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        seconds = float(given)
    elif isinstance(given, str):
        from wakeful_grammar.cron import Duration

        from ..schedules import every

        try:
            tree = every(given).tree
        except ScheduleError:
            tree = None
        seconds = float(tree.seconds) if isinstance(tree, Duration) else None
    if seconds is not None and 0 < seconds <= SECONDS_LIMIT:
        return seconds
    report.add(
        pointer,
        "vocab-keyword",
        f"{what} is a length of time, at most a day, not {shown(given)}",
        'write a duration, for example "30s", or a number of seconds',
    )
    return None


def _keep(report: Report, name: str, entry: Mapping[str, Any], pointer: str) -> int | None:
    if "keep" not in entry:
        return None
    here = pointer_to(pointer, "keep")
    members = _members(report, f"{name}: `keep`", entry["keep"], ("days",), here, '{"days": 30}')
    if members is None:
        return None
    return _whole(report, f"{name}: `keep`: `days`", members.get("days"), DAYS_LIMIT, here, "days")
