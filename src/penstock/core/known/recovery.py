"""Recovery time: how long a job needs after a failure until it is back at the newest row (Phoebe, section III-B).

The backlog that grew since the last checkpoint takes some time to work off; meanwhile more arrives, which takes a
shorter time; and so on: a geometric series, because the job runs at its full capacity until it has caught up.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.units import is_number, non_negative, seconds
from penstock.errors import ConfigError

ArrivalRate = float | Callable[[float], float]

CLOSE_S = 0.05  # the series ends when its rest is shorter; the paper suggests a second
_PART_S = 5.0  # integration step over arrivals that change: forecasts come in minutes
_MAX_STEPS = 10_000
LONGEST_S = 86_400.0  # over a curve: beyond a day it has not recovered in any sense that matters


@dataclass(frozen=True, slots=True)
class RecoveryTime:
    """What a failure costs in seconds; `steps` are the terms of the series, None of them when it never ends."""

    downtime: float
    catch_up: float
    steps: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        """From the failure until the job is back; infinite when it never is."""
        return self.downtime + self.catch_up


def recovery_time(
    arrivals: ArrivalRate, capacity: float, checkpoint_interval: object, downtime: object
) -> RecoveryTime:
    """How long recovery takes when the failure comes just before a checkpoint would have been complete.

    `arrivals` is rows/s, or a function of the seconds since the failure (negative before it); `capacity` is the
    most rows/s that the job can process. Infinite when capacity does not exceed what arrives.

    >>> r = recovery_time(100.0, capacity=200.0, checkpoint_interval=10.0, downtime=60.0)
    >>> r.downtime, round(r.catch_up), round(r.total)
    (60.0, 70, 130)
    >>> [round(step, 2) for step in r.steps[:3]]
    [35.0, 17.5, 8.75]
    >>> recovery_time(200.0, capacity=200.0, checkpoint_interval=10.0, downtime=60.0).total
    inf
    """
    highest = non_negative(capacity, "capacity", "write rows per second, zero or more")
    interval_s = seconds(checkpoint_interval, "checkpoint_interval")
    down_s = seconds(downtime, "downtime")
    if is_number(arrivals):
        return _at_a_constant_rate(non_negative(arrivals, "arrivals"), highest, interval_s, down_s)
    if not callable(arrivals):
        raise ConfigError("arrivals", arrivals, "give rows per second, or a function of seconds since the failure")
    return _over_a_curve(arrivals, highest, interval_s, down_s)


@dataclass(frozen=True, slots=True)
class Short:
    """A job that goes on without a part of it until `until_s` after the failure, at `kept` of its capacity."""

    until_s: float
    kept: float

    def standstill_s(self, stop_s: float) -> float:
        """The standstill that costs as much: what is not done while short could be done in so many seconds.

        >>> Short(until_s=20.0, kept=0.75).standstill_s(stop_s=0.0)
        5.0
        """
        return stop_s + (1.0 - self.kept) * max(0.0, self.until_s - stop_s)


def short_recovery_time(
    arrivals: ArrivalRate, capacity: float, checkpoint_interval: float, downtime: float, short: Short
) -> RecoveryTime:
    """`recovery_time` of a job that comes back short. It may have caught up before it is whole again.

    >>> round(short_recovery_time(90.0, 100.0, 0.0, 0.0, Short(until_s=20.0, kept=0.75)).total)
    50
    >>> short_recovery_time(60.0, 100.0, 0.0, 0.0, Short(until_s=20.0, kept=0.75)).total
    0.0
    """
    before = recovery_time(arrivals, capacity * short.kept, checkpoint_interval, downtime)
    if before.total <= short.until_s:
        return before
    return recovery_time(arrivals, capacity, checkpoint_interval, short.standstill_s(downtime))


def _at_a_constant_rate(rate_rps: float, capacity_rps: float, interval_s: float, down_s: float) -> RecoveryTime:
    if capacity_rps <= rate_rps:
        return RecoveryTime(down_s, math.inf)
    ratio = rate_rps / capacity_rps
    first = (interval_s + down_s) * ratio
    steps: list[float] = []
    term = first
    while term / (1.0 - ratio) >= CLOSE_S and len(steps) < _MAX_STEPS:
        steps.append(term)
        term *= ratio
    return RecoveryTime(down_s, first / (1.0 - ratio), tuple(steps))  # the whole series, not only the terms listed


def _over_a_curve(
    arrivals: Callable[[float], float], capacity_rps: float, interval_s: float, down_s: float
) -> RecoveryTime:
    if capacity_rps <= 0:
        return RecoveryTime(down_s, math.inf)
    start_s, end_s = -interval_s, down_s
    steps: list[float] = []
    caught_up_s = 0.0
    while True:
        term = rows_between(arrivals, start_s, end_s) / capacity_rps
        caught_up_s += term
        if term == 0.0 or _rest(term, steps) < CLOSE_S:
            return RecoveryTime(down_s, caught_up_s, (*steps, term) if term else tuple(steps))
        steps.append(term)
        if caught_up_s > LONGEST_S or len(steps) >= _MAX_STEPS:
            return RecoveryTime(down_s, math.inf)
        start_s, end_s = end_s, end_s + term


def _rest(term: float, steps: list[float]) -> float:
    """What this and the later terms come to, if they go on shrinking as the last one did."""
    if not steps or term >= steps[-1]:
        return math.inf
    return term / (1.0 - term / steps[-1])


def rows_between(arrivals: Callable[[float], float], from_s: float, to_s: float) -> float:
    """The integral of the arrivals, by the trapezoid rule."""
    if to_s <= from_s:
        return 0.0
    parts = min(2_000, max(1, math.ceil((to_s - from_s) / _PART_S)))
    width = (to_s - from_s) / parts
    rates = [arrivals(from_s + place * width) for place in range(parts + 1)]
    total = sum(rates)
    if min(rates) < 0.0 or not total < math.inf:  # all at once: a planner asks a hundred thousand times
        _refuse_impossible(rates, from_s, width)
    return width * (total - (rates[0] + rates[-1]) / 2)


def _refuse_impossible(rates: list[float], from_s: float, width: float) -> None:
    for place, rate in enumerate(rates):
        if not 0.0 <= rate < math.inf:
            at_s = from_s + place * width
            raise ConfigError(f"arrivals({at_s:g})", rate, "it must give rows per second, zero or more")
