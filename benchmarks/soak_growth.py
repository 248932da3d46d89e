"""How a driver's memory grew while it was watched, and what a day more would add."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

JUDGED_FROM_S = 600.0  # the JVM compiles, and Spark keeps the last 1000 jobs, stages and executions, for so long
JUDGED_LIFE_S = 1200.0  # a life that is shorter says nothing of growth
MEAN_OF_S = 120.0
_DAY_S = 86_400.0

Series = list[tuple[float, float]]  # seconds of a life, and MiB
_Clock = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Day:
    """What the next 24 hours would add, in MiB.

    It lies between the two: what leaks grows as it did, and what fills up (code that is compiled once it ran often
    enough) ever slower. A life of two hours cannot tell one from the other where they add up.
    """

    if_all_leaks: float
    if_all_fills: float
    leak_was_off: float  # the second half of the life as foretold from the first, mean error
    filling_was_off: float

    @property
    def foretold(self) -> float:
        """By the one of both that foretold the second half better."""
        return self.if_all_leaks if self.leak_was_off < self.filling_was_off else self.if_all_fills


def growth(series: Sequence[tuple[float, float]]) -> float | None:
    """MiB that came on top from the end of warming up to the end of a life; None for a life too short to tell."""
    if not series or series[-1][0] < JUDGED_LIFE_S:
        return None
    end_s = series[-1][0]
    first = [mib for at_s, mib in series if JUDGED_FROM_S <= at_s < JUDGED_FROM_S + MEAN_OF_S]
    last = [mib for at_s, mib in series if at_s > end_s - MEAN_OF_S]
    return fmean(last) - fmean(first) if first else None


def day_after(series: Series) -> Day | None:
    """What 24 hours more would add, by the second half of a life; None for a life too short to tell.

    >>> filling = [(60.0 * minute, 100.0 + 20.0 * math.log(minute)) for minute in range(1, 121)]
    >>> day = day_after(filling)
    >>> round(day.if_all_fills), round(day.if_all_leaks), round(day.filling_was_off), round(day.leak_was_off)
    (51, 324, 0, 14)
    """
    points = _by_minute([point for point in series if point[0] >= JUDGED_FROM_S])
    if not series or series[-1][0] < JUDGED_LIFE_S or len(points) < 4:
        return None
    middle_s = series[-1][0] / 2.0
    first, second = [point for point in points if point[0] < middle_s], [p for p in points if p[0] >= middle_s]
    return Day(
        _added(second, float),
        _added(second, math.log),
        _was_off(first, second, float),
        _was_off(first, second, math.log),
    )


def _by_minute(points: Series) -> Series:
    """The median of each minute: what is there for a moment only does not count."""
    minutes: dict[float, list[float]] = defaultdict(list)
    for at_s, mib in points:
        minutes[at_s // 60.0 * 60.0].append(mib)
    return [(at_s, median(found)) for at_s, found in minutes.items()]


def _added(points: Series, clock: _Clock) -> float:
    end_s = points[-1][0]
    return _slope(points, clock) * (clock(end_s + _DAY_S) - clock(end_s))


def _was_off(first: Series, second: Series, clock: _Clock) -> float:
    slope = _slope(first, clock)
    level = median(mib - slope * clock(at_s) for at_s, mib in first)
    return fmean(abs(mib - level - slope * clock(at_s)) for at_s, mib in second)


def _slope(points: Series, clock: _Clock) -> float:
    """MiB by such a clock: the median between any two points."""
    return median((b - a) / (clock(later) - clock(earlier)) for (earlier, a), (later, b) in combinations(points, 2))
