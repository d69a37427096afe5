"""`wakeful schema`: the JSON Schema of vocab.json itself, for editors."""

from __future__ import annotations

import json
from argparse import Namespace

from .console import Console
from .usage import Parser

EPILOG = """\
Save it, and let vocab.json name it, so that an editor completes and checks what is typed:

    wakeful schema > vocab.schema.json
    { "$schema": "./vocab.schema.json", "$defs": { … } }

What it accepts `wakeful check` may still refuse, for names, rules and queries are beyond a schema.

Exit code: 0."""


def configure(parser: Parser) -> None:
    parser.add_json("the schema on one line")


def run(args: Namespace, console: Console) -> int:
    from wakeful_compiler.vocab.metaschema import metaschema

    schema = metaschema()
    if args.json:
        console.data(schema)
        return 0
    for line in json.dumps(schema, indent=2, ensure_ascii=False).split("\n"):
        console.say(line)
    return 0
