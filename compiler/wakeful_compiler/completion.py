"""What may be typed next: candidates for the word at a caret, with the stretch that each replaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from wakeful_grammar.node import node
from wakeful_grammar.problems import LanguageError, Span

from .completion_context import Context, context_at
from .completion_values import CADENCES, Offer, value_offers
from .vocab.builtin import STAMPED
from .vocab.model import KIND_WORDS, Component, Property
from .vocabulary import Vocab

CandidateKind = Literal[
    "component", "property", "operator", "member", "boolean", "time", "every", "zone", "mark", "directive", "keyword"
]

_LONGEST_TEXT = 4_000
_DIRECTIVES = {
    ".order=": "by a property, ascending; `.order=-…` descending",
    ".limit=": "at most so many rows",
    ".after=": "the rows behind this one",
    ".count": "how many rows",
    ".distinct=": "the different values of a property",
    ".tally=": "how many rows have each value of a property",
    ".fields=": "only these properties",
}
_OPERATORS = {
    "=": "equal; any of a list; inside a range",
    "!=": "anything else, or missing",
    "~=": "holds this text, in any case",
    "<": "below, before",
    "<=": "at most, up to the end of",
    ">": "above, after",
    ">=": "at least, from the beginning of",
}
_MARKS = {
    "+": "write the component",
    "+!": "only while it is absent, and write it",
    "*": "only while it is there, and change it",
    "^": "this very write added it",
    "^!": "this very write removed it",
}


@node
class Candidate:
    """Something that may be typed: `text` is to replace `span`; `detail` says in a few words what it is."""

    text: str
    span: Span
    kind: CandidateKind
    detail: str = ""


def complete(vocab: Vocab, text: str, caret: int, rule: bool = False) -> tuple[Candidate, ...]:
    """The candidates for the word at `caret` (a count of characters) of a query, or of a rule's match.

    Put in place of its span, and with what stands right of that taken away, each candidate makes a text that
    can be read, or the beginning of one.  Where what stands left of the caret cannot be read there are none.
    Never raises, whatever the text.
    """
    caret = max(0, min(caret, len(text)))
    if len(text) > _LONGEST_TEXT:
        return ()
    context = context_at(text, caret)
    if context is None:
        return ()
    return _Completion(vocab.components, text, caret, context, rule).candidates()


class _Completion:
    """One question: candidates are gathered by kind, and each kind is tried once on the parser."""

    def __init__(
        self, components: Mapping[str, Component], text: str, caret: int, context: Context, rule: bool
    ) -> None:
        # An app's own components come first: they are what is meant most of the time.
        own = {name: component for name, component in components.items() if not component.builtin}
        self.components: Mapping[str, Component] = {**own, **components}
        self.text, self.caret = text, caret
        self.context, self.rule = context, rule

    def candidates(self) -> tuple[Candidate, ...]:
        context = self.context
        match context.where:
            case "term":
                found = [*self._terms(), *self._directives()]
            case "path":
                found = [*self._names(), *self._operators()]
            case "value":
                found = list(self._values())
            case "directive":
                found = list(self._directive_paths())
        return tuple(found)

    # --- clauses --------------------------------------------------------------------------------

    def _terms(self) -> Iterator[Candidate]:
        """Nothing is typed yet: every component with its dot, and the marks of a rule."""
        if self._reads(".a"):
            yield from self._offer((f".{c.name}", "component", _about(c)) for c in self.components.values())
        if self.rule:
            yield from self._marks("")

    def _marks(self, typed: str) -> Iterator[Candidate]:
        span = Span(self.context.start - len(typed), self.context.end)
        for sign, detail in _MARKS.items():
            if sign.startswith(typed) and sign != typed and self._reads(sign + "a" + _tail(sign), span.start):
                yield Candidate(sign, span, "mark", detail)

    def _directives(self, dot: int = 0) -> Iterator[Candidate]:
        """The directives, from their dot on or (`dot` 1) from behind it."""
        if self.rule:
            return
        for word, detail in _DIRECTIVES.items():
            if self._reads(word[dot:] + {".limit=": "1", ".after=": "1", ".count": ""}.get(word, "a.b")):
                yield from self._offer([(word[dot:], "directive", detail)])

    def _names(self) -> Iterator[Candidate]:
        context, sign = self.context, self.context.sign
        if not context.names:
            if sign == "":
                yield from self._bare()
            elif self._reads("a" + _tail(sign)):
                yield from self._offer((c.name, "component", _about(c)) for c in self._nameable(sign))
                if sign == "+" and self.rule:
                    yield from self._offer([("tombstone", "mark", "delete the row")])
                if sign == ".":
                    yield from self._directives(dot=1)
            if self.rule and sign in ("+", "^") and not context.typed:
                yield from self._marks(sign)
            return
        if sign in ("+!", "^!"):
            return
        if len(context.names) % 2 == 0:
            yield from self._hop()
            return
        owner = self.components.get(context.names[-1])
        if owner is None or (sign in ("+", "*") and (owner.name in STAMPED or len(context.names) > 1)):
            return
        equals = "=" if sign in ("+", "*") and self.rule else ""
        if self._reads("a" + (f"{equals}x" if equals else "")):
            yield from self._offer(
                (f"{prop.name}{equals}", "property", KIND_WORDS[prop.kind]) for prop in owner.properties.values()
            )

    def _bare(self) -> Iterator[Candidate]:
        """A word without its dot: the components that it may mean, and the properties that stand alone."""
        if self._reads(".a"):
            names = ((c.name, f".{c.name}", _about(c)) for c in self.components.values())
            yield from self._offer_as((name, (text, "component", detail)) for name, text, detail in names)
        if self._reads("a=1"):
            owners: dict[str, list[Property]] = {}
            for component in self.components.values():
                for prop in component.properties.values():
                    owners.setdefault(prop.name, []).append(prop)
            alone = (found[0] for found in owners.values() if len(found) == 1)
            yield from self._offer((prop.name, "property", f"`.{prop.path}`") for prop in alone)

    def _nameable(self, sign: str) -> Iterable[Component]:
        writes = self.rule and sign in ("+", "+!", "*")
        return [c for c in self.components.values() if not (writes and c.name in STAMPED)]

    def _hop(self) -> Iterator[Candidate]:
        """A component behind a reference."""
        prop = self._property(self.context.names)
        if prop is None or prop.kind != "reference" or self.context.sign in ("+", "*") or not self._reads("a.b"):
            return
        targets = self.components.values() if prop.ref in (None, "entity") else [self.components[prop.ref or ""]]
        yield from self._offer((c.name, "component", f"of the row that `.{prop.path}` names") for c in targets)

    # --- operators and values -------------------------------------------------------------------

    def _operators(self) -> Iterator[Candidate]:
        context = self.context
        if context.sign not in ("", ".", "^") or context.end != self.caret:
            return
        prop = self._property((*context.names, context.typed))
        if prop is None or prop.kind in ("object", "array"):
            return
        operators = ["=", "!="]
        if prop.kind == "string":
            operators.append("~=")
        if prop.kind not in ("boolean", "reference"):
            operators += ["<", "<=", ">", ">="]
        here = Span(self.caret, self.caret)
        for operator in operators:
            if self._reads(f"{operator}a", self.caret):
                yield Candidate(operator, here, "operator", _OPERATORS[operator])

    def _values(self) -> Iterator[Candidate]:
        context = self.context
        prop = self._property(context.names)
        if prop is None:
            return
        for offer in value_offers(prop, context.operator, context.sign, context.typed, self.components):
            if _begins(offer[0].strip("\"'"), context.typed) and self._reads(offer[0]):
                yield self._candidate(offer)

    def _property(self, names: tuple[str, ...]) -> Property | None:
        """The property at the end of a path, or the only one of a bare name."""
        if len(names) == 1:
            owned = [c.properties[names[0]] for c in self.components.values() if names[0] in c.properties]
            return owned[0] if len(owned) == 1 else None
        owner = self.components.get(names[-2])
        return owner.properties.get(names[-1]) if owner is not None and len(names) % 2 == 0 else None

    def _directive_paths(self) -> Iterator[Candidate]:
        context = self.context
        if self.rule or context.sign in ("limit", "after"):
            return
        if not context.names:
            if self._reads("a.b"):
                yield from self._offer((c.name, "component", _about(c)) for c in self.components.values())
            return
        owner = self.components.get(context.names[-1])
        if owner is None or len(context.names) != 1 or not self._reads("a"):
            return
        usable = [
            prop
            for prop in owner.properties.values()
            if context.sign == "fields" or prop.kind not in ("object", "array")
        ]
        yield from self._offer((prop.name, "property", KIND_WORDS[prop.kind]) for prop in usable)

    # --- offers ---------------------------------------------------------------------------------

    def _offer(self, offers: Iterable[Offer]) -> Iterator[Candidate]:
        yield from self._offer_as((offer[0], offer) for offer in offers)

    def _offer_as(self, offers: Iterable[tuple[str, Offer]]) -> Iterator[Candidate]:
        for name, offer in offers:
            if _begins(name, self.context.typed):
                yield self._candidate(offer)

    def _candidate(self, offer: Offer) -> Candidate:
        text, kind, detail = offer
        return Candidate(text, Span(self.context.start, self.context.end), _kind(kind), detail)

    def _reads(self, written: str, start: int | None = None) -> bool:
        """Whether the text up to the word, and this in the word's place, can be read once brackets are closed."""
        before = self.text[: self.context.start if start is None else start]
        return _readable(before + written + ")" * max(0, self.context.open_brackets), self.rule)


