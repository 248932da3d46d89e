"""The next table from the one in force: keys stay, new ones join their partners, and who carried too much gets less.

A table made anew from time to time is even on what was counted, not on what comes: people come in bursts, and new keys
are somewhere until the next table. Renewed often, a server that carried more than its part since is to get as much
less, and so is even over the time that the statistics remember.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.routes import Links
from penstock.planning.routing.balance import balanced, caps_of
from penstock.planning.routing.graph import KeyGraph, graph_of_links
from penstock.planning.routing.hashing import hashed
from penstock.planning.routing.judging import judge_part, loads
from penstock.planning.routing_settings import IMBALANCE

GIVEN_BACK = 3.0  # times an excess, at the most: it is made up for within a third of what the statistics remember
_NARROWEST, _WIDEST = 0.3, 1.5  # of the mean: what a server's cap may come to


def given_back(newest: Links, basis: Links) -> float:
    """How many times an excess to deduct: rarely renewed, a table would else give back more than there was.

    With windows as long as the half-life, twice a window's rows are remembered; then it is once.

    >>> from penstock.core.seen.pairs import PairCounts
    >>> hour, day = ({("left", "right"): PairCounts({}, rows)} for rows in (200.0, 7000.0))
    >>> given_back(hour, day), given_back(day, {("left", "right"): PairCounts({}, 14000.0)})
    (3.0, 1.0)
    """
    window, remembered = (sum(pairs.rows for pairs in links.values()) for links in (newest, basis))
    return min(GIVEN_BACK, 0.5 * remembered / window) if window > 0 else 0.0


def renewed(
    links: Links,
    before: RoutingTable,
    carried: Mapping[str, Sequence[float]] | None = None,
    imbalance: float = IMBALANCE,
    back: float = 1.0,
) -> RoutingTable:
    """A table for these pairs that leaves keys where `before` has them, as far as balance allows and nothing gains.

    `carried` holds the rows that each server got of late, by operator; an excess is deducted `back` times from what it
    may get.

    >>> from penstock.core.seen.pairs import PairCounts
    >>> old = RoutingTable(2, {"left": {"Asia": 1}, "right": {"#java": 1}})
    >>> pairs = PairCounts.exact({("Asia", "#java"): 5, ("Asia", "#new"): 1, ("Oceania", "#go"): 6})
    >>> table = renewed({("left", "right"): pairs}, old)
    >>> table.left, table.right
    ({'Asia': 1, 'Oceania': 0}, {'#go': 0, '#java': 1, '#new': 1})
    """
    graph, servers = graph_of_links(links), before.servers
    caps = _deducted(graph, caps_of(graph, servers, imbalance), carried or {}, back)
    part = balanced(graph, _joined(graph, graph.part(before.keys), caps), caps)
    judged = judge_part(graph, part, servers)
    return RoutingTable(servers, graph.table(part), judged.locality, judged.imbalance)


def _deducted(graph: KeyGraph, caps: Floats, carried: Mapping[str, Sequence[float]], back: float) -> Floats:
    """Caps that are narrower where more was carried than elsewhere, and wider where it was less."""
    result, servers = caps.copy(), caps.shape[1]
    total = loads(graph, np.zeros(len(graph.keys), dtype=np.int64), servers).sum(axis=1)
    for operator, name in enumerate(graph.operators):
        rows = np.array(carried.get(name, ()), dtype=np.float64)
        if len(rows) == servers and rows.sum() > 0 and total[operator] > 0:
            excess = (rows / rows.sum() - 1 / servers) * total[operator]
            mean = total[operator] / servers
            narrowed = np.clip(caps[operator] - back * excess, _NARROWEST * mean, _WIDEST * mean)
            result[operator] = narrowed * max(1.0, float(caps[operator].sum() / narrowed.sum()))
    return result


def _joined(graph: KeyGraph, part: Ints, caps: Floats) -> Ints:
    """Every new key, heaviest first, where most of its rows stay, if there is room; else on the emptier of two."""
    part, known = part.copy(), part >= 0
    room = caps.copy()
    operator_of = graph.operator_of
    np.subtract.at(room, (operator_of[known], part[known]), graph.weight[known])
    new = np.flatnonzero(~known)
    for vertex in new[np.argsort(-graph.weight[new], kind="stable")].tolist():
        here = room[operator_of[vertex]]
        part[vertex] = _server_for(graph, vertex, part, here)
        here[part[vertex]] -= graph.weight[vertex]
    return part


def _server_for(graph: KeyGraph, vertex: int, part: Ints, room: Floats) -> int:
    edges = slice(graph.around.starts[vertex], graph.around.starts[vertex + 1])
    partners = part[graph.around.others[edges]]
    placed_ones = partners >= 0
    gains = np.bincount(partners[placed_ones], graph.around.rows[edges][placed_ones], len(room))
    gains[room < graph.weight[vertex]] = 0.0
    if gains.max() > 0:
        return int(gains.argmax())
    key = graph.keys[vertex]
    return max(hashed(key, len(room)), hashed(("or", repr(key)), len(room)), key=lambda server: float(room[server]))
