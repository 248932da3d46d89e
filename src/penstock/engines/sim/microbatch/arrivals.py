"""Which rows have arrived by when: whole rows, so that they can be counted without a remainder."""

import math
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

_HAIR = 1e-9  # a row that is due this instant has arrived, whatever the last bit of a float says


class ArrivalCurve:
    """Cumulative arrivals of one job, from its start to its end; evenly spread within each second.

    >>> curve = ArrivalCurve(np.array([10.0, 20.0]), 0.0, math.inf)
    >>> curve.by(0.5), curve.by(1.5), curve.by(60.0), curve.time_of(19)
    (5, 20, 30, 1.5)
    """

    __slots__ = ("_base", "_cumulative", "_ends_at_s", "_starts_at_s")

    def __init__(self, arrivals: NDArray[np.float64], starts_at_s: float, ends_at_s: float) -> None:
        # Fractions of a row carry over to the next second instead of being rounded away.
        counts = np.floor(np.concatenate(([0.0], np.cumsum(arrivals))) + _HAIR)
        self._cumulative: list[int] = [int(count) for count in counts]
        self._starts_at_s = starts_at_s
        self._ends_at_s = ends_at_s
        self._base = self._since_zero(starts_at_s)

    def by(self, at_s: float) -> int:
        """Rows that arrived up to `at_s`."""
        if at_s <= self._starts_at_s:
            return 0
        return self._since_zero(min(at_s, self._ends_at_s)) - self._base

    def time_of(self, row: int) -> float:
        """When the row with this number, counted from 0, arrives; infinite if it never does."""
        number = row + self._base
        second = bisect_right(self._cumulative, number) - 1
        if second + 1 >= len(self._cumulative):
            return math.inf
        before = self._cumulative[second]
        at_s = second + (number - before + 1) / (self._cumulative[second + 1] - before)
        return at_s if at_s <= self._ends_at_s + _HAIR else math.inf

    def _since_zero(self, at_s: float) -> int:
        second = int(at_s)
        if second + 1 >= len(self._cumulative):
            return self._cumulative[-1]
        before = self._cumulative[second]
        return before + int((at_s - second) * (self._cumulative[second + 1] - before) + _HAIR)
