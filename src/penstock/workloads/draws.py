"""Chance that can be looked up: the draw for a record depends on the seed, what is drawn and the record's number only.

So records are the same whoever makes them, in whatever order, on as many tasks as there are.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
Millis = NDArray[np.int64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_MANTISSA = 2.0**-53


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws for the records of these numbers.

    >>> Draws(7, np.arange(3)).below("die", 6).tolist() == Draws(7, np.arange(3)).below("die", 6).tolist()
    True
    """

    seed: int
    index: Index

    def uniform(self, what: str) -> NDArray[np.float64]:
        """At least 0 and below 1."""
        return (self._bits(what) >> np.uint64(11)).astype(np.float64) * _MANTISSA

    def below(self, what: str, limit: int | Index) -> Index:
        """Whole numbers at least 0 and below the limit, all as likely."""
        return (self.uniform(what) * limit).astype(np.int64)

    def skewed(self, what: str, limit: int, skew: float) -> Index:
        """Whole numbers below the limit; the greater the skew, the more often small ones. Zero: all as likely."""
        return (self.uniform(what) ** (1.0 + skew) * limit).astype(np.int64)

    def normal(self, what: str) -> NDArray[np.float64]:
        """Mean 0, standard deviation 1 (Box and Muller)."""
        radius = np.sqrt(-2.0 * np.log1p(-self.uniform(what)))
        turned: NDArray[np.float64] = radius * np.cos(2.0 * np.pi * self.uniform(f"{what}, turned"))
        return turned

    def hexadecimal(self, what: str) -> list[str]:
        """Sixteen hexadecimal digits each."""
        return [f"{bits:016x}" for bits in self._bits(what).tolist()]

    def _bits(self, what: str) -> NDArray[np.uint64]:
        """SplitMix64 over the record's number, begun at a place that the seed and the name choose."""
        begin = np.uint64(zlib.crc32(f"{self.seed}:{what}".encode()) * 0x1_0000_0001)
        mixed = self.index.astype(np.uint64) * _STEP + begin
        for shift, factor in ((30, _FIRST), (27, _SECOND)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
        bits: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
        return bits
