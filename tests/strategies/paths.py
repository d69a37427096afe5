"""Paths that a vocabulary has: to a property of the row, and through references to one of another row."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from strategies.vocabularies import own
from wakeful_compiler.vocab.model import Declarations, Property
from wakeful_grammar.nodes import Path


def properties(vocab: Declarations) -> list[Property]:
    """What queries ask for: the app's own properties, `doc` and `entity`."""
    components = [*own(vocab), *own(vocab), vocab.components["doc"], vocab.components["entity"]]
    return [prop for component in components for prop in component.properties.values()]


def has_order(prop: Property) -> bool:
    """Whether its values can be compared, ordered and counted."""
    return prop.kind not in ("object", "array")


@st.composite
def reached(
    draw: st.DrawFn, vocab: Declarations, wanted: Callable[[Property], bool] = lambda prop: True
) -> tuple[Path, Property]:
    """A path of up to four hops, most often of none, and the property that it ends in."""
    prop = draw(st.sampled_from([each for each in properties(vocab) if wanted(each)]))
    references = [each for each in properties(vocab) if each.kind == "reference"]
    hops: list[Property] = []
    if references and draw(st.integers(0, 2)) == 1:
        hops = draw(st.lists(st.sampled_from(references), min_size=1, max_size=draw(st.sampled_from((1, 1, 2, 4)))))
    return Path(tuple(name for each in (*hops, prop) for name in (each.component, each.name))), prop
