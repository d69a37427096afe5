"""Commands made ready to run: arguments checked, templates filled, queries bound (the design's section 1)."""

from .arguments import ARGUMENTS_DEPTH, ARGUMENTS_LIMIT, BadArguments, arguments_size_problem
from .compiled import CompiledCommand, CompiledCommands
from .filling import Filled

__all__ = [
    "ARGUMENTS_DEPTH",
    "ARGUMENTS_LIMIT",
    "BadArguments",
    "CompiledCommand",
    "CompiledCommands",
    "Filled",
    "arguments_size_problem",
]
