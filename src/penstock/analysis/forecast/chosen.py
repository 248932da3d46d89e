"""The forecaster: of several methods those that were best on the job's own past, with bounds from errors there."""

from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.backtest import Tried, backtest
from penstock.analysis.forecast.damped import Damped
from penstock.analysis.forecast.lags import Lags
from penstock.analysis.forecast.method import Floats, Method
from penstock.analysis.forecast.naive import Naive, SeasonalNaive
from penstock.analysis.forecast.waves import Waves
from penstock.core.forecast import Forecast, Series
from penstock.core.units import positive
from penstock.errors import ConfigError

METHODS: tuple[Method, ...] = (Naive(), SeasonalNaive(), Damped(), Lags(), Waves())
BETTER_BY = 0.97  # a method must beat the naive one by so much: what is simple is taken when all are alike
ABOUT_AS_GOOD = 1.2  # times the best one's error
JUDGED_PART = 3  # of the past at most every third value is looked ahead in a back-test
LEAST_HISTORY = 2  # values
FAR_ABOVE = 2.0  # times the highest value ever seen: no forecast goes beyond
_UNJUDGED_SPREAD = 0.2  # of the last value: the bounds while nothing could be judged


@dataclass(frozen=True, slots=True)
class BestOnPast:
    """Fills the Forecaster port. With a single method it is that method, with bounds.

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
        """The mean of the best method, or of the few best, and its bounds, none below zero."""
        if len(history.values) < LEAST_HISTORY:
            raise ConfigError("history", len(history.values), f"at least {LEAST_HISTORY} steps of it are needed")
        if steps < 1:
            raise ConfigError("steps", steps, "look at least one step ahead")
        past = np.array(history.values)
        # A past that is short for so long a look ahead is judged on a shorter one: better than not at all.
        judged = min(steps, max(1, len(past) // JUDGED_PART))
        tried = sorted(backtest(self.methods, past, judged), key=_rank)
        ways = [(one, _ahead(one.method, past, steps)) for one in _about_as_good(tried)]
        chosen = [(one, ahead) for one, ahead in ways if ahead is not None]
        return self._told(history, chosen, tried) if chosen else self._unjudged(history, past, steps)

    def _told(self, history: Series, chosen: list[tuple[Tried, Floats]], tried: list[Tried]) -> Forecast:
        """The mean of those chosen, with the bounds that their mean would have had on the past."""
        mean = np.clip(np.mean([ahead for _, ahead in chosen], axis=0), 0.0, FAR_ABOVE * max(history.values))
        together = Tried(chosen[0][0].method, np.mean([one.errors for one, _ in chosen], axis=0))
        below, above = (_widened(width, len(mean)) for width in _spread(together.errors, self.level))
        naive = next((one.mean_error for one in tried if one.method.name == Naive().name), None)
        return Forecast(
            step_s=history.step_s,
            mean=tuple(mean.tolist()),
            lower=tuple(np.maximum(mean - below, 0.0).tolist()),
            upper=tuple((mean + above).tolist()),
            level=self.level,
            method=" and ".join(one.method.name for one, _ in chosen),
            error=together.mean_error / naive if naive else None,
        )

    def _unjudged(self, history: Series, past: Floats, steps: int) -> Forecast:
        """Too short a past to judge on: the last value, within wide bounds."""
        last = float(past[-1])
        wide = _UNJUDGED_SPREAD * last
        return Forecast(
            history.step_s, (last,) * steps, (last - wide,) * steps, (last + wide,) * steps, self.level, Naive().name
        )


def _rank(one: Tried) -> float:
    return one.mean_error * (BETTER_BY if one.method.name == Naive().name else 1.0)


def _about_as_good(tried: list[Tried]) -> list[Tried]:
    """The best and those that were hardly worse: which of them will be best next is chance, their mean is steadier."""
    return [one for one in tried if one.mean_error <= ABOUT_AS_GOOD * tried[0].mean_error]


def _ahead(method: Method, past: Floats, steps: int) -> Floats | None:
    fitted = method.fit(past, steps)
    return None if fitted is None else fitted.ahead(past, steps)


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
