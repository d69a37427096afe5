"""A node does what a frozen, slotted dataclass of the same fields does."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, fields, is_dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any, cast

import pytest

from wakeful_grammar.node import field, node


@node
class Leaf:
    """A leaf."""

    name: str
    count: int = 0
    seen: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        return f"{self.name}*{self.count}"


@dataclass(frozen=True, slots=True)
class Like:
    """A leaf."""

    name: str
    count: int = 0
    seen: list[str] = dataclass_field(default_factory=list, compare=False)
    secret: str = dataclass_field(default="", repr=False)


@node
class Other:
    name: str
    count: int = 0
    seen: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="", repr=False)


@node
class Blank:
    pass


@node
class Unseen:
    place: int = field(default=0, compare=False)


@node
class Own:
    text: str

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.text.lower() == self.text.lower()

    def __hash__(self) -> int:
        return 7


def test_fields_are_given_by_place_and_by_name() -> None:
    leaf = Leaf("a", 2, secret="x")
    assert (leaf.name, leaf.count, leaf.seen, leaf.secret, leaf.text) == ("a", 2, [], "x", "a*2")
    assert Leaf(count=2, name="a", secret="x") == leaf
    assert Leaf(name="a") == Leaf("a", 0)


@pytest.mark.parametrize(
    "arguments, named",
    [((), {}), (("a", 1, [], "", 2), {}), (("a",), {"name": "b"}), (("a",), {"colour": "b"})],
)
def test_wrong_arguments_are_refused_as_python_refuses_them(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as found:
        cast(Any, Leaf)(*arguments, **named)
    with pytest.raises(TypeError) as expected:
        cast(Any, Like)(*arguments, **named)
    assert str(found.value) == str(expected.value).replace("Like", "Leaf")


def test_what_a_factory_makes_is_each_ones_own() -> None:
    assert Leaf("a").seen is not Leaf("a").seen
    mine = ["x"]
    assert Leaf("a", seen=mine).seen is mine
    assert Leaf("a", seen=cast(Any, None)).seen is None


def test_equal_are_nodes_of_one_class_with_equal_fields() -> None:
    assert Leaf("a", 1) == Leaf("a", 1)
    assert Leaf("a", 1) != Leaf("a", 2)
    assert Leaf("a") == Leaf("a", seen=["x"])
    assert Leaf("a") != Leaf("a", secret="x")
    assert Leaf("a") != cast(Any, Other("a"))
    assert Leaf("a") != cast(Any, Like("a"))
    assert Leaf("a") != cast(Any, "a")
    assert Leaf.__eq__(Leaf("a"), "a") is NotImplemented


def test_equal_nodes_have_one_hash() -> None:
    assert hash(Leaf("a", 1)) == hash(Leaf("a", 1, seen=["x"])) == hash(Like("a", 1))
    assert len({Leaf("a", 1), Leaf("a", 1), Leaf("a", 2)}) == 2


def test_without_fields_to_compare_all_are_equal() -> None:
    assert Blank() == Blank()
    assert Unseen(1) == Unseen(2)
    assert Blank() != cast(Any, Unseen())
    assert len({Unseen(1), Unseen(2)}) == 1


def test_methods_of_the_class_itself_are_kept() -> None:
    assert Own("A") == Own("a")
    assert (repr(Own("A")), hash(Own("A"))) == ("mine", 7)


@pytest.mark.parametrize("name", ["name", "text", "colour"])
def test_nothing_is_set_or_deleted(name: str) -> None:
    leaf = Leaf("a")
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(leaf, name, "b")
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(leaf, name)
    assert leaf == Leaf("a")


def test_slots_are_all_there_is() -> None:
    assert cast(Any, Leaf).__slots__ == Leaf.__match_args__ == ("name", "count", "seen", "secret")
    assert not hasattr(Leaf("a"), "__dict__")


def test_repr_and_signature_are_a_dataclasss() -> None:
    assert repr(Leaf("a", 1, ["x"], "y")) == repr(Like("a", 1, ["x"], "y")).replace("Like", "Leaf")
    assert repr(Blank()) == "Blank()"


def test_a_signature_is_known_before_the_first_node_and_behind_it() -> None:
    @node
    class Fresh:
        a: int
        b: str = ""

    first = inspect.signature(Fresh)
    assert str(first) == "(a: 'int', b: 'str' = '') -> None"
    assert Fresh(1, b="x") == Fresh(b="x", a=1)
    assert inspect.signature(Fresh) == first
    ours, theirs = inspect.signature(Leaf), inspect.signature(Like)
    assert list(ours.parameters) == list(theirs.parameters)
    assert [one.annotation for one in ours.parameters.values()] == [
        one.annotation for one in theirs.parameters.values()
    ]
    assert ours.parameters["count"].default == 0


def test_the_class_is_still_itself() -> None:
    assert (Leaf.__name__, Leaf.__qualname__, Leaf.__module__) == ("Leaf", "Leaf", __name__)
    assert Leaf.__doc__ == "A leaf."
    Leaf("a")
    assert Leaf.__init__.__qualname__ == "Leaf.__init__"


def test_patterns_take_fields_by_place() -> None:
    match cast(object, Leaf("a", 3)):
        case Other():
            found: object = None
        case Leaf(name, count):
            found = (name, count)
        case _:
            found = None
    assert found == ("a", 3)


def test_dataclasses_takes_a_node_for_its_own() -> None:
    leaf = Leaf("a", 1, ["x"], "y")
    assert is_dataclass(Leaf)
    assert is_dataclass(leaf)
    assert [one.name for one in fields(leaf)] == [one.name for one in fields(Like)]
    assert [(one.type, one.default, one.compare, one.repr) for one in fields(Leaf)] == [
        (one.type, one.default, one.compare, one.repr) for one in fields(Like)
    ]
    assert asdict(leaf) == {"name": "a", "count": 1, "seen": ["x"], "secret": "y"}
    assert replace(leaf, count=2) == Leaf("a", 2, ["x"], "y")
    assert replace(leaf, count=2).seen is leaf.seen
    assert cast(Any, leaf).__replace__(name="b") == Leaf("b", 1, ["x"], "y")
    with pytest.raises(TypeError):
        replace(leaf, **cast(Any, {"colour": "red"}))


def _pickled(protocol: int) -> Callable[[Any], Any]:
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, *(_pickled(protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1))]
)
def test_copies_and_pickles(again: Callable[[Any], Any]) -> None:
    leaf = Leaf("a", 1, ["x"], "y")
    other = again(leaf)
    assert type(other) is Leaf
    assert (other, other.seen) == (leaf, ["x"])
    with pytest.raises(FrozenInstanceError):
        other.name = "b"
