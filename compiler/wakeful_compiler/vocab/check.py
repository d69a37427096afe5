"""A vocabulary's document to its declarations, with every problem found in one pass (the design's section 1).

Names inside rule matches, their types, and how rules act on each other are other passes' business: they
report into the same file through :meth:`Source.rule_problem`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wakeful_grammar.nodes import (
    Compare,
    Copy,
    Gate,
    Occasion,
    Path,
    PropertyOperand,
    RuleTree,
    Tombstone,
    Write,
)
from wakeful_grammar.problems import LanguageError, Problem, WakefulError

from ..nearby import near, only
from ..texts import shown
from .builtin import builtin_components
from .entries import kind_of, read_component, read_rule, same_was
from .limits import COMMANDS_LIMIT, COMPONENTS_LIMIT, RULES_LIMIT
from .model import Command, Component, Declarations, Rule
from .names import NAME, check_name
from .report import Report
from .shapes import check_keyword
from .source import Source, pointer_to

ROOT_KEYWORDS = ("$schema", "$id", "title", "description", "$comment", "zone", "$defs")
_OLD_DRAFT = re.compile(r"https?://json-schema\.org/(?!draft/2020-12/)")
_EXAMPLE = '{"$defs": {"plant": {"properties": {"window": {"type": "string"}}}}}'


def check_declarations(source: Source) -> tuple[Declarations, list[Problem]]:
    """What the document declares, and everything that is wrong with it, in the order of the file.

    The declarations hold what could be used: they are only for further checks when a problem is an error.
    """
    report = Report(source)
    declarations = _declarations(report, source.value)
    return declarations, report.problems()


def _declarations(report: Report, document: object) -> Declarations:
    nothing = Declarations(builtin_components(), {})
    if not isinstance(document, Mapping):
        report.add(
            "",
            "vocab-no-defs",
            f"a vocabulary is a JSON object, not {shown(document)}",
            f"for example {_EXAMPLE}",
        )
        return nothing
    if "$defs" not in document:
        report.add(
            "",
            "vocab-no-defs",
            "a vocabulary is a JSON Schema document, and its entries stand under `$defs`",
            _defs_hint(document),
        )
        return nothing
    zone = _root(report, document)
    entries = document["$defs"]
    if not isinstance(entries, Mapping):
        report.add(
            "/$defs",
            "vocab-no-defs",
            f"`$defs` is an object of entries, not {shown(entries)}",
            f"for example {_EXAMPLE}",
        )
        return replace(nothing, zone=zone)
    return replace(_entries(report, entries), zone=zone)


def _entries(report: Report, entries: Mapping[str, Any]) -> Declarations:
    components, rules = builtin_components(), dict[str, Rule]()
    broken: set[str] = set()
    # The kinds come first: references and `before` may name entries that stand further down.
    kinds: dict[str, str | None] = {}
    for name, entry in entries.items():
        pointer = pointer_to("/$defs", name)
        kinds[name] = (
            kind_of(report, name, entry, pointer)
            if check_name(report, pointer, name, "entry", entries.keys())
            else None
        )
        if kinds[name] is None:
            broken.add(name)
    # A reference to a broken entry is not asked about again.
    referable = {*components, *(name for name, kind in kinds.items() if kind not in ("rule", "tool"))}
    for name, kind in kinds.items():
        pointer = pointer_to("/$defs", name)
        if kind == "component":
            components[name] = read_component(report, name, entries[name], pointer, referable, entries.keys(), broken)
        elif kind == "rule":
            rule = read_rule(report, name, entries[name], pointer, kinds)
            if rule is not None:
                rules[name] = rule
    commands = _commands(report, entries, kinds, components, referable, broken)
    own = [component for component in components.values() if not component.builtin]
    same_was(report, [(component.name, component.was, pointer_to("/$defs", component.name)) for component in own])
    _limit(report, "components", sum(kind == "component" for kind in kinds.values()), COMPONENTS_LIMIT)
    _limit(report, "rules", sum(kind == "rule" for kind in kinds.values()), RULES_LIMIT)
    _limit(report, "commands", sum(kind == "tool" for kind in kinds.values()), COMMANDS_LIMIT)
    return Declarations(components, _usable(rules, broken), broken=frozenset(broken), commands=commands)


def _commands(
    report: Report,
    entries: Mapping[str, Any],
    kinds: Mapping[str, str | None],
    components: Mapping[str, Component],
    referable: set[str],
    broken: set[str],
) -> dict[str, Command]:
    """The commands, read once every component is known, for their templates may name any."""
    commands: dict[str, Command] = {}
    for name, kind in kinds.items():
        if kind == "tool":
            from .commands import read_command

            here = pointer_to("/$defs", name)
            command = read_command(report, name, entries[name], here, components, referable, broken)
            if command is None:
                broken.add(name)
            else:
                commands[name] = command
    return commands


def _limit(report: Report, what: str, count: int, limit: int) -> None:
    if count > limit:
        report.add(
            "/$defs",
            f"limit-{what}",
            f"{count:,} {what}; the limit of a vocabulary is {limit:,}",
            "a store for each part of the app keeps each vocabulary small",
            on_key=True,
        )


def _usable(rules: dict[str, Rule], broken: set[str]) -> dict[str, Rule]:
    """The rules that mention nothing broken, each running before such rules only."""
    usable = rules
    if broken:
        usable = {
            name: rule for name, rule in rules.items() if rule.call not in broken and not _mentions(rule.tree, broken)
        }
    return {
        name: rule if all(other in usable for other in rule.before) else _without(rule, usable)
        for name, rule in usable.items()
    }


def _without(rule: Rule, usable: Mapping[str, Rule]) -> Rule:
    return replace(rule, before=tuple(other for other in rule.before if other in usable))


def _mentions(tree: RuleTree, broken: set[str]) -> bool:
    bare = {name.partition(".")[2] for name in broken}
    for path in _paths(tree):
        parts = path.parts
        if len(parts) == 1 and (parts[0] in broken or parts[0] in bare):
            return True
        for component, name in zip(parts[::2], [*parts[1::2], ""], strict=False):
            if component in broken or f"{component}.{name}" in broken:
                return True
    return False


def _paths(tree: RuleTree) -> list[Path]:
    paths: list[Path] = []
    clauses = [*tree.clauses, *(mark.clause for mark in tree.marks if isinstance(mark, Occasion))]
    for clause in clauses:
        paths.append(clause.path)
        if isinstance(clause, Compare):
            paths += [item.path for item in clause.items if isinstance(item, PropertyOperand)]
    for mark in tree.marks:
        match mark:
            case Write(_, component, name, value):
                paths.append(Path((component, name) if name is not None else (component,)))
                if isinstance(value, Copy):
                    paths.append(value.path)
            case Gate(component):
                paths.append(Path((component,)))
            case Occasion() | Tombstone():
                pass
    return paths


def _root(report: Report, document: Mapping[str, Any]) -> str:
    """Check what stands beside `$defs`; the answer is the store's zone."""
    for keyword, value in document.items():
        here = pointer_to("", keyword)
        if keyword not in ROOT_KEYWORDS:
            close = report.near(keyword, ROOT_KEYWORDS)
            hint = f"did you mean `{close[0]}`?" if close else "take it out"
            if isinstance(value, Mapping):
                hint = "an entry stands inside `$defs`: move it there"
            report.add(
                here,
                "unknown-keyword",
                f"{shown(keyword)} is no keyword of a vocabulary",
                hint,
                on_key=True,
                fix=None if isinstance(value, Mapping) else only(close),
            )
        elif keyword in ("$schema", "$id"):
            if not isinstance(value, str):
                report.add(
                    here,
                    "vocab-keyword",
                    f"`{keyword}` is a URI as text, not {shown(value)}",
                    "or leave it out",
                )
            elif keyword == "$schema" and _OLD_DRAFT.match(value):
                report.add(
                    here,
                    "vocab-schema-draft",
                    "the schemas of a vocabulary are of JSON Schema 2020-12",
                    'write "https://json-schema.org/draft/2020-12/schema"',
                    severity="warning",
                    fix='"https://json-schema.org/draft/2020-12/schema"',
                )
        elif keyword in ("title", "description", "$comment"):
            check_keyword(report, "the vocabulary", keyword, value, here)
    return _zone(report, document["zone"]) if "zone" in document else "UTC"


