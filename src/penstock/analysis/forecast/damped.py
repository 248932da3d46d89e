"""Exponential smoothing with a damped trend: the level moves on as lately, ever more slowly.

Gardner and McKenzie's method, with its three parameters from a grid: on short series the likelihood is so flat that
an optimiser costs twenty times as much and forecasts no better. Level, trend and errors are sums over the past with
weights that are always the same, so they are worked out for all parameters, or all origins, at once.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.core.arrays import Floats, Ints

_GRID = np.array(list(product((0.2, 0.5, 0.8, 0.95), (0.05, 0.2, 0.5), (0.85, 0.95)))).T
_AT_LEAST = 5  # values
_LOOKS_BACK = 240  # values: what is older has no weight left
_PADDED = 2 * _LOOKS_BACK  # so that a product of transforms does not come round


@dataclass(frozen=True, slots=True)
class Damped:
    """Level and damped trend."""

    name: str = "damped trend"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """The parameters that would have been best one step ahead."""
        if len(past) < _AT_LEAST:
            return None
        recent = past[-_LOOKS_BACK:]
        moved = np.fft.rfft(recent - recent[0], _PADDED)
        errors = np.fft.irfft(moved * _error_weights(), _PADDED)[:, : len(recent)]
        return _Parameters(int(np.abs(errors).sum(axis=1).argmin()))


@dataclass(frozen=True, slots=True)
class _Parameters:
    place: int  # in the grid

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        levels, trends = _state_weights()
        oldest = np.maximum(origins - _LOOKS_BACK, 0)[:, None]
        moved = past[np.maximum(origins[:, None] - 1 - np.arange(_LOOKS_BACK), oldest)] - past[oldest]
        level = past[oldest] + (moved @ levels[self.place])[:, None]
        phi = _GRID[2, self.place]
        result: Floats = level + (moved @ trends[self.place])[:, None] * np.cumsum(phi ** np.arange(1, steps + 1))
        return result


@cache
def _state_weights() -> tuple[Floats, Floats]:
    """What a value adds to level and trend, by parameters and by how many values ago it came."""
    alpha, beta, phi = _GRID
    level, trend = alpha, alpha * beta
    states = [(level, trend)]
    for _ in range(_LOOKS_BACK - 1):
        expected = level + phi * trend
        level, trend = (1.0 - alpha) * expected, phi * trend - alpha * beta * expected
        states.append((level, trend))
    levels, trends = np.array(states).transpose(1, 2, 0)
    return np.ascontiguousarray(levels), np.ascontiguousarray(trends)


@cache
def _error_weights() -> "np.ndarray[tuple[int, ...], np.dtype[np.complex128]]":
    """What a value adds to the error one step ahead, in the same order, transformed."""
    levels, trends = _state_weights()
    expected = levels + _GRID[2][:, None] * trends
    return np.fft.rfft(np.hstack([np.ones((len(expected), 1)), -expected[:, :-1]]), _PADDED)
