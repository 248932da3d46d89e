"""A series of arrival rates and what is expected to follow it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Series:
    """Rates, each the mean over `step_s` seconds, oldest first. There are no gaps."""

    step_s: float
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        positive(self.step_s, "step_s")
        if self.values:
            non_negative(min(self.values), "values")
            non_negative(max(self.values), "values")
            if any(value != value for value in self.values):
                raise ConfigError("values", math.nan, "give a number for every step")

    def until(self, length: int) -> "Series":
        """Its first so many values."""
        return Series(self.step_s, self.values[:length])


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is expected of each coming step, and between which bounds it will lie with the probability `level`.

    `error` is the method's mean absolute error over the back-test as a share of the naive method's, None where
    the history was too short for one.
    """

    step_s: float
    mean: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    level: float
    method: str
    error: float | None = None

    def curve(self, before: Series, share: float = 0.0) -> Callable[[float], float]:
        """Rows/s at any time from now: the past before 0, straight lines between the middles of steps after it.

        `share` moves from the mean (0) to the upper bound (1). Beyond the last step the rate stays as it is there.

        >>> f = Forecast(60.0, (20.0, 40.0), (20.0, 40.0), (20.0, 40.0), 0.8, "naive")
        >>> rate = f.curve(Series(60.0, (5.0, 10.0)))
        >>> rate(-30.0), rate(30.0), rate(60.0), rate(900.0)
        (10.0, 20.0, 30.0, 40.0)
        """
        ahead = tuple(mean + share * (upper - mean) for mean, upper in zip(self.mean, self.upper, strict=True))
        known = (*before.values[-10:], *ahead)
        # The middle of known[i] is (i - past + 1/2) steps from now.
        past = len(known) - len(ahead)
        return lambda at_s: _between(known, at_s / self.step_s + past - 0.5)


def _between(known: tuple[float, ...], place: float) -> float:
    if place <= 0.0:
        return known[0]
    if place >= len(known) - 1:
        return known[-1]
    whole = int(place)
    return known[whole] + (place - whole) * (known[whole + 1] - known[whole])
