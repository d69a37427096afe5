"""How fast this machine is just now: bounds on time are multiples of it, never seconds."""

from __future__ import annotations

from time import process_time


def yard() -> float:
    """CPU seconds of one fixed piece of plain Python, about 10 ms on a machine of 2023; the slowest of three."""
    return max(_once() for _ in range(3))


def _once() -> float:
    begun = process_time()
    total = 0
    for number in range(150_000):
        total += number * number % 7
    assert total
    return process_time() - begun
