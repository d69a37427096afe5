"""The three kinds of plan behind a schedule: elapsed time, a calendar in UTC, a calendar in a zone.

All answer the same questions about instants: the first one strictly after a moment, the last one before it.
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from typing import Protocol

from wakeful_grammar.node import node

from .calendar_plan import CalendarPlan
from .wall_pieces import LATEST, Piece, clamped, instant_of, pieces_of_year

_MOMENT = timedelta(microseconds=1)


class Plan(Protocol):
    """What a schedule asks of its plan; moments are in UTC, `anchor` concerns elapsed times only."""

    @property
    def never(self) -> bool:
        """True when no occurrence exists at all."""

    def after(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """The first occurrence strictly after `moment`; None when there is none before the year 10000."""

    def before(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """The last occurrence strictly before `moment`; None when there is none since the year 1."""

    def upto(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """The last occurrence at or before `moment`."""


@node
class ElapsedPlan:
    """`anchor + k * length` for k = 0, 1, 2 …; without an anchor the moment asked about is on the grid."""

    length: timedelta

    @property
    def never(self) -> bool:
        """See :class:`Plan`."""
        return False

    def after(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`; the anchor itself while it lies ahead."""
        if anchor is None:
            anchor = moment
        elif anchor > moment:
            return anchor
        # Integer arithmetic on microseconds, so that a phase holds for any number of steps.
        try:
            return anchor + self.length * ((moment - anchor) // self.length + 1)
        except OverflowError:
            return None

    def before(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`; nothing lies before an anchor."""
        if anchor is None:
            return instant_of(moment, self.length)
        if moment <= anchor:
            return None
        return anchor + self.length * (-((anchor - moment) // self.length) - 1)

    def upto(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`; without an anchor the moment itself."""
        if anchor is None or moment == anchor:
            return moment
        return None if moment < anchor else anchor + self.length * ((moment - anchor) // self.length)


@node
class UtcPlan:
    """A calendar in UTC, where wall times are instants."""

    calendar: CalendarPlan

    @property
    def never(self) -> bool:
        """See :class:`Plan`."""
        return self.calendar.never

    def after(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        return self.calendar.first_after(moment)

    def before(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        return self.calendar.last_before(moment)

    def upto(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        return self.calendar.last_upto(moment)


@node
class ZonedPlan:
    """A calendar in a zone: the least instant over the pieces of the zone's wall clock that can hold it."""

    calendar: CalendarPlan
    zone: str

    @property
    def never(self) -> bool:
        """See :class:`Plan`."""
        return self.calendar.never

    def after(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        best: datetime | None = None
        # Offsets stay within a day of UTC, so on the second of January no older wall time is still to come.
        year = moment.year
        if moment.month == 1 and moment.day < 3 and year > MINYEAR:
            year -= 1
        while True:
            for piece in pieces_of_year(self.zone, year):
                if piece.last <= moment:
                    continue
                if best is not None and piece.first >= best:
                    return best
                wall = self._first_in(piece, moment)
                if wall is None:
                    return best
                if wall < piece.end:
                    instant = instant_of(wall, piece.offset)
                    if instant is None:
                        return best
                    if instant < piece.later:
                        return instant if best is None or instant < best else best
                    if best is None or instant < best:
                        best = instant
                elif best is None and wall.year > year + 1:
                    # Nothing matches before that wall time; but the year before may end in a gap.
                    year = wall.year - 2
                    break
            year += 1
            if year > MAXYEAR:
                return best

    def _first_in(self, piece: Piece, moment: datetime) -> datetime | None:
        if piece.first > moment:
            return self.calendar.first_from(piece.start)
        return self.calendar.first_after(clamped(moment, piece.offset))

    def before(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        calendar = self.calendar
        best: datetime | None = None
        year = moment.year
        if moment.month == 12 and moment.day > 29 and year < MAXYEAR:
            year += 1
        while True:
            for piece in reversed(pieces_of_year(self.zone, year)):
                if piece.first >= moment:
                    continue
                if best is not None and piece.last <= best:
                    return best
                wall = (
                    calendar.last_before(piece.end) if piece.last < moment
                    else calendar.last_before(clamped(moment, piece.offset))
                )  # fmt: skip
                if wall is None:
                    return best
                if wall >= piece.start:
                    instant = instant_of(wall, piece.offset)
                    if instant is None:
                        return best
                    if instant >= piece.earlier:
                        return instant if best is None or instant > best else best
                    if best is None or instant > best:
                        best = instant
                elif best is None and wall.year < year - 1:
                    year = wall.year + 2
                    break
            year -= 1
            if year < MINYEAR:
                return best

    def upto(self, moment: datetime, anchor: datetime | None) -> datetime | None:
        """See :class:`Plan`."""
        if moment < LATEST:
            return self.before(moment + _MOMENT, anchor)
        return self.before(moment, anchor)
