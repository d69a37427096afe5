"""Schedules: the 200 expressions of schedules.txt, against croniter and cronsim in the same run.

Prints, as geometric means over the expressions of medians over several rounds:

* one warm `next`, how many times faster than each peer: in UTC (targets: 10 times croniter, 5 times cronsim)
  and in zones (targets: 5 and 2.5 times); both dialects, each peer on what it can read;
* compiling a new expression, as a multiple of what croniter takes (target: at most 1.0): one after another in
  a shuffled order, where a field that an earlier one had is remembered; beside it what the first of all costs,
  when nothing is remembered, and what looking up a known expression costs (nanoseconds);
* the rarest expressions, asked just after each occurrence of 400 years, where the wait is longest (target:
  under a millisecond);
* the worst of many hostile texts, best of three (target: under 10 milliseconds).

All figures are processor time, which a busy machine disturbs least.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import process_time_ns

from wakeful_compiler.schedules import Schedule, ScheduleError, calendar_plan, cron_trigger, every, months
from wakeful_compiler.zones import zone
from wakeful_grammar import every as every_grammar
from wakeful_grammar import trigger as trigger_grammar

try:
    from croniter import croniter
    from cronsim import CronSim, CronSimError
except ImportError:
    sys.exit("this needs the peers, croniter and cronsim: run it as `make bench`")

UNREADABLE = (ValueError, CronSimError)
START = datetime(2026, 1, 15, 9, 17, tzinfo=UTC)
RAREST = (every("0 0 29 2 *"), cron_trigger("0 0 * 2 SUN#5"), every("0 0 29 2 * America/New_York"))
CACHES = (
    every, cron_trigger, every_grammar.read_field, trigger_grammar.read_field,
    calendar_plan._steps, months._restricted,
)  # fmt: skip
"""All that compiling one expression may leave behind for the next, the grammars and zones themselves apart."""


@dataclass(slots=True)
class Entry:
    """One expression, and the nanoseconds that each library took, a figure a round."""

    section: str
    text: str
    ours: list[float] = field(default_factory=list)
    croniter: list[float] = field(default_factory=list)
    cronsim: list[float] = field(default_factory=list)
    compile: list[float] = field(default_factory=list)
    first_compile: list[float] = field(default_factory=list)
    croniter_compile: list[float] = field(default_factory=list)

    @property
    def fields(self) -> str:
        return " ".join(self.text.split()[:5])

    @property
    def start(self) -> datetime:
        return START.astimezone(zone(self.text.split()[5])) if self.section == "zoned" else START

    def schedule(self) -> Schedule:
        return (cron_trigger if self.section == "trigger" else every)(self.text)


def entries() -> Iterator[Entry]:
    section = ""
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield Entry(section, line)


# --- next -----------------------------------------------------------------------------------------


def a_call(work: Callable[[int], object], times: int) -> float:
    """Nanoseconds of one call of `times`."""
    began = process_time_ns()
    work(times)
    return (process_time_ns() - began) / times


def ask_ours(schedule: Schedule, start: datetime) -> Callable[[int], object]:
    def work(times: int) -> None:
        following, moment = schedule.next, start
        for _ in range(times):
            moment = following(moment)

    return work


def ask_croniter(text: str, start: datetime) -> Callable[[int], object] | None:
    try:
        peer = croniter(text, start)
    except UNREADABLE:
        return None

    def work(times: int) -> None:
        following = peer.get_next
        for _ in range(times):
            following(datetime)

    return work


def ask_cronsim(text: str, start: datetime) -> Callable[[int], object] | None:
    try:
        peer = CronSim(text, start)
    except UNREADABLE:
        return None

    def work(times: int) -> None:
        for _ in range(times):
            next(peer)

    return work


def time_next(entry: Entry, times: int) -> None:
    schedule, start = entry.schedule(), entry.start
    ours = ask_ours(schedule, START)
    ours(times)  # warm: the years of a zone are worked out once
    entry.ours.append(a_call(ours, times))
    if work := ask_croniter(entry.fields, start):
        entry.croniter.append(a_call(work, times))
    if work := ask_cronsim(entry.fields, start):
        entry.cronsim.append(a_call(work, times))


def differing(entry: Entry) -> bool:
    """Whether a peer that can read the expression answers otherwise, so that its time would prove nothing."""
    count = 1 if entry.section == "zoned" else 10
    ours = list(islice(entry.schedule().iter(START), count))
    answers = []
    with suppress(*UNREADABLE):
        peer = croniter(entry.fields, entry.start)
        answers.append([peer.get_next(datetime) for _ in range(count)])
    with suppress(*UNREADABLE):
        answers.append(list(islice(CronSim(entry.fields, entry.start), count)))
    return any(answer != ours for answer in answers)


# --- compiling ------------------------------------------------------------------------------------


def forget() -> None:
    for cache in CACHES:
        cache.cache_clear()


def time_compile(entry: Entry, figures: list[float]) -> None:
    compile_text = entry.schedule
    began = process_time_ns()
    compile_text()
    figures.append(process_time_ns() - began)


def time_croniter_compile(entry: Entry) -> None:
    fields, start = entry.fields, entry.start
    if ask_croniter(fields, start) is not None:
        began = process_time_ns()
        croniter(fields, start)
        entry.croniter_compile.append(process_time_ns() - began)


def repeated(texts: Iterable[str], times: int) -> float:
    """Nanoseconds to look up an expression that was compiled before."""
    figures = []
    for text in texts:
        every(text)
        began = process_time_ns()
        for _ in range(times):
            every(text)
        figures.append((process_time_ns() - began) / times)
    return statistics.median(figures)


# --- the worst ------------------------------------------------------------------------------------


def best(work: Callable[[], object], times: int = 3) -> float:
    """Nanoseconds: the best of three, as a shared machine stalls."""
    figures = []
    for _ in range(times):
        began = process_time_ns()
        work()
        figures.append(process_time_ns() - began)
    return min(figures)


def rarest(schedule: Schedule) -> float:
    """The slowest answer to a question asked at an occurrence, of all those in 400 years."""
    moment, end, slowest = START, START.replace(year=START.year + 400), 0.0
    while moment < end:
        asked = moment
        slowest = max(slowest, best(lambda asked=asked: schedule.next(asked)))
        following = schedule.next(moment)
        assert following is not None
        moment = following
    return slowest


def hostile() -> Iterator[str]:
    """Long lists of mistakes, names that are nearly zones, digits without end, and noise; the same each time."""
    rng = random.Random(20260920)
    yield from ("1" * 20_000 + "s", "* " * 10_000, "1" * 200 + " * * * *", "," * 250, "1h" * 128, "MON-" * 64)
    yield from ("0 9 * * * " + "../" * 60 + "etc/passwd", "0 9 * * * " + "America/" * 30, "\ud800 \udfff * * *")
    yield from ("٣ ٣ ٣ ٣ ٣", "0\u00a09\u00a0*\u00a0*\u00a0*", "0 9 * * *\0", "*/" + "9" * 200 + " * * * *")
    for _ in range(150):
        yield "".join(rng.choice("10*/-, LW#x@h") for _ in range(255))
        yield "0 9 * * * " + "".join(rng.choice("abcdefAMERIC/_") for _ in range(rng.choice((8, 12, 40))))
        yield ",".join(rng.choice(("99", "5/5", "-1", "x", "9-1", "*")) for _ in range(80)) + " * * * *"
        yield " ".join(",".join(rng.choice(("MON#9", "0-7/9", "L-99", "77W", "8")) for _ in range(9)) for _ in range(5))


def refuse(compile_text: Callable[[str], object], text: str) -> None:
    try:
        compile_text(text)
    except ScheduleError as error:
        str(error)


def worst_hostile() -> float:
    return max(best(lambda c=c, text=text: refuse(c, text)) for text in hostile() for c in (every, cron_trigger))


# --- the report -----------------------------------------------------------------------------------


def mean(figures: Iterable[float]) -> float:
    """The geometric mean."""
    logarithms = [math.log(figure) for figure in figures]
    return math.exp(sum(logarithms) / len(logarithms))


def medians(chosen: list[Entry], name: str) -> float:
    """The geometric mean of one library's medians, in microseconds, over the expressions that it reads."""
    return mean(statistics.median(figures) for entry in chosen if (figures := getattr(entry, name))) / 1e3


