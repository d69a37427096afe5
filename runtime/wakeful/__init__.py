"""Rows that wake themselves: schedules, rules and data in one transaction.

The public names of wakeful, each loaded when it is first asked for, so that `import wakeful` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wakeful_compiler.bounds import NowNeeded as NowNeeded
    from wakeful_compiler.completion import Candidate as Candidate
    from wakeful_compiler.completion import complete as complete
    from wakeful_compiler.emit.readers import LookupNeeded as LookupNeeded
    from wakeful_compiler.errors import VocabError as VocabError
    from wakeful_compiler.query import Query as Query
    from wakeful_compiler.schedules import Schedule as Schedule
    from wakeful_compiler.schedules import cron_trigger as cron_trigger
    from wakeful_compiler.schedules import every as every
    from wakeful_compiler.vocabulary import Vocab as Vocab
    from wakeful_compiler.vocabulary import load as load
    from wakeful_grammar.problems import Problem as Problem
    from wakeful_grammar.problems import QueryError as QueryError
    from wakeful_grammar.problems import RuleError as RuleError
    from wakeful_grammar.problems import ScheduleError as ScheduleError
    from wakeful_grammar.problems import WakefulError as WakefulError

    from . import aio as aio
    from . import testing as testing
    from . import workers as workers
    from .errors import Refused as Refused
    from .errors import Stale as Stale
    from .errors import StoreBusy as StoreBusy
    from .errors import StoreClosed as StoreClosed
    from .errors import StoreCorrupt as StoreCorrupt
    from .errors import StoreError as StoreError
    from .errors import StoreForked as StoreForked
    from .errors import StoreFull as StoreFull
    from .reports import Applied as Applied
    from .reports import CallReport as CallReport
    from .reports import DeployReport as DeployReport
    from .reports import Health as Health
    from .reports import TickReport as TickReport
    from .store import Store as Store
    from .store import open as open

__version__ = "0.1.0.dev0"

_HOMES = {
    "Applied": "wakeful.reports",
    "CallReport": "wakeful.reports",
    "Candidate": "wakeful_compiler.completion",
    "DeployReport": "wakeful.reports",
    "Health": "wakeful.reports",
    "LookupNeeded": "wakeful_compiler.emit.readers",
    "NowNeeded": "wakeful_compiler.bounds",
    "Problem": "wakeful_grammar.problems",
    "Query": "wakeful_compiler.query",
    "QueryError": "wakeful_grammar.problems",
    "Refused": "wakeful.errors",
    "RuleError": "wakeful_grammar.problems",
    "Schedule": "wakeful_compiler.schedules",
    "ScheduleError": "wakeful_grammar.problems",
    "Stale": "wakeful.errors",
    "Store": "wakeful.store",
    "StoreBusy": "wakeful.errors",
    "StoreClosed": "wakeful.errors",
    "StoreCorrupt": "wakeful.errors",
    "StoreError": "wakeful.errors",
    "StoreForked": "wakeful.errors",
    "StoreFull": "wakeful.errors",
    "TickReport": "wakeful.reports",
    "Vocab": "wakeful_compiler.vocabulary",
    "VocabError": "wakeful_compiler.errors",
    "WakefulError": "wakeful_grammar.problems",
    "aio": "wakeful.aio",
    "complete": "wakeful_compiler.completion",
    "cron_trigger": "wakeful_compiler.schedules",
    "every": "wakeful_compiler.schedules",
    "load": "wakeful_compiler.vocabulary",
    "open": "wakeful.store",
    "testing": "wakeful.testing",
    "workers": "wakeful.workers",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'wakeful' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(home)
    value = module if home == f"wakeful.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_HOMES, "__version__"]
