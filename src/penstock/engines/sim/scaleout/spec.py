"""What a scale-out simulation is made of: values that a scenario fills in, checked when they are built."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from penstock.core.seen.failures import FailureKind
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True, eq=False)
class ScaleOutJob:
    """One job. `capacities` holds measured rows/s by scale-out; `arrivals` the rows of each second of the run."""

    name: str
    capacities: Mapping[int, float]
    arrivals: NDArray[np.float64] = field(repr=False)
    executors: int = 1
    min_executors: int = 1
    max_executors: int | None = None
    checkpoint_s: float = 10.0
    downtime_s: tuple[float, float] = (110.0, 130.0)  # for which it stands still after a failure: from, to
    detect_s: tuple[float, float] = (0.0, 0.0)  # before that, from the failure on, it still processes
    unsaved_s: tuple[float, float] = (0.0, 0.0)  # for so long before it stands still no checkpoint was completed
    # Failures that cost another time, and are noticed at once.
    downtimes_s: Mapping[FailureKind, tuple[float, float]] = field(default_factory=dict)
    pauses_s: tuple[float, ...] = (5.0,)  # of a reconfiguration: one is drawn each time
    latency_s: float = 1.0  # of an idle job
    latency_rise_s: float = 0.5  # added at full use
    one_second_more_at_rps: float | None = None  # arrivals that add a second to it, by the square of their rate
    latency_spread: float = 0.0  # standard deviation of the logarithm of that, which wanders over minutes
    cpu_at_full: float = 1.0  # share of a core that an executor uses when it is at its capacity
    noise: float = 0.0  # standard deviation of the capacity, which wanders over minutes

    def __post_init__(self) -> None:
        if not self.capacities:
            raise ConfigError(f"{self.name}.capacities", self.capacities, "give rows/s for at least one scale-out")
        for scaleout, rate in self.capacities.items():
            positive(scaleout, f"{self.name}.capacities")
            positive(rate, f"{self.name}.capacities.{scaleout}")
        if not 1 <= self.min_executors <= self.executors <= (self.max_executors or math.inf):
            raise ConfigError(f"{self.name}.executors", self.executors, "write a number within its limits")
        for low, high in (self.downtime_s, *self.downtimes_s.values()):
            if not 0 < low <= high:
                raise ConfigError(f"{self.name}.downtime", (low, high), "write two times, the shorter one first")
        for word, (low, high) in (("detect", self.detect_s), ("unsaved", self.unsaved_s)):
            if not 0 <= low <= high:
                raise ConfigError(f"{self.name}.{word}", (low, high), "write two times, the shorter one first")
        if not self.pauses_s or min(self.pauses_s) < 0:
            raise ConfigError(f"{self.name}.pauses", self.pauses_s, "give at least one time, none negative")
        positive(self.checkpoint_s, f"{self.name}.checkpoint")
        positive(self.latency_s, f"{self.name}.latency")
        non_negative(self.noise, f"{self.name}.noise")
        if self.one_second_more_at_rps is not None:
            positive(self.one_second_more_at_rps, f"{self.name}.one_second_more_at")
        non_negative(self.latency_spread, f"{self.name}.latency_spread")


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A job fails: it stands still, whatever was lost, but not for as long."""

    job: str
    at_s: float
    lost: FailureKind = FailureKind.DRIVER


def capacity_rps(measured: Mapping[int, float], scaleout: int) -> float:
    """Straight lines from nothing at no executors through the measured points, and on as between the last two.

    >>> capacity_rps({2: 20.0, 4: 30.0}, 1), capacity_rps({2: 20.0, 4: 30.0}, 3), capacity_rps({2: 20.0, 4: 30.0}, 6)
    (10.0, 25.0, 40.0)
    """
    points = [(0, 0.0), *sorted(measured.items())]
    for below, above in pairwise(points):
        if scaleout <= above[0] or above == points[-1]:
            slope = (above[1] - below[1]) / (above[0] - below[0])
            return max(0.0, below[1] + slope * (scaleout - below[0]))
    return points[-1][1]
