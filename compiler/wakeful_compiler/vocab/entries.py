"""The entries of a vocabulary: what kind each one is, and what a component and a rule declare.

What a command declares is in :mod:`.commands`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from wakeful_grammar.nodes import RuleTree
from wakeful_grammar.problems import RuleError

from ..nearby import only, question
from ..texts import shown
from .limits import PROPERTIES_LIMIT
from .model import Component, Property, Rule
from .names import NAME, check_name
from .report import Report
from .schemas import read_property, read_was
from .shapes import check_keyword
from .source import pointer_to

KINDS = ("component", "rule", "tool")
LATER_KINDS = {
    "wait": "waits",
    "trigger": "cron triggers",
    "schedule": "declared schedules",
    "source": "sources",
}
_KIND_WORDS = {"component": "component", "rule": "rule", "tool": "command (a tool)"}
COMPONENT_KEYWORDS = (
    "properties", "required", "description", "title", "$comment", "was", "component", "type",
    "additionalProperties",
)  # fmt: skip
DOES = ("apply", "query", "worker")
"""What a command may do; it does one of these."""
COMMAND_KEYWORDS = (
    "description", "input", "required", *DOES, "retry", "timeout", "overlap", "keep", "title", "$comment", "tool",
)  # fmt: skip
RULE_KEYWORDS = ("match", "before", "call", "args", "refuse", "description", "title", "$comment", "rule")


def kind_of(report: Report, name: str, entry: object, pointer: str) -> str | None:
    """ "component", "rule" or "tool" (a command), or None once the problem with the entry's kind is reported."""
    if not isinstance(entry, Mapping):
        report.add(
            pointer,
            "vocab-entry",
            f"{name} is an object, a component or a rule, not {shown(entry)}",
            f'a component is written "{name}": {{"properties": {{"title": {{"type": "string"}}}}}}',
        )
        return None
    later = next((kind for kind in LATER_KINDS if entry.get(kind) is True), None)
    if later is not None:
        report.add(
            pointer_to(pointer, later),
            "limit-not-yet",
            f"{name} is a {later}: {LATER_KINDS[later]} come with a later version",
            "take the entry out for now: this version knows components, rules and commands",
            on_key=True,
        )
        return None
    flags = [kind for kind in (*KINDS, *LATER_KINDS) if kind in entry]
    for kind in flags:
        if entry[kind] is not True:
            report.add(
                pointer_to(pointer, kind),
                "vocab-kind",
                f"{name}: `{kind}` is true or left out, not {shown(entry[kind])}",
                f'write "{kind}": true' if _looks_like(kind, entry) else "take it out",
            )
            return None
    if len(flags) > 1:
        first, second = (_KIND_WORDS[kind] for kind in flags[:2])
        report.add(
            pointer_to(pointer, flags[1]),
            "vocab-kind",
            f"{name} says it is a {first} and a {second}; an entry is one thing",
            'take "component" out' if "match" in entry and "tool" not in flags else "keep one of them",
            on_key=True,
        )
        return None
    return flags[0] if flags else "component"


def _looks_like(kind: str, entry: Mapping[str, Any]) -> bool:
    return "match" in entry if kind == "rule" else kind == "tool" and not entry.keys().isdisjoint(DOES)


def read_component(
    report: Report,
    name: str,
    entry: Mapping[str, Any],
    pointer: str,
    components: Collection[str],
    siblings: Collection[str],
    broken: set[str],
) -> Component:
    """The component that an entry declares, without what is wrong with it, which is reported.

    `components` are the names that a `ref` may have, `siblings` the entries of the file; names of properties
    that cannot be used are added to `broken`.
    """
    check_entry_keywords(report, name, entry, pointer, "component", COMPONENT_KEYWORDS)
    check_annotations(report, name, entry, pointer)
    if "type" in entry and entry["type"] != "object":
        report.add(
            pointer_to(pointer, "type"),
            "vocab-component",
            f"{name} is a component, which is of type object",
            'its properties have types; take this "type" out',
        )
    if "additionalProperties" in entry and entry["additionalProperties"] is not False:
        report.add(
            pointer_to(pointer, "additionalProperties"),
            "vocab-component",
            f"{name} takes the properties that it declares and no others",
            "declare them, or one property of type object that holds the rest",
        )
    declared = entry.get("properties", {})
    here = pointer_to(pointer, "properties")
    properties: dict[str, Property] = {}
    if not isinstance(declared, Mapping):
        report.add(
            here,
            "vocab-component",
            f"{name}: `properties` is an object of JSON Schemas, not {shown(declared)}",
            'for example {"title": {"type": "string"}}',
        )
        declared = {}
    if len(declared) > PROPERTIES_LIMIT:
        report.add(
            here,
            "limit-properties",
            f"{name} has {len(declared):,} properties; the limit of a component is {PROPERTIES_LIMIT}",
            "share them out among several components",
            on_key=True,
        )
    for key, schema in declared.items():
        place = pointer_to(here, key)
        found = None
        if check_name(report, place, key, name, declared.keys()):
            found = read_property(report, (name, key), schema, place, components, declared.keys())
        if found is None:
            broken.add(f"{name}.{key}")
        else:
            properties[key] = found
    same_was(report, [(f"{name}.{key}", found.was, pointer_to(here, key)) for key, found in properties.items()])
    return Component(
        name,
        properties,
        _required(report, name, entry, declared, pointer),
        _text(entry, "description"),
        was=read_was(report, name, entry, name, siblings, pointer),
    )


