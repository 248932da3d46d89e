"""One simulated job, second by second: what arrived, what is done, what is safe in a checkpoint."""

import math
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from penstock.core.seen.failures import Failure, FailureKind
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, OperatorFigures
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.engines.sim.scaleout.spec import ScaleOutJob, capacity_rps

WINDOW_S = 30  # of all means that are told
_KEPT = math.exp(-1.0 / 120.0)  # of a good or a bad spell, second by second: it lasts for two minutes
_STEEP = 4  # latency rises with this power of use


@dataclass(frozen=True, slots=True)
class _Second:
    """What happened in one second."""

    arrived: float
    done: float
    latency_s: float  # of the rows that were done
    use: float  # share of the capacity


class RunningJob:
    """Rows are counted from the start: `done` is the number of the next row to process, as an offset in a log."""

    def __init__(self, spec: ScaleOutJob, rng: np.random.Generator) -> None:
        self.spec = spec
        self.executors = spec.executors
        self.done = 0.0
        self.down_until_s = 0.0
        self.up_since_s = 0.0
        self.last: Failure | None = None
        self.failed_at_s: float | None = None
        self._rng = rng
        self._arrived = np.concatenate([[0.0], np.cumsum(spec.arrivals)]).tolist()
        self._saved = self._saved_at_s = 0.0
        self._next_checkpoint_s = spec.checkpoint_s
        self._coming: tuple[float, Failure] | None = None  # a failure that is not noticed yet, and when it is
        self._wander = self._latency_wander = 0.0
        self._latency_rng = rng.spawn(1)[0]  # one of its own: with or without it capacity has the same spells
        self._window: deque[_Second] = deque(maxlen=WINDOW_S)

    def live(self, second: int) -> None:
        """Let the second that begins now pass."""
        self._notice(second)
        arrived = self._arrived_by(second + 1)
        # Drawn whether needed or not: the same seed gives the same spells whatever the controller does.
        self._wander = _wandered(self._wander, self._rng)
        if self.spec.latency_spread:
            self._latency_wander = _wandered(self._latency_wander, self._latency_rng)
        done, latency, use = 0.0, 0.0, 0.0
        up_s = min(1.0, second + 1 - self.down_until_s)
        if up_s > 0:
            capacity = self._capacity_rps() * up_s
            done = min(capacity, arrived - self.done)
            self.done += done
            use = done / capacity if capacity > 0 else 0.0
            latency = self._usual_latency_s(use, arrived - self._arrived_by(second)) + self._age_s(second + 1)
            self._save(second + 1)
        self._window.append(_Second(arrived - self._arrived_by(second), done, latency, use))

    def fail(self, at_s: float, lost: FailureKind = FailureKind.DRIVER) -> None:
        """Something is lost. Until that is noticed the job goes on; what is noticed first stops it for both."""
        failure = self._failure(lost)
        if self._coming is None or at_s + failure.detect_s < self._coming[0]:
            self._coming = (at_s + failure.detect_s, failure)
        self._notice(at_s)

    def rescale(self, at_s: float, executors: int) -> None:
        """Save, stop, and start again with another number of executors."""
        self.executors = executors
        self._saved, self._saved_at_s = self.done, at_s
        self._down(at_s, float(self._rng.choice(self.spec.pauses_s)))

    @property
    def well_from_s(self) -> float:
        """When it is up again; never as long as nobody has noticed that something is lost."""
        return self.down_until_s if self._coming is None else math.inf

    def backlog(self, at_s: float) -> float:
        """Rows that have arrived and are not done."""
        return max(0.0, self._arrived_by(int(at_s)) - self.done)

    def rate_rps(self) -> float:
        """What arrives now."""
        return _mean([second.arrived for second in self._window]) or 0.0

    def figures(self, at_s: float) -> JobFigures:
        """All that an engine would tell."""
        window, spec = list(self._window), self.spec
        down = at_s < self.down_until_s
        arriving, done = _mean([s.arrived for s in window]), _mean([s.done for s in window])
        use = _mean([s.use for s in window])
        unit = OperatorFigures(
            name=ALL_OPERATORS,
            threads=self.executors,
            capacity=use,
            rows_in_rps=done,
            rows_out_rps=done,
            busy_share=use,
            cpu_share=None if use is None else use * spec.cpu_at_full,
            backlog_rows=self.backlog(at_s),
            is_source=True,
            min_threads=spec.min_executors,
            max_threads=spec.max_executors,
        )
        return JobFigures(
            name=spec.name,
            operators=(unit,),
            latency=self._latency(at_s, window),
            juice=1.0,  # exactly once: nothing is ever lost
            arrival_rps=arriving,
            processed_rps=done,
            working_rps=done,
            backlog_rows=self.backlog(at_s),
            settling=down,
            up_s=None if down else at_s - self.up_since_s,
            downtime_s=None if self.last is None else self.last.stop_s,
            detect_s=None if self.last is None else self.last.detect_s,
            unsaved_s=None if self.last is None else self.last.unsaved_s,
            lost=None if self.last is None else self.last.kind,
            failed_at_s=self.failed_at_s,
            checkpoint_s=spec.checkpoint_s,
            max_threads=spec.max_executors,
            trouble=f"restarts in {self.down_until_s - at_s:.0f} s" if down else None,
            trouble_id=TroubleId(TroubleKind.RESTARTING) if down else None,
        )

    def _capacity_rps(self) -> float:
        return capacity_rps(self.spec.capacities, self.executors) * max(0.0, 1.0 + self.spec.noise * self._wander)

    def _usual_latency_s(self, use: float, arriving_rps: float) -> float:
        spec = self.spec
        usual_s = spec.latency_s + spec.latency_rise_s * use**_STEEP
        if spec.one_second_more_at_rps is not None:
            usual_s += (arriving_rps / spec.one_second_more_at_rps) ** 2 * math.exp(
                spec.latency_spread * self._latency_wander
            )
        return usual_s

    def _failure(self, lost: FailureKind) -> Failure:
        spec = self.spec
        if lost in spec.downtimes_s:
            return Failure(lost, self._drawn(spec.downtimes_s[lost]))
        detect_s = float(round(self._drawn(spec.detect_s)))
        return Failure(lost, self._drawn(spec.downtime_s), detect_s, self._drawn(spec.unsaved_s))

    def _drawn(self, span: tuple[float, float]) -> float:
        return float(self._rng.uniform(*span)) if span[1] > 0 else 0.0

    def _notice(self, at_s: float) -> None:
        """Go down, if it is time; what was done since the last checkpoint is to be done again."""
        if self._coming is None or at_s < self._coming[0]:
            return
        _, failure = self._coming
        self.done, self._coming = self._saved, None
        self.failed_at_s = at_s - failure.detect_s
        self._down(at_s, failure.stop_s)
        self.last = replace(failure, stop_s=self.down_until_s - at_s, unsaved_s=max(0.0, at_s - self._saved_at_s))

    def _down(self, at_s: float, for_s: float) -> None:
        self.down_until_s = max(self.down_until_s, at_s + for_s)
        self.up_since_s = self.down_until_s
        self._next_checkpoint_s = self.down_until_s + self.spec.checkpoint_s

    def _save(self, at_s: float) -> None:
        if at_s >= self._next_checkpoint_s:
            self._next_checkpoint_s += self.spec.checkpoint_s
            if self._coming is None or at_s <= self._coming[0] - self._coming[1].unsaved_s:
                self._saved, self._saved_at_s = self.done, at_s

    def _arrived_by(self, second: int) -> float:
        return float(self._arrived[min(second, len(self._arrived) - 1)])

    def _age_s(self, at_s: int) -> float:
        """How long the row that was done last had waited."""
        second = bisect_right(self._arrived, self.done, 0, min(at_s + 1, len(self._arrived))) - 1
        return max(0.0, at_s - 1.0 - second) if self.done < self._arrived_by(at_s) else 0.0

    def _latency(self, at_s: float, window: list[_Second]) -> LatencyFigures | None:
        rows = sum(s.done for s in window)
        if rows > 0:
            return LatencyFigures(sum(s.done * s.latency_s for s in window) / rows)
        if not window or self.backlog(at_s) <= 0:
            return None
        # Nothing came out for a whole window: as late as the row that waits longest, the least it can be.
        return LatencyFigures(self.spec.latency_s + self._age_s(int(at_s)), estimated=True)


def _wandered(before: float, rng: np.random.Generator) -> float:
    return _KEPT * before + math.sqrt(1.0 - _KEPT * _KEPT) * float(rng.standard_normal())


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
