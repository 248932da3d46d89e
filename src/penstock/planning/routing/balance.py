"""Balance: every operator even by itself, at the least loss of locality; then any gain that the balance allows.

METIS balances the sum over operators, the problem statement (section 3.1) each operator: a server may be full of
left keys and empty of right ones. Moves here are single keys, taken in the order of locality lost for load shed.
"""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.planning.routing.graph import KeyGraph
from penstock.planning.routing.greedy import packed
from penstock.planning.routing.judging import loads

_HAIR = 1e-9
PASSES = 8  # of improvement; each that finds nothing ends it
POLISHES = 3  # rounds of exchanges and moves
SWAPS = 40  # exchanges in a pass
SWAPPED = 300  # keys that are looked at for one: those that gain most elsewhere
_CHUNK = 20_000_000  # cells of the table of gains that are held at a time


def caps_of(graph: KeyGraph, servers: int, imbalance: float) -> Floats:
    """Rows that each server may get, by operator: `imbalance` times the mean.

    Where an operator's keys are too heavy for that, all operators may have what the most even packing that is quickly
    found needs: a table is as uneven as its worst operator, so to be stricter with others would gain nothing.
    """
    mean = loads(graph, np.zeros(len(graph.keys), dtype=np.int64), servers).sum(axis=1) / servers
    factor = max([imbalance, *(_needed(graph, operator, servers, imbalance) for operator in range(len(mean)))])
    return np.repeat((factor * mean * (1 + _HAIR) + _HAIR)[:, None], servers, axis=1)


def _needed(graph: KeyGraph, operator: int, servers: int, imbalance: float) -> float:
    """The imbalance that this operator can be held to."""
    weight = graph.weight[graph.first[operator] : graph.first[operator + 1]]
    mean = float(weight.sum()) / servers
    if mean == 0 or float(weight.max()) <= (imbalance - 1) * mean:
        return imbalance  # every key fits on some server that is below the mean; no packing is needed to know it
    return float(np.bincount(packed(weight, servers), weights=weight, minlength=servers).max()) / mean


def polished(graph: KeyGraph, part: Ints, caps: Floats) -> Ints:
    """A balanced partition made better by exchanges of two keys of one operator, which need no room."""
    work = _Work.of(graph, part, caps)
    for _ in range(POLISHES):
        swapped = [work.swap(operator) for operator in range(len(graph.operators))]
        if not any(swapped) and not work.improve():
            break
    return work.part


def balanced(graph: KeyGraph, part: Ints, caps: Floats, affinity: Floats | None = None) -> Ints:
    """The partition within the caps, and no single key better placed elsewhere within them.

    `affinity[s, t]` is what a row is worth that goes from s to t, 1 on the diagonal; the identity by default.
    """
    work = _Work.of(graph, part, caps, affinity)
    for operator in range(len(graph.operators)):
        if not work.relieve(operator):
            work.repack(operator)
    for _ in range(PASSES):
        if not work.improve():
            break
    return work.part