def read_rule(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str, kinds: Mapping[str, str | None]
) -> Rule | None:
    """The rule that an entry declares, as far as it can be used, or None; what is wrong is reported.

    `kinds` has every entry of the file, with None for those whose kind is not known.
    """
    check_entry_keywords(report, name, entry, pointer, "rule", RULE_KEYWORDS)
    check_annotations(report, name, entry, pointer)
    runs_before = _before(report, name, entry, pointer, kinds)
    refuse = _refuse(report, name, entry, pointer)
    before = report.errors
    call, args = _call(report, name, entry, pointer, kinds)
    usable = report.errors == before and not (call is None and "call" in entry)
    tree = _match(report, name, entry, pointer)
    if tree is None or not usable or (refuse is None and "refuse" in entry):
        return None
    return Rule(name, entry["match"], tree, runs_before, _text(entry, "description"), refuse, call, args)


def _call(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str, kinds: Mapping[str, str | None]
) -> tuple[str | None, Mapping[str, Any]]:
    """The command that a rule asks for, None where there is none or it cannot be used, and the arguments as written."""
    here, given, args = pointer_to(pointer, "call"), entry.get("call"), entry.get("args", {})
    if "args" in entry and "call" not in entry:
        report.add(
            pointer_to(pointer, "args"),
            "rule-args",
            f"{name} gives arguments and asks for no command",
            'name the command, "call": "…", or take `args` out',
            on_key=True,
        )
    elif not isinstance(args, Mapping):
        report.add(
            pointer_to(pointer, "args"),
            "rule-args",
            f"{name}: `args` is an object, the inputs of the command by name, not {shown(args)}",
            'for example "args": {"plant": "=.entity.eid"}',
        )
        args = {}
    if "call" not in entry:
        return None, {}
    if "refuse" in entry:
        report.add(
            here,
            "rule-refuse-writes",
            f"{name}: a rule that refuses writes nothing, and asks for no command",
            "take `call` out: the text of `refuse` is all that it says",
            on_key=True,
        )
    if not isinstance(given, str):
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `call` is the name of a command, not {shown(given)}",
            'for example "call": "water"',
        )
        return None, {}
    kind = kinds.get(given)
    if kind == "tool":
        return given, args
    # Of an entry whose kind is not known a problem has been told.
    if kind is not None or given not in kinds:
        _unknown_command(report, name, given, kinds, here)
    return None, {}


def _unknown_command(report: Report, name: str, given: str, kinds: Mapping[str, str | None], pointer: str) -> None:
    commands = [other for other, kind in kinds.items() if kind == "tool"]
    close, kind = report.near(given, commands), kinds.get(given)
    what = f"{given}, which is a {_KIND_WORDS[kind]}, no command" if kind else f"{shown(given)}, which is no command"
    listed = "the commands are " + ", ".join(commands[:8]) + (", …" if len(commands) > 8 else "")
    report.add(
        pointer,
        "unknown-command",
        f"{name}: `call` names {what}",
        question(close) or (listed if commands else 'declare it: an entry with "tool": true'),
        fix=only(close),
    )


def _refuse(report: Report, name: str, entry: Mapping[str, Any], pointer: str) -> str | None:
    """The text with which a rule refuses; None where it does not, or where what is given is reported."""
    given = entry.get("refuse")
    if isinstance(given, str) and given.strip(" \t\n\r\f\v"):
        return given
    if "refuse" in entry:
        report.add(
            pointer_to(pointer, "refuse"),
            "vocab-keyword",
            f"{name}: `refuse` is the text that says why, not {shown(given)}",
            'for example "refuse": "a paid invoice is not changed"',
        )
    return None


def check_entry_keywords(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str, kind: str, known: tuple[str, ...]
) -> None:
    for keyword in entry:
        if keyword in known:
            continue
        close = report.near(keyword, [word for word in known if word not in entry])
        hint, fix = (f"did you mean `{close[0]}`?", only(close)) if close else ("remarks go into `description`", None)
        if kind == "component" and keyword in ("match", "before", "call", "args"):
            hint, fix = 'a rule says so: add "rule": true', None
        elif kind == "component" and keyword in (*DOES, "input"):
            hint, fix = 'a command says so: add "tool": true', None
        elif kind == "component" and isinstance(entry[keyword], Mapping) and "type" in entry[keyword]:
            hint, fix = f'a property stands under "properties": {{{shown(keyword)}: …}}', None
        report.add(
            pointer_to(pointer, keyword),
            "unknown-keyword",
            f"{name}: {shown(keyword)} is no keyword of a {kind}",
            hint,
            on_key=True,
            fix=fix,
        )


