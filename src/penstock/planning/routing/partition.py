"""Partitioning the graph of keys among servers, by method; racks are a second level above the servers."""

from collections.abc import Sequence

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.planning.routing.balance import balanced, caps_of, polished
from penstock.planning.routing.graph import KeyGraph, Neighbours
from penstock.planning.routing.greedy import greedy_part
from penstock.planning.routing.hashing import hashed_all
from penstock.planning.routing.judging import judge_part, rack_of
from penstock.planning.routing.metis import FEW_EDGES, FEWER_EDGES, metis_parts

POLISHED = 2  # of several partitions, so many are worth the time that exchanges take
IN_RACK_WORTH = 0.5  # a row that leaves its server but not its rack, against 1 for one that stays


def hash_partition(graph: KeyGraph, servers: int) -> Ints:
    """Every key where its hash says."""
    return np.array(hashed_all(graph.keys, servers), dtype=np.int64)


def greedy_partition(graph: KeyGraph, servers: int, imbalance: float) -> Ints:
    """Heaviest pairs first, brought within the bound."""
    caps = caps_of(graph, servers, imbalance)
    return balanced(graph, greedy_part(graph, caps), caps)


def metis_partition(graph: KeyGraph, servers: int, imbalance: float, lived: Ints | None = None) -> Ints:
    """The best of METIS's tries once each operator is even; in small graphs the greedy one competes.

    So does, where it is given, where the keys `lived` so far (-1: nowhere), made better: what was found well once is
    not lost because it is not found again.
    """
    caps = caps_of(graph, servers, imbalance)
    if servers == 1 or not len(graph.rows):
        return balanced(graph, np.zeros(len(graph.keys), dtype=np.int64), caps)
    starts = metis_parts(graph, np.ones(servers), imbalance)
    if len(graph.rows) > FEW_EDGES:
        return _best(graph, [balanced(graph, start, caps) for start in starts], servers)[0]
    starts.append(greedy_part(graph, caps))
    if lived is not None:
        starts.append(np.where(lived >= 0, lived, hash_partition(graph, servers)))
    best = _best(graph, [balanced(graph, start, caps) for start in starts], servers)
    if len(graph.rows) > FEWER_EDGES:
        return best[0]
    return _best(graph, [polished(graph, part, caps) for part in best[:POLISHED]], servers)[0]


def rack_partition(graph: KeyGraph, racks: Sequence[int], imbalance: float) -> Ints:
    """First among racks, then among each rack's servers; or servers first, and then which of them share a rack.

    Whichever keeps rows closer. Last, keys move where a row's way is shorter.
    """
    servers, affinity = sum(racks), rack_affinity(racks)
    caps = caps_of(graph, servers, imbalance)
    flat = metis_partition(graph, servers, imbalance)
    starts = [gathered_in_racks(graph, flat, racks)[flat]]
    if len(racks) > 1 and len(graph.rows):
        starts.append(_racks_first(graph, racks, caps, imbalance))
    parts = [balanced(graph, start, caps, affinity) for start in starts]
    return max(parts, key=lambda part: _worth(graph, part, affinity))


def _racks_first(graph: KeyGraph, racks: Sequence[int], caps: Floats, imbalance: float) -> Ints:
    shares = np.array(racks, dtype=np.float64)
    among_racks = balanced(graph, metis_parts(graph, shares, imbalance)[0], caps[:, :1] * shares)
    part = np.zeros(len(graph.keys), dtype=np.int64)
    first = 0
    for number, size in enumerate(racks):
        mine = np.flatnonzero(among_racks == number)
        part[mine] = first + _within(graph, mine, size, imbalance)
        first += size
    return part


def gathered_in_racks(graph: KeyGraph, part: Ints, racks: Sequence[int]) -> Ints:
    """New names for the servers, so that those which exchange most rows share a rack: heaviest exchange first."""
    servers = sum(racks)
    flow = np.zeros((servers, servers))
    np.add.at(flow, (part[graph.left], part[graph.right]), graph.rows)
    flow += flow.T
    np.fill_diagonal(flow, 0.0)
    names = np.zeros(servers, dtype=np.int64)
    waiting = list(range(servers))
    for size in racks:
        inside: list[int] = []
        for _ in range(size):
            joined = max(waiting, key=lambda one: (flow[one, inside].sum(), flow[one, waiting].max(), -one))
            names[joined] = servers - len(waiting)
            waiting.remove(joined)
            inside.append(joined)
    return names


def _worth(graph: KeyGraph, part: Ints, affinity: Floats) -> float:
    return float((affinity[part[graph.left], part[graph.right]] * graph.rows).sum())


def rack_affinity(racks: Sequence[int]) -> Floats:
    """What a row is worth by the servers it goes between."""
    rack = rack_of(racks)
    same_rack = rack[:, None] == rack[None, :]
    return np.where(np.eye(len(rack), dtype=bool), 1.0, np.where(same_rack, IN_RACK_WORTH, 0.0))


def _within(graph: KeyGraph, mine: Ints, servers: int, imbalance: float) -> Ints:
    """A rack's keys among its own servers, as if there were no others."""
    number = np.full(len(graph.keys), -1, dtype=np.int64)
    number[mine] = np.arange(len(mine))
    inside = (number[graph.left] >= 0) & (number[graph.right] >= 0)
    left, right, rows = number[graph.left[inside]], number[graph.right[inside]], graph.rows[inside]
    inner = KeyGraph(
        graph.operators,
        tuple(graph.keys[vertex] for vertex in mine.tolist()),
        np.searchsorted(mine, graph.first),
        graph.weight[mine],
        left,
        right,
        rows,
        Neighbours.of(left, right, rows, len(mine)),
    )
    return metis_partition(inner, servers, imbalance)


def _best(graph: KeyGraph, parts: list[Ints], servers: int) -> list[Ints]:
    """Best first: most local, then most even."""
    judged = [judge_part(graph, part, servers) for part in parts]
    order = sorted(range(len(parts)), key=lambda number: (-judged[number].locality, judged[number].imbalance, number))
    return [parts[number] for number in order]
