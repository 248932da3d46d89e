"""Greedy placement: heaviest pair first, both keys where there is room; no library, no global view."""

from heapq import heapreplace

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.planning.routing.graph import KeyGraph


def greedy_part(graph: KeyGraph, caps: Floats) -> Ints:
    """Every key next to its heaviest partner that was placed before it, while the server has room for it.

    `caps` holds, by operator and server, the rows that it may get. A key for which no server has room goes to
    the one with most room.
    """
    part = np.full(len(graph.keys), -1, dtype=np.int64)
    room = caps.copy()
    operator_of, weight = graph.operator_of.tolist(), graph.weight.tolist()
    for edge in np.argsort(-graph.rows, kind="stable").tolist():
        ends = int(graph.left[edge]), int(graph.right[edge])
        for vertex, other in (ends, ends[::-1]):
            if part[vertex] < 0:
                operator = operator_of[vertex]
                part[vertex] = _server(room[operator], int(part[other]), weight[vertex])
                room[operator, part[vertex]] -= weight[vertex]
    return part


def packed(weight: Floats, servers: int) -> Ints:
    """Heaviest first, each to the emptiest server: as even as can be had quickly, whatever meets."""
    order = np.argsort(-weight, kind="stable")
    emptiest = [(0.0, server) for server in range(servers)]
    chosen = []
    for rows in weight[order].tolist():
        load, server = emptiest[0]
        chosen.append(server)
        heapreplace(emptiest, (load + rows, server))
    part = np.empty(len(weight), dtype=np.int64)
    part[order] = chosen
    return part


def _server(room: Floats, partner: int, weight: float) -> int:
    if partner >= 0 and room[partner] >= weight:
        return partner
    return int(np.argmax(room))
