"""The forecaster: methods weighted by how right each was on the job's own past, with bounds from their errors there."""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.backtest import BackTested, backtest
from penstock.analysis.forecast.damped import Damped
from penstock.analysis.forecast.lags import Lags
from penstock.analysis.forecast.method import Method
from penstock.analysis.forecast.naive import Naive, SeasonalNaive
from penstock.analysis.forecast.waves import Waves
from penstock.core.arrays import Floats
from penstock.core.known.forecast import Forecast, Series
from penstock.core.units import positive
from penstock.errors import ConfigError

METHODS: tuple[Method, ...] = (Naive(), SeasonalNaive(), Damped(), Lags(), Waves())
SHARPNESS = 4.0  # weights fall with this power of the error: half the error is sixteen times the weight
# What was best on other jobs' series counts more before anything was seen of this one. Sixteen back-tests of one past
# tell little: picked by them alone, the methods lose to regression on lags an hour ahead (docs/results/forecasts.md).
TRUSTED = {Lags().name: 4.0}
LEAST_WEIGHT = 0.05  # methods below are left out
JUDGED_PART = 3  # of the past at most every third value is looked ahead in a back-test
LEAST_HISTORY = 2  # values
FAR_ABOVE = 2.0  # times the highest value ever seen: no forecast goes beyond
_UNJUDGED_SPREAD = 0.2  # of the last value: the bounds while nothing could be judged


@dataclass(frozen=True, slots=True)
class BestOnPast:
    """Fills the Forecaster port: a weighted mean of its methods. With a single one it is that, with bounds.

    >>> rates = Series(60.0, tuple(100.0 + n for n in range(60)))
    >>> BestOnPast().forecast(rates, 3).method != "naive"
    True
    """

    methods: tuple[Method, ...] = METHODS
    level: float = 0.8  # probability that the actual value lies between the bounds
    name: str = "best on its past"

    def __post_init__(self) -> None:
        if not self.methods:
            raise ConfigError("methods", self.methods, "give at least one method")
        if positive(self.level, "level") >= 1:
            raise ConfigError("level", self.level, "write a probability between 0 and 1")

    def forecast(self, history: Series, steps: int) -> Forecast:
        """The mean of the methods by their weights, and its bounds, none below zero."""
        if len(history.values) < LEAST_HISTORY:
            raise ConfigError("history", len(history.values), f"at least {LEAST_HISTORY} steps of it are needed")
        if steps < 1:
            raise ConfigError("steps", steps, "look at least one step ahead")
        past = np.array(history.values)
        # A past that is short for so long a look ahead is judged on a shorter one: better than not at all.
        judged = min(steps, max(1, len(past) // JUDGED_PART))
        tried = backtest(self.methods, past, judged)
        ways = [(weight, one, _ahead(one.method, past, steps)) for weight, one in _weighted(tried)]
        chosen = [(weight, one, ahead) for weight, one, ahead in ways if ahead is not None]
        return self._told(history, chosen, tried) if chosen else self._unjudged(history, past, steps)

    def _told(
        self, history: Series, chosen: list[tuple[float, BackTested, Floats]], tried: list[BackTested]
    ) -> Forecast:
        """The weighted mean, with the bounds that it would have had on the past."""
        weights = np.array([weight for weight, _, _ in chosen])
        mean = np.average([ahead for _, _, ahead in chosen], axis=0, weights=weights)
        mean = np.clip(mean, 0.0, FAR_ABOVE * max(history.values))
        errors = np.average([one.errors for _, one, _ in chosen], axis=0, weights=weights)
        together = BackTested(chosen[0][1].method, errors)
        below, above = (_widened(width, len(mean)) for width in _spread(errors, self.level))
        naive = next((one.mean_error for one in tried if one.method.name == Naive().name), None)
        return Forecast(
            step_s=history.step_s,
            mean=tuple(mean.tolist()),
            lower=tuple(np.maximum(mean - below, 0.0).tolist()),
            upper=tuple((mean + above).tolist()),
            level=self.level,
            method=" and ".join(one.method.name for _, one, _ in chosen),
            error=together.mean_error / naive if naive else None,
        )

    def _unjudged(self, history: Series, past: Floats, steps: int) -> Forecast:
        """Too short a past to judge on: the last value, within wide bounds."""
        last = float(past[-1])
        wide = _UNJUDGED_SPREAD * last
        return Forecast(
            history.step_s, (last,) * steps, (last - wide,) * steps, (last + wide,) * steps, self.level, Naive().name
        )


def _weighted(tried: list[BackTested]) -> list[tuple[float, BackTested]]:
    """Each method with its weight, the heaviest first: no one knows which will be best next, their mean is steadier."""
    if not tried:
        return []
    errors = [one.mean_error for one in tried]
    least = max(
        min(errors), 1e-9 * max(max(errors), 1e-9)
    )  # where one is never wrong, those are left that are not either
    raw = [
        TRUSTED.get(one.method.name, 1.0) * (least / max(error, least)) ** SHARPNESS
        for one, error in zip(tried, errors, strict=True)
    ]
    kept = [(weight, one) for weight, one in zip(raw, tried, strict=True) if weight >= LEAST_WEIGHT * sum(raw)]
    return sorted(kept, key=lambda way: way[0], reverse=True)


def _ahead(method: Method, past: Floats, steps: int) -> Floats | None:
    fitted = method.fit(past, steps)
    return None if fitted is None else fitted.ahead(past, np.array([len(past)]), steps)[0]


def _spread(errors: Floats, level: float) -> tuple[Floats, Floats]:
    """How far below and above the mean the bounds lie, by step; they never narrow with distance.

    Errors of neighbouring steps are pooled: a dozen origins alone would make ragged quantiles.
    """
    tail = (1.0 - level) / 2.0
    padded = np.pad(errors, ((0, 0), (1, 1)), mode="edge")
    pooled = np.vstack([padded[:, :-2], errors, padded[:, 2:]])
    low, high = np.quantile(pooled, [tail, 1.0 - tail], axis=0)
    return np.maximum.accumulate(np.maximum(-low, 0.0)), np.maximum.accumulate(np.maximum(high, 0.0))


def _widened(width: Floats, steps: int) -> Floats:
    """Beyond the steps that were judged the bounds go on to widen as those of a random walk do."""
    judged = len(width)
    beyond = width[-1] * np.sqrt(np.arange(judged + 1, steps + 1) / judged)
    return np.concatenate([width, beyond])
