"""A rule as compiled: what it matches, what it writes, what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Literal

from wakeful_grammar.node import field, node
from wakeful_grammar.problems import Problem, Span

from ..predicates import ALWAYS, Predicate, Read, TimeBound, time_bounds
from ..vocab.model import Property
from .facts import Facts
from .written import Bundle, Cleared, Copied, WrittenValue, instant_of

if TYPE_CHECKING:
    from ..emit.readers import Lookup, Matches
    from .calls import CompiledCall

RuleKind = Literal["occasion", "state", "refuse"]
RULE_KINDS: tuple[RuleKind, ...] = ("occasion", "state", "refuse")
"""The kinds of rules in the order in which a stage runs them."""


class Emitted:
    """The generated function of a match, made when it is first asked for: checking a file needs none."""

    __slots__ = ("_matches", "_where", "_zone")

    def __init__(self, where: Predicate, zone: tzinfo) -> None:
        self._where, self._zone = where, zone
        self._matches: Matches | None = None

    def function(self) -> Matches:
        if self._matches is None:
            from ..bounds import Bounds
            from ..emit.memory import emit_matches

            self._matches = emit_matches(self._where, Bounds(time_bounds(self._where), self._zone))
        return self._matches


@node
class RuleWrite:
    """One thing that a rule writes: a component (`property` is None), or a property with its value.

    `value` is a constant in canonical form, a moment that becomes an instant once `now` is known, a copy that
    becomes a value once the row is, or CLEARED.  With `removes` the component is taken away.
    """

    component: str
    property: Property | None = None
    value: WrittenValue | None = None
    zone: tzinfo = field(default=UTC, compare=False, repr=False)
    removes: bool = False

    def at(self, now: datetime, row: Bundle | None = None, lookup: Lookup | None = None) -> Any:
        """The value for this `now` and row, a copy as it stands there; None where none is written.

        Raises OverflowError for an instant outside the years 0001 to 9999.
        """
        value, target = self.value, self.property
        if value is None or target is None or isinstance(value, Cleared):
            return None
        if isinstance(value, TimeBound):
            return instant_of(value, now, target, self.zone)
        if isinstance(value, Copied):
            assert row is not None, "a copy is taken from a row"
            return value.of(row, target, self.zone, lookup)
        return value


@node
class OccasionTest:
    """One `^`: what the own write of a stage must have done to the row.

    `name` None is about the component: added, or with `removed` taken away.  The property `name` must differ from
    before.  `firing` is `^fired`: this very firing.
    """

    component: str
    name: str | None
    removed: bool = False
    firing: bool = False
    span: Span = field(default=Span(0, 0), compare=False)
    text: str = field(default="", compare=False)

    @property
    def read(self) -> Read:
        return self.component, self.name


@node
class CompiledRule:
    """A rule, ready to run.

    `where` is the whole match but for what `occasions` ask of the own write, gates and the presence that copies
    and `*` ask for included; of a rule that refuses, what `^c.p op value` compares is in `occasion_where` instead,
    since the own write must have made it so.  `reads` and `writes_set` are at component and property grain
    (property None for presence); `components` are all that judging the rule and writing for it needs loaded, and
    `beyond` those that it reads on other rows, through references.  `call` is what it asks for when it acts.
    """

    name: str
    kind: RuleKind
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
    occasions: tuple[OccasionTest, ...] = ()
    deletes: bool = False
    refuse: str | None = None
    gated: frozenset[str] = frozenset()
    beyond: frozenset[str] = frozenset()
    occasion_where: Predicate = ALWAYS
    occasion_emitted: Emitted | None = field(default=None, compare=False, repr=False)
    call: CompiledCall | None = field(default=None, compare=False)

    @property
    def matches(self) -> Matches:
        """The generated function `matches(row, now, lookup)`; take it once and call it for many rows."""
        return self.emitted.function()

    @property
    def written(self) -> Mapping[Read, WrittenValue]:
        """The value of each property that the rule writes."""
        return {
            (write.component, write.property.name): write.value
            for write in self.writes
            if write.property is not None and write.value is not None
        }

    @property
    def added(self) -> frozenset[str]:
        """The components that are there once the rule has written."""
        return frozenset(write.component for write in self.writes if not write.removes)

    @property
    def removed(self) -> frozenset[str]:
        """The components that the rule takes away."""
        return frozenset(write.component for write in self.writes if write.removes)

    @property
    def fixed(self) -> bool:
        """Whether it writes the same on every row at every time."""
        return not any(isinstance(write.value, TimeBound | Copied) for write in self.writes)

    def output(
        self, now: datetime, row: Bundle | None = None, lookup: Lookup | None = None
    ) -> dict[str, dict[str, Any] | None]:
        """What the rule writes, component by component, as a bundle says it; None removes a component."""
        bundle: dict[str, dict[str, Any] | None] = {}
        for write in self.writes:
            if write.removes:
                bundle[write.component] = None
                continue
            values = bundle.setdefault(write.component, {})
            assert values is not None, "no rule both removes and writes a component"
            if write.property is not None:
                values[write.property.name] = write.at(now, row, lookup)
        return bundle


@node
class RuleProblem:
    """A problem with one rule, for whoever knows where the rule stands.

    `place` is the JSON pointer below the rule's entry: `match`, `before/0`, or empty for the entry itself.
    `span` is the stretch of the match that is wrong, None where the problem is not about the match's text.  `on_key`
    tells that it is about the name of what stands at the place.
    """

    rule: str
    problem: Problem
    place: str = ""
    span: Span | None = None
    on_key: bool = False