@dataclass(slots=True)
class _Work:
    """A partition while keys are moved, with the loads that follow from it."""

    graph: KeyGraph
    part: Ints
    caps: Floats
    load: Floats
    affinity: Floats | None
    bounds: list[int]

    @classmethod
    def of(cls, graph: KeyGraph, part: Ints, caps: Floats, affinity: Floats | None = None) -> "_Work":
        part = part.copy()
        return cls(graph, part, caps, loads(graph, part, caps.shape[1]), affinity, graph.first.tolist())

    def relieve(self, operator: int) -> bool:
        """Move keys off servers above their cap; False when some key finds no room."""
        for server in np.argsort(-self.load[operator], kind="stable").tolist():
            while self.load[operator, server] > self.caps[operator, server]:
                if not self._shed(operator, server):
                    return False
        return True

    def _shed(self, operator: int, server: int) -> bool:
        low, high = int(self.graph.first[operator]), int(self.graph.first[operator + 1])
        here = low + np.flatnonzero((self.part[low:high] == server) & (self.graph.weight[low:high] > 0))
        gains = self._gains(here)
        fits = self.load[operator][None, :] + self.graph.weight[here][:, None] <= self.caps[operator][None, :]
        fits[:, server] = False
        best = np.where(fits, gains, -np.inf).max(axis=1, initial=-np.inf)
        excess = self.load[operator, server] - self.caps[operator, server]
        # A key heavier than needed sheds no more than the excess: the lightest sufficient one loses least.
        price = (gains[:, server] - best) / np.minimum(self.graph.weight[here], excess)
        moved = False
        for place in np.argsort(price, kind="stable").tolist():
            if price[place] == np.inf or self.load[operator, server] <= self.caps[operator, server]:
                break
            moved = self._move(int(here[place]), leave=True) or moved
        return moved

    def improve(self) -> bool:
        """Move single keys to where more of their rows stay, wherever there is room; whether any was found."""
        moved = False
        chunk = max(1, _CHUNK // self.caps.shape[1])
        for low in range(0, len(self.part), chunk):
            some = np.arange(low, min(low + chunk, len(self.part)))
            gains = self._gains(some)
            better = gains.max(axis=1) - gains[np.arange(len(some)), self.part[some]]
            for place in np.argsort(-better, kind="stable")[: int((better > _HAIR).sum())].tolist():
                moved = self._move(int(some[place]), leave=False) or moved
        return moved

    def swap(self, operator: int) -> bool:
        """Exchange pairs of keys, best first, until none gains; whether any was found."""
        low, high = int(self.graph.first[operator]), int(self.graph.first[operator + 1])
        swapped = False
        for _ in range(SWAPS):
            some = np.arange(low, high)
            gains = self._gains(some)
            better = gains - gains[np.arange(len(some)), self.part[some]][:, None]
            wish = np.argsort(-better.max(axis=1, initial=0.0), kind="stable")[:SWAPPED]
            found = self._best_swap(operator, some[wish], better[wish])
            if found is None:
                return swapped
            self._exchange(operator, *found)
            swapped = True
        return swapped

    def _best_swap(self, operator: int, some: Ints, better: Floats) -> tuple[int, int] | None:
        """The two of these keys that gain most by exchanging their servers within the caps."""
        at, weight = self.part[some], self.graph.weight[some]
        gain = better[:, at] + better[:, at].T
        more = weight[:, None] - weight[None, :]  # that the second key's server gets
        room = (self.caps[operator] - self.load[operator])[at]
        gain[(more > room[None, :]) | (-more > room[:, None])] = 0.0
        if not gain.size or gain.max() <= _HAIR:
            return None
        first, second = np.unravel_index(int(np.argmax(gain)), gain.shape)
        return int(some[first]), int(some[second])

    def _exchange(self, operator: int, first: int, second: int) -> None:
        more = self.graph.weight[first] - self.graph.weight[second]
        here, there = int(self.part[first]), int(self.part[second])
        self.part[first], self.part[second] = there, here
        self.load[operator, here] -= more
        self.load[operator, there] += more

    def _gains(self, vertices: Ints) -> Floats:
        """Rows that stay with each of these keys, by the server that it would be on."""
        servers, around = self.caps.shape[1], self.graph.around
        counts = around.starts[vertices + 1] - around.starts[vertices]
        owner = np.repeat(np.arange(len(vertices)), counts)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        edges = np.repeat(around.starts[vertices], counts) + offset
        flat = owner * servers + self.part[around.others[edges]]
        counted = np.bincount(flat, weights=around.rows[edges], minlength=len(vertices) * servers)
        gains: Floats = counted.astype(np.float64).reshape(len(vertices), servers)
        return gains if self.affinity is None else gains @ self.affinity

    def _move(self, vertex: int, leave: bool) -> bool:
        """Move a key to the best server with room; `leave`: wherever that is, else only for a gain."""
        operator = bisect_right(self.bounds, vertex) - 1
        weight, before = float(self.graph.weight[vertex]), int(self.part[vertex])
        gains, load = self._gain(vertex).tolist(), self.load[operator].tolist()
        caps = self.caps[operator].tolist()
        open_to = [s for s, rows in enumerate(load) if s != before and rows + weight <= caps[s]]
        if not open_to:
            return False
        after = max(open_to, key=lambda s: (gains[s], -load[s]))  # among equals the emptiest: room for the next
        if not leave and gains[after] <= gains[before] + _HAIR:
            return False
        self.part[vertex] = after
        self.load[operator, before] -= weight
        self.load[operator, after] += weight
        return True

    def _gain(self, vertex: int) -> Floats:
        """As `_gains`, for one key: most of the time goes here."""
        around = self.graph.around
        edges = slice(around.starts[vertex], around.starts[vertex + 1])
        counted = np.bincount(self.part[around.others[edges]], around.rows[edges], self.caps.shape[1])
        gains: Floats = counted.astype(np.float64)
        return gains if self.affinity is None else gains @ self.affinity

    def repack(self, operator: int) -> None:
        """Single moves found no way: take the even packing that the caps were made from, laid over the servers
        so that most rows stay."""
        low, high = int(self.graph.first[operator]), int(self.graph.first[operator + 1])
        servers = self.caps.shape[1]
        new = packed(self.graph.weight[low:high], servers)
        gains = self._gains(np.arange(low, high))
        stay = np.zeros((servers, servers))
        np.add.at(stay, new, gains)
        self.part[low:high] = best_match(stay)[new]
        self.load[operator] = np.bincount(self.part[low:high], weights=self.graph.weight[low:high], minlength=servers)


def best_match(worth: Floats) -> Ints:
    """For each row its column, each column once, so that the sum of `worth` is largest (the Hungarian method).

    >>> best_match(np.array([[5.0, 4.0], [4.0, 0.0]])).tolist()
    [1, 0]
    """
    size = len(worth)
    cost = worth.max(initial=0.0) - worth
    row_price, column_price = np.zeros(size + 1), np.zeros(size + 1)
    row_of = np.zeros(size + 1, dtype=np.int64)  # 1-based; 0: no row yet
    for row in range(1, size + 1):
        _match_one(row, cost, row_price, column_price, row_of)
    match = np.zeros(size, dtype=np.int64)
    match[row_of[1:] - 1] = np.arange(size)
    return match


def _match_one(row: int, cost: Floats, row_price: Floats, column_price: Floats, row_of: Ints) -> None:
    """Find the cheapest path of exchanges that gives one more row a column, and exchange along it."""
    size = len(cost)
    row_of[0], column = row, 0
    cheapest, before = np.full(size + 1, np.inf), np.zeros(size + 1, dtype=np.int64)
    used = np.zeros(size + 1, dtype=bool)
    while row_of[column] != 0:
        used[column] = True
        slack = cost[row_of[column] - 1] - row_price[row_of[column]] - column_price[1:]
        closer = ~used[1:] & (slack < cheapest[1:])
        cheapest[1:][closer], before[1:][closer] = slack[closer], column
        following = 1 + int(np.argmin(np.where(used[1:], np.inf, cheapest[1:])))
        step = cheapest[following]
        row_price[row_of[used]] += step
        column_price[used] -= step
        cheapest[~used] -= step
        column = following
    while column != 0:
        row_of[column], column = row_of[before[column]], int(before[column])
