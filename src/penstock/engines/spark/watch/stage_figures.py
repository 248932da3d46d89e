"""The stages of one job over a window: busy time for its capacity, and rows and bytes stage by stage for people."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from penstock.core.batches import TOLD
from penstock.core.figures import StageFigures
from penstock.engines.spark.watch.stages import StageReading

_KEPT_S = 180.0
_WORKS_KEPT = 4 * TOLD  # batches; some are under way, or not told of yet
_NAMES_AT_MOST = 500  # stages of adaptive plans can vary; names are looked up again after so many


@dataclass(frozen=True, slots=True)
class Busy:
    """Task time over a span, and the part of it spent on a core."""

    span_s: float
    busy_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Work:
    """What the stages of one batch did together; None of what is not known because they were not all read."""

    stages: int = 0
    tasks: int = 0
    busy_s: float = 0.0
    cpu_s: float = 0.0
    spans: tuple[tuple[float, float], ...] = ()  # from each stage's submission to its completion
    whole: bool = True  # every stage was read, and to its end

    def and_also(self, reading: StageReading, first: bool) -> "Work":
        """With a reading more, which is a stage's first or what it did since."""
        spans = self.spans
        if reading.complete and reading.submitted_s is not None and reading.completed_s is not None:
            spans = (*spans, (reading.submitted_s, reading.completed_s))
        return Work(
            stages=self.stages + first,
            tasks=self.tasks + (reading.tasks if first else 0),
            busy_s=self.busy_s + reading.busy_s,
            cpu_s=self.cpu_s + reading.cpu_s,
            spans=spans,
            whole=self.whole and not reading.cut,
        )

    @property
    def staged_s(self) -> float | None:
        """Time with a stage under way; None while one has not told its end."""
        if len(self.spans) < self.stages:
            return None
        total_s, until_s = 0.0, 0.0
        for from_s, to_s in sorted(self.spans):
            total_s += max(0.0, to_s - max(from_s, until_s))
            until_s = max(until_s, to_s)
        return total_s


@dataclass(slots=True)
class StageHistory:
    """What the stages of a job did, reading by reading."""

    _first_at_s: float | None = None
    _readings: deque[tuple[float, int, StageReading]] = field(default_factory=deque)
    _first_stage: dict[tuple[str, int], int] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _works: dict[tuple[str, int], Work] = field(default_factory=dict)  # of the last batches, oldest first
    _begun: set[int] = field(default_factory=set)  # stages that were read and are not at their end

    def open(self, at_s: float) -> None:
        """Readings begin here."""
        self._first_at_s = at_s if self._first_at_s is None else self._first_at_s

    def add(self, reading: StageReading, at_s: float, name: Callable[[int], str | None]) -> None:
        """One more reading; `name` says what a stage does and is asked once for each place in the plan."""
        if self._first_at_s is not None and at_s < (self._readings[-1][0] if self._readings else self._first_at_s):
            self._readings.clear()  # the clock was set back: what was read before is of no window any more
            self._first_at_s = at_s
        place = reading.stage_id - self._first_stage.setdefault((reading.run_id, reading.batch_id), reading.stage_id)
        if place not in self._names:
            self._names[place] = name(reading.stage_id) or f"stage {place}"
        self._readings.append((at_s, place, reading))
        self._add_to_batch(reading)
        while self._readings[0][0] < at_s - _KEPT_S:
            self._readings.popleft()
        if len(self._first_stage) > _NAMES_AT_MOST:
            self._first_stage = {key: value for key, value in self._first_stage.items() if key[1] >= reading.batch_id}

    def work(self, run_id: str, batch_id: int) -> Work | None:
        """What the stages of a batch did; None where not all of them were read, or it was long ago."""
        found = self._works.get((run_id, batch_id))
        return found if found is not None and found.whole else None

    def _add_to_batch(self, reading: StageReading) -> None:
        batch, first = (reading.run_id, reading.batch_id), reading.stage_id not in self._begun
        self._works[batch] = self._works.get(batch, Work()).and_also(reading, first)
        if reading.complete:
            self._begun.discard(reading.stage_id)
        else:
            self._begun.add(reading.stage_id)
        while len(self._works) > _WORKS_KEPT:
            del self._works[next(iter(self._works))]

    def busy(self, from_s: float, to_s: float) -> Busy | None:
        """Task time in the window; None before the first reading."""
        if self._first_at_s is None or to_s <= max(from_s, self._first_at_s):
            return None
        inside = [reading for at_s, _, reading in self._readings if at_s > from_s]
        return Busy(
            span_s=to_s - max(from_s, self._first_at_s),
            busy_s=sum(reading.busy_s * reading.counts_for for reading in inside),
            cpu_s=sum(reading.cpu_s * reading.counts_for for reading in inside),
        )

    def figures(self, from_s: float, to_s: float, share_slots: float) -> tuple[StageFigures, ...]:
        """Each stage of the plan over the window, for a job that holds so many slots."""
        places: dict[int, list[StageReading]] = {}
        for at_s, place, reading in self._readings:
            if at_s > from_s:
                places.setdefault(place, []).append(reading)
        span_s = to_s - max(from_s, self._first_at_s or from_s)
        return tuple(_summed(self._names[place], found, span_s, share_slots) for place, found in sorted(places.items()))


def _summed(name: str, readings: list[StageReading], span_s: float, share_slots: float) -> StageFigures:
    tasks = readings[-1].tasks
    busy_s = sum(reading.busy_s * reading.counts_for for reading in readings)
    have_s = span_s * min(tasks, share_slots)
    return StageFigures(
        name=name,
        tasks=tasks,
        rows_in=sum(reading.rows_in for reading in readings),
        rows_out=sum(reading.rows_out for reading in readings),
        busy_s=busy_s,
        capacity=busy_s / have_s if have_s > 0 else None,
        shuffle_local_bytes=sum(reading.shuffle_local_bytes for reading in readings),
        shuffle_remote_bytes=sum(reading.shuffle_remote_bytes for reading in readings),
    )
