"""Rows with two correlated keys that drift: made, not measured, and free of anybody's licence.

Keys live in communities, such as regions with their hashtags. Most rows join keys of one community; every window some
keys move to another community and some are replaced by keys never seen before, as happens to what people talk of.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from penstock.core.seen.pairs import Pair, PairCounts
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DriftingPairs:
    """What rows are made of; the shares are of 1."""

    windows: int = 20
    rows: int = 20_000  # in each window
    left_keys: int = 600
    right_keys: int = 1200
    communities: int = 30
    loyal: float = 0.8  # of the rows join keys of one community
    wander: float = 0.05  # of the right keys change community from window to window
    renew: float = 0.05  # of the right keys are replaced by new ones from window to window
    skew: float = 0.6  # of key popularity: the n-th has n^-skew; above 0.8 single keys outgrow a server
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("windows", "rows", "left_keys", "right_keys", "communities"):
            positive(getattr(self, name), name, "write a whole number above zero")
        for name in ("loyal", "wander", "renew"):
            if non_negative(getattr(self, name), name) > 1:
                raise ConfigError(name, getattr(self, name), "write a share between 0 and 1")

    def counts(self) -> Iterator[PairCounts]:
        """The pairs of window after window.

        >>> first, second = DriftingPairs(windows=2, rows=100).counts()
        >>> first.rows, second.rows
        (100, 100)
        """
        chance = np.random.default_rng(self.seed)
        home = chance.integers(0, self.communities, self.left_keys)
        other_home = chance.integers(0, self.communities, self.right_keys)
        name = np.arange(self.right_keys)
        popular, other_popular = self._popularity(chance, self.left_keys), self._popularity(chance, self.right_keys)
        for window in range(self.windows):
            left = chance.choice(self.left_keys, self.rows, p=popular)
            right = self._partners(chance, home[left], other_home, other_popular)
            yield _counted(left, name[right])
            wanders = chance.random(self.right_keys) < self.wander
            other_home[wanders] = chance.integers(0, self.communities, int(wanders.sum()))
            renewed = chance.random(self.right_keys) < self.renew
            name[renewed] = self.right_keys * (window + 1) + np.flatnonzero(renewed)
            other_home[renewed] = chance.integers(0, self.communities, int(renewed.sum()))

    def _popularity(self, chance: np.random.Generator, keys: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        weight = chance.permutation(1.0 / np.arange(10, keys + 10) ** self.skew)
        return np.asarray(weight / weight.sum())

    def _partners(
        self,
        chance: np.random.Generator,
        community: "np.ndarray[tuple[int], np.dtype[np.int64]]",
        home: "np.ndarray[tuple[int], np.dtype[np.int64]]",
        popular: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    ) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        partner = chance.choice(len(home), len(community), p=popular)
        loyal = chance.random(len(community)) < self.loyal
        for number in range(self.communities):
            members = np.flatnonzero(home == number)
            rows = np.flatnonzero(loyal & (community == number))
            if len(members) and len(rows):
                partner[rows] = chance.choice(members, len(rows), p=popular[members] / popular[members].sum())
        return partner


def _counted(
    left: "np.ndarray[tuple[int], np.dtype[np.int64]]", right: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> PairCounts:
    both, rows = np.unique(np.stack([left, right], axis=1), axis=0, return_counts=True)
    pairs: dict[Pair, float] = {
        (f"l{a}", f"r{b}"): count for (a, b), count in zip(both.tolist(), rows.tolist(), strict=True)
    }
    return PairCounts.exact(pairs)
