"""What `wakeful explain` says of a vocabulary: its rules in their order, its commands, and what sets what off."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .console import Console

if TYPE_CHECKING:
    from wakeful_compiler.predicates import Read
    from wakeful_compiler.rules.model import CompiledRule
    from wakeful_compiler.vocab.model import Command
    from wakeful_compiler.vocabulary import Vocab

_WORDS = {
    "enables": "enables",
    "before": "is declared before",
    "writes_then_reads": "writes what is read by",
    "asks": "asks for",
    "sets_off": "sets off",
}
_ORDER = ("enables", "before", "writes_then_reads")
_KINDS = {
    "occasion": "on occasions: judged once, on what the stage's own write left",
    "state": "of state: what must hold of a row, in one pass",
    "refuse": "that refuse: judged when all others are done",
}


def explain_rules(vocab: Vocab, now: datetime, as_json: bool, console: Console) -> None:
    """Print the rules in the order in which a stage comes to them, with what orders them, and the commands."""
    from wakeful_compiler.rules.call_graph import call_edges

    from .rule_notes import rule_notes

    rules = vocab.rules.all
    notes = rule_notes(vocab, now)
    found, calls = vocab.rules.edges, call_edges(vocab.declarations, vocab.rules)
    edges = {"enables": found.enables, "before": found.before, "writes_then_reads": found.feeds}
    edges |= {"asks": calls.asks, "sets_off": calls.sets_off}
    if as_json:
        listed = {kind: [list(edge) for edge in pairs] for kind, pairs in edges.items()}
        commands = [_command_as_json(command) for command in vocab.commands.values()]
        console.data(
            {"rules": [_as_json(rule) for rule in rules], "commands": commands, "edges": listed, "notes": notes}
        )
        return
    if not rules:
        console.say("this vocabulary has no rules")
    several = len({rule.kind for rule in rules}) > 1
    for place, rule in enumerate(rules):
        if several and (place == 0 or rules[place - 1].kind != rule.kind):
            if place:
                console.say()
            console.say("rules ", (_KINDS[rule.kind], "dim"))
        _say(rule, place + 1, console)
    _say_edges("why in this order", {kind: edges[kind] for kind in _ORDER}, console)
    for command in vocab.commands.values():
        console.say()
        _say_command(command, console)
    _say_edges("what sets what off", {kind: pairs for kind, pairs in edges.items() if kind not in _ORDER}, console)
    for note in notes:
        console.say(("note: ", "name"), note)


def _say_edges(title: str, edges: Mapping[str, Sequence[tuple[str, str]]], console: Console) -> None:
    if any(edges.values()):
        console.say()
        console.say((title, "strong"))
    for kind, pairs in edges.items():
        for first, second in pairs:
            names = ("every command" if name == "*" else name for name in (first, second))
            console.say("   " + f" {_WORDS[kind]} ".join(names))


def _command_as_json(command: Command) -> dict[str, Any]:
    return {
        "name": command.name,
        "description": command.description,
        "does": command.does,
        "input": {name: prop.kind for name, prop in command.inputs.items()},
        "required": list(command.required),
    }


def _say_command(command: Command, console: Console) -> None:
    console.say("command ", (command.name, "strong"), f"  {command.description}")
    inputs = [
        f"{name} ({prop.kind}{', required' if name in command.required else ''})"
        for name, prop in command.inputs.items()
    ]
    does = {"apply": "writes bundles", "query": str(command.template), "worker": str(command.template)}[command.does]
    lines = {"input": ", ".join(inputs) or "nothing", command.does: does}
    for word, text in lines.items():
        console.say((f"   {word.ljust(7)} ", "name"), text)


def _as_json(rule: CompiledRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "kind": rule.kind,
        "description": rule.description,
        "match": rule.match,
        "on": [test.text for test in rule.occasions],
        "reads": _spelled(rule.reads),
        "writes": _spelled(rule.writes_set),
        "copies": _copies(rule),
        "deletes": rule.deletes,
        "refuse": rule.refuse,
        "call": None if rule.call is None else {"to": rule.call.command, "args": dict(rule.call.written)},
    }


def _say(rule: CompiledRule, number: int, console: Console) -> None:
    console.say(f"{number}. ", (rule.name, "strong"), *([f"  {rule.description}"] if rule.description else []))
    lines = {"match": rule.match}
    if rule.occasions:
        lines["on"] = ", ".join(test.text for test in rule.occasions)
    lines["reads"] = ", ".join(_spelled(rule.reads)) or "nothing"
    if rule.refuse is not None:
        lines["refuses"] = rule.refuse
    else:
        written = [*_spelled(rule.writes_set), *(["deletes the row"] if rule.deletes else [])]
        lines["writes"] = ", ".join(written) or "nothing"
    if rule.call is not None:
        args = ", ".join(f"{name} {json.dumps(value)}" for name, value in rule.call.written.items())
        lines["calls"] = f"{rule.call.command} with {args}" if args else rule.call.command
    copies = [f"{target} = {source}" for target, source in _copies(rule).items()]
    if copies:
        lines["copies"] = ", ".join(copies)
    for word, text in lines.items():
        console.say((f"   {word.ljust(7)} ", "name"), text)


def _copies(rule: CompiledRule) -> dict[str, str]:
    """Each property that the rule copies, with where it takes the value from."""
    from wakeful_compiler.rules.written import Copied

    return {
        write.property.path: write.value.text
        for write in rule.writes
        if write.property is not None and isinstance(write.value, Copied)
    }


def _spelled(reads: Iterable[Read]) -> list[str]:
    """Presence of a component as `plant`, a property as `plant.window`."""
    return sorted(component if name is None else f"{component}.{name}" for component, name in reads)
