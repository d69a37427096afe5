"""The time bounds of a plan, worked out once per `now`."""

from __future__ import annotations

from datetime import datetime, tzinfo

from wakeful_grammar.problems import WakefulError

from .instants import BadInstant, as_instant
from .predicates import TimeBound


class NowNeeded(WakefulError):
    """An evaluation that depends on time was asked without a `now`, or with a naive one."""


class Bounds:
    """The instants of a plan's time bounds: call it with `now`, an aware datetime.

    `places` tells which of the instants is a bound's own.
    The last answer is kept, because one `now` rules a whole evaluation of many rows.
    """

    __slots__ = ("_last", "needed", "places", "zone")

    def __init__(self, needed: tuple[TimeBound, ...], zone: tzinfo) -> None:
        self.needed, self.zone = needed, zone
        self.places = {bound: place for place, bound in enumerate(needed)}
        self._last: tuple[datetime | None, tuple[datetime, ...]] = (None, ())

    def __call__(self, now: datetime | None) -> tuple[datetime, ...]:
        # One read of one attribute, so that two threads with two nows never see half an answer.
        last_now, last = self._last
        if now is last_now and now is not None:
            return last
        if now is None:
            raise NowNeeded("this query depends on the time: pass now=, an aware datetime")
        try:
            instant = as_instant(now)
        except BadInstant as error:
            raise NowNeeded(f"now {error}") from None
        except AttributeError:
            raise NowNeeded(f"now is an aware datetime, not {now!r}") from None
        answer = tuple(self._resolve(bound, instant) for bound in self.needed)
        self._last = (now, answer)
        return answer

    def _resolve(self, bound: TimeBound, now: datetime) -> datetime:
        if bound.operand is None or bound.edge == "now":
            return now
        start, end = bound.operand.edges(now, self.zone)
        return start if bound.edge == "start" else end
