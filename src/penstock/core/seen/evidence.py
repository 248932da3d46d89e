"""Evidence: what was measured of a job at one scale-out and one rate, in profiling or while it served."""

from dataclasses import dataclass

from penstock.core.units import non_negative
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Observation:
    """Means over a stretch. `saturated`: the job had more to do than it could, so `rate_rps` is its capacity.

    `at_s` is None for what was profiled before the run.
    """

    scaleout: int
    rate_rps: float
    latency_s: float | None = None
    saturated: bool = False
    at_s: float | None = None
    busy_share: float | None = None  # of its executors' time, where it was told

    def __post_init__(self) -> None:
        if self.scaleout < 1:
            raise ConfigError("scaleout", self.scaleout, "write a whole number of 1 or more")
        non_negative(self.rate_rps, "rate_rps")
        if self.latency_s is not None:
            non_negative(self.latency_s, "latency_s")


@dataclass(frozen=True, slots=True)
class Weighted:
    """An observation and how much it counts."""

    seen: Observation
    weight: float
