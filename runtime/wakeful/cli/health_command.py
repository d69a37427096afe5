"""`wakeful health`: whether what is due gets fired."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from datetime import timedelta

from .console import Console
from .usage import Parser

EPILOG = """\
A store is well when no wake has been due for longer than --bound and no firing lies in the future.  Wakes whose
firing was refused are tried again, and counted apart.

Exit code: 0 well, 1 not, 2 no such store."""


def duration(text: str) -> timedelta:
    """An argument that is a duration.  Raises ArgumentTypeError."""
    from wakeful_compiler.schedules import every
    from wakeful_grammar.cron import Duration
    from wakeful_grammar.problems import ScheduleError

    try:
        tree = every(text).tree
    except ScheduleError:
        tree = None
    if not isinstance(tree, Duration):
        raise ArgumentTypeError(f"`{ascii(text[:40])[1:-1]}` is not a duration: write 90s, 5m or 1h30m")
    return timedelta(seconds=tree.seconds)


def configure(parser: Parser) -> None:
    parser.add_store()
    parser.add_argument(
        "--bound", type=duration, default=timedelta(minutes=2), metavar="DURATION",
        help="how late a firing may be (default: 2m)",
    )  # fmt: skip
    parser.add_now()
    parser.add_json("how the store stands")


def run(args: Namespace, console: Console) -> int:
    from dataclasses import asdict

    from wakeful_compiler.instants import format_instant

    from .schedule_table import distance
    from .stores import open_store

    with open_store(args.store, now=args.now) as store:
        found = store.health(args.now, args.bound)
    overdue = None if found.overdue is None else format_instant(found.overdue)
    following = None if found.next_due is None else format_instant(found.next_due)
    if args.json:
        late = found.late.total_seconds()
        seconds = int(late) if late.is_integer() else late
        console.data({**asdict(found), "overdue": overdue, "late": seconds, "next_due": following})
        return 0 if found.ok else 1
    ill = []
    if found.late > args.bound:
        ill.append(f"overdue since {overdue} ({distance(-found.late)}): does `wakeful run` run?")
    if found.fired_in_future:
        rows = "row" if found.fired_in_future == 1 else "rows"
        listed = "(`wakeful query '.fired.at>now'` lists them)"
        ill.append(f"{found.fired_in_future:,} {rows} fired in the future: a clock ran ahead {listed}")
    apart = [
        f"{count:,} {of if count == 1 else of + 's'} {what}"
        for count, of, what in (
            (found.refused, "firing", "refused"),
            (found.failed, "call", "failed"),
            (found.running, "call", "running"),
            (found.waiting, "call", "waiting"),
        )
        if count
    ]
    if not ill:
        apart.insert(0, f"next due {following}" if following else "no wake waits")
    rest = f"; {', '.join(apart)}" if apart else ""
    console.say(("well", "good") if found.ok else ("not well", "bad"), f"{': ' + '; '.join(ill) if ill else ''}{rest}")
    return 0 if found.ok else 1
