"""Names against a vocabulary: which component or property a path means, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from wakeful_grammar.nodes import Compare, Path
from wakeful_grammar.problems import Problem, Span, problem_at

from .nearby import alone, nearest
from .vocab.model import KIND_WORDS, Component, Property

_DIRECTIVES_ELSEWHERE = {
    "sort": "order", "orderby": "order", "order_by": "order", "top": "limit", "first": "limit", "take": "limit",
    "skip": "after", "offset": "after", "cursor": "after", "group": "tally", "groupby": "tally", "group_by": "tally",
    "select": "fields", "columns": "fields", "unique": "distinct",
}  # fmt: skip
DIRECTIVE_WORDS = ("order", "limit", "after", "count", "distinct", "tally", "fields")


class Names:
    """The look-ups of one text; what is unknown is reported in `problems`, each place once."""

    def __init__(self, text: str, components: Mapping[str, Component]) -> None:
        self.text, self.components = text, components
        self.problems: list[Problem] = []

    def report(self, span: Span, code: str, message: str, hint: str = "", fix: str | None = None) -> None:
        self.problems.append(problem_at(self.text, span, code, message, hint, fix=fix))

    def component(self, path: Path, at: int = 0) -> Component | None:
        """The component that the part `at` of a path names: by default the one that it begins with."""
        name = path.parts[at]
        component = self.components.get(name)
        if component is None:
            near = nearest(name, self.components)
            mend = ".".join((*path.parts[:at], near, *path.parts[at + 1 :])) if near else None
            hint = f"did you mean `.{mend}`?" if mend else f"the components are {listed(self.components.values())}"
            fix = mend if alone(name, self.components) else None
            if mend is None and len(path.parts) == 1 and name in DIRECTIVE_WORDS:
                hint = f"as a directive it has its value right behind it: `.{name}=…`; {hint}"
            self.report(path.span, "unknown-component", f"there is no component `{name}`", hint, fix=fix)
        return component

    def property(self, component: Component, path: Path, at: int = 1) -> Property | None:
        """The property of `component` that the part `at` of a path names."""
        name = path.parts[at]
        prop = component.properties.get(name)
        if prop is None:
            near = nearest(name, component.properties)
            mend = ".".join((*path.parts[:at], near, *path.parts[at + 1 :])) if near else None
            hint = f"did you mean `.{mend}`? " if mend else ""
            self.report(
                path.span,
                "unknown-property",
                f"`{component.name}` has no property `{name}`",
                hint + properties_of(component),
                fix=mend if alone(name, component.properties) else None,
            )
        return prop

    def reached(self, path: Path) -> Property | None:
        """The property that a path of two or more parts ends in, with the references that it goes through."""
        via: list[Property] = []
        for at in range(0, len(path.parts), 2):
            component = self.component(path, at)
            prop = self.property(component, path, at + 1) if component is not None else None
            if component is None or prop is None:
                return None
            if at + 2 == len(path.parts):
                return replace(prop, via=tuple(via)) if via else prop
            if prop.kind != "reference":
                self._no_reference(path, at, component, prop)
                return None
            via.append(prop)
        raise AssertionError("a path has a component and a property for each hop")

    def _no_reference(self, path: Path, at: int, component: Component, prop: Property) -> None:
        references = [each.name for each in component.properties.values() if each.kind == "reference"]
        before, after = ".".join(path.parts[: at + 1]), ".".join(path.parts[at + 2 :])
        spelled = " or ".join(f"`.{before}.{name}.{after}`" for name in references[:3])
        self.report(
            path.span,
            "type-hop",
            f"`{prop.path}` is {KIND_WORDS[prop.kind]}, and a path goes on only through a reference",
            (f"write {spelled}, or " if spelled else "")
            + f"end the path at `.{before}.{prop.name}`, or declare `{prop.name}` with a `ref`",
            fix=f"{before}.{references[0]}.{after}" if len(references) == 1 else None,
        )

    def compared(self, node: Compare, beside: Iterable[Path]) -> Property | None:
        """The property on the left of an operator: a path's last, or a bare property, resolved."""
        path = node.path
        if len(path.parts) > 1:
            return self.reached(path)
        name = path.parts[0]
        if name in ("eid", "num"):
            return self.components["entity"].properties[name]
        owners = [component for component in self.components.values() if name in component.properties]
        if not node.dotted and not owners and name in DIRECTIVE_WORDS:
            self.report(
                path.span, "syntax-directive-dot", f"`{name}` without its dot is no directive", f"write `.{name}=…`",
                fix=f".{name}",
            )  # fmt: skip
            return None
        named = {other.parts[0] for other in beside}
        here = [component for component in owners if component.name in named]
        own = [component for component in owners if not component.builtin]
        for candidates in (here, own, owners):
            if len(candidates) == 1:
                return candidates[0].properties[name]
            if candidates:
                spelled = ", ".join(f"`.{component.name}.{name}`" for component in candidates)
                self.report(
                    path.span,
                    "unknown-property",
                    f"`{name}` belongs to several components",
                    f"write {spelled}",
                )
                return None
        self._unknown_bare(node, name)
        return None

    def _unknown_bare(self, node: Compare, name: str) -> None:
        path = node.path
        component = self.components.get(name)
        if component is not None:
            self.report(
                path.span,
                "type-component",
                f"`{name}` is a component; an operator compares a property",
                f"name the property too: {properties_of(component)}"
                if component.properties
                else properties_of(component),
            )
            return
        every = {prop: component.name for component in self.components.values() for prop in component.properties}
        near = nearest(name, every)
        mend = f"{every[near]}.{near}" if near else None
        hint = f"did you mean `.{mend}`?" if mend else "write `.component.property`"
        directive = _DIRECTIVES_ELSEWHERE.get(name) or nearest(name, DIRECTIVE_WORDS)
        if mend is None and directive is not None:
            value = self.text[path.span.end + len(node.operator) : node.span.end][:40]
            spelled = f".{directive}" if directive == "count" else f".{directive}={value}"
            hint = f"did you mean the directive `{spelled}`? A property is `.component.property`"
        fix = mend if alone(name, every) else None
        self.report(path.span, "unknown-property", f"no component has a property `{name}`", hint, fix=fix)


_SHORT_WORDS = {"instant": "a date-time", "reference": "a reference"}


def properties_of(component: Component) -> str:
    """What a component holds, in words: its properties with their types."""
    if not component.properties:
        return f"`{component.name}` has no properties: ask for `.{component.name}`"
    listed = list(component.properties.values())
    spelled = ", ".join(f"`{prop.name}` ({_SHORT_WORDS.get(prop.kind, KIND_WORDS[prop.kind])})" for prop in listed[:20])
    return f"`{component.name}` has {spelled}" + (", …" if len(listed) > 20 else "")


def listed(components: Iterable[Component]) -> str:
    """A vocabulary's own components, the first dozen by name."""
    own = [f"`{component.name}`" for component in components if not component.builtin]
    return ", ".join(own[:12]) + (", …" if len(own) > 12 else "") if own else "only the built-in ones"
