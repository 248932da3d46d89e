"""Intents: what a tenant wants, and what it is worth to come close (Henge, section 4.1)."""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field

from penstock.core.asked.budget import Budget
from penstock.core.asked.hours import Excluded, Hours
from penstock.core.asked.shapes import (
    AllOrNothing,
    Knee,
    LinearJuice,
    LinearLatency,
    Lognormal,
    Shape,
    piecewise,
)
from penstock.core.seen.figures import LatencyFigures
from penstock.core.units import is_number, non_negative, positive, positive_seconds, seconds, text_of_seconds
from penstock.errors import ConfigError

SHAPES = ("knee", "linear", "step", "piecewise", "lognormal")
MOST_UTILITY = 1e12  # sums and squares over any fleet stay far from where a float becomes infinite, and shares nothing
NO_UTILITY = 1e-9  # of a tenant of whom nothing is asked now: nothing beside anybody else's, and no division by zero
MET_WITHIN = 0.005  # a share this close to 1 meets its target: windows of a count never agree to the last row

Points = Sequence[tuple[object, float]]


@dataclass(frozen=True, slots=True, init=False)
class Latency:
    """At most `target` seconds from arrival to result: the mean, or a percentile.

    >>> Latency("2s", percentile=95, utility=35).utility_at("4s")
    17.5
    """

    target_s: float
    percentile: float | None
    utility: float
    shape: Shape
    hours: Hours | None

    def __init__(
        self,
        target: object,
        percentile: float | None = None,
        utility: float = 1.0,
        shape: str = "knee",
        points: Points = (),
        zero_at: object = None,
        spread: float = 1.0,
        hours: Hours | None = None,
    ) -> None:
        if percentile is not None and not (is_number(percentile) and 0 < percentile < 100):
            raise ConfigError(
                "percentile", percentile, "write a number between 0 and 100, or leave it out for the mean"
            )
        target_s = positive_seconds(target, "latency")
        fill(self, target_s=target_s, percentile=None if percentile is None else float(percentile))
        fill(self, utility=_worth(utility))
        fill(self, shape=_time_shape(shape, target_s, points, zero_at, spread), hours=hours)

    def share_at(self, latency: object) -> float:
        """The share of the maximum utility at this latency."""
        return self.shape.share(_time_badness(latency, self.target_s, "latency"))

    def utility_at(self, latency: object) -> float:
        """The utility at this latency."""
        return self.utility * self.share_at(latency)

    def text(self) -> str:
        """What is asked, in words."""
        name = "mean" if self.percentile is None else f"p{self.percentile:g}"
        return f"{name} latency <= {text_of_seconds(self.target_s)}{_when(self.hours)}"


@dataclass(frozen=True, slots=True, init=False)
class Juice:
    """At least the share `target` of the input processed.

    >>> Juice(0.9, utility=10).utility_at(0.45)
    5.0
    """

    target: float
    utility: float
    shape: Shape
    hours: Hours | None

    def __init__(
        self,
        target: object = 1.0,
        utility: float = 1.0,
        shape: str = "knee",
        points: Points = (),
        zero_at: object = None,
        spread: float = 1.0,
        hours: Hours | None = None,
    ) -> None:
        remedy = "write the share of the input to process, above 0 and at most 1"
        share = positive(target, "juice", remedy)
        if share > 1:
            raise ConfigError("juice", target, remedy)
        fill(self, target=share, utility=_worth(utility))
        fill(self, shape=_juice_shape(shape, share, points, zero_at, spread), hours=hours)

    def share_at(self, juice: object) -> float:
        """The share of the maximum utility at this juice."""
        value = non_negative(juice, "juice")
        return self.shape.share(self.target / value if value > 0 else math.inf)

    def utility_at(self, juice: object) -> float:
        """The utility at this juice."""
        return self.utility * self.share_at(juice)

    def text(self) -> str:
        """What is asked, in words."""
        return f"juice >= {self.target:g}{_when(self.hours)}"


@dataclass(frozen=True, slots=True, init=False)
class Recovery:
    """Back to normal within `target` seconds of a failure.

    >>> Recovery("60s", utility=8).utility_at("2m")
    4.0
    """

    target_s: float
    utility: float
    shape: Shape
    hours: Hours | None

    def __init__(
        self,
        target: object,
        utility: float = 1.0,
        shape: str = "knee",
        points: Points = (),
        zero_at: object = None,
        spread: float = 1.0,
        hours: Hours | None = None,
    ) -> None:
        target_s = positive_seconds(target, "recovery")
        fill(self, target_s=target_s, utility=_worth(utility))
        fill(self, shape=_time_shape(shape, target_s, points, zero_at, spread), hours=hours)

    def share_at(self, recovery: object) -> float:
        """The share of the maximum utility when recovery takes this long; infinite is allowed."""
        if recovery == math.inf:
            return self.shape.share(math.inf)
        return self.shape.share(_time_badness(recovery, self.target_s, "recovery"))

    def utility_at(self, recovery: object) -> float:
        """The utility when recovery takes this long."""
        return self.utility * self.share_at(recovery)

    def text(self) -> str:
        """What is asked, in words."""
        return f"recovery <= {text_of_seconds(self.target_s)}{_when(self.hours)}"


