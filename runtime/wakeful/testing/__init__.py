"""For tests: a clock that moves only when told to."""

from __future__ import annotations

from .clock import ManualClock

__all__ = ["ManualClock"]
