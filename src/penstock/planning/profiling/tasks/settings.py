"""What a search for a performance model may be told."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.core.units import positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Steps and ends of the search. A step is the larger of a fixed and a growing one."""

    max_threads: int = 64
    thread_step: int = 1
    thread_growth: float = 1.5  # 1, 2, 3, 5, 8, 12, ...: models bend early; 1.0 for a fixed step
    first_rate_rps: float = 1.0
    rate_step_rps: float = 1.0
    rate_growth: float = 1.1  # the peak is known to one step: to 10 %
    max_rate_rps: float = 1_000_000.0
    window: int = 3  # the last thread counts that are looked at to see whether more of them still help
    min_gain: float = 0.05  # the rise of the peak over that window, as a share of it, below which they do not
    tolerance: float = 0.05  # of the bisection: between the highest stable and the lowest unstable rate

    def __post_init__(self) -> None:
        for field in ("max_threads", "thread_step", "first_rate_rps", "rate_step_rps", "max_rate_rps", "tolerance"):
            positive(getattr(self, field), field)
        for field in ("thread_growth", "rate_growth"):
            if getattr(self, field) < 1.0:
                raise ConfigError(field, getattr(self, field), "write 1.0 (a fixed step) or more")
        if self.tolerance >= 1:
            raise ConfigError("tolerance", self.tolerance, "write a share below 1, such as 0.05")
        if self.window < 2:
            raise ConfigError("window", self.window, "a slope needs at least 2 thread counts")

    def thread_counts(self) -> Iterator[int]:
        """All that may be tried, in order.

        >>> list(SearchSettings(max_threads=20).thread_counts())
        [1, 2, 3, 5, 8, 12, 18]
        """
        threads = 1
        while threads <= self.max_threads:
            yield threads
            threads = max(threads + self.thread_step, math.ceil(threads * self.thread_growth))

    def next_rate(self, rate_rps: float) -> float:
        """The rate after this one in a sweep."""
        return max(rate_rps + self.rate_step_rps, rate_rps * self.rate_growth)