Objective = Latency | Juice | Recovery


@dataclass(frozen=True, slots=True)
class Score:
    """What an intent makes of a job's figures."""

    utility: float
    met: bool


@dataclass(frozen=True, slots=True, init=False)
class Intent:
    """What one tenant wants: its utility is the mean of its objectives' utilities (Henge, section 7.2.2).

    `recovery="60s"` states a recovery target without a utility of its own: it bounds plans. Pass a
    `Recovery` among the objectives to make it count. `certainty` is the share of all futures that plans made
    from forecasts are to cover, such as 0.9; without it they are made for the expected one. `budget` says how often all
    of it may be missed, `excluded` when nothing is asked. What holds at an instant says `asked_at`: there `resting` are
    the objectives that do not hold then, and `rests` says why where none does.

    >>> Intent(Latency("70ms", utility=35), Juice(1.0, utility=35), recovery="60s").max_utility
    35.0
    """

    objectives: tuple[Objective, ...]
    recovery_s: float | None
    certainty: float | None
    max_utility: float = field(compare=False)
    budget: Budget | None
    excluded: tuple[Excluded, ...]
    resting: tuple[Objective, ...]
    rests: str

    def __init__(
        self,
        *objectives: Objective,
        recovery: object = None,
        certainty: float | None = None,
        budget: Budget | None = None,
        excluded: Sequence[Excluded] = (),
    ) -> None:
        for objective in objectives:
            if not isinstance(objective, (Latency, Juice, Recovery)):
                raise ConfigError("intent", objective, "give Latency, Juice or Recovery objectives")
        kinds = [type(objective) for objective in objectives if objective.hours is None]
        if kinds.count(Juice) > 1 or kinds.count(Recovery) > 1:
            raise ConfigError("intent", [kind.__name__ for kind in kinds], "state juice and recovery once each")
        if not objectives:
            raise ConfigError("intent", "nothing", "state at least one of latency, juice or recovery")
        recovery_s = None if recovery is None else positive_seconds(recovery, "recovery")
        if certainty is not None and not (is_number(certainty) and 0.5 <= certainty < 1):
            raise ConfigError("certainty", certainty, "write a share from 0.5 to below 1, or leave it out for the mean")
        stated = [objective.target_s for objective in objectives if isinstance(objective, Recovery)]
        fill(self, objectives=tuple(objectives), recovery_s=stated[0] if stated else recovery_s)
        fill(self, certainty=None if certainty is None else float(certainty))
        fill(self, max_utility=_mean(objective.utility for objective in objectives))
        fill(self, budget=budget, excluded=tuple(excluded), resting=(), rests="")

    @property
    def soonest_s(self) -> float | None:
        """The shortest latency that is asked for, in seconds."""
        return min((one.target_s for one in self.objectives if isinstance(one, Latency)), default=None)

    def lasting(self, budget: Budget | None = None, excluded: Sequence[Excluded] = ()) -> "Intent":
        """The same with an error budget, and without the periods in which nothing is asked."""
        if budget is None and not excluded:
            return self
        found = copy(self)
        fill(found, budget=budget, excluded=tuple(excluded))
        return found

    def score(
        self, latency: LatencyFigures | None, juice: float | None, recovery_s: float | None = None
    ) -> Score | None:
        """Utility and whether every target is met; None when a figure that it needs is absent.

        A recovery objective without an estimate is left out of the mean rather than counted as missed:
        no failure has been seen yet.
        """
        if self.rests:
            return Score(self.max_utility, met=True)
        achieved = possible = 0.0
        met = True
        for objective in self.objectives:
            share = _share(objective, latency, juice, recovery_s)
            if share is None:
                if isinstance(objective, Recovery):
                    continue
                return None
            achieved += objective.utility * share
            possible += objective.utility
            met = met and share >= 1.0 - MET_WITHIN
        if possible == 0.0:
            return None
        # A recovery objective left out keeps its weight: the job's maximum must not shrink with a figure.
        return Score(achieved / possible * self.max_utility, met)

    def text(self) -> str:
        """What is asked, in words."""
        if self.rests:
            return f"nothing now ({self.rests})"
        asked = [objective.text() for objective in self.objectives]
        if self.recovery_s is not None and not any(isinstance(o, Recovery) for o in self.objectives):
            asked.append(f"recovery <= {text_of_seconds(self.recovery_s)}")
        return ", ".join(asked)


def _when(hours: Hours | None) -> str:
    return "" if hours is None else f" {hours.text()}"


