"""The stages of one job over a window: busy time for its capacity, and rows and bytes stage by stage for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.seen.batches import TOLD
from penstock.core.seen.figures import StageFigures
from penstock.engines.spark.watch.python_time import PythonWait, runs_python
from penstock.engines.spark.watch.stages import StageReading

_KEPT_S = 180.0
_WORKS_KEPT = 4 * TOLD  # batches; some are under way, or not told of yet
_NAMES_AT_MOST = 500  # stages of adaptive plans can vary; names are looked up again after so many


@dataclass(frozen=True, slots=True)
class Busy:
    """Task time over a span, the part of it spent on a core, and what was waited for Python workers."""

    span_s: float
    busy_s: float
    cpu_s: float
    python_s: float = 0.0

    def on_cores_s(self, python_share: float) -> float:
        """The workers' part included, which had a core for such a share of what was waited for them."""
        return self.cpu_s + python_share * self.python_s


@dataclass(frozen=True, slots=True)
class StageWork:
    """What the stages of one batch did together; None of what is not known because they were not all read."""

    stages: int = 0
    tasks: int = 0
    busy_s: float = 0.0
    cpu_s: float = 0.0
    python_s: float = 0.0  # waited for Python workers
    spans: tuple[tuple[float, float], ...] = ()  # from each stage's submission to its completion
    whole: bool = True  # every stage was read, and to its end

    def and_also(self, reading: StageReading, first: bool, python: bool) -> "StageWork":
        """With a reading more, which is a stage's first or what it did since; `python` says whether it runs any."""
        spans = self.spans
        if reading.complete and reading.submitted_s is not None and reading.completed_s is not None:
            spans = (*spans, (reading.submitted_s, reading.completed_s))
        return StageWork(
            stages=self.stages + first,
            tasks=self.tasks + (reading.tasks if first else 0),
            busy_s=self.busy_s + reading.busy_s,
            cpu_s=self.cpu_s + reading.cpu_s,
            python_s=self.python_s + (_waited_s(reading) if python else 0.0),
            spans=spans,
            whole=self.whole and not reading.cut,
        )

    def on_cores_s(self, python_share: float) -> float:
        """See `Busy.on_cores_s`."""
        return self.cpu_s + python_share * self.python_s

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