def _zone(report: Report, name: object) -> str:
    from ..zones import UnknownZone, zone

    if not isinstance(name, str):
        report.add(
            "/zone",
            "unknown-zone",
            f"`zone` is the name of a time zone, not {shown(name)}",
            'for example "Europe/Berlin"',
        )
        return "UTC"
    try:
        zone(name)
    except UnknownZone as unknown:
        report.add(
            "/zone",
            "unknown-zone",
            unknown.reason,
            unknown.hint,
            fix=json.dumps(unknown.near) if unknown.near else None,
        )
        return "UTC"
    except LanguageError as error:
        for problem in error.problems:
            report.add("/zone", problem.code, problem.message, problem.hint, inside=problem.span)
        return "UTC"
    except WakefulError as error:
        report.add("/zone", "unknown-zone", str(error), 'for example "Europe/Berlin"')
        return "UTC"
    return name


def _defs_hint(document: Mapping[str, Any]) -> str:
    """A minimal vocabulary, made of what the document seems to declare."""
    for keyword in document:
        if keyword in ("definitions", "defs", "$def", "$definitions", "components") or near(keyword, ["$defs"]):
            return f"rename {shown(keyword)} to `$defs`: {_EXAMPLE}"
    for name, entry in document.items():
        if isinstance(entry, Mapping) and NAME.fullmatch(name):
            declared = entry.get("properties", entry)
            names = [key for key in declared if NAME.fullmatch(key)] if isinstance(declared, Mapping) else []
            properties = {key: {"type": "string"} for key in names[:1]} or {"title": {"type": "string"}}
            return "write " + json.dumps({"$defs": {name: {"properties": properties}}})
    return f"write {_EXAMPLE}"
