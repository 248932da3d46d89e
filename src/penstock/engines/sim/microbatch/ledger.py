"""What a job did lately: running totals of each second, and its commits; windowed figures come from here."""

from collections import deque
from dataclasses import dataclass

from penstock.engines.sim.microbatch.mixture import Uniform

JUICE_STEP_S = 10.0  # Henge, section 5: a sliding window in sub-windows of 10 s
# A window ends with the newest commit, so that the batch in flight is not counted as lost; but not
# when that batch takes more than twice what the last one took.
_PATIENCE = 2.0


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
class Commit:
    """One batch's end: its rows, when the first and the last of them arrived, and the totals after it."""

    at_s: float
    rows: int
    oldest_s: float
    newest_s: float
    duration_s: float
    arrived: int
    processed: int


class Ledger:
    """The last minutes of one job."""

    __slots__ = ("_commits", "_samples", "_starts_at_s")

    def __init__(self, starts_at_s: float) -> None:
        self._starts_at_s = starts_at_s
        self._samples: deque[Totals] = deque([Totals(starts_at_s, 0, 0)])
        self._commits: deque[Commit] = deque()

    def sample(self, totals: Totals, keep_s: float) -> None:
        """Add the totals of this second; of what is older than `keep_s` only the newest stays."""
        self._samples.append(totals)
        while len(self._samples) > 1 and self._samples[1].at_s <= totals.at_s - keep_s:
            self._samples.popleft()

    def commit(self, commit: Commit, keep_s: float) -> None:
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

    def latencies(self, after_s: float) -> list[Uniform]:
        """The latencies of all rows committed after that instant."""
        return [
            Uniform(commit.rows, commit.at_s - commit.newest_s, commit.at_s - commit.oldest_s)
            for commit in self._commits
            if commit.at_s > after_s
        ]

    def juice(self, now: Totals, window_s: float, trigger_s: float) -> float | None:
        """Rows processed over rows arrived in the window, at most 1.

        The window runs from commit to commit. None until there are two, or the job has been there for a window.
        """
        last = self._commits[-1] if self._commits else self._start()
        first = self._first_of(now.at_s, window_s)
        if now.at_s - last.at_s > max(JUICE_STEP_S, _PATIENCE * trigger_s, _PATIENCE * last.duration_s):
            return _ratio(now.processed - first.processed, now.arrived - first.arrived)
        if first == last:
            return None
        return _ratio(last.processed - first.processed, last.arrived - first.arrived)

    def _first_of(self, now: float, window_s: float) -> Commit:
        """The newest commit before the window; within its first window, the job's first commit."""
        from_s = (now // JUICE_STEP_S + 1) * JUICE_STEP_S - window_s
        started = self._start()
        if len(self._commits) < 2:
            return started if not self._commits or started.at_s <= from_s else self._commits[0]
        found = self._commits[0]
        for commit in list(self._commits)[1:-1]:
            if commit.at_s <= from_s:
                found = commit
        return found

    def _start(self) -> Commit:
        at_s = self._starts_at_s
        return Commit(at_s, 0, at_s, at_s, 0.0, 0, 0)


def _ratio(processed: int, arrived: int) -> float:
    return min(1.0, processed / arrived) if arrived > 0 else 1.0
