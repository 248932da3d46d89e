"""Balance: every operator even by itself, at the least loss of locality; then any gain that the balance allows.

METIS balances the sum over operators, the problem statement (section 3.1) each operator: a server may be full of
left keys and empty of right ones. Moves here are single keys, taken in the order of locality lost for load shed.
"""

from dataclasses import dataclass

import numpy as np

from penstock.planning.routing.graph import Floats, Ints, KeyGraph
from penstock.planning.routing.greedy import packed
from penstock.planning.routing.judging import loads

_HAIR = 1e-9
PASSES = 8  # of improvement; each that finds nothing ends it
_CHUNK = 20_000_000  # cells of the table of gains that are held at a time


def caps_of(graph: KeyGraph, servers: int, imbalance: float) -> Floats:
    """Rows that each server may get, by operator: `imbalance` times the mean, or what the most even packing
    that is quickly found needs where some keys are too heavy for that."""
    caps = np.zeros((len(graph.operators), servers))
    for number in range(len(graph.operators)):
        weight = graph.weight[graph.first[number] : graph.first[number + 1]]
        cap = imbalance * float(weight.sum()) / servers
        if len(weight) and float(weight.max()) > cap - float(weight.sum()) / servers:
            # Otherwise every key fits on some server that is below the mean, and no packing is needed to know it.
            cap = max(cap, float(np.bincount(packed(weight, servers), weights=weight, minlength=servers).max()))
        caps[number] = cap * (1 + _HAIR) + _HAIR
    return caps


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

    @classmethod
    def of(cls, graph: KeyGraph, part: Ints, caps: Floats, affinity: Floats | None) -> "_Work":
        part = part.copy()
        return cls(graph, part, caps, loads(graph, part, caps.shape[1]), affinity)

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
        operator = int(np.searchsorted(self.graph.first, vertex, side="right")) - 1
        weight, before = self.graph.weight[vertex], int(self.part[vertex])
        gains = self._gains(np.array([vertex]))[0]
        fits = self.load[operator] + weight <= self.caps[operator]
        fits[before] = not leave
        if not fits.any():
            return False
        # Among equals the emptiest, so that room is left for the next.
        found = np.lexsort((-self.load[operator][fits], gains[fits]))[-1]
        after = int(np.flatnonzero(fits)[found])
        if after == before or (not leave and gains[after] <= gains[before] + _HAIR):
            return False
        self.part[vertex] = after
        self.load[operator, before] -= weight
        self.load[operator, after] += weight
        return True

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
