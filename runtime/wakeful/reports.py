"""What a store answers: frozen values, each the documented JSON shape of a command's `--json`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Bundle = dict[str, Any]


class Rows(list[Bundle]):
    """The rows of a query.  `cut` is True when the store's cap of 10,000 rows left some out."""

    cut: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """What a write did: one bundle per touched entity with the components that changed, each whole."""

    changes: list[Bundle]
    aliases: dict[str, str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TickReport:
    """What a tick did: a bundle per firing, `{eid, error}` per refused wake, and the next due instant."""

    fired: list[Bundle]
    refused: list[dict[str, str]]
    calls: list[str]
    next_due: datetime | None


@dataclass(frozen=True, slots=True)
class CallReport:
    """How one call stands.

    `state` is `waiting`, `running`, `done`, `failed` or `skipped`; `at` since when: for a waiting call when it is
    due or was written.  `command` is the name of the command, or what `call.to` says where none is meant; `ms` how
    long it took (None: it has no result); `source` the schedule or row that asked for it, `due` the occurrence.
    """

    eid: str
    command: str | None
    state: str
    at: str | None
    ms: int | float | None
    error: str | None
    source: str | None
    due: str | None


@dataclass(frozen=True, slots=True)
class Health:
    """How a store stands: `ok` when nothing is late beyond the bound and nothing was fired in the future.

    `overdue` is the earliest past instant at which a wake is due that was not refused, `late` how long ago that is;
    `fired_in_future` counts rows whose `fired.at` is still to come, `refused` the wakes that wait to be tried again.
    `failed`, `running` and `waiting` count calls, the last those of workers that are due and not begun; `next_due` is
    when a wake is due next, past instants and further tries included.
    """

    ok: bool
    overdue: datetime | None
    late: timedelta
    fired_in_future: int
    refused: int
    failed: int
    running: int
    waiting: int
    next_due: datetime | None


@dataclass(frozen=True, slots=True)
class DeployReport:
    """What a deploy did to the vocabulary: names as `component` or `component.property`.

    `kept` is no longer in the file but still holds data; `dropped` was empty and is gone; `notes` tell of rows
    that no longer satisfy a tightened schema.
    """

    added: list[str]
    kept: list[str]
    dropped: list[str]
    renamed: list[str]
    notes: list[str]
    version: int