def _share(
    objective: Objective, latency: LatencyFigures | None, juice: float | None, recovery_s: float | None
) -> float | None:
    if isinstance(objective, Latency):
        value = latency.at(objective.percentile) if latency is not None else None
        return None if value is None else objective.shape.share(value / objective.target_s)
    if isinstance(objective, Juice):
        if juice is None:
            return None
        return objective.shape.share(objective.target / juice if juice > 0 else math.inf)
    return None if recovery_s is None else objective.share_at(recovery_s)


def _time_badness(value: object, target_s: float, name: str) -> float:
    return seconds(value, name) / target_s


def _time_shape(name: str, target_s: float, points: Points, zero_at: object, spread: float) -> Shape:
    if name == "linear":
        zero_s = 2.0 * target_s if zero_at is None else positive_seconds(zero_at, "zero_at")
        if zero_s <= target_s:
            raise ConfigError("zero_at", zero_at, f"write a time above the target {text_of_seconds(target_s)}")
        return LinearLatency(zero_s / target_s)
    if name == "piecewise":
        pairs = [(seconds(value, "points"), share) for value, share in _checked_points(points)]
        return piecewise(pairs, target_s, less_is_better=True)
    return _plain_shape(name, spread)


def _juice_shape(name: str, target: float, points: Points, zero_at: object, spread: float) -> Shape:
    if name == "linear":
        zero = 0.0 if zero_at is None else non_negative(zero_at, "zero_at")
        if zero >= target:
            raise ConfigError("zero_at", zero_at, f"write a juice below the target {target:g}")
        return LinearJuice(zero / target)
    if name == "piecewise":
        pairs = [(non_negative(value, "points"), share) for value, share in _checked_points(points)]
        return piecewise(pairs, target, less_is_better=False)
    return _plain_shape(name, spread)


def _plain_shape(name: str, spread: float) -> Shape:
    if name == "knee":
        return Knee()
    if name == "step":
        return AllOrNothing()
    if name == "lognormal":
        return Lognormal(spread)
    raise ConfigError("shape", name, f"choose one of {', '.join(SHAPES)}")


def _worth(utility: object) -> float:
    remedy = f"write a number above zero and at most {MOST_UTILITY:g}"
    found = positive(utility, "utility", remedy)
    if found > MOST_UTILITY:
        raise ConfigError("utility", utility, remedy)
    return found


def _checked_points(points: object) -> list[tuple[object, float]]:
    remedy = "write pairs of value and share, such as [['2s', 1.0], ['4s', 0.3]]"
    if isinstance(points, str) or not isinstance(points, Sequence) or not points:
        raise ConfigError("points", points, remedy)
    result: list[tuple[object, float]] = []
    for point in points:
        if isinstance(point, str) or not isinstance(point, Sequence) or len(point) != 2:
            raise ConfigError("points", point, remedy)
        result.append((point[0], non_negative(point[1], "points", remedy)))
    return result


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def shaped(objective: Objective, shape: Shape) -> Objective:
    """The same target and utility in another shape.

    >>> shaped(Juice(0.8), AllOrNothing()).share_at(0.7)
    0.0
    """
    found = copy(objective)
    fill(found, shape=shape)
    return found


def scaled(intent: Intent, factor: float) -> Intent:
    """The same targets, worth so many times as much.

    >>> scaled(Intent(Juice(0.8, utility=30), recovery="60s"), 0.5).max_utility
    15.0
    """
    objectives = [copy(objective) for objective in intent.objectives]
    for objective in objectives:
        fill(objective, utility=objective.utility * factor)
    found = restated(intent, objectives, intent.recovery_s)
    fill(found, resting=intent.resting, rests=intent.rests)
    return found


def unscaled(intent: Intent, factor: float) -> Intent:
    """What was `scaled` by that: worth what somebody wrote, to the twelve digits that sums leave of it.

    >>> asked = Intent(Latency("2s", utility=10))
    >>> scaled(scaled(asked, 2.3), 1 / 2.3) == asked, unscaled(scaled(asked, 2.3), 2.3) == asked
    (False, True)
    """
    found = scaled(intent, 1.0 / factor)
    for objective in found.objectives:
        fill(objective, utility=float(f"{objective.utility:.12g}"))
    return found


def restated(intent: Intent, objectives: Sequence[Objective], recovery_s: float | None) -> Intent:
    """The same with other objectives: its budget, its certainty and the periods in which nothing is asked are kept."""
    kept = {"certainty": intent.certainty, "budget": intent.budget, "excluded": intent.excluded}
    return Intent(*objectives, recovery=recovery_s, **kept)  # type: ignore[arg-type]


def fill(target: object, /, **fields: object) -> None:
    """Fill a frozen value while it is being built."""
    for name, value in fields.items():
        object.__setattr__(target, name, value)
