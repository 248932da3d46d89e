"""Regression on the past: each coming step from the last values and, where there is a season, from those a season ago.

Direct multi-step forecasts (one set of weights for each step ahead, all fitted at once), by ridge regression.
Everything is relative to the last value, so that a level never seen before is no trouble.
"""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.analysis.forecast.season import season_of
from penstock.analysis.regression import ridge
from penstock.core.arrays import Floats, Ints

_LAGS = 12
_ROWS_AT_LEAST = 12  # training examples
_ROWS_AT_MOST = 300  # spread over the past: ten for each weight, and a fit takes 2 ms, not 100
_PENALTY = 0.3  # for values scaled to their spread


@dataclass(frozen=True, slots=True)
class Lags:
    """Ridge regression on lagged values."""

    name: str = "regression on lags"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """Weights for every step ahead."""
        season = season_of(past)
        if season is not None and len(past) < season + _LAGS + steps + _ROWS_AT_LEAST:
            season = None
        first = _LAGS if season is None else max(_LAGS, season)  # the first origin that has all its lags
        origins = np.arange(first, len(past) - steps + 1)
        if len(origins) < _ROWS_AT_LEAST:
            return None
        origins = origins[np.unique(np.linspace(0, len(origins) - 1, _ROWS_AT_MOST).astype(int))]
        scale = float(past.std()) or 1.0
        features = _features(past, origins, steps, season) / scale
        targets = (past[origins[:, None] + np.arange(steps)] - past[origins - 1][:, None]) / scale
        weights, constant = ridge(features, targets, _PENALTY)
        return _Weights(weights, constant, season, scale)


@dataclass(frozen=True, slots=True)
class _Weights:
    weights: Floats  # by step ahead and feature
    constant: Floats
    season: int | None
    scale: float

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        features = _features(past, origins, steps, self.season) / self.scale
        result: Floats = past[origins - 1][:, None] + self.scale * (features @ self.weights.T + self.constant)
        return result


def _features(past: Floats, origins: Ints, steps: int, season: int | None) -> Floats:
    """A row for each origin: the values before it, and what followed a season ago; all less the last value."""
    last = past[origins - 1][:, None]
    recent: Floats = past[origins[:, None] - np.arange(2, _LAGS + 1)] - last
    if season is None:
        return recent
    # What followed the same instant of the last season, as far as it is known, relative to that instant.
    ahead = np.minimum(np.unique(np.linspace(0, steps - 1, _LAGS).astype(int)), season - 1)
    then = past[origins[:, None] - season + ahead] - past[np.maximum(origins - 1 - season, 0)][:, None]
    result: Floats = np.hstack([recent, then])
    return result
