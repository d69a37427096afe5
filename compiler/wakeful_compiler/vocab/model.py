"""What a vocabulary declares, as frozen values (the design's section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from wakeful_grammar.node import field, node
from wakeful_grammar.nodes import RuleTree

Kind = Literal["string", "number", "integer", "boolean", "object", "array", "instant", "reference"]
Death = Literal["cascade", "detach", "release", "keep"]

KIND_WORDS: Mapping[Kind, str] = MappingProxyType(
    {
        "string": "a string",
        "number": "a number",
        "integer": "an integer",
        "boolean": "a boolean",
        "object": "an object",
        "array": "an array",
        "instant": "an RFC 3339 instant with a zone",
        "reference": "the eid of an entity",
    }
)


@node
class Property:
    """One property of a component.

    `schema` is its JSON Schema as written; `ref` the component that a reference names (None for other kinds);
    `death` what becomes of the holder when the target is deleted.  `via` is empty for what a vocabulary
    declares; in a plan it lists the references that lead from the judged row to the row that holds the value.
    """

    component: str
    name: str
    kind: Kind
    nullable: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)
    ref: str | None = None
    death: Death = "keep"
    index: bool = False
    was: str | None = None
    via: tuple[Property, ...] = ()

    @property
    def path(self) -> str:
        """The path as a query spells it, the hops that lead to it included."""
        return ".".join([*(hop.path for hop in self.via), self.component, self.name])


@node
class Component:
    """A named bag of properties that an entity may carry."""

    name: str
    properties: Mapping[str, Property]
    required: tuple[str, ...] = ()
    description: str = ""
    builtin: bool = False
    was: str | None = None


@node
class Rule:
    """A rule as declared: its match as text and tree, and the rules it must run before.

    `refuse` is the text with which a rule that refuses turns a stage down.  `call` is the command that the rule
    asks for when it acts, `args` the arguments as written.
    """

    name: str
    match: str
    tree: RuleTree
    before: tuple[str, ...] = ()
    description: str = ""
    refuse: str | None = None
    call: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict, compare=False)


@node
class Retry:
    """How often a worker's command is tried (`attempts`, the first included), and the seconds between tries.

    The first wait is `base`; each further one is twice as long, at most `cap`.
    """

    attempts: int
    base: float = 4.0
    cap: float = 64.0


@node
class Command:
    """A command as declared: what it takes, and the one thing it does.

    `does` says which template `template` is: of `apply` a bundle or a list of bundles, of `query` the text of a
    query, of `worker` a route.  `inputs` are typed like properties of a component called like the command.
    `timeout` is in seconds, None for the store's own; `keep_days` None keeps calls and results for good.
    """

    name: str
    description: str
    inputs: Mapping[str, Property]
    required: tuple[str, ...]
    does: Literal["apply", "query", "worker"]
    template: Any = field(compare=False)
    retry: Retry | None = None
    timeout: float | None = None
    overlap: Literal["queue", "skip"] = "queue"
    keep_days: int | None = None


@node
class Declarations:
    """Everything that one vocab.json declares, the built-in components included.

    `broken` names what the file declares but cannot be used, entries as `name` and properties as
    `component.name`: a problem has been reported about each, and nothing further is to be said.  Rules that
    mention one are not among `rules`.
    """

    components: Mapping[str, Component]
    rules: Mapping[str, Rule]
    zone: str = "UTC"
    broken: frozenset[str] = frozenset()
    commands: Mapping[str, Command] = field(default_factory=dict)

    def property(self, component: str, name: str) -> Property | None:
        """The property, or None when either name is unknown."""
        owner = self.components.get(component)
        return owner.properties.get(name) if owner else None
