"""What a store lives through in the crash harness: short, and of every kind of transaction there is.

Each step can be taken again: whoever took it and heard of a failure does not know whether it was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import wakeful
from wakeful.testing import ManualClock

EIGHT, NINE, LATER = "2026-09-20T08:00:00Z", "2026-09-20T09:00:00Z", "2026-09-20T09:01:00Z"
TWO_DAYS_ON = "2026-09-22T10:00:00Z"

Act = Callable[[wakeful.Store], object]
Step = tuple[str, Act]
"""An instant, and what is done then."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`before` is lived undisturbed; the points of `steps` are those that fail, and with `opening` those of the open.

    `forbidden` are values (component, property, value) that SQL refuses.  `batch` is how many wakes a transaction
    fires.  `masked` columns are allowed to differ where something was tried again at a later instant.
    """

    name: str
    steps: tuple[Step, ...]
    before: tuple[Step, ...] = ()
    vocabulary: Mapping[str, Any] | None = None
    workers: Mapping[str, Callable[[dict[str, Any]], Any]] = field(default_factory=dict)
    forbidden: tuple[tuple[str, str, str | int], ...] = ()
    opening: bool = False
    batch: int = 500
    masked: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name


def applied(*bundles: dict[str, Any]) -> Act:
    return lambda store: store.apply(list(bundles), by="ann")


def ticked(store: wakeful.Store) -> object:
    return store.tick()


def deployed(vocabulary: Mapping[str, Any]) -> Act:
    return lambda store: store.deploy(vocabulary)


def clock_at(text: str) -> ManualClock:
    from runtime.garden import at

    return ManualClock(at(text))


def ref() -> dict[str, str]:
    return {"type": "string", "ref": "entity"}


SHOP: dict[str, Any] = {
    "$defs": {
        "order": {"properties": {"total": {"type": "number"}, "bad": {"type": "boolean"}}},
        "asked": {},
        "woken": {"properties": {"n": {"type": "integer"}}},
        "letter": {"properties": {"about": ref(), "text": {"type": "string"}}},
        "noted": {"properties": {"about": ref()}},
        "write": {
            "tool": True,
            "description": "write a letter, and have it noted",
            "input": {"about": ref(), "text": {"type": "string"}},
            "apply": [
                {"entity": {"eid": "$letter"}, "letter": {"about": "$about", "text": "$text"}},
                {"entity": {"eid": "$next"}, "call": {"to": "note", "args": {"about": "$about"}}},
            ],
        },
        "note": {
            "tool": True,
            "description": "note something",
            "input": {"about": ref()},
            "apply": {"noted": {"about": "$about"}},
        },
        "brief": {"tool": True, "description": "kept for a day", "query": ".letter .count", "keep": {"days": 1}},
        "letters": {"tool": True, "description": "how many letters there are", "query": ".letter .count"},
        "ship": {"tool": True, "description": "ask the carrier", "input": {"about": ref()}, "worker": "/ship"},
        "asks": {
            "rule": True,
            "match": "^fired, .order.total>10",
            "call": "write",
            "args": {"about": "=.entity.eid", "text": "due"},
        },
        "paid": {"rule": True, "match": ".order.total>100, +!asked", "call": "note", "args": {"about": "=.entity.eid"}},
        "wakes": {"rule": True, "match": "^fired, .order.total=13, +woken.n=13"},
        "never": {"rule": True, "match": "^fired, .order.bad=true", "refuse": "this order is to be left alone"},
    }
}
MORE: dict[str, Any] = {
    "$defs": {
        **{name: entry for name, entry in SHOP["$defs"].items() if name != "letters"},
        "pot": {"properties": {"size": {"type": "integer", "index": True}}},
        "order": {"properties": {**SHOP["$defs"]["order"]["properties"], "note": {"type": "string"}}},
        "fill": {
            "tool": True,
            "description": "a pot",
            "input": {"size": {"type": "integer"}},
            "apply": {"pot": {"size": "$size"}},
        },
        "note": {**SHOP["$defs"]["note"], "description": "note it well"},
    }
}


def order(eid: str, total: float, **more: Any) -> dict[str, Any]:
    return {"entity": {"eid": eid}, "order": {"total": total}, **more}


def call(eid: str, to: str, /, wake: Mapping[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"entity": {"eid": eid}, "call": {"to": to, "args": args}}
    return asked if wake is None else {**asked, "wake": dict(wake)}


def while_any(match: str) -> dict[str, Any]:
    return {"while": [{"match": match, "every": "30s"}]}


BAD = {"entity": {"eid": "bad"}, "order": {"total": 1, "bad": True}, "wake": {"at": NINE}}

FIRING = Scenario(
    "firing",
    vocabulary=SHOP,
    before=(
        (
            EIGHT,
            applied(
                order("due", 20, wake={"at": NINE, "every": "1h"}),
                BAD,
                call("daily", "write", {"at": NINE, "every": "1d"}, text="daily"),
                call("once", "letters", {"at": NINE}),
            ),
        ),
    ),
    steps=((NINE, ticked),),
)
APPLY = Scenario(
    "apply",
    vocabulary=SHOP,
    before=((EIGHT, applied(order("old", 7))),),
    steps=(
        (
            NINE,
            applied(
                call("c", "write", about="old", text="x" * 9000),
                order("rich", 200),
                call("wrong", "write", about="nobody-here"),
                call("count", "letters"),
            ),
        ),
    ),
)
RECOVERY = Scenario(
    "recovery",
    vocabulary=SHOP,
    before=((EIGHT, applied(BAD)), (NINE, ticked)),
    steps=((NINE, applied({"entity": {"eid": "bad"}, "order": {"bad": False}})), (LATER, ticked)),
)
SINGLY = Scenario(
    "singly",
    vocabulary=SHOP,
    forbidden=(("letter", "text", "no"), ("woken", "n", 13)),
    before=(
        (
            EIGHT,
            applied(
                order("unlucky", 13, wake={"at": NINE}),
                call("refused", "write", {"at": NINE}, text="no"),
                call("good", "note", {"at": NINE}),
            ),
        ),
    ),
    steps=((NINE, ticked), (LATER, applied(call("again", "write", text="no")))),
)
BATCHES = Scenario(
    "batches",
    vocabulary=SHOP,
    batch=2,
    before=((EIGHT, applied(*(order(f"o{n}", 4 * n, wake={"at": NINE}) for n in range(4)))),),
    steps=((NINE, ticked),),
)
WORKER = Scenario(
    "worker",
    vocabulary=SHOP,
    workers={"/ship": lambda args: {"shipped": args["about"]}},
    before=((EIGHT, applied(order("o", 1), call("ship", "ship", {"at": NINE}, about="o"))),),
    # A claim whose holder has gone is taken again once it has expired.
    steps=((NINE, ticked), (LATER, ticked)),
    masked=frozenset({"c_execution.p_at", "c_updated.p_at", "c_created.p_at"}),
)
# Wakes that an apply arms, and that the call arms for which it asks; a firing of theirs finds that they hold no more.
WHILE = Scenario(
    "while",
    vocabulary=SHOP,
    before=(
        (
            EIGHT,
            applied(
                {"entity": {"eid": "rich-ones"}, "wake": while_any(".order.total>50")},
                {"entity": {"eid": "noted-ones"}, "wake": while_any(".noted")},
            ),
        ),
    ),
    steps=((NINE, applied(order("rich", 200))), (NINE, applied(order("rich", 20))), (LATER, ticked)),
)
PRUNE = Scenario(
    "prune",
    vocabulary=SHOP,
    before=((EIGHT, applied(call("old", "brief"), call("kept", "letters"), call("older", "brief"))),),
    steps=((TWO_DAYS_ON, lambda store: store.prune()),),
)
RERUN = Scenario(
    "rerun",
    vocabulary=SHOP,
    before=((EIGHT, applied(order("o", 1), call("c", "write", about="o", text="hello"))),),
    steps=((NINE, lambda store: store.rerun("c")),),
)
# Deployed again by somebody who does not know that it was, a vocabulary has a version more, and nothing else.
DEPLOY = Scenario(
    "deploy",
    vocabulary=SHOP,
    steps=((EIGHT, deployed(MORE)),),
    masked=frozenset({"meta.value", "vocabulary.version"}),
)
BIRTH = Scenario("birth", opening=True, steps=((EIGHT, applied({"entity": {"eid": "a"}})),))

SCENARIOS = (FIRING, APPLY, RECOVERY, SINGLY, BATCHES, WHILE, WORKER, PRUNE, RERUN, DEPLOY, BIRTH)