def _readable(text: str, rule: bool) -> bool:
    from wakeful_grammar.query import parse_query
    from wakeful_grammar.rule import parse_rule

    try:
        (parse_rule if rule else parse_query)(text)
    except LanguageError:
        return False
    return True


def _tail(sign: str) -> str:
    """What a mark needs behind its component to be whole."""
    return ".b=1" if sign == "*" else ""


def _about(component: Component) -> str:
    if component.description:
        return component.description.partition("\n")[0][:80]
    names = ", ".join(component.properties)
    return names if len(names) <= 80 else names[:79] + "…"


def _begins(text: str, typed: str) -> bool:
    return text.lower().startswith(typed.lower().replace(" ", "-") if " " not in text else typed.lower())


def _kind(kind: str) -> CandidateKind:
    match kind:
        case "component" | "property" | "operator" | "member" | "boolean" | "time" | "every" | "zone":
            return kind
        case "mark" | "directive":
            return kind
        case _:
            return "keyword"


# --- `every` expressions --------------------------------------------------------------------------


def complete_every(text: str, caret: int) -> tuple[Candidate, ...]:
    """The candidates for the word at `caret` of an `every` expression: durations, names, fields, zones."""
    from .completion_every import every_offers

    caret = max(0, min(caret, len(text)))
    if len(text) > 256:
        return ()
    return tuple(
        Candidate(offered, span, _kind(kind), detail)
        for span, (offered, kind, detail) in every_offers(text, caret, CADENCES)
    )
