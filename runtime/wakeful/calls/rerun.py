"""Running a call again although it has a result (spec/runtime.md, "Growth").

The ids of what a call writes derive from the call: the same rows are patched again, and `execution` and `result` are
written over.  What the call asked for in turn has run and is not run again.
"""

from __future__ import annotations

from wakeful_compiler.emit.names import column
from wakeful_compiler.instants import stored_to_canonical
from wakeful_compiler.texts import shown

from ..engines.transaction import Transaction
from ..ids import eid_problem
from ..reactions import settle_quietly
from ..refusals import refuse
from ..retries import AUTHOR
from ..rows import Row
from ..stage import Stage
from ..writing import Writing
from . import ledger
from .due import is_standing
from .requests import Request, Root


def rerun(writing: Writing, eid: str) -> None:
    """Run the call `eid` again, in one transaction.  Raises Refused for what cannot be run again."""
    stage = writing.stage(AUTHOR)
    row = _checked(stage, eid)
    command = stage.plans.command(row.bundle["call"]["to"])
    if command is not None and command.command.does == "worker":
        _clear(stage, row)
    stage.finish()
    writing.save(stage)
    requests = writing.requests_of(stage)
    if not row.deleted:  # a rule may have taken it away when it heard of it
        requests.append(Request(eid, row.settled(), None, Root(), fresh=False, again=True))
    writing.finish(requests)


def _checked(stage: Stage, eid: str) -> Row:
    if (wrong := eid_problem(eid)) is not None:
        raise refuse("type-eid", wrong)
    stage.find((eid,))
    if eid in stage.dead:
        raise refuse("unknown-call", f"{shown(eid)} was deleted: it cannot be run again", "write the call anew")
    row = stage.rows[stage.nums[eid]] if eid in stage.nums else None
    if row is None or "call" not in row.has:
        reason = "there is no entity" if row is None else "no call is carried by"
        raise refuse("unknown-call", f"{reason} {shown(eid)}", "`wakeful calls` lists the calls of a store")
    stage.load((row,), ("call", "created", "execution", "wake"))
    _check_not_standing(stage.transaction, row)
    to = row.bundle["call"]["to"]
    if stage.plans.command(to) is None:
        raise refuse(
            "unknown-command", f"{eid} calls {shown(to)}, which is no command of this vocabulary",
            "deploy a vocabulary that declares it, or write the name of one that it has to `call.to`",
        )  # fmt: skip
    _check_not_pending(stage.transaction, row)
    return row


def _check_not_standing(transaction: Transaction, row: Row) -> None:
    wake = row.bundle.get("wake")
    if wake is None or not is_standing(wake):
        return
    source, due = column("call", "source"), column("call", "due")
    found = transaction.fetch(
        f"SELECT e.eid, c.{due} FROM c_call c JOIN entity e ON e.num = c.num "
        f"WHERE c.{source} = ? AND c.{due} IS NOT NULL ORDER BY c.{due} DESC LIMIT 1",
        (row.num,),
    )
    if found:
        (latest, at) = found[0]
        hint = f"run its latest call again, {latest}, which was due at {stored_to_canonical(at)}"
    else:
        hint = "it has not fired yet: there is no call of it to run again"
    raise refuse("call-standing", f"{row.eid} is a standing request, which is never run itself", hint)


def _check_not_pending(transaction: Transaction, row: Row) -> None:
    standing = transaction.fetch("SELECT token FROM work WHERE num = ?", (row.num,))
    wake = row.bundle.get("wake")
    if standing:
        state = "is running" if standing[0][0] is not None else "waits for its worker"
        raise refuse("call-pending", f"{row.eid} {state}", "run it again once it has ended")
    if wake is not None and wake["at"] is not None and "execution" not in row.has:
        raise refuse(
            "call-pending", f"{row.eid} has not run yet: it is due at {wake['at']}",
            "wait for that, or take its `wake` away: then it runs at once",
        )  # fmt: skip


def _clear(stage: Stage, row: Row) -> None:
    """Take away what says that a worker's call has ended: an answer is dropped where there is a result already."""
    eid, rows = ledger.result_eid(row.eid), [row]
    stage.find((eid,))
    if eid in stage.nums:
        rows.append(stage.rows[stage.nums[eid]])
    stage.prepare(rows, ("execution", "result"))
    for cleared in rows:
        cleared.remove("execution" if cleared is row else "result")
    settle_quietly(stage, rows)
