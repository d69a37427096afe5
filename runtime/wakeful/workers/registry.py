"""Who does the work of a command here: a function of this process, or the app behind the base URL."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from wakeful_compiler.texts import shown
from wakeful_compiler.vocab.model import Command

from ..errors import StoreError
from ..plans import Plans
from .answers import late, result_value
from .claims import Claim

if TYPE_CHECKING:
    from .http import HttpWorkers
    from .signature import Secrets

TIMEOUT = 5.0
"""Seconds that a call may take where its command says nothing else."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a function is told of the call that it works for.

    `eid` is the same in each attempt: the key by which to do the work once.  `source` is the eid of the schedule or
    row that asked for the call, None where nobody else did; `at` is when the call was written; `attempt` counts from 1.
    """

    eid: str
    command: str
    source: str | None
    at: datetime
    attempt: int


Worker = Callable[..., Any]
WorkerFunction = TypeVar("WorkerFunction", bound=Worker)


def timeout_of(command: Command) -> float:
    """The seconds that a call of a command may take."""
    return TIMEOUT if command.timeout is None else command.timeout


class Registry:
    """The functions of one store, and the app that answers for every other route, if there is one."""

    def __init__(self, http: HttpWorkers | None) -> None:
        self.http = http
        self._lock = threading.Lock()
        self._functions: Mapping[str, tuple[Worker, bool]] = {}

    @staticmethod
    def of(base: str | None, secret: Secrets | None) -> Registry:
        """A registry with the app at a base URL, if one is given.  Raises StoreError for what is none."""
        if base is None and secret is not None:
            raise StoreError("`worker_secret` signs calls over HTTP: give the base URL of the app as `workers`, too")
        if base is None:
            return Registry(None)
        from .http import HttpWorkers

        return Registry(HttpWorkers(base, secret))

    @property
    def any(self) -> bool:
        """Whether anything can be run here at all."""
        return self.http is not None or bool(self._functions)

    def add(self, route: str, function: Worker) -> None:
        """Let a function do the work of a route.  Raises StoreError for what is no route, no function, or taken."""
        from wakeful_compiler.vocab.commands import WORKER_PATH

        if not isinstance(route, str) or not WORKER_PATH.fullmatch(route):
            raise StoreError(f'a route is what a command names as its `worker`, such as "/tick", not {shown(route)}')
        if not callable(function):
            raise StoreError(f"the worker of {route} is a function of (args, call), not {function!r}")
        takes = _takes_call(route, function)
        with self._lock:
            if route in self._functions:
                raise StoreError(f"{route} has a worker already: {self._functions[route][0]!r}")
            self._functions = {**self._functions, route: (function, takes)}

    def commands(self, plans: Plans, *, functions: bool = True) -> list[str]:
        """The commands that can be run here; without `functions`, those that go over HTTP."""
        own = self._functions
        return [
            name
            for name, command in plans.vocab.commands.items()
            if command.does == "worker" and (functions if command.template in own else self.http is not None)
        ]

    def function(self, claim: Claim) -> Callable[[float], dict[str, Any] | None] | None:
        """The function that runs a claim within so many seconds, or None where the call goes over HTTP.

        It answers with the value of the result, and raises :class:`~.answers.Failed`.
        """
        found = self._functions.get(claim.command.template)
        if found is None:
            return None
        function, takes_call = found
        call = Call(claim.eid, claim.command.name, claim.source, claim.at, claim.attempt)
        return lambda seconds: _run(function, (claim.args, call) if takes_call else (claim.args,), seconds)


def _takes_call(route: str, function: Worker) -> bool:
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    places = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    needed = sum(1 for parameter in places if parameter.default is parameter.empty)
    keywords = any(
        parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty for parameter in parameters
    )
    if not places or needed > 2 or keywords:
        raise StoreError(f"the worker of {route} is a function of (args, call) or of (args): {function!r} is neither")
    # A second parameter with a default may be anybody's own: `call` is given to one that is needed or called so.
    return needed == 2 or (len(places) > 1 and places[1].name == "call")


def _run(function: Worker, given: tuple[Any, ...], seconds: float) -> dict[str, Any] | None:
    answer = function(*given)
    if isinstance(answer, Awaitable):
        import asyncio

        answer = asyncio.run(_within(answer, seconds))
    return result_value(answer)


async def _within(answer: Awaitable[Any], seconds: float) -> Any:
    import asyncio

    waiting = asyncio.ensure_future(answer)
    done, _ = await asyncio.wait({waiting}, timeout=seconds)
    if not done:
        # What awaits can be stopped, where a plain function only goes unheard.
        waiting.cancel()
        await asyncio.wait({waiting}, timeout=seconds)
        raise late(seconds)
    return waiting.result()
