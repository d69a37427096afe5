"""Directed graphs over small integers: circles, and ways through them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

Arrows = Sequence[Collection[int]]
"""For each node, the nodes its arrows lead to."""


def circles_of(arrows: Arrows) -> list[int]:
    """For each node, the number of its strongly connected component (Tarjan's, without recursion)."""
    count = len(arrows)
    index, low, component = [-1] * count, [0] * count, [-1] * count
    visited, numbered = 0, 0
    open_nodes: list[int] = []
    for root in range(count):
        if index[root] >= 0:
            continue
        index[root] = low[root] = visited
        visited += 1
        open_nodes.append(root)
        work = [(root, iter(arrows[root]))]
        while work:
            node, ahead = work[-1]
            for following in ahead:
                if index[following] < 0:
                    index[following] = low[following] = visited
                    visited += 1
                    open_nodes.append(following)
                    work.append((following, iter(arrows[following])))
                    break
                if component[following] < 0:
                    low[node] = min(low[node], index[following])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    while True:
                        member = open_nodes.pop()
                        component[member] = numbered
                        if member == node:
                            break
                    numbered += 1
    return component


def members_of(components: Sequence[int]) -> dict[int, list[int]]:
    """The nodes of each component, ascending."""
    members: dict[int, list[int]] = {}
    for node, component in enumerate(components):
        members.setdefault(component, []).append(node)
    return members


def shortest_circle(arrows: Arrows, start: int) -> list[int]:
    """The nodes of a shortest way from `start` back to itself, `start` first; of equals, by the lesser nodes.

    Empty where there is no way back.
    """
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for following in sorted(arrows[node]):
            if following == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if following not in came_from:
                came_from[following] = node
                waiting.append(following)
    return []


def longest_ways(arrows: Arrows) -> list[list[int]]:
    """For each set of nodes that arrows hold together, a longest way through it; the graph has no circle.

    Nodes without an arrow make no set.
    """
    count = len(arrows)
    best: list[list[int]] = [[] for _ in range(count)]
    joined = list(range(count))

    def root(node: int) -> int:
        while joined[node] != node:
            joined[node] = joined[joined[node]]
            node = joined[node]
        return node

    for node in _followers_first(arrows):
        for following in arrows[node]:
            joined[root(following)] = root(node)
        best[node] = [node, *max((best[following] for following in arrows[node]), key=len, default=[])]
    found: dict[int, list[int]] = {}
    for node in range(count):
        if len(best[node]) > len(found.get(root(node), [0])):
            found[root(node)] = best[node]
    return sorted(found.values())


def _followers_first(arrows: Arrows) -> list[int]:
    """The nodes, each after all that its arrows lead to."""
    done: list[int] = []
    seen: set[int] = set()
    for start in range(len(arrows)):
        if start in seen:
            continue
        seen.add(start)
        work = [(start, iter(arrows[start]))]
        while work:
            node, ahead = work[-1]
            for following in ahead:
                if following not in seen:
                    seen.add(following)
                    work.append((following, iter(arrows[following])))
                    break
            else:
                work.pop()
                done.append(node)
    return done
