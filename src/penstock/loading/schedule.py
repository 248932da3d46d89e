"""When each row is due: a rate curve as running numbers of rows. Nothing here waits or looks at a clock."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Schedule:
    """Rows due by the end of each second, the first entry being zero rows at zero seconds."""

    due_by: NDArray[np.float64]

    @classmethod
    def of(cls, rates: Floats) -> "Schedule":
        """The schedule of a curve with one rate for each second."""
        if not len(rates) or float(rates.sum()) < 1.0:
            raise ConfigError("rate", float(rates.sum()) if len(rates) else None, "write a curve of at least one row")
        return cls(np.concatenate(([0.0], np.cumsum(rates))))

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return float(len(self.due_by) - 1)

    @property
    def rows(self) -> int:
        """All rows."""
        return int(round(float(self.due_by[-1]), 6))

    def due(self, at_s: float) -> int:
        """How many rows are due by then."""
        at = np.interp(at_s, np.arange(len(self.due_by)), self.due_by)
        return min(self.rows, int(round(float(at), 6)))

    def times(self, first: int, last: int) -> NDArray[np.float64]:
        """When the rows from number `first` up to, not including, `last` are due, in seconds since the start.

        >>> Schedule.of(np.array([2.0, 0.0, 1.0])).times(0, 3)
        array([0. , 0.5, 2. ])
        """
        # Seconds without rows are steps of the curve: of equal numbers the last second counts.
        numbers = np.arange(first, last, dtype=float)
        second = np.clip(np.searchsorted(self.due_by, numbers, side="right") - 1, 0, len(self.due_by) - 2)
        rate = self.due_by[second + 1] - self.due_by[second]
        return second + (numbers - self.due_by[second]) / np.maximum(rate, 1e-12)
