"""What is kept of a call that ran: `execution` on its own row, and a `result` row that points back at it."""

from __future__ import annotations

from typing import Any

from ..ids import derived_eid
from ..reactions import settle_quietly
from ..rows import Row
from ..stage import Stage


def result_eid(call: str) -> str:
    """The eid of a call's result."""
    return derived_eid("result", call)


ENDED = frozenset({"done", "failed", "skipped"})
"""The states of `execution` that are the end of a call."""


def record(stage: Stage, call: Row, state: str, error: str | None, value: dict[str, Any] | None, ms: float) -> None:
    """Put down how a call stands, on a stage of the store's own; state rules look at it, occasions do not.

    Every state but `running` is the end of a call, and gives it its result.  A stage may keep many calls; one whose
    caller knows that there is no result yet puts its eid among the stage's `absent`.  Where a rule refuses, the
    record stands and its rules have not run.
    """
    stage.adopt(call)
    rows = [call]
    if state != "running":
        eid = result_eid(call.eid)
        stage.find((eid,))
        if eid not in stage.dead:
            rows.append(stage.rows[stage.nums[eid]] if eid in stage.nums else stage.create(eid))
    stage.prepare(rows, ("execution", "result"))
    blanks = stage.plans.blanks
    call.put("execution", {"state": state, "at": stage.now_text, "error": error}, blanks["execution"])
    for result in rows[1:]:
        result.put("result", {"call": call.eid, "value": value, "ms": ms}, blanks["result"])
    settle_quietly(stage, rows)
    if state not in ENDED or not stage.plans.keeps:
        return
    stage.load((call,), ("call",))
    if (asked := call.bundle.get("call")) is not None:
        command = stage.plans.command(asked["to"])
        if command is not None and command.command.keep_days is not None:
            stage.ended.append((call.num, command.command.name))
