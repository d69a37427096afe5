"""The start of the command: what `wakeful check` and `wakeful next` cost over a Python that does nothing.

Prints, as medians over many runs that take turns, in processor time of the child (user and system):

* `wakeful check` on the garden of the examples, and `wakeful next` on a daily schedule in a zone, each as
  milliseconds over `python -c pass` and as a multiple of it (target: at most 150 ms over, on a machine where bare
  Python takes 12 to 14 ms);
* beside them what `import lark` takes, and building the one grammar of queries and rules: no start that parses can
  be quicker than these two.

Every program runs once before it is measured, so that its bytecode is written.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

GARDEN = Path(__file__).parents[1] / "examples" / "garden"
COMMAND = "import sys; from wakeful.cli import main; sys.exit(main())"
BARE = "python -c pass"
PROGRAMS = {
    BARE: ("pass",),
    "import lark": ("import lark",),
    "lark and the grammar": ("from wakeful_grammar.clauses import parser; parser()",),
    "wakeful next": (COMMAND, "next", "20 4 * * * America/Detroit", "-n", "2", "--json"),
    "wakeful check": (COMMAND, "check", str(GARDEN)),
}
JUDGED = ("wakeful check", "wakeful next")
MOST_MS = 150

# Bytecode is written even where the environment tells Python not to, as `make` does it.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(program: tuple[str, ...]) -> float:
    """Milliseconds of processor time that one run takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", *program], stdout=subprocess.DEVNULL, check=True, env=_ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def starting(rounds: int) -> dict[str, Any]:
    for program in PROGRAMS.values():
        run(program)
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            times[name].append(run(program))
    bare = statistics.median(times[BARE])
    return {
        "bare_ms": round(bare, 1),
        "over_bare": {
            name: {
                "ms": round(statistics.median(taken) - bare, 1),
                "times_bare": round(statistics.median(taken) / bare, 1),
            }
            for name, taken in times.items()
            if name != BARE
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = starting(options.rounds)
    if options.json:
        print(json.dumps(result))
        return 0
    print(f"the start of the command, over {BARE} ({result['bare_ms']} ms):")
    for name, entry in result["over_bare"].items():
        target = f"   (target: at most {MOST_MS} ms)" if name in JUDGED else ""
        print(f"  {name:<24}{entry['ms']:>8} ms, {entry['times_bare']:>5} times bare{target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
