"""Judging a table on pair counts: the share of rows it keeps on one server, and how evenly it spreads them.

On the counts a table was made from this is its promise; on newer ones, what became of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.core.known.routing_table import RoutingTable
from penstock.planning.routing.graph import KeyGraph
from penstock.planning.routing.hashing import Fallback, by_chance


@dataclass(frozen=True, slots=True)
class Judgement:
    """`locality`: share of the rows that stay on their server between two operators; `rack_locality`: that stay
    in their rack; `imbalance`: the busiest server's rows over the mean, of the operator where that is worst."""

    locality: float
    imbalance: float
    rack_locality: float | None = None


def judge(
    table: RoutingTable,
    graph: KeyGraph,
    fallback: Fallback = by_chance,
    racks: Sequence[int] | None = None,
) -> Judgement:
    """The table on these counts; keys that it does not list go where `fallback(operator, key, servers)` says."""
    return judge_part(graph, placed(table, graph, fallback), table.servers, racks)


def placed(table: RoutingTable, graph: KeyGraph, fallback: Fallback = by_chance) -> Ints:
    """The server of every vertex under the table."""
    part = graph.part(table.keys)
    operator_of = graph.operator_of
    for vertex in np.flatnonzero(part < 0).tolist():
        part[vertex] = fallback(graph.operators[operator_of[vertex]], graph.keys[vertex], table.servers)
    return part


def judge_part(graph: KeyGraph, part: Ints, servers: int, racks: Sequence[int] | None = None) -> Judgement:
    """The same for an assignment of vertices."""
    total = float(graph.rows.sum())
    local = part[graph.left] == part[graph.right]
    in_rack = None
    if racks is not None:
        rack = rack_of(racks)
        in_rack = _share(graph, rack[part[graph.left]] == rack[part[graph.right]], total)
    means = loads(graph, part, servers)
    worst = max((float(load.max() / load.mean()) for load in means if load.sum() > 0), default=1.0)
    return Judgement(_share(graph, local, total), worst, in_rack)


def loads(graph: KeyGraph, part: Ints, servers: int) -> Floats:
    """Rows by operator and server."""
    count = len(graph.operators)
    flat = np.bincount(graph.operator_of * servers + part, weights=graph.weight, minlength=count * servers)
    return flat.astype(np.float64).reshape(count, servers)  # without a vertex, bincount counts in whole numbers


def rack_of(racks: Sequence[int]) -> Ints:
    """The rack of each server, from the number of servers in each rack.

    >>> rack_of([2, 3]).tolist()
    [0, 0, 1, 1, 1]
    """
    return np.repeat(np.arange(len(racks)), racks)


def _share(graph: KeyGraph, kept: np.ndarray[tuple[int], np.dtype[np.bool_]], total: float) -> float:
    return float(graph.rows[kept].sum()) / total if total > 0 else 0.0
