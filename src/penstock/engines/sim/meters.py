"""Meters: what a simulated cluster counts over its windows, as a real one would."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from penstock.core.arrays import Floats
from penstock.engines.sim.layout import Layout
from penstock.engines.sim.physics import STEP_S, Physics


@dataclass(slots=True)
class Tally:
    """Sums over one sub-window, by operator."""

    steps: int
    arrived: Floats
    done: Floats
    dropped: Floats
    busy: Floats
    sojourn: Floats  # weighted by tuples done
    sojourn_square: Floats

    @classmethod
    def empty(cls, size: int) -> "Tally":
        """Nothing counted yet."""
        return cls(0, *(np.zeros(size) for _ in range(6)))

    def add(self, physics: Physics) -> None:
        """Count one step."""
        self.steps += 1
        self.arrived += physics.arrived
        self.done += physics.done
        self.dropped += physics.dropped
        self.busy += physics.busy
        self.sojourn += physics.done * physics.sojourn
        self.sojourn_square += physics.done * physics.sojourn_square


@dataclass(slots=True)
class Meters:
    """A sliding window of tallies, and totals since the start."""

    layout: Layout
    keep: int  # sub-windows of juice's window
    steps_per_window: int
    now: Tally
    closed: deque[Tally]
    total_arrived: Floats
    total_done: Floats
    total_dropped: Floats
    last_latency: dict[int, tuple[float, float]] = field(default_factory=dict)  # job -> (at_s, seconds)

    @classmethod
    def of(cls, layout: Layout, window_s: float, juice_window_s: float) -> "Meters":
        """Meters with nothing counted."""
        keep = max(1, round(juice_window_s / window_s))
        n = layout.size
        steps = max(1, round(window_s / STEP_S))
        return cls(layout, keep, steps, Tally.empty(n), deque(maxlen=keep), np.zeros(n), np.zeros(n), np.zeros(n))

    def count(self, physics: Physics) -> None:
        """Count one step; a full sub-window is closed when the next one begins."""
        if self.now.steps == self.steps_per_window:
            self.close()
        self.now.add(physics)
        self.total_arrived += physics.arrived
        self.total_done += physics.done
        self.total_dropped += physics.dropped

    def close(self) -> None:
        """Begin a new sub-window."""
        self.closed.append(self.now)
        self.now = Tally.empty(self.layout.size)

    @property
    def latest(self) -> Tally:
        """The newest sub-window that has something in it."""
        return self.now if self.now.steps or not self.closed else self.closed[-1]

    def juice(self) -> Floats:
        """Equation 5 and 6 by job, over the sliding window."""
        tallies = [*list(self.closed)[-(self.keep - 1) :], self.now] if self.keep > 1 else [self.now]
        arrived = sum((tally.arrived for tally in tallies), np.zeros(self.layout.size))
        done = sum((tally.done for tally in tallies), np.zeros(self.layout.size))
        return juice_by_job(self.layout, arrived, done)

    def latency(self) -> tuple[Floats, Floats]:
        """Mean and variance from source to sink by job over the newest sub-window; NaN where nothing arrived."""
        tally = self.latest
        tuples = np.maximum(tally.done, 1e-300)
        seen = tally.done > 1e-9
        mean = np.where(seen, tally.sojourn / tuples, 0.0)
        variance = np.where(seen, np.maximum(tally.sojourn_square / tuples - mean * mean, 0.0), 0.0)
        return path_latency(self.layout, tally.done, mean, variance)


def juice_by_job(layout: Layout, arrived: Floats, done: Floats) -> Floats:
    """Juice of every job at once; `core.seen.juice` is the same for one job and any counts."""
    ratio = np.where(arrived > 1e-9, np.minimum(done / np.maximum(arrived, 1e-9), 1.0), 1.0)
    juice = np.where(layout.is_source, ratio, 0.0)
    for level in layout.levels:
        share = juice[level.parents] * level.split * ratio[level.children]
        juice += np.bincount(level.children, weights=share, minlength=layout.size)
    at_sinks = np.bincount(layout.job_of, weights=juice * layout.is_sink, minlength=len(layout.jobs))
    result: Floats = at_sinks / layout.sources_per_job
    return result


def path_latency(layout: Layout, done: Floats, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Moments of the latency at the sinks: a mixture over parents by flow, plus each operator's own time."""
    first, second = mean.copy(), variance + mean * mean
    for level in layout.levels:
        children, size = level.children, layout.size
        flow = np.maximum(done[level.parents] * level.selectivity, 1e-12)
        total = np.maximum(np.bincount(children, weights=flow, minlength=size), 1e-12)
        before = np.bincount(children, weights=flow * first[level.parents], minlength=size) / total
        before_square = np.bincount(children, weights=flow * second[level.parents], minlength=size) / total
        here = level.here
        own = mean[here]
        first[here] = before[here] + own
        second[here] = before_square[here] + 2 * before[here] * own + variance[here] + own * own
    jobs = len(layout.jobs)
    weight = done * layout.is_sink
    total = np.bincount(layout.job_of, weights=weight, minlength=jobs)
    with np.errstate(invalid="ignore", divide="ignore"):
        at_sink = np.bincount(layout.job_of, weights=weight * first, minlength=jobs) / total
        square = np.bincount(layout.job_of, weights=weight * second, minlength=jobs) / total
    return at_sink, np.maximum(square - at_sink * at_sink, 0.0)
