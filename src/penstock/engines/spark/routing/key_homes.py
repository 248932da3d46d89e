"""Where the keys of routed operators live, for people: the table, the newest pairs and the executors put together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.key_placement import KeyPlacement, KeysInPartition
from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import Links
from penstock.engines.spark.routing.placement import operator_rows
from penstock.engines.spark.watch.key_texts import key_text
from penstock.engines.spark.watch.machines import Executor


def key_placements(
    table: RoutingTable, operators: Sequence[str], pairs: Links, homes: Mapping[int, Executor]
) -> tuple[KeyPlacement, ...]:
    """One for each operator, in the order in which rows pass them; `homes` holds the executors of partitions.

    `pairs` are those of the newest window, by (operator, next operator).
    """
    before = {after: operator for operator, after in pairwise(operators)}
    return tuple(
        KeyPlacement.of(
            operator,
            _partitions(table, operator, operator_rows(table, operator, pairs), homes),
            _local_share(table, (before[operator], operator), pairs, homes) if operator in before else None,
            table.version,
        )
        for operator in operators
    )


def _partitions(
    table: RoutingTable, operator: str, found: Sequence[float] | None, homes: Mapping[int, Executor]
) -> list[KeysInPartition]:
    keys = Counter(table.keys.get(operator, {}).values())
    total = 0.0 if found is None else sum(found)
    return [
        KeysInPartition(
            partition,
            homes[partition].id if partition in homes else None,
            homes[partition].host if partition in homes else None,
            keys[partition],
            found[partition] / total if found is not None and total > 0 else None,
        )
        for partition in range(table.servers)
    ]


def _local_share(
    table: RoutingTable, link: tuple[str, str], pairs: Links, homes: Mapping[int, Executor]
) -> float | None:
    """The share of rows that stay on their machine between two operators, by what the table says of their keys.

    A key that it does not list may be in any partition, with equal chance.
    """
    counts = pairs.get(link)
    if counts is None or counts.rows <= 0 or len(homes) < table.servers:
        return None
    machines = [homes[partition].host for partition in range(table.servers)]
    chance = {host: count / table.servers for host, count in Counter(machines).items()}
    return _stay(table, link, counts, machines, chance) / counts.rows


def _stay(
    table: RoutingTable, link: tuple[str, str], counts: PairCounts, machines: Sequence[str], chance: Mapping[str, float]
) -> float:
    by_luck = sum(share * share for share in chance.values())
    lefts, rights = (
        {key_text(key): machines[server] for key, server in table.keys.get(operator, {}).items()} for operator in link
    )
    stay = (counts.rows - counts.listed_rows) * by_luck
    for (left, right), rows in counts.pairs.items():
        here, there = lefts.get(key_text(left)), rights.get(key_text(right))
        if here is not None and there is not None:
            stay += rows if here == there else 0.0
        else:
            known = here or there
            stay += rows * (by_luck if known is None else chance[known])
    return stay
