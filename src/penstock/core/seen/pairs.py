"""Pair counts: how often two keys met on one row, whether counted exactly or sketched, online or over history.

One value for all sources of statistics, so that whoever partitions keys need not know where the counts are from.
It merges over batches, executors and windows in any order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeAlias, TypeVar, cast

from penstock.core.units import non_negative
from penstock.errors import ConfigError

Part: TypeAlias = str | int
Key: TypeAlias = Part | tuple[Part, ...]  # a tuple for an operator grouped by several columns, in their order
Pair: TypeAlias = tuple[Key, Key]
# The keys of a mapping must be named exactly: with these, one typed dict[tuple[str, int], int] will do as well.
LeftKey = TypeVar("LeftKey", bound=Key)
RightKey = TypeVar("RightKey", bound=Key)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Rows by (left key, right key), for two consecutive stateful operators.

    `rows` counts all rows, also those whose pair is not listed. No count, listed or not (0), is further than
    `error` from the truth; 0 means exact. Counts are floats because old ones fade (`aged`).

    >>> week = PairCounts.exact({("Asia", "#java"): 3463, ("Asia", "#ruby"): 1201})
    >>> (week + week).pairs["Asia", "#java"], week.rows, week.left()
    (6926, 4664, {'Asia': 4664})
    """

    pairs: Mapping[Pair, float] = field(default_factory=dict)
    rows: float = 0
    error: float = 0

    @classmethod
    def exact(cls, pairs: Mapping[tuple[LeftKey, RightKey], float]) -> "PairCounts":
        """Counts of every row there was. Refuses what is no count of a pair."""
        for pair, count in pairs.items():
            if type(pair) is not tuple or len(pair) != 2 or type(count) is not int or count < 0:  # a million are usual
                _check(pair, count)
        return cls(cast(Mapping[Pair, float], dict(pairs)), sum(pairs.values()))

    def __add__(self, other: "PairCounts") -> "PairCounts":
        """Both together. Errors add: a pair that one of them does not list may have had up to its error there."""
        pairs = dict(self.pairs)
        for pair, count in other.pairs.items():
            pairs[pair] = pairs.get(pair, 0) + count
        return PairCounts(pairs, self.rows + other.rows, self.error + other.error)

    def aged(self, factor: float) -> "PairCounts":
        """The same, worth `factor` (0 to 1) of what it was."""
        if not 0 <= non_negative(factor, "factor") <= 1:
            raise ConfigError("factor", factor, "write a share between 0 and 1")
        pairs = {pair: count * factor for pair, count in self.pairs.items()}
        return PairCounts(pairs, self.rows * factor, self.error * factor)

    def heaviest(self, count: int) -> "PairCounts":
        """Only the `count` heaviest pairs; what is left out widens the error."""
        if count >= len(self.pairs):
            return self
        ordered = nlargest(count + 1, self.pairs.items(), key=lambda item: (item[1], repr(item[0])))
        kept, left_out = ordered[:count], ordered[count][1]
        return PairCounts(dict(kept), self.rows, self.error + left_out)

    def left(self) -> dict[Key, float]:
        """Listed rows by left key."""
        return _totals((pair[0], count) for pair, count in self.pairs.items())

    def right(self) -> dict[Key, float]:
        """Listed rows by right key."""
        return _totals((pair[1], count) for pair, count in self.pairs.items())

    @property
    def listed_rows(self) -> float:
        """Rows whose pair is listed."""
        return sum(self.pairs.values())


def merged(parts: Iterable[PairCounts]) -> PairCounts:
    """All of them together: batches, executors or windows."""
    pairs: dict[Pair, float] = {}
    rows = error = 0.0
    for part in parts:
        rows, error = rows + part.rows, error + part.error
        for pair, count in part.pairs.items():
            pairs[pair] = pairs.get(pair, 0) + count
    return PairCounts(pairs, rows, error)


def _check(pair: object, count: object) -> None:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ConfigError("pairs", pair, "write each as (left key, right key): rows")
    non_negative(count, f"pairs[{pair!r}]", "write the number of rows that hold both keys")


def _totals(counts: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    totals: dict[Key, float] = {}
    for key, count in counts:
        totals[key] = totals.get(key, 0) + count
    return totals
