"""Counterfactuals: how it would have gone without a decision, all others as they were, in the simulator's eyes.

Both ways are simulated, with the decision and without it, so that what the simulator gets wrong is in both; how far off
it is shows where it played what really happened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MISLEADS = 0.15  # of the maximum utility: a simulation that is off by more says nothing of a decision
NOTICED = 0.005  # of the maximum utility: less than this is no difference


@dataclass(frozen=True, slots=True)
class JobWithout:
    """One tenant's share of its maximum utility, simulated with the decision and without it."""

    job: str
    with_it: float
    without: float


@dataclass(frozen=True, slots=True)
class Without:
    """One decision tried: mean shares of the maximum utility over `span_s` from it on, until its levers turned again.

    `off` is the mean distance, instant by instant, between what was simulated with it and what really was.
    `slot_s_saved` are slot-seconds that its tenants would have held more of without it; negative where they held less.

    >>> found = Without(3, 120.0, really=0.70, with_it=0.72, without=0.61, off=0.04)
    >>> round(found.gain, 2), found.tells
    (0.11, True)
    """

    number: int  # of the decision, from 1
    span_s: float
    really: float
    with_it: float
    without: float
    off: float
    slot_s_saved: float = 0.0
    jobs: tuple[JobWithout, ...] = ()

    @property
    def gain(self) -> float:
        """What it brought, as a share of the maximum utility."""
        return self.with_it - self.without

    @property
    def tells(self) -> bool:
        """Whether the simulator came near enough to what really was."""
        return self.off <= MISLEADS


@dataclass(frozen=True, slots=True)
class Untold:
    """A decision of which nothing can be said, and why."""

    number: int
    why: str


Counterfactual = Without | Untold


@dataclass(frozen=True, slots=True)
class Worth:
    """What decisions brought together, each by itself: means over the time that followed each, by its length.

    `untold` are those of which nothing could be said, `misled` those where the simulator was too far off.
    """

    decisions: int
    span_s: float
    with_them: float | None
    without: float | None
    off: float | None
    slot_h_saved: float
    untold: int
    misled: int

    @property
    def gain(self) -> float | None:
        """Percentage points would be a hundred times this."""
        return None if self.with_them is None or self.without is None else self.with_them - self.without


def worth_of(found: Iterable[Counterfactual]) -> Worth:
    """The sum over decisions.

    >>> one, other = Without(1, 60.0, 0.7, 0.7, 0.5, 0.02), Without(2, 180.0, 0.8, 0.8, 0.8, 0.04)
    >>> worth = worth_of([one, other, Untold(3, "too short"), Without(4, 60.0, 0.9, 0.2, 0.9, 0.7)])
    >>> worth.decisions, round(worth.gain, 3), round(worth.off, 3), worth.untold, worth.misled
    (2, 0.05, 0.035, 1, 1)
    """
    every = list(found)
    tried = [one for one in every if isinstance(one, Without)]
    told = [one for one in tried if one.tells]
    return Worth(
        decisions=len(told),
        span_s=sum(one.span_s for one in told),
        with_them=_mean(told, [one.with_it for one in told]),
        without=_mean(told, [one.without for one in told]),
        off=_mean(told, [one.off for one in told]),
        slot_h_saved=sum(one.slot_s_saved for one in told) / 3600.0,
        untold=len(every) - len(tried),
        misled=len(tried) - len(told),
    )


def _mean(told: Sequence[Without], values: Sequence[float]) -> float | None:
    """By how long each was tried."""
    whole_s = sum(one.span_s for one in told)
    return sum(one.span_s * value for one, value in zip(told, values, strict=True)) / whole_s if whole_s > 0 else None
