"""Latency of rows that arrived over intervals and were committed at instants: a mixture of uniforms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.core.seen.figures import LatencyFigures

PERCENTILES = (50.0, 90.0, 95.0, 99.0)
_NARROWEST_S = 1e-9  # rows that arrived together still need a slope to be inverted


@dataclass(frozen=True, slots=True)
class Uniform:
    """`rows` rows whose latencies lie evenly between `low_s` and `high_s`."""

    rows: int
    low_s: float
    high_s: float


def latency_of(parts: Sequence[Uniform], estimated: bool = False) -> LatencyFigures:
    """Mean and percentiles of all rows of `parts` together; exact, as the distribution is piecewise linear.

    >>> latency_of([Uniform(100, 1.0, 2.0)]).at(90)
    1.9
    """
    rows = np.array([part.rows for part in parts], dtype=float)
    low = np.array([part.low_s for part in parts])
    high = np.maximum(np.array([part.high_s for part in parts]), low + _NARROWEST_S)
    weight = rows / rows.sum()
    points = np.unique(np.concatenate((low, high)))
    reached = np.clip((points[:, None] - low) / (high - low), 0.0, 1.0) @ weight
    found = np.interp(np.array(PERCENTILES) / 100.0, reached, points)
    quantiles = tuple((level, round(float(value), 9)) for level, value in zip(PERCENTILES, found, strict=True))
    return LatencyFigures(round(float(weight @ (low + high)) / 2.0, 9), quantiles, estimated)
