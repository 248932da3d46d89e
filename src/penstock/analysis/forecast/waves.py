"""Waves: a level and the strongest few frequencies, fitted by least squares, for loads that come and go.

A wave can be seen before it has come round once, which no seasonal method needs less than twice for. What it misses
at the last value fades over the steps ahead.
"""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.core.arrays import Floats

_AT_LEAST = 24  # values
_WAVES = 3
_PENALTY = 1e-6  # a share of the values' own weight: two waves may come out alike
_FADES = 0.9  # of what was missed at the last value, by step
_FINER = np.linspace(-0.5, 0.5, 9)  # a wave's frequency lies between those that the transform knows


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
        weights: Floats = np.zeros(0)
        for _ in range(_WAVES):
            frequencies.append(_strongest(rest))
            features = _basis(at, frequencies)
            squares = features.T @ features
            weights = np.asarray(
                np.linalg.solve(squares + _PENALTY * n * np.eye(len(squares)), features.T @ past), dtype=np.float64
            )
            rest = past - features @ weights
        return _Sum(weights, tuple(frequencies))


@dataclass(frozen=True, slots=True)
class _Sum:
    weights: Floats
    frequencies: tuple[float, ...]

    def ahead(self, past: Floats, steps: int) -> Floats:
        n = len(past)
        expected = _basis(np.arange(n - 1, n + steps), self.frequencies) @ self.weights
        result: Floats = expected[1:] + (past[-1] - expected[0]) * _FADES ** np.arange(1, steps + 1)
        return result


def _strongest(rest: Floats) -> float:
    """Cycles per step of the wave that explains most."""
    n = len(rest)
    power = np.abs(np.fft.rfft(rest)) ** 2
    peak = 1 + int(power[1:].argmax())
    tried = np.maximum((peak + _FINER) / n, 0.4 / n)
    angles = 2 * np.pi * tried[:, None] * np.arange(n)
    explained = np.abs((np.exp(-1j * angles) * rest).sum(axis=1))
    return float(tried[int(explained.argmax())])


def _basis(at: "np.ndarray[tuple[int], np.dtype[np.int64]]", frequencies: "list[float] | tuple[float, ...]") -> Floats:
    angles = 2 * np.pi * np.asarray(frequencies) * at[:, None]
    result: Floats = np.hstack([np.ones((len(at), 1)), np.sin(angles), np.cos(angles)])
    return result
