"""What each scale-out would mean for a job: its recovery time and whether it keeps up, over the intervals to come."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from penstock.analysis.models.job import JobModel
from penstock.core.known.batch_recovery import NEVER_SHORT, Batches, batch_recovery_time
from penstock.core.known.recovery import Short, recovery_time, short_recovery_time
from penstock.core.seen.failures import Failure, FailureKind
from penstock.planning.phoebe.outages import usual, worst


@dataclass(frozen=True, slots=True)
class Peak:
    """The averaging bin with the highest rate: when it begins, in seconds from now, and its mean."""

    in_s: float
    rate_rps: float


@dataclass(frozen=True, slots=True)
class Ahead:
    """A job's next intervals: the rates to come, and what a failure would cost before it is processing again."""

    curve: Callable[[float], float]  # rows/s, seconds from now
    model: JobModel
    failures: tuple[tuple[Failure, ...], ...]  # that may come, kind by kind
    checkpoint_s: float
    interval_s: float
    bin_s: float
    batches: Batches | None = None  # of a job that takes its rows in batches

    def peak(self, interval: int) -> Peak:
        """The highest bin of that interval, 0 being the one that begins now."""
        return max((self._mean(at_s) for at_s in self.bins(interval)), key=lambda peak: peak.rate_rps)

    def recovery_s(self, scaleout: int, interval: int = 0) -> float:
        """The longest recovery from a failure at any bin's beginning in that interval.

        The paper looks at a failure right now only. With a rate that rises, one at the end of the interval takes
        longer, and nothing can be done about it before.
        """
        end_s = (interval + 1) * self.interval_s
        return max(self._recovery_s(scaleout, at_s) for at_s in (*self.bins(interval), end_s))

    def keeps_up(self, scaleout: int, interval: int = 0) -> bool:
        """Whether its latency is valid at the interval's peak."""
        return self.model.keeps_up(scaleout, self.peak(interval).rate_rps)

    def kind_s(self, kind: FailureKind, scaleout: int, at_s: float = 0.0) -> float | None:
        """From a failure of that kind as they usually are, at that instant; None where none is planned with.

        Midway between two checkpoints, or batches: the plan assumes the end, as the paper does.
        """
        found = [failures for failures in self.failures if failures[0].kind is kind]
        if not found:
            return None
        return self._after_s(usual(found[0], self._use(scaleout, at_s), scaleout), scaleout, at_s, into=0.5)

    def _recovery_s(self, scaleout: int, at_s: float) -> float:
        return self._after_s(worst(self.failures, self._use(scaleout, at_s), scaleout), scaleout, at_s)

    def _use(self, scaleout: int, at_s: float) -> float:
        capacity = self.model.capacity.at(scaleout)
        return 1.0 if capacity <= 0.0 else min(1.0, self.curve(at_s) / capacity)

    def _after_s(self, failure: Failure, scaleout: int, at_s: float, into: float | None = None) -> float:
        """`into` is the share of a checkpoint's interval that had passed; without it, what costs most."""
        capacity = self.model.capacity.at(scaleout)
        if capacity <= self.curve(math.inf):  # beyond the forecast the rate is taken to stay as it is at its end
            return math.inf

        def since_stop(after_s: float) -> float:
            return self.curve(at_s + failure.detect_s + after_s)

        short = Short(failure.short_s, failure.kept(scaleout)) if failure.short_s else NEVER_SHORT
        if self.batches is not None:
            into_s = None if into is None else into * self.batches.every_s
            again = batch_recovery_time(since_stop, capacity, self.batches, failure.stop_s, into_s, short)
        else:
            since_checkpoint_s = self.checkpoint_s if into is None else into * self.checkpoint_s
            unsaved_s = max(since_checkpoint_s, failure.unsaved_s)
            if failure.short_s:
                again = short_recovery_time(since_stop, capacity, unsaved_s, failure.stop_s, short)
            else:
                again = recovery_time(since_stop, capacity, unsaved_s, failure.stop_s)
        return failure.detect_s + again.total

    def bins(self, interval: int = 0) -> list[float]:
        """When the bins of that interval begin, in seconds from now."""
        count = max(1, round(self.interval_s / self.bin_s))
        return [interval * self.interval_s + place * self.interval_s / count for place in range(count)]

    def _mean(self, from_s: float) -> Peak:
        rates = [self.curve(from_s + part * self.bin_s / 4) for part in range(5)]
        return Peak(from_s, (sum(rates) - (rates[0] + rates[-1]) / 2) / 4)


@dataclass(frozen=True, slots=True)
class ScaleOutNeed:
    """The smallest scale-out that will do in an interval; `enough` is False when none of those allowed does."""

    scaleout: int
    recovery_s: float
    enough: bool


@dataclass(frozen=True, slots=True)
class Leeway:
    """How far a recovery that is too late anyhow may stay behind the best that can be had.

    >>> Leeway(near_best=0.05, lateness=1.5).within_s(200.0, target_s=180.0)
    210.0
    >>> Leeway(near_best=0.05, lateness=1.5).within_s(300.0, target_s=180.0)
    360.0
    """

    near_best: float  # share of the best
    lateness: float  # times as late as the best would be

    def within_s(self, best_s: float, target_s: float) -> float:
        """What is still taken. Both grow from nothing much at the target: nobody is late because he nearly was."""
        return max((1.0 + self.near_best) * best_s, target_s + self.lateness * max(0.0, best_s - target_s))


def need(ahead: Ahead, target_s: float | None, highest: int, leeway: Leeway, interval: int = 0) -> ScaleOutNeed:
    """Algorithm 1 of the paper for one interval: the smallest that is valid in recovery and in latency.

    Both only get better with more executors, so it is found by halving. Where none is valid, the smallest that
    is close enough to the best: the paper takes the largest.
    """
    bound = math.inf if target_s is None else target_s

    def valid(scaleout: int) -> bool:
        if not ahead.keeps_up(scaleout, interval):
            return False
        return target_s is None or ahead.recovery_s(scaleout, interval) <= bound

    if valid(highest):
        found = _smallest(valid, highest)
        return ScaleOutNeed(found, ahead.recovery_s(found, interval), True)
    best = ahead.recovery_s(highest, interval)
    if not math.isfinite(best) or not ahead.keeps_up(highest, interval):
        return ScaleOutNeed(highest, best, False)
    close = leeway.within_s(best, best if target_s is None else target_s)
    found = _smallest(lambda s: ahead.keeps_up(s, interval) and ahead.recovery_s(s, interval) <= close, highest)
    return ScaleOutNeed(found, ahead.recovery_s(found, interval), False)


def _smallest(holds: Callable[[int], bool], highest: int) -> int:
    """The smallest from 1 on for which it holds; it holds for `highest`, and for all above one for which it does."""
    low, high = 1, highest
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
