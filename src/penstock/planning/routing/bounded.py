"""A bound on what may move: of a better table, the part that is worth most for the keys, or state, that it moves.

Keys move one after the other, the one that now gains most for its price first, even at a loss: partners follow, and
what one of them loses alone both win together. In the end the moves up to the best point are kept (the idea of
Fiduccia and Mattheyses' refinement).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.planning.routing.graph import KeyGraph
from penstock.planning.routing.hashing import Fallback, by_chance
from penstock.planning.routing.judging import loads, placed
from penstock.planning.routing.route import table_of

StateBytes = Mapping[str, Mapping[Key, float]]  # bytes by operator and key


def within_moves(
    graph: KeyGraph,
    before: RoutingTable,
    wanted: RoutingTable,
    most: float,
    state: StateBytes | None = None,
    fallback: Fallback = by_chance,
) -> RoutingTable:
    """As much of `wanted` as `most` keys may move for, or `most` bytes where `state` tells what keys hold.

    Counted are keys that really change servers, by the hash where a table does not list them. Imbalance may stay
    what it was under `before`, never grow beyond the larger of both tables'.
    """
    old, new = placed(before, graph, fallback), placed(wanted, graph, fallback)
    old = np.where(old < wanted.servers, old, new)  # who lives on a server that is gone must move in any case
    moving = np.flatnonzero(old != new)
    cost = _cost(graph, state)
    if float(cost[moving].sum()) <= most:
        return table_of(graph, new, wanted.servers)
    caps = np.maximum(*(loads(graph, part, wanted.servers).max(axis=1) for part in (old, new)))
    work = _Walk(graph, old.copy(), new, cost, caps + 1e-9, loads(graph, old, wanted.servers))
    return table_of(graph, work.walked(moving, most), wanted.servers)


@dataclass(slots=True)
class _Walk:
    """The assignment on its way to the wanted one."""

    graph: KeyGraph
    part: Ints
    new: Ints
    cost: Floats
    caps: Floats
    load: Floats

    def walked(self, moving: Ints, left: float) -> Ints:
        """Move keys while they can be paid for; then undo what came after the best point."""
        gains = {vertex: self._gain(vertex) for vertex in moving.tolist()}
        heap = [self._entry(vertex, gain) for vertex, gain in gains.items()]
        heapify(heap)
        taken: list[tuple[int, int]] = []
        total = best = 0.0
        best_length = 0
        while heap:
            entry = heappop(heap)
            vertex = entry[1]
            stale = vertex not in gains or entry != self._entry(vertex, gains[vertex])
            if stale or self.cost[vertex] > left or not self._fits(vertex):
                continue
            total, left = total + gains.pop(vertex), left - float(self.cost[vertex])
            taken.append((vertex, int(self.part[vertex])))
            for other, gain in self._moved(vertex, gains):
                gains[other] += gain
                heappush(heap, self._entry(other, gains[other]))
            if total > best:
                best, best_length = total, len(taken)
        for vertex, before in reversed(taken[best_length:]):
            self.part[vertex] = before
        return self.part

    def _entry(self, vertex: int, gain: float) -> tuple[float, int]:
        return -gain / max(float(self.cost[vertex]), 1e-9), vertex

    def _fits(self, vertex: int) -> bool:
        operator = int(np.searchsorted(self.graph.first, vertex, side="right")) - 1
        return bool(self.load[operator, self.new[vertex]] + self.graph.weight[vertex] <= self.caps[operator])

    def _gain(self, vertex: int) -> float:
        """Rows more that stay on their server if this key alone moves now."""
        others, rows = self._around(vertex)
        here = self.part[others]
        return float(rows[here == self.new[vertex]].sum() - rows[here == self.part[vertex]].sum())

    def _moved(self, vertex: int, waiting: Mapping[int, float]) -> list[tuple[int, float]]:
        """Move the key; what its partners that still wait gain or lose by it."""
        operator = int(np.searchsorted(self.graph.first, vertex, side="right")) - 1
        before, after = int(self.part[vertex]), int(self.new[vertex])
        self.part[vertex] = after
        self.load[operator, before] -= self.graph.weight[vertex]
        self.load[operator, after] += self.graph.weight[vertex]
        others, rows = self._around(vertex)
        to, at = self.new[others], self.part[others]
        gains = rows * ((to == after).astype(int) - (to == before) - (at == after) + (at == before))
        return [(one, gain) for one, gain in zip(others.tolist(), gains.tolist(), strict=True) if one in waiting]

    def _around(self, vertex: int) -> tuple[Ints, Floats]:
        around = self.graph.around
        edges = slice(around.starts[vertex], around.starts[vertex + 1])
        return around.others[edges], around.rows[edges]


def _cost(graph: KeyGraph, state: StateBytes | None) -> Floats:
    if state is None:
        return np.ones(len(graph.keys))
    bounds = graph.first.tolist()
    held = [
        float(state.get(name, {}).get(key, 0.0))
        for name, low, high in zip(graph.operators, bounds, bounds[1:], strict=False)
        for key in graph.keys[low:high]
    ]
    return np.array(held)
