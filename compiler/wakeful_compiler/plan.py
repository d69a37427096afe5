"""A compiled query: what it filters by, what it carries, in which order, and which window of it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wakeful_grammar.node import node
from wakeful_grammar.nodes import After

from .predicates import Predicate
from .vocab.model import Component, Property


@node
class Carried:
    """One component of the answer, with those of its properties that are shown."""

    component: Component
    properties: tuple[Property, ...]


@node
class Aggregate:
    """What is asked in place of rows; `property` is what `distinct` and `tally` are about."""

    kind: Literal["count", "distinct", "tally"]
    property: Property | None = None


@node
class QueryPlan:
    """`carried` are the components of the answer besides `entity`.

    `carry_all` is None, or every component of the vocabulary: the answer then carries all that a row has.
    """

    where: Predicate
    carried: tuple[Carried, ...] = ()
    carry_all: Mapping[str, Component] | None = None
    order: Property | None = None
    descending: bool = False
    limit: int | None = None
    after: After | None = None
    aggregate: Aggregate | None = None
