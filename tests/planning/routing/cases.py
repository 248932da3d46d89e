"""Pair counts for the tests: random ones, and ones whose keys live in groups that meet mostly among themselves."""

import random

from hypothesis import strategies as st

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Pair, PairCounts

few_pairs = st.dictionaries(
    st.tuples(st.integers(0, 12), st.sampled_from("abcdefghij")), st.integers(0, 200), min_size=1, max_size=40
).map(lambda counts: PairCounts.exact(counts))


def grouped(seed: int, groups: int = 12, rows: int = 6000, loyal: float = 0.8, keys: int = 10) -> PairCounts:
    """`loyal` of the rows join two keys of one group; the rest join any two. No key is heavy."""
    chance = random.Random(seed)
    counts: dict[Pair, float] = {}
    for _ in range(rows):
        group = chance.randrange(groups)
        other = group if chance.random() < loyal else chance.randrange(groups)
        pair = (f"l{group}.{chance.randrange(keys)}", f"r{other}.{chance.randrange(keys)}")
        counts[pair] = counts.get(pair, 0) + 1
    return PairCounts.exact(counts)


def light(seed: int, keys: int = 400, rows: int = 8000) -> PairCounts:
    """So many keys that none weighs more than the 3 % which a server may be above the mean."""
    chance = random.Random(seed)
    counts: dict[Pair, float] = {}
    for _ in range(rows):
        pair = (chance.randrange(keys), chance.randrange(keys))
        counts[pair] = counts.get(pair, 0) + 1
    return PairCounts.exact(counts)


def keys_of(table: RoutingTable) -> dict[str, set[object]]:
    """The keys that a table lists, by operator."""
    return {operator: set(keys) for operator, keys in table.keys.items()}
