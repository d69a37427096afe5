"""The one fixed order of the state rules (the design's section 4, "Order").

Three relations say which of two rules goes first, each yielding to those above it: one enables the other; one
names the other in `before`; one writes what the other reads, unless the two lie in one circle of all three.
Where nothing is left to say, the least name goes next.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import Arrows, circles_of


def followers_of(enables: Arrows, before: Arrows, feeds: Arrows) -> list[set[int]]:
    """For each rule, the rules that one of the relations that count puts after it."""
    count = len(enables)
    together = [{*enables[node], *before[node], *feeds[node]} for node in range(count)]
    circle = circles_of(together)
    return [
        {*enables[node], *before[node], *(other for other in feeds[node] if circle[other] != circle[node])}
        for node in range(count)
    ]


def arrange(names: Sequence[str], enables: Arrows, before: Arrows, feeds: Arrows) -> list[int]:
    """The positions of the rules in the order in which they run.

    `enables` and `before` together should have no circle; where they have one, which is a problem reported
    elsewhere, the least name of those that wait goes first.
    """
    count = len(names)
    if count < 2:
        return list(range(count))
    from heapq import heapify, heappop, heappush

    followers = followers_of(enables, before, feeds)
    waits_for = [0] * count
    for node in range(count):
        for other in followers[node]:
            waits_for[other] += 1
    ready = [(names[node], node) for node in range(count) if not waits_for[node]]
    heapify(ready)
    blocked = sorted(range(count), key=lambda node: names[node])
    placed = [False] * count
    order: list[int] = []
    while len(order) < count:
        if not ready:
            ready.append(next((names[node], node) for node in blocked if not placed[node]))
        _, node = heappop(ready)
        if placed[node]:
            continue
        placed[node] = True
        order.append(node)
        for other in followers[node]:
            waits_for[other] -= 1
            if not waits_for[other] and not placed[other]:
                heappush(ready, (names[other], other))
    return order
