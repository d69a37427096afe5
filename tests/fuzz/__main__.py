"""`make fuzz`: mutated inputs through every door for some minutes; exit 1 if one broke a promise.

A finding is printed in its smallest form, fit to be added to `findings.json`, which the tests play for ever after.
"""

from __future__ import annotations

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from fuzz.campaign import Work, campaign
from fuzz.doors import doors


def main() -> int:
    parser = argparse.ArgumentParser("make fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0, help="how long to look (3)")
    parser.add_argument("--seed", type=int, default=None, help="begin as the run did that printed this seed")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes (2)")
    parser.add_argument("--door", action="append", help="only this door; may be given several times")
    args = parser.parse_args()
    names = [door.name for door in doors()]
    unknown = set(args.door or ()) - set(names)
    if unknown:
        parser.error(f"no door {', '.join(sorted(unknown))}: there are {', '.join(names)}")
    chosen = tuple(args.door or names)
    begin = random.SystemRandom().randrange(10**9) if args.seed is None else args.seed
    jobs = max(1, args.jobs)
    print(f"seed {begin}, {args.minutes:g} minutes, {jobs} processes", flush=True)
    work = [Work(chosen, args.minutes * 60, begin + 1_000_000 * job) for job in range(jobs)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        outcomes = list(pool.map(campaign, work))
    for name in chosen:
        print(f"  {name:12} {sum(outcome.counts[name] for outcome in outcomes):>8,} inputs")
    # Two processes may have found the same thing, and made it as small.
    findings = list(dict.fromkeys(finding for outcome in outcomes for finding in outcome.findings))
    for finding in findings:
        print(f"\n{finding}")
    print(f"{len(findings)} findings" if findings else "nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
