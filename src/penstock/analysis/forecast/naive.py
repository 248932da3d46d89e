"""The bar: it stays as it is, or is again what it was a season ago."""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.method import Fitted
from penstock.analysis.forecast.season import season_of
from penstock.core.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Naive:
    """The last value, for ever."""

    name: str = "naive"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """There is nothing to learn."""
        return self if len(past) else None

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        """The last value again and again."""
        return np.repeat(past[origins - 1][:, None], steps, axis=1)


@dataclass(frozen=True, slots=True)
class SeasonalNaive:
    """What was a season ago; the season is found in the series unless it is given in steps."""

    season: int | None = None
    name: str = "seasonal naive"

    def fit(self, past: Floats, steps: int) -> Fitted | None:
        """Find the season."""
        season = season_of(past) if self.season is None else self.season
        return None if season is None or season > len(past) else _OneSeason(season)


@dataclass(frozen=True, slots=True)
class _OneSeason:
    season: int

    def ahead(self, past: Floats, origins: Ints, steps: int) -> Floats:
        result: Floats = past[origins[:, None] - self.season + np.arange(steps) % self.season]
        return result