@dataclass(frozen=True, slots=True)
class StageHistory:
    """What the stages of a job did, reading by reading."""

    _first_at_s: float | None = None
    _readings: tuple[tuple[float, int, StageReading], ...] = ()
    _first_stage: Mapping[tuple[str, int], int] = field(default_factory=dict)
    _names: Mapping[int, str] = field(default_factory=dict)
    _named_idle: frozenset[int] = frozenset()  # places named by a stage without rows: Spark plans an empty batch anew
    _works: Mapping[tuple[str, int], StageWork] = field(default_factory=dict)  # of the last batches, oldest first
    _begun: Mapping[int, int] = field(default_factory=dict)  # stages not at their end, with how many tasks run

    def opened(self, at_s: float) -> "StageHistory":
        """Readings begin here."""
        return self if self._first_at_s is not None else replace(self, _first_at_s=at_s)

    def knows(self, reading: StageReading) -> bool:
        """Whether it has a name for the stage's place in the plan, by a stage with rows where this one has any."""
        place = self._place(reading)
        return place in self._names and (place not in self._named_idle or reading.rows_in == 0)

    def and_also(self, reading: StageReading, at_s: float, name: str | None = None) -> "StageHistory":
        """With a reading more; `name` says what the stage does, where its place in the plan has no name yet."""
        place, first_at_s, readings = self._place(reading), self._first_at_s, self._readings
        if first_at_s is not None and at_s < (readings[-1][0] if readings else first_at_s):
            # The clock was set back: what was read before is of no window any more.
            first_at_s, readings = at_s, ()
        kept = next((number for number, one in enumerate(readings) if one[0] >= at_s - _KEPT_S), len(readings))
        first_stage = {(reading.run_id, reading.batch_id): reading.stage_id, **self._first_stage}
        if len(first_stage) > _NAMES_AT_MOST:
            first_stage = {key: value for key, value in first_stage.items() if key[1] >= reading.batch_id}
        names, named_idle = self._names, self._named_idle
        if not self.knows(reading):
            names = {**names, place: name or names.get(place, f"stage {place}")}
            named_idle = named_idle - {place} if reading.rows_in else named_idle | {place}
        return replace(
            self._worked(reading, runs_python(names[place])),
            _first_at_s=first_at_s,
            _readings=(*readings[kept:], (at_s, place, reading)),
            _first_stage=first_stage,
            _names=names,
            _named_idle=named_idle,
        )

    def _place(self, reading: StageReading) -> int:
        return reading.stage_id - self._first_stage.get((reading.run_id, reading.batch_id), reading.stage_id)

    def work(self, run_id: str, batch_id: int) -> StageWork | None:
        """What the stages of a batch did; None where not all of them were read, or it was long ago."""
        found = self._works.get((run_id, batch_id))
        return found if found is not None and found.whole else None

    def _worked(self, reading: StageReading, python: bool) -> "StageHistory":
        batch, first = (reading.run_id, reading.batch_id), reading.stage_id not in self._begun
        works = {**self._works, batch: self._works.get(batch, StageWork()).and_also(reading, first, python)}
        begun = {stage: running for stage, running in self._begun.items() if stage != reading.stage_id}
        if not reading.complete:
            begun[reading.stage_id] = reading.running
        return replace(self, _works=dict(list(works.items())[-_WORKS_KEPT:]), _begun=begun)

    @property
    def running(self) -> int:
        """Its tasks that ran when stages were last read."""
        return sum(self._begun.values())

    def busy(self, from_s: float, to_s: float) -> Busy | None:
        """Task time in the window; None before the first reading."""
        if self._first_at_s is None or to_s <= max(from_s, self._first_at_s):
            return None
        inside = [(place, reading) for at_s, place, reading in self._readings if at_s > from_s]
        all_inside = [reading for _, reading in inside]
        return Busy(
            span_s=to_s - max(from_s, self._first_at_s),
            busy_s=sum(reading.busy_s * reading.counts_for for reading in all_inside),
            cpu_s=sum(reading.cpu_s * reading.counts_for for reading in all_inside),
            python_s=sum(
                _waited_s(reading) * reading.counts_for for place, reading in inside if self._python_at(place)
            ),
        )

    @property
    def runs_python(self) -> bool:
        """Whether one of its stages hands rows to Python workers."""
        return any(map(runs_python, self._names.values()))

    def python_waits(self, job: str) -> tuple[PythonWait, ...]:
        """What its tasks waited for Python workers, stage by stage."""
        by_stage = dict[int, list[StageReading]]()
        for _, place, reading in self._readings:
            if self._python_at(place) and reading.submitted_s is not None:
                by_stage.setdefault(reading.stage_id, []).append(reading)
        return tuple(_python_wait(job, found) for found in by_stage.values())

    def _python_at(self, place: int) -> bool:
        return runs_python(self._names[place])

    def figures(self, from_s: float, to_s: float, share_slots: float) -> tuple[StageFigures, ...]:
        """Each stage of the plan over the window, for a job that holds so many slots."""
        places: dict[int, list[StageReading]] = {}
        for at_s, place, reading in self._readings:
            if at_s > from_s:
                places.setdefault(place, []).append(reading)
        span_s = to_s - max(from_s, self._first_at_s or from_s)
        return tuple(_summed(self._names[place], found, span_s, share_slots) for place, found in sorted(places.items()))


def _waited_s(reading: StageReading) -> float:
    """What its tasks were in a slot and had no core in the JVM."""
    return max(0.0, reading.busy_s - reading.cpu_s)


def _python_wait(job: str, readings: list[StageReading]) -> PythonWait:
    """Of one stage, read once or several times; one that stands for others is as if it had waited for all of them."""
    last = readings[-1]
    waited_s = sum(_waited_s(reading) * reading.counts_for for reading in readings)
    return PythonWait(job, last.submitted_s or 0.0, last.completed_s if last.complete else None, waited_s)


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
