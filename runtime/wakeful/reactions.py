"""All that rules make of a stage's own write: occasions, state rules, deletions, and rules that refuse."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import Refused
from .occasions import Firing
from .rows import Row
from .stage import Stage
from .wakes import normalise


def react(stage: Stage, rows: Iterable[Row], firing: Firing | None = None) -> list[Row]:
    """Run the rules over rows whose changes are those of the own write; the rows that they touched besides.

    Raises Refused where a rule refuses, or writes what the vocabulary refuses; the rows are then left as they
    were at that moment.
    """
    rules = stage.plans.rules
    concerned = [row for row in rows if not row.deleted]
    if rules.refusals is not None:
        for row in concerned:
            rules.refusals.note_occasions(row, stage, firing)
    if rules.occasions is not None:
        rules.occasions.run(concerned, stage, firing)
    others = settle_rules(stage, concerned)
    if rules.refusals is not None:
        rules.refusals.judge([*concerned, *others], stage)
    return others


def settle_rules(stage: Stage, rows: list[Row]) -> list[Row]:
    """Run the state rules over these rows, delete those under `+tombstone`, and go on with the holders that their
    deletion changed, until nothing more is deleted; the rows that this touched besides those given.
    """
    rules, others, given = stage.plans.rules, dict[int, Row](), rows
    while rows:
        for row in rows:
            if not row.deleted and not row.doomed:
                rules.run(row, stage)
        touched: dict[int, Row] = {}
        for row in rows:
            if row.doomed and not row.deleted:
                touched.update((holder.num, holder) for holder in stage.delete(row))
        rows = [row for row in touched.values() if not row.deleted]
        others.update(touched)
    for row in given if others else ():
        others.pop(row.num, None)
    return list(others.values())


def settle_quietly(stage: Stage, rows: list[Row]) -> list[Row]:
    """The same for what the store writes about itself: where a rule or the vocabulary refuses, the rows stay as they
    are, and their rules have not run."""
    stage.remember(rows)
    try:
        others = settle_rules(stage, rows)
        for row in (*rows, *others):
            if not row.deleted:
                normalise(row, stage.now, stage.plans.conditions)
    except Refused:
        stage.go_back()
        for row in rows:
            row.changes.clear()
        return []
    return others
