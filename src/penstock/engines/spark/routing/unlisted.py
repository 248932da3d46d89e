"""Where Spark puts keys that no table lists: worked out for all keys of the statistics, by Spark's own hash."""

from collections.abc import Iterable, Mapping, Sequence

from penstock.core.seen.pairs import Key
from penstock.core.seen.routes import Links
from penstock.engines.spark.routing.murmur import ColumnType, hash_keys, partitions_of
from penstock.errors import ConfigError


def places(
    statistics: Iterable[Links], kinds: Mapping[str, Sequence[ColumnType]], partitions: int
) -> dict[str, dict[Key, int]]:
    """By operator, the partition of every key that occurs; `kinds` are the types of the operators' key columns.

    An operator is left out whose keys were measured as something else than it is grouped by: a text for a number, say.

    >>> from penstock.core.seen.pairs import PairCounts
    >>> pairs = {("left", "right"): PairCounts.exact({("Asia", "7"): 3})}
    >>> places([pairs], {"left": ["string"], "right": ["int"]}, 8)
    {'left': {'Asia': 6}, 'right': {'7': 3}}
    """
    keys: dict[str, dict[Key, None]] = {operator: {} for operator in kinds}
    for links in statistics:
        for (left, right), counts in links.items():
            if left in keys:
                keys[left].update(dict.fromkeys(pair[0] for pair in counts.pairs))
            if right in keys:
                keys[right].update(dict.fromkeys(pair[1] for pair in counts.pairs))
    found = ((operator, _places(list(keys[operator]), kinds[operator], partitions)) for operator in kinds)
    return {operator: told for operator, told in found if told is not None}


def _places(keys: list[Key], kinds: Sequence[ColumnType], partitions: int) -> dict[Key, int] | None:
    try:
        return dict(zip(keys, partitions_of(hash_keys(keys, kinds), partitions).tolist(), strict=True))
    except (ValueError, ArithmeticError, ConfigError):
        return None
