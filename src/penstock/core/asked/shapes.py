"""Shapes: what share of its maximum utility a job has when it misses its target by so much.

A shape is a function of badness: 1 at the target, above 1 when the target is missed. For latency and
recovery time badness is value / target; for juice it is target / value. One set of shapes then serves
figures where less is better and figures where more is better.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from penstock.core.units import is_number, positive
from penstock.errors import ConfigError


class Shape(Protocol):
    """Share of the maximum utility, from 0 to 1, never rising with badness."""

    def share(self, badness: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Knee:
    """A plateau, then hyperbolic in badness: equations 1 and 2 of Henge in one."""

    def share(self, badness: float) -> float:
        return 1.0 if badness <= 1 else 1.0 / badness


@dataclass(frozen=True, slots=True)
class AllOrNothing:
    """All or nothing."""

    def share(self, badness: float) -> float:
        return 1.0 if badness <= 1 else 0.0


@dataclass(frozen=True, slots=True)
class Anything:
    """All of it, whatever comes: of targets that do not hold now, see hours.py."""

    def share(self, badness: float) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class LinearLatency:
    """A straight fall from the target to zero at `zero_at` targets."""

    zero_at: float = 2.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.zero_at) and self.zero_at > 1):
            raise ConfigError("zero_at", self.zero_at, "utility must reach zero on the worse side of the target")

    def share(self, badness: float) -> float:
        return min(1.0, max(0.0, (self.zero_at - badness) / (self.zero_at - 1.0)))


@dataclass(frozen=True, slots=True)
class LinearJuice:
    """A straight rise with juice, from zero at `zero_at` (a share of the target) to the target."""

    zero_at: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.zero_at < 1:
            raise ConfigError("zero_at", self.zero_at, "utility must reach zero on the worse side of the target")

    def share(self, badness: float) -> float:
        goodness = 0.0 if math.isinf(badness) else 1.0 / max(badness, 1e-12)
        return min(1.0, max(0.0, (goodness - self.zero_at) / (1.0 - self.zero_at)))


@dataclass(frozen=True, slots=True)
class Lognormal:
    """A smooth fall: twice the upper tail of a lognormal with its median at the target."""

    spread: float = 1.0

    def __post_init__(self) -> None:
        positive(self.spread, "spread", "write how widely utility falls, above zero; 1 is usual")

    def share(self, badness: float) -> float:
        if badness <= 1:
            return 1.0
        if math.isinf(badness):
            return 0.0
        return math.erfc(math.log(badness) / (self.spread * math.sqrt(2.0)))


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Straight lines between points, as the user sees them: over latency, or over juice. Flat beyond the last.

    A point is (badness, share), or for figures where more is better (-goodness, share) with goodness =
    1 / badness, the figure in targets; both rise as the figure gets worse.
    """

    points: tuple[tuple[float, float], ...]
    less_is_better: bool = True

    def __post_init__(self) -> None:
        before = (-math.inf, 1.0)
        for point in self.points:
            if not (all(map(is_number, point)) and before[0] < point[0] < math.inf and 0 <= point[1] <= before[1]):
                raise ConfigError("points", point, "write shares from 1 to 0 that never rise as the figure gets worse")
            before = point

    def share(self, badness: float) -> float:
        if badness <= 1:
            return 1.0
        worse = _worse(badness, self.less_is_better)
        before = (_worse(1.0, self.less_is_better), 1.0)
        for point in self.points:
            if worse <= point[0]:
                part = (worse - before[0]) / (point[0] - before[0])
                return (1.0 - part) * before[1] + part * point[1]  # so written it never falls below 0
            before = point
        return before[1]


def _worse(badness: float, less_is_better: bool) -> float:
    """What a piecewise shape is drawn over: badness itself, or the figure it came from, turned round."""
    return badness if less_is_better else -1.0 / badness


def piecewise(points: Sequence[tuple[float, float]], target: float, less_is_better: bool) -> Piecewise:
    """Points (value, share) as the user gave them, checked to be monotonic and measured in targets."""
    sign = 1.0 if less_is_better else -1.0
    ordered = sorted(((sign * value / target, share, value) for value, share in points), key=lambda p: p[0])
    last = 1.0
    for worse, share, value in ordered:
        if not (math.isfinite(share) and 0 <= share <= 1):
            raise ConfigError("points", (value, share), "the share of the maximum utility lies between 0 and 1")
        if worse <= sign and share != 1:
            raise ConfigError("points", (value, share), "a value that meets the target has share 1")
        if share > last:
            raise ConfigError(
                "points", (value, share), f"utility must never rise as the figure gets worse; write {last:g} or less"
            )
        last = share
    beyond = tuple((worse, share) for worse, share, _ in ordered if worse > sign)
    if len({worse for worse, _ in beyond}) != len(beyond):
        raise ConfigError("points", list(points), "give each value once")
    return Piecewise(beyond, less_is_better)
