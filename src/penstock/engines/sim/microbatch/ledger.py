"""What a job did lately: running totals of each second, and its commits; windowed figures come from here."""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from penstock.engines.sim.microbatch.mixture import Uniform

# A window ends with the newest commit, so that the batch in flight is not counted as lost; but with the present when
# that batch takes longer than these many times the longest from commit to commit, as the Spark engine has it.
_STALLED_AFTER_CYCLES = 1.5
_STALLED_AFTER_S = 1.0


@dataclass(frozen=True, slots=True)
class Totals:
    """Everything since the job's start, as of one instant."""

    at_s: float
    arrived: int
    processed: int
    busy_s: float = 0.0  # seconds of its tasks in slots
    cpu_s: float = 0.0  # seconds of its tasks on cores
    share_s: float = 0.0  # slot seconds that were its share
    batch_s: float = 0.0  # seconds with a batch open


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """One batch's end: its rows, when the first and the last of them arrived, and the totals after it."""

    at_s: float
    rows: int
    oldest_s: float
    newest_s: float
    duration_s: float
    arrived: int
    processed: int


@dataclass(frozen=True, slots=True)
class WindowFlow:
    """What came and what went over a window from one commit to another, or to the present of a job that stalls."""

    start_s: float
    arrived: float
    processed: float
    stalled: bool

    @property
    def juice(self) -> float:
        """The share of what came that went, at most 1."""
        return min(1.0, self.processed / self.arrived) if self.arrived > 0 else 1.0


class Ledger:
    """The last minutes of one job."""

    __slots__ = ("_commits", "_samples")

    def __init__(self, starts_at_s: float) -> None:
        self._samples: deque[Totals] = deque([Totals(starts_at_s, 0, 0)])
        self._commits: deque[BatchEnd] = deque()

    def sample(self, totals: Totals, keep_s: float) -> None:
        """Add the totals of this second; of what is older than `keep_s` only the newest stays."""
        self._samples.append(totals)
        while len(self._samples) > 1 and self._samples[1].at_s <= totals.at_s - keep_s:
            self._samples.popleft()

    def commit(self, commit: BatchEnd, keep_s: float) -> None:
        """Add a batch's end; of what is older than `keep_s` only the newest stays, and always two."""
        self._commits.append(commit)
        while len(self._commits) > 2 and self._commits[1].at_s <= commit.at_s - keep_s:
            self._commits.popleft()

    def totals_at(self, at_s: float) -> Totals:
        """The newest sample that was taken by `at_s`, or else the oldest there is."""
        found = self._samples[0]
        for sample in self._samples:
            if sample.at_s > at_s:
                break
            found = sample
        return found

    def latencies(self, from_s: float) -> list[Uniform]:
        """The latencies of all rows committed since that instant."""
        return [
            Uniform(commit.rows, commit.at_s - commit.newest_s, commit.at_s - commit.oldest_s)
            for commit in self._commits
            if commit.at_s >= from_s
        ]

    def flow(self, now: Totals, window_s: float) -> WindowFlow | None:
        """The flow of the window; None until there are two commits to span it."""
        if len(self._commits) < 2:
            return None
        last, stalled = self._commits[-1], self._stalls(now.at_s)
        end_s, arrived = (now.at_s, now.arrived) if stalled else (last.at_s, last.arrived)
        start_s = max(end_s - window_s, self._commits[0].at_s)
        arrived_before, processed_before = self._between(start_s, now)
        return WindowFlow(start_s, arrived - arrived_before, last.processed - processed_before, stalled)

    def _stalls(self, now_s: float) -> bool:
        times = [commit.at_s for commit in self._commits]
        longest_s = max(after - before for before, after in pairwise(times))
        return now_s - times[-1] > max(_STALLED_AFTER_CYCLES * longest_s, _STALLED_AFTER_S)

    def _between(self, at_s: float, now: Totals) -> tuple[float, float]:
        """Rows that had arrived and that were processed by then, on straight lines from commit to commit."""
        points = [(commit.at_s, commit.arrived, commit.processed) for commit in self._commits]
        times, arrived, processed = zip(*points, (now.at_s, now.arrived, now.processed), strict=True)
        return float(np.interp(at_s, times, arrived)), float(np.interp(at_s, times, processed))
