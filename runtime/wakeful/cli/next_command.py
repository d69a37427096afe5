"""`wakeful next`: when a schedule comes next, when it came last, and all its occurrences in a stretch of time."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from .console import Console
from .usage import Misuse, Parser, count_up_to, instant

if TYPE_CHECKING:
    from wakeful_compiler.schedules import Schedule

MOST = 100_000
EPILOG = """\
EXPR is a duration (`5m`, `1h30m`, `1w`), five cron fields, or a name (`@daily`, `@monthly`), the latter two
with a zone behind them if you like: `20 4 * * * America/Detroit`.  Quote it.

Exit code: 0 done, 1 it cannot be read, or there is no such occurrence, 2 used wrongly."""


_TAKES = {"-n": 1, "--after": 1, "--anchor": 1, "--now": 1, "--dialect": 1, "--between": 2}
_SIGNED = re.compile(r"[-+][0-9]+[A-Za-z]+")
_FIELD = re.compile(r"[0-9*?/,#@-][A-Za-z0-9*?/,#-]*|[A-Z][A-Za-z]*/[A-Za-z_/]+|[A-Za-z]{3}(?:[-,][A-Za-z]{3})*")


def advice(given: Sequence[str]) -> str:
    """What to write in place of arguments that cannot be read: an unquoted schedule, one with a sign."""
    parts, skipped = [], 0
    for word in given:
        if skipped:
            skipped -= 1
        elif _SIGNED.fullmatch(word):
            return f"an elapsed time has no sign: wakeful next {word[1:]}; `--previous` looks back"
        elif word.startswith("-"):
            skipped = _TAKES.get(word, 0)
        else:
            parts.append(word)
    if len(parts) < 2:
        return ""
    # What a shell makes of a bare `*` are the names of files.
    schedule = " ".join(parts) if len(parts) > 4 and all(map(_FIELD.fullmatch, parts)) else "0 8 * * *"
    return f"quote the schedule: wakeful next '{schedule}'"


def configure(parser: Parser) -> None:
    parser.advice = advice
    parser.add_argument("expression", metavar="EXPR", help="the schedule, quoted")
    parser.add_argument(
        "--after", type=instant, metavar="INSTANT", help="show what comes strictly after this (default: now)"
    )
    parser.add_argument(
        "--between", type=instant, nargs=2, metavar=("A", "B"), help="show what comes after A and up to B, B included"
    )
    parser.add_argument(
        "--previous", action="store_true", help="look back: what came strictly before now (or --after), latest first"
    )
    parser.add_argument("--anchor", type=instant, metavar="INSTANT", help="an instant that a duration counts from")
    parser.add_argument(
        "-n", type=count_up_to(MOST, 1), metavar="N", help="how many occurrences (default: 1; with --between all)"
    )
    parser.add_argument(
        "--dialect", choices=("wake", "trigger"), default="wake",
        help="wake, the `every` of a wake (the default), or trigger, the crons of a wrangler.json",
    )  # fmt: skip
    parser.add_now("what now is, where --after does not say")
    parser.add_json("the instants")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.instants import format_instant
    from wakeful_compiler.schedules import cron_trigger, every

    if args.between and (args.after or args.previous):
        raise Misuse("--between names both ends: leave --after and --previous out")
    if args.between and args.between[1] < args.between[0]:
        raise Misuse("--between A B: B lies before A; write the earlier instant first")
    schedule = (every if args.dialect == "wake" else cron_trigger)(args.expression)
    now: datetime = args.now or datetime.now(UTC)
    count = args.n or (MOST if args.between else 1)
    found = list(islice(_occurrences(schedule, args, now), count + 1))
    cut = args.between and not args.n and len(found) > count
    found = found[:count]
    if args.json:
        console.data([format_instant(moment) for moment in found])
    elif found:
        from .schedule_table import show_occurrences

        show_occurrences(schedule, found, now, console)
    if cut:
        console.remark(("note: ", "name"), f"these are the first {MOST:,}: ask for what is left with --between")
    if not args.json and not schedule.never:
        for note in schedule.notes(args.between[0] if args.between else args.after or now):
            console.remark(("note: ", "name"), note)
    if found:
        return 0
    console.remark(("wakeful: ", "bad"), _nothing(schedule, args))
    return 1


def _occurrences(schedule: Schedule, args: Namespace, now: datetime) -> Iterator[datetime]:
    """What was asked for, in the order asked for; as many as there are."""
    if args.between:
        start, end = args.between
        return takewhile(lambda moment: moment <= end, schedule.iter(start, args.anchor))
    if args.previous:
        return _backwards(schedule, args.after or now, args.anchor)
    return schedule.iter(args.after or now, args.anchor)


def _backwards(schedule: Schedule, before: datetime, anchor: datetime | None) -> Iterator[datetime]:
    moment = schedule.previous(before, anchor)
    while moment is not None:
        yield moment
        moment = schedule.previous(moment, anchor)


def _nothing(schedule: Schedule, args: Namespace) -> str:
    if schedule.never:
        return f"the schedule names no date that any year has, so it never fires: {schedule.describe()}"
    if args.between:
        return "nothing comes between these two"
    if args.previous:
        return f"nothing came before that{', the anchor is the first' if args.anchor else ' since the year 1'}"
    return "nothing comes after that before the year 10000"
