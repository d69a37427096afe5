"""The rows by which an app finds its commands: one `tool{name,description}` per declared command."""

from __future__ import annotations

from datetime import datetime

from ..engines.transaction import Transaction
from ..ids import tool_eid
from ..plans import Plans
from ..stage import Stage

AUTHOR = "deploy"


def plant_tools(plans: Plans, transaction: Transaction, now: datetime) -> None:
    """Bring the rows of commands in line with the vocabulary: new ones made, changed ones rewritten.

    The row of a command that is gone loses its `tool`; its eid stays, so that the command can come back.  No rule
    runs: a deploy is not a write of the app's.
    """
    stage = Stage(plans, transaction, now, AUTHOR)
    wanted = {tool_eid(name): command.command for name, command in plans.commands.items()}
    planted = transaction.fetch("SELECT e.eid FROM c_tool t JOIN entity e ON e.num = t.num")
    stage.find([*wanted, *(line[0] for line in planted)])
    stage.load(list(stage.rows.values()), ("tool",))
    for row in list(stage.rows.values()):
        if row.eid not in wanted and row.eid == tool_eid(row.bundle["tool"]["name"] or ""):
            row.remove("tool")
    for eid, command in wanted.items():
        if eid in stage.dead:
            continue  # somebody deleted the row for good: the command runs all the same, by its name
        row = stage.rows[stage.nums[eid]] if eid in stage.nums else stage.create(eid)
        row.put("tool", {"name": command.name, "description": command.description}, plans.blanks["tool"])
    stage.finish()
    stage.save()
