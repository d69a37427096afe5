"""The tables of one statement: which are joined, how, and how a value of theirs is called."""

from __future__ import annotations

from collections.abc import Sequence

from ..predicates import Place
from ..vocab.model import Property
from .dialect import Dialect
from .names import ENTITY, column, table

_ENTITY: Place = ((), ENTITY)


class Tables:
    """The components that a statement looks at, each under an alias.

    A component of the row itself is joined by its num; one behind a reference by the num that the reference
    holds.  A statement that would join more than the engine takes is *wide*: it joins nothing, and each value is
    a subquery of its own.
    """

    def __init__(self, dialect: Dialect, required: frozenset[Place]) -> None:
        self._dialect = dialect
        self._required = required - {_ENTITY}
        self._aliases: dict[Place, str] = {_ENTITY: "e"}
        self._entity_asked = self._entity_shown = False
        self._wide = False

    def read_from(self, places: Sequence[Place]) -> None:
        """The statement depends on these components; where that is too many, it becomes wide."""
        # Required components first: an engine is free to reorder inner joins among themselves.
        for place in sorted(places, key=lambda place: place not in self._required):
            self._wide = not self.add(place) or self._wide
            self._entity_asked = self._entity_asked or place == _ENTITY

    def add(self, place: Place) -> bool:
        """Join a component unless it is; False where no more can be joined."""
        if place in self._aliases:
            return True
        if self._wide or len(self._aliases) >= self._dialect.most_tables:
            return False
        self._aliases[place] = f"t{len(self._aliases)}"
        return True

    def aliases(self) -> dict[str, str]:
        """What each alias stands for, as a path."""
        return {
            alias: ".".join([*(hop.path for hop in via), component])
            for (via, component), alias in self._aliases.items()
        }

    def show_entity(self) -> None:
        """The answer shows `entity`."""
        self._entity_shown = True

    @property
    def joined_first(self) -> str | None:
        """The alias of a component of the row itself that every answer has, and that all else hangs on."""
        if self._wide:
            return None
        return next((alias for place, alias in self._aliases.items() if place in self._required), None)

    @property
    def first(self) -> str:
        """The alias whose num is the row's own; ordered by it, its table is read in order and nothing is sorted."""
        return self.joined_first or "e"

    def surely(self, place: Place) -> bool:
        """Whether the joins alone see to it that a component is there."""
        return not self._wide and place in self._required

    def source(self) -> str:
        """What stands after FROM."""
        first = self.joined_first
        if self._wide:
            return "entity e"
        joins: list[str] = []
        later: list[str] = []
        for place, alias in self._aliases.items():
            if place == _ENTITY or alias == first:
                continue
            if place in self._required:
                joins.append(f"JOIN {self._joined(place, alias, first)}")
            else:
                later.append(f"LEFT JOIN {self._joined(place, alias, first)}")
        if first is None:
            head = "entity e"
        else:
            head = next(f"{table(place[1])} {alias}" for place, alias in self._aliases.items() if alias == first)
            if self._entity_asked:
                joins.append(f"JOIN entity e ON e.num = {first}.num")
            elif self._entity_shown:
                # Last of all: rows that the filter drops need not be looked up to be shown.
                later.append(f"JOIN entity e ON e.num = {first}.num")
        return "\n  ".join([head, *joins, *later])

    def _joined(self, place: Place, alias: str, first: str | None) -> str:
        via, component = place
        if not via:
            return f"{table(component)} {alias} ON {alias}.num = {first or 'e'}.num"
        return (
            f"{table(component)} {alias} ON {self._behind(place, alias, self._aliases[(via[:-1], via[-1].component)])}"
        )

    def _behind(self, place: Place, alias: str, holder: str) -> str:
        """The condition that joins what lies behind the last reference of a place."""
        reference = place[0][-1]
        join = f"{alias}.num = {holder}.{column(reference.component, reference.name)}"
        # A deleted entity has lost its components, but not its row in `entity`.
        return f"{join} AND {self._dialect.alive.format(alias)}" if place[1] == ENTITY else join

    # --- values ---------------------------------------------------------------------------------

    def value(self, prop: Property) -> str:
        """A property's column."""
        return self.read(prop, column(prop.component, prop.name))

    def read(self, prop: Property, name: str) -> str:
        """A column of the component that holds a property."""
        return self._read((prop.via, prop.component), name)

    def num(self, place: Place) -> str:
        """The num of the entity that carries a component, NULL where none does."""
        return self._read(place, "num")

    def _read(self, place: Place, name: str) -> str:
        if place == _ENTITY:
            return f"e.{name}"
        if not self._wide:
            return f"{self._aliases[place]}.{name}"
        via, component = place
        if not via:
            return f"(SELECT t.{name} FROM {table(component)} t WHERE t.num = e.num)"
        joins = []
        for depth in range(1, len(via) + 1):
            there = via[depth].component if depth < len(via) else component
            joins.append(
                f"JOIN {table(there)} t{depth} ON {self._behind((via[:depth], there), f't{depth}', f't{depth - 1}')}"
            )
        return f"(SELECT t{len(via)}.{name} FROM {table(via[0].component)} t0 {' '.join(joins)} WHERE t0.num = e.num)"
