"""`penstock.route`: pair counts in, routing table out. Correlated keys on one server, every operator balanced."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from penstock.core.arrays import Ints
from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import LeftKey, PairCounts, RightKey
from penstock.core.seen.routes import Links
from penstock.core.units import is_number
from penstock.errors import ConfigError
from penstock.planning.routing.graph import KeyGraph, graph_of, graph_of_links
from penstock.planning.routing.judging import judge_part
from penstock.planning.routing.methods import METHODS
from penstock.planning.routing.partition import greedy_partition, hash_partition, metis_partition, rack_partition
from penstock.planning.routing.relabel import relabelled, relabelled_in_racks
from penstock.planning.routing_settings import IMBALANCE

_LOOSEST = 1e6  # an imbalance that says nothing any more; METIS takes thousandths of it in 32 bits
_MOST_SERVERS = 100_000
_MOST_IN_RACKS = 1000  # servers: what each two of them exchange is looked at, and 100,000 of them take 80 GB
_METHODS: Mapping[str, Callable[[KeyGraph, int, float], Ints]] = {
    "metis": metis_partition,
    "greedy": greedy_partition,
    "hash": lambda graph, servers, imbalance: hash_partition(graph, servers),
}


def route(
    pairs: Mapping[tuple[LeftKey, RightKey], float] | PairCounts,
    servers: int,
    imbalance: float = IMBALANCE,
    method: str = "metis",
    *,
    before: RoutingTable | None = None,
    racks: Sequence[int] | None = None,
) -> RoutingTable:
    """Which server holds which key of two consecutive stateful operators.

    `pairs` holds rows by (left key, right key). No server gets more than `imbalance` times the mean rows of an
    operator, where keys are light enough for that. With `before`, servers are named so that most keys stay where
    that table has them. `racks` holds the number of servers in each rack.

    >>> table = route({("Asia", "#java"): 3463, ("Asia", "#ruby"): 180, ("Oceania", "#python"): 3700}, servers=2)
    >>> table.left["Asia"] == table.right["#java"], table.locality > 0.95, round(table.imbalance, 2)
    (True, True, 1.01)
    """
    counts = pairs if isinstance(pairs, PairCounts) else PairCounts.exact(pairs)
    return _routed(graph_of(counts), servers, imbalance, method, before, racks)


def route_links(
    links: Links,
    servers: int,
    imbalance: float = IMBALANCE,
    method: str = "metis",
    *,
    before: RoutingTable | None = None,
    racks: Sequence[int] | None = None,
) -> RoutingTable:
    """The same for a chain or DAG of stateful operators: `links` holds the counts by (operator, next operator).

    >>> hop = PairCounts.exact({(1, 1): 10, (2, 2): 10})
    >>> table = route_links({("region", "tag"): hop, ("tag", "user"): hop}, servers=2)
    >>> table.operators, table.locality
    (('region', 'tag', 'user'), 1.0)
    """
    return _routed(graph_of_links(links), servers, imbalance, method, before, racks)


def _routed(
    graph: KeyGraph,
    servers: int,
    imbalance: float,
    method: str,
    before: RoutingTable | None,
    racks: Sequence[int] | None,
) -> RoutingTable:
    _check(servers, imbalance, method, racks)
    imbalance = min(imbalance, _LOOSEST)
    lived = None if before is None else _lived(graph, before, servers)
    if racks is not None and method == "metis":
        part = rack_partition(graph, racks, imbalance)
    elif method == "metis":
        part = metis_partition(graph, servers, imbalance, lived)
    else:
        part = _METHODS[method](graph, servers, imbalance)
    if lived is not None and method != "hash":
        part = relabelled(part, lived, servers) if racks is None else relabelled_in_racks(part, lived, racks)
    return table_of(graph, part, servers)


def table_of(graph: KeyGraph, part: Ints, servers: int) -> RoutingTable:
    """The assignment as a table, judged on the counts it was made from."""
    judged = judge_part(graph, part, servers)
    return RoutingTable(servers, graph.table(part), judged.locality, judged.imbalance)


def _lived(graph: KeyGraph, before: RoutingTable, servers: int) -> Ints:
    """Where the keys live; -1 for those that were not listed or whose server is gone."""
    part = graph.part(before.keys)
    return np.where(part < servers, part, -1)


def _check(servers: int, imbalance: float, method: str, racks: Sequence[int] | None) -> None:
    if isinstance(servers, bool) or not isinstance(servers, int) or servers < 1:
        raise ConfigError("servers", servers, "write a whole number of one or more")
    if servers > _MOST_SERVERS:
        raise ConfigError("servers", servers, f"write {_MOST_SERVERS:,} or less; no cluster has more")
    if not is_number(imbalance) or not 1 <= imbalance < float("inf"):
        raise ConfigError("imbalance", imbalance, "write 1 (perfectly even) or more; 1.03 allows 3 % above the mean")
    if method not in METHODS:
        raise ConfigError("method", method, f"choose one of {', '.join(METHODS)}")
    if racks is not None and (sum(racks) != servers or any(size < 1 for size in racks)):
        raise ConfigError("racks", list(racks), f"write how many servers each rack has, {servers} in all")
    if racks is not None and servers > _MOST_IN_RACKS:
        raise ConfigError("servers", servers, f"write {_MOST_IN_RACKS:,} or less with racks, or leave these out")
