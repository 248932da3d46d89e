"""What was seen of a job from outside: where its topic ended, what its checkpoint had, how many executors it held.

Recovered is a job with the commit of the first batch that began after the failure, took all that had arrived, and
left its oldest row waiting no longer than twice what was usual in the two minutes before.
"""

import contextlib
import itertools
import json
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

USUAL_OVER_S = 120.0
ARRIVED_WITHIN_S = 1.5  # rows so young may be missing in a batch that took "all": the source looked before they came
SHORTEST_USUAL_S = 3.0


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch as its checkpoint tells it: written down, committed (epoch seconds), and the topic's rows up to it."""

    number: int
    begun_s: float
    committed_s: float
    rows: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """One failure: when nothing was processed any more, for how long, and when all was as usual again."""

    at_s: float
    downtime_s: float | None
    recovered_s: float | None


@dataclass(slots=True)
class Watched:
    """One job, sample by sample."""

    checkpoint: Path
    ends: list[tuple[float, int]] = field(default_factory=list)  # rows that its topic was given, by then
    executors: list[tuple[float, int]] = field(default_factory=list)
    _begun: dict[int, tuple[float, int]] = field(default_factory=dict)
    _committed: dict[int, float] = field(default_factory=dict)

    def look(self) -> None:
        """Note the batches that the checkpoint has got since; Spark deletes old ones."""
        for path in self.checkpoint.glob("offsets/[0-9]*"):
            if int(path.name) not in self._begun:
                with contextlib.suppress(OSError, ValueError, IndexError):  # half written: seen next time
                    offsets = json.loads(path.read_text(encoding="utf-8").splitlines()[2])
                    rows = sum(sum(topic.values()) for topic in offsets.values())
                    self._begun[int(path.name)] = (path.stat().st_mtime, rows)
        for path in self.checkpoint.glob("commits/[0-9]*"):
            if int(path.name) not in self._committed:
                with contextlib.suppress(OSError):
                    self._committed[int(path.name)] = path.stat().st_mtime

    def batches(self) -> list[Batch]:
        """All committed batches, in order."""
        known = sorted(self._begun.keys() & self._committed.keys())
        return [Batch(n, self._begun[n][0], self._committed[n], self._begun[n][1]) for n in known]

    def into_s(self, at_s: float) -> float:
        """How long ago the last batch was written down."""
        return at_s - max((begun_s for begun_s, _ in self._begun.values()), default=at_s)

    def calm(self, batches: int, within_s: float) -> bool:
        """Whether no row of its last batches waited longer than so."""
        known = self.batches()
        lags = [_lag_s(known, place) for place in range(max(1, len(known) - batches), len(known))]
        return len(lags) == batches and max(lags) <= within_s

    def in_batch(self) -> bool:
        """Whether one is written down and not committed."""
        return max(self._begun, default=-1) > max(self._committed, default=-1)

    def arrived(self, at_s: float) -> int:
        """Rows that the topic had been given at some instant, by the sample before it."""
        place = bisect_left(self.ends, (at_s, 0))
        return self.ends[max(0, place - 1)][1]

    def recovery(self, at_s: float) -> Recovery:
        """What came of a failure."""
        batches = self.batches()
        usual_s = _usual(batches, at_s)
        after = [place for place, batch in enumerate(batches) if place > 0 and batch.committed_s > at_s]
        normal = (batches[place].committed_s for place in after if self._normal(batches, place, at_s, usual_s))
        recovered = next(normal, None)
        return Recovery(at_s, _downtime(batches, after, at_s), None if recovered is None else recovered - at_s)

    def _normal(self, batches: Sequence[Batch], place: int, at_s: float, usual_s: float) -> bool:
        batch, before = batches[place], batches[place - 1]
        if batch.begun_s < at_s or before.rows < self.arrived(before.begun_s - ARRIVED_WITHIN_S):
            return False
        return batch.rows >= self.arrived(batch.begun_s - ARRIVED_WITHIN_S) and _lag_s(batches, place) <= 2.0 * usual_s

    def executor_s(self, from_s: float, to_s: float) -> float:
        """Executor-seconds between two instants."""
        kept = [(at, count) for at, count in self.executors if from_s <= at <= to_s]
        return sum(count * (after[0] - at) for (at, count), after in itertools.pairwise(kept))


def _lag_s(batches: Sequence[Batch], place: int) -> float:
    """How long its oldest row had waited: it came when the batch before it had been written down."""
    return batches[place].committed_s - batches[place - 1].begun_s


def _usual(batches: Sequence[Batch], at_s: float) -> float:
    lags = [_lag_s(batches, n) for n, b in enumerate(batches) if n and at_s - USUAL_OVER_S < b.committed_s < at_s]
    return max(SHORTEST_USUAL_S, statistics.median(lags)) if lags else SHORTEST_USUAL_S


def _downtime(batches: Sequence[Batch], after: Sequence[int], at_s: float) -> float | None:
    """Until the first commit, less what its rows take at the pace of the second batch."""
    if len(after) < 2:
        return None
    first, second = batches[after[0]], batches[after[1]]
    rows = first.rows - batches[after[0] - 1].rows
    pace_s = (second.committed_s - second.begun_s) / max(1, second.rows - first.rows)
    return max(0.0, first.committed_s - at_s - rows * pace_s)
