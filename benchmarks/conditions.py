"""What a write costs beside 10,000 stored `while` wakes whose components it does not touch.

Prints, as the median over interleaved rounds in one process, the ratio to the same write in a store without any
(target: at most 1.3), for wakes of each movement and all four together, each with a condition of its own or many
with one; then what a write costs that touches the one component that all of them read.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import wakeful
from wakeful.testing import ManualClock

NOON = datetime(2026, 9, 26, 12, tzinfo=UTC)
VOCAB = {
    "$defs": {
        "player": {"properties": {"seen": {"type": "string", "format": "date-time"}, "name": {"type": "string"}}},
        "sale": {"properties": {"opens": {"type": "string", "format": "date-time"}, "lot": {"type": "integer"}}},
        "plant": {"properties": {"name": {"type": "string"}, "height": {"type": "number"}}},
    }
}
FORMS: dict[str, Callable[[int], str]] = {
    "constant": lambda number: f".player.name=p{number}",
    "falling": lambda number: f".player.seen>={number + 1}-seconds-ago",
    "rising": lambda number: f".sale.opens<{number + 1}-seconds-ago .sale.lot<{number}",
    "free": lambda number: f".sale.opens=in-{number + 1}-hours .sale.lot<{number}",
    "by the day": lambda number: f".sale.opens=today .sale.lot={number}",
}
TARGET = 1.3


@contextmanager
def store(path: Path, wakes: Sequence[str]) -> Iterator[wakeful.Store]:
    """A store with a few players and sales, and a wake for each of these conditions."""
    with wakeful.open(path, clock=ManualClock(NOON)) as made:
        made.deploy(VOCAB)
        made.apply([{"player": {"seen": NOON - timedelta(days=400), "name": f"old {n}"}} for n in range(50)])
        made.apply([{"sale": {"opens": NOON + timedelta(days=1000 + n), "lot": n}} for n in range(50)])
        for first in range(0, len(wakes), 1000):
            made.apply(
                [
                    {"wake": {"while": [{"match": match, "every": "1h"}], "every": "1w"}}
                    for match in wakes[first : first + 1000]
                ]
            )
        yield made


def write(made: wakeful.Store, number: int) -> float:
    """One write that touches no component that a condition reads: half of the time a new entity, half an old one."""
    eid = "fern" if number % 2 else None
    bundle = {"plant": {"name": f"n{number}", "height": number}}
    started = time.perf_counter()
    made.apply({"entity": {"eid": eid}, **bundle} if eid else bundle)
    return time.perf_counter() - started


def compare(left: wakeful.Store, right: wakeful.Store, rounds: int) -> float:
    """The ratio of the medians, write by write in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    gc.collect()
    for number in range(rounds):
        times[0].append(write(left, number))
        times[1].append(write(right, number))
    return statistics.median(times[0]) / statistics.median(times[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wakes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    count: int = args.wakes
    kinds = {kind: [form(number) for number in range(count)] for kind, form in FORMS.items()}
    kinds["mixed"] = [list(FORMS.values())[number % len(FORMS)](number) for number in range(count)]
    kinds["one condition"] = [FORMS["falling"](59)] * count
    ratios: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="wakeful-bench-") as folder, ExitStack() as stack:
        bare = stack.enter_context(store(Path(folder) / "bare.db", ()))
        for kind, wakes in kinds.items():
            with store(Path(folder) / f"{kind}.db", wakes) as full:
                for number in range(20):
                    write(full, number), write(bare, number)
                ratio = ratios[kind] = round(compare(full, bare, args.rounds), 2)
                started = time.perf_counter()
                full.apply({"player": {"seen": NOON - timedelta(days=400), "name": "another"}})
                touching = time.perf_counter() - started
                started = time.perf_counter()
                full.apply({"player": {"seen": NOON - timedelta(days=400), "name": "another"}})
                again = time.perf_counter() - started
                if not args.json:
                    print(
                        f"{count:,} wakes, {kind}: an untouching write costs {ratio:.2f} times one without any; "
                        f"a write to `player` {touching * 1000:.1f} ms, the next {again * 1000:.1f} ms"
                    )
    if args.json:
        print(json.dumps({"wakes": count, "untouching_over_none": ratios}))
    else:
        print(f"  worst                     {max(ratios.values()):>7}   (target: at most {TARGET})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
