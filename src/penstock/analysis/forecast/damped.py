"""Exponential smoothing with a damped trend: the level moves on as lately, ever more slowly.

Gardner and McKenzie's method, with its three parameters from a grid: on short series the likelihood is so flat that
an optimiser costs twenty times as much and forecasts no better.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.core.arrays import Floats

_GRID = np.array(list(product((0.2, 0.5, 0.8, 0.95), (0.05, 0.2, 0.5), (0.85, 0.95)))).T
_AT_LEAST = 5  # values
_LOOKS_BACK = 240  # values: what is older has no weight left


@dataclass(frozen=True, slots=True)
class Damped:
    """Level and damped trend."""

    name: str = "damped trend"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """The parameters that would have been best one step ahead."""
        if len(past) < _AT_LEAST:
            return None
        alpha, beta, phi = _GRID
        level, trend = np.full(len(alpha), past[-_LOOKS_BACK:][0]), np.zeros(len(alpha))
        missed = np.zeros(len(alpha))
        for value in past[-_LOOKS_BACK:][1:]:
            expected = level + phi * trend
            error = value - expected
            missed += np.abs(error)
            level = expected + alpha * error
            trend = phi * trend + alpha * beta * error
        best = int(missed.argmin())
        return _Parameters(float(alpha[best]), float(beta[best]), float(phi[best]))


@dataclass(frozen=True, slots=True)
class _Parameters:
    alpha: float
    beta: float
    phi: float

    def ahead(self, past: Floats, steps: int) -> Floats:
        recent = past[-_LOOKS_BACK:].tolist()
        level, trend = recent[0], 0.0
        for value in recent[1:]:
            expected = level + self.phi * trend
            error = value - expected
            level = expected + self.alpha * error
            trend = self.phi * trend + self.alpha * self.beta * error
        damping = np.cumsum(self.phi ** np.arange(1, steps + 1))
        result: Floats = level + trend * damping
        return result
