"""The tables of a store: what every store has, and one table per component.

An integer key `num` carries an entity everywhere inside; text eids stand at the edge, in `entity`.  A deleted
entity keeps its row there (`dead`), so that its num and its eid are never given again.  `has` names the
components an entity carries, so that reading or deleting one never asks every table.
"""

from __future__ import annotations

from collections.abc import Iterable

from wakeful_compiler.emit.names import column, folded, table
from wakeful_compiler.vocab.builtin import builtin_components
from wakeful_compiler.vocab.model import Component, Kind, Property

from .transaction import Transaction

APPLICATION_ID = 0x77616B65  # "wake"
SCHEMA_VERSION = 1

_TYPES: dict[Kind, str] = {
    "string": "TEXT",
    "number": "REAL",
    "integer": "INTEGER",
    "boolean": "INTEGER",
    "object": "TEXT",
    "array": "TEXT",
    "instant": "TEXT",
    "reference": "INTEGER",
}

_CORE = (
    """CREATE TABLE IF NOT EXISTS entity (
        num INTEGER PRIMARY KEY,
        eid TEXT NOT NULL UNIQUE,
        f_eid TEXT,
        has TEXT NOT NULL DEFAULT '',
        dead INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS vocabulary (
        version INTEGER PRIMARY KEY,
        text TEXT NOT NULL,
        deployed_at TEXT NOT NULL
    )""",
)

_WAKE = (
    # What a refused firing leaves: when to try again, and how many seconds the wait was.
    "ALTER TABLE c_wake ADD COLUMN x_retry_at TEXT",
    "ALTER TABLE c_wake ADD COLUMN x_delay INTEGER",
    # The `at` that was worked out from a zone's clock; while the two are one, new zone data may move it.
    "ALTER TABLE c_wake ADD COLUMN x_followed TEXT",
    'CREATE INDEX "i_wake.due" ON c_wake (p_at, num) WHERE p_at IS NOT NULL AND x_retry_at IS NULL',
    'CREATE INDEX "i_wake.retry" ON c_wake (x_retry_at) WHERE x_retry_at IS NOT NULL',
)

