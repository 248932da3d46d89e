"""Waves: a level and the strongest few frequencies, fitted by least squares, for loads that come and go.

A wave can be seen before it has come round once, which no seasonal method needs less than twice for. What it misses
at the last value fades over the steps ahead.
"""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.core.arrays import Floats, Ints

_AT_LEAST = 24  # values
_WAVES = 3
_PENALTY = 1e-6  # a share of the values' own weight: two waves may come out alike
_FADES = 0.9  # of what was missed at the last value, by step
_FINER = 8  # a wave's frequency lies between those that the transform knows: it is made so much finer


@dataclass(frozen=True, slots=True)
class Waves:
    """Harmonic regression."""

    name: str = "waves"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """Find the frequencies one after the other, each in what the others leave over."""
        n = len(past)
        if n < _AT_LEAST or float(np.ptp(past)) == 0.0:
            return None
        at = np.arange(n)
        frequencies: list[float] = []
        rest = past - past.mean()
        features, weights = np.ones((1, n)), np.zeros(1)
        for _ in range(_WAVES):
            frequencies.append(_strongest(rest))
            features = np.vstack([features, *_wave(at, frequencies[-1])])
            squares = features @ features.T + _PENALTY * n * np.eye(len(features))
            weights = np.asarray(np.linalg.solve(squares, features @ past), dtype=np.float64)
            rest = past - weights @ features
        return _Sum(weights, tuple(frequencies))


@dataclass(frozen=True, slots=True)
class _Sum:
    weights: Floats  # of the level, then of sine and cosine of each wave
    frequencies: tuple[float, ...]

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        first = int(origins.min()) - 1
        at = np.arange(first, int(origins.max()) + steps)
        waves = np.vstack([np.ones((1, len(at))), *(_wave(at, frequency) for frequency in self.frequencies)])
        expected = (self.weights @ waves)[origins[:, None] - 1 - first + np.arange(steps + 1)]
        missed = past[origins - 1] - expected[:, 0]
        result: Floats = expected[:, 1:] + missed[:, None] * _FADES ** np.arange(1, steps + 1)
        return result


def _strongest(rest: Floats) -> float:
    """Cycles per step of the wave that explains most."""
    n = len(rest)
    power = np.abs(np.fft.rfft(rest, _FINER * n))
    peak = _FINER * (1 + int(power[_FINER::_FINER].argmax()))
    near = np.arange(peak - _FINER // 2, peak + _FINER // 2 + 1)
    mirrored = np.minimum(near, _FINER * n - near)  # beyond the highest frequency it is that of a lower one
    return float(near[int(power[mirrored].argmax())] / (_FINER * n))


def _wave(at: Ints, frequency: float) -> Floats:
    """Its sine and its cosine, a row each."""
    angles = 2 * np.pi * frequency * at
    return np.vstack([np.sin(angles), np.cos(angles)])
