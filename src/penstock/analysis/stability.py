"""Was a trial stable: did the latency of its tuples keep still once it was warm (model-driven paper, section 5.1)."""

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.core.seen.trial import Finished, Measured
from penstock.core.units import positive

FEWEST_POINTS = 4  # of latency: fewer say nothing of a slope


@dataclass(frozen=True, slots=True)
class StabilitySettings:
    """When a trial counts as stable."""

    max_slope: float = 0.02  # seconds of latency per second; a task offered 2 % more than it can do gains about that
    max_latency_s: float = 5.0  # and none waits longer than this: a backlog from before the first look is one too

    def __post_init__(self) -> None:
        positive(self.max_slope, "max_slope")
        positive(self.max_latency_s, "max_latency_s")


def judge(measured: Measured, settings: StabilitySettings | None = None) -> Finished:
    """The trial with its judgement. One that got nothing done is unstable, however still."""
    limits = settings or StabilitySettings()
    slope = latency_slope(measured.latency_s)
    still = slope is not None and slope <= limits.max_slope
    quick = max((latency for _, latency in measured.latency_s), default=float("inf")) <= limits.max_latency_s
    return Finished(
        trial=measured.trial,
        stable=still and quick,
        slope=slope,
        processed_rps=measured.processed_rps,
        cpu_share=measured.cpu_share,
        memory_share=measured.memory_share,
        others_share=measured.others_share,
    )


def latency_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """The median of the slopes between all pairs of points (Theil and Sen); None of fewer than four points.

    The paper's trials of 12 minutes can do with a mean slope and a limit of 0.001; ours take seconds, and one
    pause of a busy machine would tip a mean.

    >>> latency_slope([(0.0, 0.1), (1.0, 0.1), (2.0, 0.9), (3.0, 0.1), (4.0, 0.1)])
    0.0
    """
    if len(points) < FEWEST_POINTS:
        return None
    pairs = itertools.combinations(points, 2)
    return statistics.median((after[1] - before[1]) / (after[0] - before[0]) for before, after in pairs)