def check_annotations(report: Report, name: str, entry: Mapping[str, Any], pointer: str) -> None:
    for keyword in ("title", "description", "$comment"):
        if keyword in entry:
            check_keyword(report, name, keyword, entry[keyword], pointer_to(pointer, keyword))


def _text(entry: Mapping[str, Any], keyword: str) -> str:
    text = entry.get(keyword, "")
    return text if isinstance(text, str) else ""


def _required(
    report: Report, name: str, entry: Mapping[str, Any], declared: Mapping[str, Any], pointer: str
) -> tuple[str, ...]:
    given, here = entry.get("required", []), pointer_to(pointer, "required")
    if not isinstance(given, list):
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `required` is a list of properties, not {shown(given)}",
            'for example "required": ["title"]',
        )
        return ()
    required: dict[str, None] = {}
    for index, key in enumerate(given):
        if isinstance(key, str) and key in declared:
            required[key] = None
            continue
        close = report.near(key, [known for known in declared if NAME.fullmatch(known)])
        hint = f"did you mean `{close[0]}`?" if close else "declare it under `properties`, or take it out"
        report.add(
            pointer_to(here, index),
            "unknown-property",
            f"{name}: `required` lists {shown(key)}, which {name} does not have",
            hint,
            fix=only(close),
        )
    return tuple(required)


def same_was(report: Report, listed: list[tuple[str, str | None, str]]) -> None:
    """Report two things of one old name."""
    first: dict[str, str] = {}
    for called, was, pointer in listed:
        if was is None:
            continue
        if was in first:
            report.add(
                pointer_to(pointer, "was"),
                "vocab-was",
                f"{called} and {first[was]} both were `{was}`",
                "its data can go to one of them only",
            )
        first.setdefault(was, called)


def _before(
    report: Report, name: str, entry: Mapping[str, Any], pointer: str, kinds: Mapping[str, str | None]
) -> tuple[str, ...]:
    given, here = entry.get("before", []), pointer_to(pointer, "before")
    if not isinstance(given, list):
        hint = f'write "before": [{shown(given)}]' if isinstance(given, str) else 'for example "before": ["archive"]'
        report.add(here, "vocab-keyword", f"{name}: `before` is a list of rules, not {shown(given)}", hint)
        return ()
    named: dict[str, None] = {}
    for index, rule in enumerate(given):
        place = pointer_to(here, index)
        if rule == name:
            report.add(
                place,
                "rule-before-itself",
                f"{name}: a rule cannot run before itself",
                "take its own name out",
            )
        elif isinstance(rule, str) and kinds.get(rule) == "rule":
            named[rule] = None
        elif not isinstance(rule, str) or kinds.get(rule, "nothing") is not None:
            _unknown_rule(report, name, rule, kinds, place)
    return tuple(named)


def _unknown_rule(report: Report, name: str, rule: object, kinds: Mapping[str, str | None], pointer: str) -> None:
    rules = [other for other, kind in kinds.items() if kind == "rule" and other != name]
    close = report.near(rule, rules)
    kind = kinds.get(rule) if isinstance(rule, str) else None
    what = (
        f"{rule}, which is a {_KIND_WORDS[kind]}, not a rule" if kind else f"{shown(rule)}, and there is no such rule"
    )
    report.add(
        pointer,
        "unknown-rule",
        f"{name}: `before` names {what}",
        question(close) or _others(rules),
        fix=only(close),
    )


def _others(rules: list[str]) -> str:
    if not rules:
        return "it is the only rule of this file: take `before` out"
    return "the other rules are " + ", ".join(rules[:8]) + (", …" if len(rules) > 8 else "")


def _match(report: Report, name: str, entry: Mapping[str, Any], pointer: str) -> RuleTree | None:
    from wakeful_grammar.rule import parse_rule

    given = entry.get("match")
    if "match" not in entry or (isinstance(given, str) and not given.strip(" \t\n\r\f\v,&")):
        report.add(
            pointer_to(pointer, "match") if "match" in entry else pointer,
            "rule-match-missing",
            f"{name} is a rule and declares no match",
            'add for example "match": ".plant, .fired, +!watered"',
            on_key="match" not in entry,
        )
        return None
    here = pointer_to(pointer, "match")
    if not isinstance(given, str):
        report.add(
            here,
            "vocab-keyword",
            f"{name}: `match` is text, not {shown(given)}",
            'for example "match": ".plant, .fired, +!watered"',
        )
        return None
    try:
        return parse_rule(given)
    except RuleError as error:
        for problem in error.problems:
            report.add(
                here,
                problem.code,
                f"{name}: {problem.message}",
                problem.hint,
                inside=problem.span,
                severity=problem.severity,
                fix=problem.fix,
            )
        return None
