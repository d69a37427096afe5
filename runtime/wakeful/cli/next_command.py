"""`wakeful next`: when a schedule comes next."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from .console import Console
from .usage import Misuse, Parser, count_up_to, instant

if TYPE_CHECKING:
    from wakeful_compiler.schedules import Schedule

MOST = 100_000
EPILOG = """\
EXPR is a duration (`5m`, `1h30m`, `1w`), five cron fields, or a name (`@daily`, `@monthly`), the latter two
with a zone behind them if you like: `20 4 * * * America/Detroit`.  Quote it.

Exit code: 0 done, 1 it cannot be read or never comes."""


def configure(parser: Parser) -> None:
    parser.add_argument("expression", metavar="EXPR", help="the schedule, quoted")
    parser.add_argument(
        "--after", type=instant, metavar="INSTANT", help="show what comes strictly after this (default: now)"
    )
    parser.add_argument("--anchor", type=instant, metavar="INSTANT", help="an instant that a duration counts from")
    parser.add_argument(
        "-n", type=count_up_to(MOST, 1), default=1, metavar="N", help="how many occurrences (default: 1)"
    )
    parser.add_argument(
        "--dialect", choices=("wake", "trigger"), default="wake",
        help="wake, the `every` of a wake (the default), or trigger, the crons of a wrangler.json",
    )  # fmt: skip
    parser.add_now("what now is, where --after does not say")
    parser.add_json("the instants")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.instants import format_instant

    schedule = _schedule(args.expression, args.dialect)
    after: datetime = args.after or args.now or datetime.now(UTC)
    found = list(islice(schedule.iter(after, args.anchor), args.n))
    if args.json:
        console.data([format_instant(moment) for moment in found])
    elif console.terminal and found:
        _tell(schedule, found, console)
    else:
        for moment in found:
            console.say(format_instant(moment))
    if not args.json:
        for note in schedule.notes(after):
            console.remark(("note: ", "name"), note)
    if not found:
        console.remark(
            ("wakeful: ", "bad"),
            "the schedule names no date at all" if schedule.never else "nothing comes after that before the year 10000",
        )
    return 0 if found else 1


def _schedule(text: str, dialect: str) -> Schedule:
    from wakeful_compiler import schedules

    if dialect == "wake":
        return schedules.every(text)
    cron_trigger = getattr(schedules, "cron_trigger", None)
    if cron_trigger is None:
        raise Misuse("--dialect trigger comes with a later version: leave it out for the `every` of a wake")
    schedule: Schedule = cron_trigger(text)
    return schedule


def _tell(schedule: Schedule, found: list[datetime], console: Console) -> None:
    """For a person: the schedule in words, and each occurrence also as clocks in its zone show it."""
    from wakeful_compiler.instants import format_instant
    from wakeful_compiler.zones import zone

    console.say((schedule.describe(), "strong"))
    place = zone(schedule.zone) if schedule.zone not in (None, "UTC") else None
    for moment in found:
        local = moment.astimezone(place).strftime("  %a %Y-%m-%d %H:%M %Z") if place else moment.strftime("  %a")
        console.say(format_instant(moment), (local, "dim"))
