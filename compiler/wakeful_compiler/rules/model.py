"""A rule as compiled: what it matches, what it writes, what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from wakeful_grammar.problems import Problem, Span

from ..instants import format_instant
from ..predicates import Constant, Predicate, Read, TimeBound, time_bounds
from ..vocab.model import Property
from .facts import Facts

if TYPE_CHECKING:
    from ..emit.python import Matches


class Emitted:
    """The generated function of a match, made when it is first asked for: checking a file needs none."""

    __slots__ = ("_matches", "_where", "_zone")

    def __init__(self, where: Predicate, zone: tzinfo) -> None:
        self._where, self._zone = where, zone
        self._matches: Matches | None = None

    def function(self) -> Matches:
        if self._matches is None:
            from ..bounds import Bounds
            from ..emit.python import emit_python

            self._matches = emit_python(self._where, Bounds(time_bounds(self._where), self._zone))
        return self._matches


@dataclass(frozen=True, slots=True)
class RuleWrite:
    """One thing that a rule writes: a component (`property` is None), or a property with its value.

    `value` is a constant in canonical form, or a moment that becomes an instant once `now` is known.
    """

    component: str
    property: Property | None = None
    value: Constant | TimeBound | None = None
    zone: tzinfo = field(default=UTC, compare=False, repr=False)

    def at(self, now: datetime) -> Constant | None:
        """The canonical value for this `now`; None where a component alone is written.

        Raises OverflowError for a moment that lies outside the years 0001 to 9999.
        """
        if not isinstance(self.value, TimeBound):
            return self.value
        from ..bounds import Bounds
        from ..times import EARLIEST, LATEST

        instant = Bounds((self.value,), self.zone)(now)[0]
        # What would lie outside was moved to the edge of the calendar, where nothing else ever lies.
        if instant in (EARLIEST, LATEST):
            raise OverflowError(f"{self.component} would lie outside the years 0001 to 9999")
        return format_instant(instant)


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A state rule.

    `where` is the whole match, gates included; `reads` and `writes_set` are at component and property grain
    (property None for presence); `components` are all that judging the rule and writing for it needs loaded.
    """

    name: str
    where: Predicate
    writes: tuple[RuleWrite, ...]
    reads: frozenset[Read]
    writes_set: frozenset[Read]
    components: frozenset[str]
    before: tuple[str, ...]
    description: str
    match: str
    facts: Facts = field(compare=False, repr=False)
    emitted: Emitted = field(compare=False, repr=False)

    @property
    def matches(self) -> Matches:
        """The generated function `matches(row, now) -> bool`; take it once and call it for many rows."""
        return self.emitted.function()

    @property
    def written(self) -> Mapping[Read, Constant | TimeBound]:
        """The value of each property that the rule writes."""
        return {
            (write.component, write.property.name): write.value
            for write in self.writes
            if write.property is not None and write.value is not None
        }

    def output(self, now: datetime) -> dict[str, dict[str, Any]]:
        """What the rule writes, component by component, as a bundle says it."""
        bundle: dict[str, dict[str, Any]] = {}
        for write in self.writes:
            values = bundle.setdefault(write.component, {})
            if write.property is not None:
                values[write.property.name] = write.at(now)
        return bundle


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """A problem with one rule, for whoever knows where the rule stands.

    `place` is the JSON pointer below the rule's entry: `match`, `before/0`, or empty for the entry itself.
    `span` is the stretch of the match that is wrong, None where the problem is not about the match's text.
    """

    rule: str
    problem: Problem
    place: str = ""
    span: Span | None = None