def times_faster(chosen: list[Entry], peer: str, ours: str = "ours") -> float:
    """The geometric mean of peer over ours, over the expressions that the peer reads."""
    return mean(
        statistics.median(theirs) / statistics.median(getattr(entry, ours))
        for entry in chosen
        if (theirs := getattr(entry, peer))
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=60, help="calls of `next` in a row, for each round")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    listed = list(entries())
    order = random.Random(1)
    gc.disable()
    for _ in range(options.rounds):
        for entry in order.sample(listed, len(listed)):
            time_next(entry, options.calls)
        forget()
        for entry in order.sample(listed, len(listed)):
            time_compile(entry, entry.compile)
        for entry in order.sample(listed, len(listed)):
            time_croniter_compile(entry)
        for entry in listed:
            forget()
            time_compile(entry, entry.first_compile)
        gc.collect()
    zoned = [entry for entry in listed if entry.section == "zoned"]
    utc = [entry for entry in listed if entry.section != "zoned"]
    result = {
        "expressions": {"utc": len(utc), "zoned": len(zoned)},
        "answers_that_differ": sum(map(differing, listed)),
        "next_us": {
            name: {who: round(medians(chosen, who), 3) for who in ("ours", "croniter", "cronsim")}
            for name, chosen in (("utc", utc), ("zoned", zoned))
        },
        "utc_times_croniter": round(times_faster(utc, "croniter"), 1),
        "utc_times_cronsim": round(times_faster(utc, "cronsim"), 1),
        "zoned_times_croniter": round(times_faster(zoned, "croniter"), 1),
        "zoned_times_cronsim": round(times_faster(zoned, "cronsim"), 1),
        "compile_us": round(medians(listed, "compile"), 1),
        "first_compile_us": round(medians(listed, "first_compile"), 1),
        "croniter_compile_us": round(medians(listed, "croniter_compile"), 1),
        "compile_over_croniter": round(1 / times_faster(listed, "croniter_compile", "compile"), 2),
        "repeated_ns": round(repeated((entry.text for entry in listed if entry.section != "trigger"), 200)),
        "rarest_us": round(max(map(rarest, RAREST)) / 1e3, 1),
        "hostile_ms": round(worst_hostile() / 1e6, 2),
    }
    if options.json:
        print(json.dumps(result))
    else:
        tell(result)
    return 0


