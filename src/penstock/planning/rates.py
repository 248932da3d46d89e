"""A history of a job's arrivals: means over steps of equal length, oldest first, without gaps."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RateHistory:
    """Rows a second by step, and what was told of the step that is not over yet."""

    values: tuple[float, ...] = ()
    open_from_s: float | None = None
    open_sum: float = 0.0
    open_count: int = 0

    def with_rate(self, rate_rps: float | None, at_s: float, step_s: float, kept: int) -> "RateHistory":
        """The history after one look more; of its steps so many are kept.

        >>> history = RateHistory().with_rate(10.0, 0.0, 60.0, 5).with_rate(20.0, 30.0, 60.0, 5)
        >>> history.with_rate(40.0, 60.0, 60.0, 5).values
        (15.0,)
        """
        if rate_rps is None:
            return self
        if self.open_from_s is None:
            return RateHistory(self.values, at_s, rate_rps, 1)
        over = math.floor((at_s - self.open_from_s) / step_s + 1e-9)
        if over < 1:
            return RateHistory(self.values, self.open_from_s, self.open_sum + rate_rps, self.open_count + 1)
        ended = round(self.open_sum / self.open_count, 2)
        # Steps without any news are taken to have been as the last one: a series must not have gaps.
        values = (*self.values, *(ended for _ in range(min(over, kept))))[-kept:]
        return RateHistory(values, self.open_from_s + over * step_s, rate_rps, 1)
