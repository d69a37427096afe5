"""`@node`: what `@dataclass(frozen=True, slots=True)` makes, at a tenth of what it costs to define.

The command defines some seventy such classes before it answers, and makes nodes of fewer than half of them.
`dataclasses` writes six functions for each as text and compiles every one, which takes half a millisecond; here that
is done for `__init__` alone, at the first node of the class, and the other methods are shared by all nodes or are
closures.  To `fields`, `replace` and `asdict`, to pickle, to `match`, to `inspect.signature` and to type checkers a
node is a dataclass.  It takes no fields over from another class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field
    from inspect import Signature

_Class = TypeVar("_Class", bound=type)

_NONE: Final = object()
"""Stands for the default of a field that has none."""


class _Declared:
    """What :func:`field` says of a field."""

    __slots__ = ("compare", "default", "default_factory", "repr")

    def __init__(self, default: Any, default_factory: Any, compare: bool, repr: bool) -> None:
        self.default, self.default_factory, self.compare, self.repr = default, default_factory, compare, repr


def field(
    *, default: Any = _NONE, default_factory: Callable[[], Any] | None = None, compare: bool = True, repr: bool = True
) -> Any:
    """A field with a default, one made anew for each node, or one that `==` and `hash`, or `repr`, pass over."""
    return _Declared(default, default_factory, compare, repr)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: _Class) -> _Class:
    """The class with its annotated names as fields; methods that it has itself are kept."""
    members = {name: member for name, member in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    declared = {name: _declared(members.pop(name, _NONE)) for name in cls.__annotations__}
    compared = [name for name, one in declared.items() if one.compare]
    key = attrgetter(*compared) if compared else _nothing
    names = tuple(declared)
    # Slots are made with the class, so the class is made anew.
    made: Any = type(cls)(
        cls.__name__,
        cls.__bases__,
        {
            "__eq__": _equality(key),
            "__hash__": _hash(key),
            "__repr__": _representation(name for name, one in declared.items() if one.repr),
            "__setattr__": _no_setting,
            "__delattr__": _no_deleting,
            "__getstate__": _state,
            "__setstate__": _set_state,
            "__replace__": _replaced,
            "__dataclass_fields__": _Fields(declared, cls.__annotations__),
            "__signature__": _Signature(declared),
            **members,
            "__match_args__": names,
            "__slots__": names,
        },
    )
    made.__init__ = _first_initializer(made, declared)
    return cast("_Class", made)


def _declared(default: Any) -> _Declared:
    return default if isinstance(default, _Declared) else _Declared(default, None, True, True)


def _nothing(_: object) -> tuple[()]:
    return ()


def _first_initializer(made: Any, declared: Mapping[str, _Declared]) -> Callable[..., None]:
    def initialize(self: Any, /, *arguments: Any, **named: Any) -> None:
        made.__init__ = _initializer(made, declared)
        made.__init__(self, *arguments, **named)

    return initialize


def _initializer(made: type, declared: Mapping[str, _Declared]) -> Callable[..., None]:
    """`__init__` in its own words: nothing shared could take fields by place and by name as fast."""
    names: dict[str, Any] = {"_none": _NONE}
    parameters, body = [], []
    for name, one in declared.items():
        # The slot's own setter goes past `__setattr__`, which refuses, and is quicker than `object.__setattr__`.
        names[f"_set_{name}"] = getattr(made, name).__set__
        value = name
        if one.default_factory is not None:
            names[f"_make_{name}"] = one.default_factory
            parameters.append(f"{name}=_none")
            value = f"_make_{name}() if {name} is _none else {name}"
        elif one.default is not _NONE:
            names[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        body.append(f"    _set_{name}(self, {value})")
    exec(f"def __init__({', '.join(['self', *parameters])}):\n" + ("\n".join(body) or "    pass"), names)
    initializer: Callable[..., None] = names["__init__"]
    initializer.__qualname__ = f"{made.__qualname__}.__init__"
    initializer.__annotations__ = {**made.__annotations__, "return": None}
    return initializer


def _equality(key: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def equal(self: Any, other: Any) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hashed(self: Any) -> int:
        return hash(key(self))

    return hashed


def _representation(shown: Iterable[str]) -> Callable[[Any], str]:
    names = tuple(shown)

    def represented(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return represented


# --- what all nodes share -------------------------------------------------------------------------


def _no_setting(self: Any, name: str, value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deleting(self: Any, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__match_args__]


def _set_state(self: Any, state: Iterable[Any]) -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


def _replaced(self: Any, /, **changes: Any) -> Any:
    """What `copy.replace` asks of a class, from Python 3.13 on."""
    from dataclasses import replace

    return replace(self, **changes)


class _Signature:
    """`__signature__`, which `inspect` goes by: that of the `__init__` to come."""

    def __init__(self, declared: Mapping[str, _Declared]) -> None:
        self._declared = declared

    def __get__(self, _: object, owner: type) -> Signature:
        from inspect import signature

        whole = signature(_initializer(owner, self._declared))
        return whole.replace(parameters=list(whole.parameters.values())[1:])


class _Fields:
    """`__dataclass_fields__`, which `dataclasses` goes by: those of a like dataclass, made when they are asked for."""

    def __init__(self, declared: Mapping[str, _Declared], annotations: Mapping[str, Any]) -> None:
        self._declared, self._annotations = declared, annotations
        self._fields: dict[str, Field[Any]] | None = None

    def __get__(self, _: object, owner: type) -> dict[str, Field[Any]]:
        if self._fields is None:
            from dataclasses import MISSING, field, fields, make_dataclass

            described = [
                (
                    name,
                    self._annotations[name],
                    field(
                        default=MISSING if one.default is _NONE else one.default,
                        default_factory=one.default_factory or MISSING,
                        compare=one.compare,
                        repr=one.repr,
                    ),
                )
                for name, one in self._declared.items()
            ]
            like: Any = make_dataclass(owner.__name__, described)
            self._fields = {each.name: each for each in fields(like)}
        return self._fields