_CONDITIONS = (
    # Each distinct condition once.  `earliest` is the instant before which time alone cannot make it hold, worked out
    # at `since`; both NULL where time cannot.
    """CREATE TABLE condition (
        id INTEGER PRIMARY KEY,
        text TEXT NOT NULL UNIQUE,
        moving INTEGER NOT NULL,
        earliest TEXT,
        since TEXT
    )""",
    'CREATE INDEX "i_condition.earliest" ON condition (earliest) WHERE earliest IS NOT NULL',
    'CREATE INDEX "i_condition.since" ON condition (since) WHERE since IS NOT NULL',
    # The components that it reads.
    """CREATE TABLE condition_read (
        component TEXT NOT NULL,
        condition INTEGER NOT NULL REFERENCES condition (id) ON DELETE CASCADE,
        PRIMARY KEY (component, condition)
    ) WITHOUT ROWID""",
    'CREATE INDEX "i_condition_read.condition" ON condition_read (condition)',
    # Each distinct `wake.while` once, in its canonical JSON, and its conditions in order.
    "CREATE TABLE conditional (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    """CREATE TABLE conditional_entry (
        list INTEGER NOT NULL REFERENCES conditional (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        condition INTEGER NOT NULL REFERENCES condition (id),
        PRIMARY KEY (list, position)
    ) WITHOUT ROWID""",
    'CREATE INDEX "i_conditional_entry.condition" ON conditional_entry (condition, list)',
    "ALTER TABLE c_wake ADD COLUMN x_while INTEGER",
    # The cadence of an entry, where the `at` in `x_followed` was worked out from one.
    "ALTER TABLE c_wake ADD COLUMN x_cadence TEXT",
    'CREATE INDEX "i_wake.while" ON c_wake (x_while, p_at) WHERE x_while IS NOT NULL',
    # What no wake has any more goes with the last one.
    """CREATE TRIGGER "x_wake.gone" AFTER DELETE ON c_wake WHEN old.x_while IS NOT NULL BEGIN
        DELETE FROM conditional
        WHERE id = old.x_while AND NOT EXISTS (SELECT 1 FROM c_wake WHERE x_while = old.x_while);
    END""",
    """CREATE TRIGGER "x_wake.changed" AFTER UPDATE OF x_while ON c_wake
    WHEN old.x_while IS NOT NULL AND old.x_while IS NOT new.x_while BEGIN
        DELETE FROM conditional
        WHERE id = old.x_while AND NOT EXISTS (SELECT 1 FROM c_wake WHERE x_while = old.x_while);
    END""",
    """CREATE TRIGGER "x_conditional.gone" AFTER DELETE ON conditional_entry BEGIN
        DELETE FROM condition
        WHERE id = old.condition AND NOT EXISTS (SELECT 1 FROM conditional_entry WHERE condition = old.condition);
    END""",
)

_WORK = (
    # Calls of workers that are due and have no result.  `at` is when to look at one next: without a `token` it may
    # be taken from then on, with one it is when that claim expires; null behind another of its command and source.
    # `source` is the eid of the schedule, or of the call where nobody else asked for it.
    """CREATE TABLE work (
        num INTEGER PRIMARY KEY REFERENCES entity (num),
        command TEXT NOT NULL,
        source TEXT NOT NULL,
        at TEXT,
        token TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        crashes INTEGER NOT NULL DEFAULT 0
    )""",
    # A process looks only for commands that it can run, and at those of one source in their order.
    'CREATE INDEX "i_work.due" ON work (command, at, num)',
    'CREATE INDEX "i_work.line" ON work (command, source, num)',
)

_GROWTH = (
    # Calls that have ended, of commands that say how long their calls are kept: the oldest of a command is one look-up.
    "CREATE TABLE ended (num INTEGER PRIMARY KEY REFERENCES entity (num), command TEXT NOT NULL, at TEXT NOT NULL)",
    'CREATE INDEX "i_ended.oldest" ON ended (command, at, num)',
    # Who looks for calls that failed or run does not read all those that are done.
    "CREATE INDEX \"i_execution.open\" ON c_execution (p_state, num) WHERE p_state <> 'done'",
)


def create_schema(transaction: Transaction) -> None:
    """Make the tables that every store has, unless they are there."""
    if transaction.value("PRAGMA user_version") == SCHEMA_VERSION:
        return
    for statement in _CORE:
        transaction.execute(statement)
    for component in builtin_components().values():
        if component.name != "entity":
            create_component(transaction, component)
    for statement in (*_WAKE, *_CONDITIONS, *_WORK, *_GROWTH):
        transaction.execute(statement)
    transaction.execute("INSERT INTO meta VALUES ('vocabulary', 0)")
    transaction.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    transaction.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _columns(prop: Property) -> Iterable[str]:
    yield f"{column(prop.component, prop.name)} {_TYPES[prop.kind]}"
    if prop.kind == "string":
        yield f"{folded(prop.name)} TEXT"


def create_component(transaction: Transaction, component: Component) -> None:
    """Make a component's table and the indexes that its properties ask for."""
    columns = [text for prop in component.properties.values() for text in _columns(prop)]
    listed = ", ".join(["num INTEGER PRIMARY KEY REFERENCES entity (num)", *columns])
    transaction.execute(f"CREATE TABLE {table(component.name)} ({listed})")
    for prop in component.properties.values():
        create_index(transaction, prop)


def add_property(transaction: Transaction, prop: Property) -> None:
    """Add a property's columns to its component's table."""
    for text in _columns(prop):
        transaction.execute(f"ALTER TABLE {table(prop.component)} ADD COLUMN {text}")
    create_index(transaction, prop)


def index_name(prop: Property) -> str:
    """The name of a property's index."""
    return f'"i_{prop.component}.{prop.name}"'  # the dot stands in no name: no two indexes collide


def create_index(transaction: Transaction, prop: Property) -> None:
    """The index of a reference (its target's deletion looks for holders) or of an `index: true` property."""
    if prop.index or prop.kind == "reference":
        name = column(prop.component, prop.name)
        where = f"{table(prop.component)} ({name}) WHERE {name} IS NOT NULL"
        transaction.execute(f"CREATE INDEX IF NOT EXISTS {index_name(prop)} ON {where}")


def drop_index(transaction: Transaction, prop: Property) -> None:
    """Drop a property's index, if it has one."""
    transaction.execute(f"DROP INDEX IF EXISTS {index_name(prop)}")


def drop_property(transaction: Transaction, prop: Property) -> None:
    """Drop a property's columns; its values are gone."""
    drop_index(transaction, prop)
    for text in _columns(prop):
        transaction.execute(f"ALTER TABLE {table(prop.component)} DROP COLUMN {text.split(' ')[0]}")


def drop_component(transaction: Transaction, component: Component) -> None:
    """Drop a component's table."""
    transaction.execute(f"DROP TABLE {table(component.name)}")
