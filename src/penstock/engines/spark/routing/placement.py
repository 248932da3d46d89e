"""Which executor holds which state partition: as it was where possible, even in load, the same for every operator.

A pure function, so that what happens when an executor is lost or one joins can be read off a table.
"""

from collections.abc import Mapping, Sequence

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.core.seen.routes import Links
from penstock.engines.spark.watch.key_texts import key_text

_EVEN_WITHIN = 1.10  # of the mean; moving a partition costs loading its state, so a little unevenness stays


def assign(loads: Sequence[float], executors: Sequence[str], before: Mapping[int, str]) -> dict[int, str]:
    """An executor for every partition, whose rows are `loads`; heavy ones first, each to the emptiest.

    Partitions stay on an executor that lives until it holds more than its even share.

    >>> assign([8, 1, 1, 1], ["a", "b"], {})
    {0: 'a', 1: 'b', 2: 'b', 3: 'b'}
    >>> assign([1, 1, 1, 1], ["a", "b"], {0: "a", 1: "gone", 2: "b", 3: "gone"})
    {0: 'a', 1: 'a', 2: 'b', 3: 'b'}
    """
    names = sorted(executors)
    if not names:
        return {}
    weights = [max(0.0, load) for load in loads]
    if not any(weights):
        weights = [1.0] * len(weights)
    placed = _placed(weights, names, before)
    stays = {partition: before[partition] for partition in placed if before.get(partition) in names}
    # Moving for the sake of a few per cent would go on round after round.
    if len(stays) == len(placed) and _peak(weights, stays) <= _EVEN_WITHIN * _peak(weights, placed):
        return stays
    return placed


def partition_rows(table: RoutingTable, pairs: Links) -> tuple[float, ...]:
    """Rows by partition, of all operators whose keys were counted; what no table lists is spread evenly.

    >>> from penstock.core.seen.pairs import PairCounts
    >>> pairs = PairCounts.exact({("Asia", "#java"): 6, ("Oceania", "#ruby"): 2})
    >>> partition_rows(RoutingTable(2, {"left": {"Asia": 0}, "right": {"#java": 1}}), {("left", "right"): pairs})
    (8.0, 8.0)
    """
    found = [
        operator_rows(table, operator, pairs) for operator in dict.fromkeys(name for link in pairs for name in link)
    ]
    return tuple(sum(rows) for rows in zip(*(rows for rows in found if rows is not None), strict=True))


def operator_rows(
    table: RoutingTable, operator: str, pairs: Links, unlisted: Mapping[Key, int] | None = None
) -> list[float] | None:
    """Rows by partition of one operator; None where nobody counted its keys. `unlisted` has the places of keys that
    the table does not list: what it does not tell of either is spread evenly."""
    counted = _rows_of(operator, pairs)
    if counted is None:
        return None
    counts, left_over = counted
    rows = [0.0] * table.servers
    listed = {key_text(key): server for key, server in table.keys.get(operator, {}).items()}
    for key, count in counts.items():
        server = listed.get(key_text(key), (unlisted or {}).get(key))
        if server is not None:
            rows[server] += count
            left_over -= count
    return [row + left_over / table.servers for row in rows]


def _rows_of(operator: str, pairs: Links) -> tuple[Mapping[Key, float], float] | None:
    """Rows by key, and all rows."""
    for (a, b), counts in pairs.items():
        if operator in (a, b):
            return counts.left() if operator == a else counts.right(), counts.rows
    return None


def _placed(weights: Sequence[float], names: Sequence[str], before: Mapping[int, str]) -> dict[int, str]:
    held = dict.fromkeys(names, 0.0)
    found = _kept(weights, names, before, held)
    for partition in _heaviest_first(weights):
        if partition not in found:
            emptiest = min(names, key=lambda name: (held[name], name))
            found[partition] = emptiest
            held[emptiest] += weights[partition]
    return dict(sorted(found.items()))


def _kept(
    weights: Sequence[float], names: Sequence[str], before: Mapping[int, str], held: dict[str, float]
) -> dict[int, str]:
    """The partitions that stay, heaviest first, up to an even share of each executor; `held` is filled."""
    even = sum(weights) / len(names)
    most = len(weights) // len(names) + (1 if len(weights) % len(names) else 0)
    found: dict[int, str] = {}
    for partition in _heaviest_first(weights):
        home = before.get(partition)
        if home not in held:
            continue
        alone = held[home] == 0.0
        fits = held[home] + weights[partition] <= even * _EVEN_WITHIN
        few = sum(1 for name in found.values() if name == home) < most
        if alone or (fits and few):
            found[partition] = home
            held[home] += weights[partition]
    return found


def _peak(weights: Sequence[float], placed: Mapping[int, str]) -> float:
    held: dict[str, float] = {}
    for partition, home in placed.items():
        held[home] = held.get(home, 0.0) + weights[partition]
    return max(held.values())


def _heaviest_first(weights: Sequence[float]) -> list[int]:
    return sorted(range(len(weights)), key=lambda partition: (-weights[partition], partition))
