"""Keys of a given skew, in pairs that agree to a given share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.units import non_negative
from penstock.errors import ConfigError

Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KeySettings:
    """How keys are drawn: `keys` left ones by Zipf's law and, for each, a right one of `pairs`.

    The right key is the left one's partner with probability `agreement`, else any, drawn by the same law.
    """

    keys: int = 1000
    zipf: float = 0.0  # exponent: 0 is all alike, 1 is the web's, 2 is one key for most
    pairs: int = 100
    agreement: float = 0.8

    def __post_init__(self) -> None:
        for name, count in (("keys", self.keys), ("pairs", self.pairs)):
            if not 1 <= count <= 10_000_000:
                raise ConfigError(name, count, "write a number from 1 to 10 million")
        non_negative(self.zipf, "zipf", "write the exponent, zero or more")
        if not 0.0 <= self.agreement <= 1.0:
            raise ConfigError("agreement", self.agreement, "write a share from 0 to 1")


class Keys:
    """Draws keys; how many are asked for at once does not change which come."""

    def __init__(self, settings: KeySettings, seed: int) -> None:
        self._settings = settings
        # A stream for each decision: the n-th row gets the n-th number of each, however rows are chunked.
        self._left, self._agrees, self._right = (
            np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(3)
        )
        self._left_share = _shares(settings.keys, settings.zipf)
        self._right_share = _shares(settings.pairs, settings.zipf)

    def draw(self, rows: int) -> tuple[Indexes, Indexes]:
        """The left and right keys of so many rows, as numbers from 0; 0 is the most frequent."""
        left = _drawn(self._left_share, self._left.random(rows))
        agrees = self._agrees.random(rows) < self._settings.agreement
        other = _drawn(self._right_share, self._right.random(rows))
        return left, np.where(agrees, left % self._settings.pairs, other)


def _shares(count: int, exponent: float) -> NDArray[np.float64]:
    """The running sum of the probabilities, the last of them 1."""
    summed: NDArray[np.float64] = np.cumsum(1.0 / np.arange(1, count + 1) ** exponent)
    summed /= summed[-1]
    return summed


def _drawn(shares: NDArray[np.float64], chance: NDArray[np.float64]) -> Indexes:
    return np.searchsorted(shares, chance, side="right").astype(np.int64)