def tell(result: dict) -> None:
    utc, zoned = result["next_us"]["utc"], result["next_us"]["zoned"]
    counts = result["expressions"]
    print(f"{counts['utc']} expressions in UTC, {counts['zoned']} in zones: µs for one warm `next`, geometric mean")
    for name, figures in (("UTC", utc), ("zones", zoned)):
        print(f"  {name:<6}  wakeful {figures['ours']}  croniter {figures['croniter']}  cronsim {figures['cronsim']}")
    lines = (
        ("utc_times_croniter", "UTC, times croniter's rate", "at least 10", lambda n: n >= 10),
        ("utc_times_cronsim", "UTC, times cronsim's rate", "at least 5", lambda n: n >= 5),
        ("zoned_times_croniter", "zones, times croniter's rate", "at least 5", lambda n: n >= 5),
        ("zoned_times_cronsim", "zones, times cronsim's rate", "at least 2.5", lambda n: n >= 2.5),
        ("compile_over_croniter", "new expression, over croniter", "at most 1.0", lambda n: n <= 1),
        ("repeated_ns", "repeated expression, ns", "cached", lambda n: n < 1000),
        ("rarest_us", "rarest expression, µs", "under 1,000", lambda n: n < 1000),
        ("hostile_ms", "worst hostile text, ms", "under 10", lambda n: n < 10),
        ("answers_that_differ", "answers that differ", "0", lambda n: n == 0),
    )
    for key, name, target, met in lines:
        print(f"  {name:<29} {result[key]:>7}   (target: {target}){'' if met(result[key]) else '  MISSED'}")
    print(
        f"  compiling takes {result['compile_us']} µs, the very first {result['first_compile_us']} µs,"
        f" croniter {result['croniter_compile_us']} µs"
    )


if __name__ == "__main__":
    sys.exit(main())
