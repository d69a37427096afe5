"""Schedules, looked at as far as a machine can in minutes: `make exhaustive`.

Three parts, each of which ends in a count of differences, which must be none:

* transitions: every change of the clock of every zone of tzdata between two years, with fourteen expressions
  aimed at it, against a brute-force table of all minutes around it; all questions, forwards and backwards;
* peers: random expressions in UTC against croniter and cronsim, where their semantics agree with ours;
* days: every form of day of the second dialect, alone and in pairs, against every date of 35 years.

About six minutes on two cores; `--part`, `--zones`, `--years` and `--expressions` narrow it, `--seed` varies it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Any

from .days import check_forms, every_form
from .peers import check_expressions
from .transitions import check_zone, distinct_zones

PARTS = ("transitions", "peers", "days")
SHOWN = 20
CHUNK = 1000


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="make exhaustive", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be given again")
    parser.add_argument("--zones", default="", metavar="REGEX", help="only zones whose name it is found in")
    parser.add_argument("--years", default="1970-2040", metavar="FROM-TO", help="changes of these years")
    parser.add_argument("--expressions", type=int, default=100_000, metavar="N", help="for the peers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    differing = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for part in options.part or PARTS:
            differing += {"transitions": transitions, "peers": peers, "days": days}[part](pool, options)
    return 1 if differing else 0


def transitions(pool: ProcessPoolExecutor, options: argparse.Namespace) -> int:
    first, last = map(int, options.years.split("-"))
    zones = distinct_zones(options.zones)
    counts = [0, 0]

    def add(result: tuple[int, int, list[str]]) -> list[str]:
        counts[0] += result[0]
        counts[1] += result[1]
        return result[2]

    began = time.monotonic()
    differing = gathered([pool.submit(check_zone, name, first, last, options.seed) for name, _ in zones], add)
    names = sum(shared for _, shared in zones)
    print(
        f"transitions: {names} zones ({len(zones)} that differ), {counts[0]:,} changes from {first} to {last}, "
        f"{counts[1]:,} expressions: {differing} differences, {time.monotonic() - began:.0f} s"
    )
    return differing


def peers(pool: ProcessPoolExecutor, options: argparse.Namespace) -> int:
    chunks = [min(CHUNK, options.expressions - done) for done in range(0, options.expressions, CHUNK)]
    dated = 0

    def add(result: tuple[int, list[str]]) -> list[str]:
        nonlocal dated
        dated += result[0]
        return result[1]

    began = time.monotonic()
    jobs = [pool.submit(check_expressions, count, f"{options.seed} {n}") for n, count in enumerate(chunks)]
    differing = gathered(jobs, add)
    print(
        f"peers: {sum(chunks):,} expressions, {dated:,} that name a date, against croniter and cronsim: "
        f"{differing} differences, {time.monotonic() - began:.0f} s"
    )
    return differing


def days(pool: ProcessPoolExecutor, options: argparse.Namespace) -> int:
    pairs = every_form()
    looked_at = 0

    def add(result: tuple[int, list[str]]) -> list[str]:
        nonlocal looked_at
        looked_at += result[0]
        return result[1]

    began = time.monotonic()
    jobs = [pool.submit(check_forms, pairs[n :: options.jobs]) for n in range(options.jobs)]
    differing = gathered(jobs, add)
    print(
        f"days: {len(pairs):,} pairs of forms, {looked_at:,} dates: "
        f"{differing} differences, {time.monotonic() - began:.0f} s"
    )
    return differing


def gathered(jobs: list[Future[Any]], add: Callable[[Any], list[str]]) -> int:
    """The number of differences in all; the first few are printed as they come."""
    differing = 0
    for job in as_completed(jobs):
        for difference in add(job.result()):
            differing += 1
            if differing <= SHOWN:
                print(f"  {difference}", flush=True)
    return differing


if __name__ == "__main__":
    sys.exit(main())
