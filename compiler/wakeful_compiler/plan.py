"""A compiled query: what it filters by, what it carries, in which order, and which window of it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from wakeful_grammar.nodes import After

from .predicates import Predicate
from .vocab.model import Component, Property


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """`carried` are the components of the answer besides `entity`; `carry_all` asks for every one a row has."""

    where: Predicate
    carried: tuple[Component, ...] = ()
    carry_all: bool = False
    order: Property | None = None
    descending: bool = False
    limit: int | None = None
    after: After | None = None
    count: bool = False
