"""Timelines: the figures of a run per cycle, in columns that grow by 40 bytes per job and cycle."""

from array import array
from collections import deque
from collections.abc import Iterable, MutableSequence, Sequence
from dataclasses import dataclass, field, replace
from math import nan

from penstock.core.columns import Column
from penstock.core.run import JobTimeline, MachineTimeline, MostUtility, Note, asked_latency_s
from penstock.core.seen.states import State, StateChange, met_of, state_of
from penstock.core.seen.view import View

KEPT_TROUBLES = 1000  # of each job


@dataclass(frozen=True, slots=True)
class JobStretch:
    """Cycles in which a job stood alike: what a report needs of them. `numbers` count the cycles of a `RunPart`."""

    name: str
    intent: str
    max_utility: float
    trouble: str | None
    trouble_id: str | None  # the same for as long as it goes on, whatever its words count
    state: State
    urgency: float  # times its worth that both utilities count for
    at_s: float  # of the first of them
    backlog_rows: float | None  # then
    numbers: Sequence[int]
    utility: Sequence[float | None]
    threads: Sequence[int]
    latency_s: Sequence[float | None]
    juice: Sequence[float | None]
    recovery_s: Sequence[float | None] = ()  # empty where nobody worked any out

    @property
    def own_utility(self) -> list[float]:
        """Its utility in the worth that its tenant stated, whatever it counted for; NaN where there is none."""
        if self.state is State.RESTING:
            return [nan] * len(self.utility)
        if self.urgency == 1.0:
            return _known(self.utility)
        return [nan if utility is None else utility / self.urgency for utility in self.utility]

    @property
    def met(self) -> list[float]:
        """Whether it had all it asked for; NaN where nobody knows, or nothing was asked."""
        known = {None: met_of(self.state, None), 0.0: met_of(self.state, 0.0)}
        told = {utility is None: nan if met is None else float(met) for utility, met in known.items()}
        return [told[utility is None] for utility in self.utility]


@dataclass(frozen=True, slots=True)
class RunPart:
    """Some cycles after one another: what a report needs of them. Machines come as (cycle, name, cores, load)."""

    at_s: Sequence[float]
    utility: Sequence[float]
    max_utility: Sequence[float]
    jobs: Sequence[JobStretch]
    machines: Iterable[tuple[int, str, int, float | None]]

    @property
    def possible_utility(self) -> list[float]:
        """The maximum of those that were not starting, cycle by cycle."""
        possible = [0.0] * len(self.at_s)
        for job in self.jobs:
            if job.state is not State.STARTING:
                for number in job.numbers:
                    possible[number] += job.max_utility
        return possible


def moment_of(view: View) -> RunPart:
    """The view, cut down to what a report needs."""
    jobs = tuple(
        JobStretch(
            name=job.name,
            intent=job.intent.text(),
            max_utility=job.max_utility,
            trouble=job.figures.trouble,
            trouble_id=None if which is None else which.text,
            state=state_of(job),
            urgency=job.urgency,
            at_s=view.at_s,
            backlog_rows=job.figures.backlog_rows,
            numbers=(0,),
            utility=(job.utility,),
            threads=(job.figures.threads,),
            latency_s=(asked_latency_s(job),),
            juice=(job.figures.juice,),
            recovery_s=() if job.recovery_s is None else (job.recovery_s,),
        )
        for job in view.jobs
        for which in (job.figures.which_trouble,)
    )
    machines = ((0, one.name, one.cores, one.load if one.alive else None) for one in view.machines)
    return RunPart((view.at_s,), (view.utility,), (view.max_utility,), jobs, machines)


def _floats() -> "array[float]":
    return array("d")


@dataclass(slots=True)
class _JobColumns:
    """One job's columns while they grow; what is absent is NaN, as a Column has it."""

    intent: str = ""
    max_utility: float = 0.0
    utility: "array[float]" = field(default_factory=_floats)
    met: "array[float]" = field(default_factory=_floats)
    threads: "array[float]" = field(default_factory=_floats)
    latency_s: "array[float]" = field(default_factory=_floats)
    juice: "array[float]" = field(default_factory=_floats)
    recovery_s: "array[float]" = field(default_factory=_floats)
    troubles: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    states: deque[StateChange] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    trouble_id: str | None = None  # of the last of them
    intents: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    worths: deque[MostUtility] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))

    def add(self, job: JobStretch, before: int) -> None:
        """Cycles of a part that `before` so many are in front of."""
        self._stands(job)
        numbers = [before + number for number in job.numbers]
        _put(self.utility, numbers, job.own_utility)
        _put(self.met, numbers, job.met)
        _put(self.threads, numbers, job.threads)
        _put(self.latency_s, numbers, _known(job.latency_s))
        _put(self.juice, numbers, _known(job.juice))
        if job.recovery_s:  # few jobs have any
            _put(self.recovery_s, numbers, _known(job.recovery_s))

    def _stands(self, job: JobStretch) -> None:
        self.intent = job.intent
        # A tenant at rest is worth what it was before.
        if job.state is not State.RESTING or not self.max_utility:
            self.max_utility = job.max_utility / job.urgency
        self._troubled(job.at_s, job.trouble or "", job.trouble_id)
        noted(self.intents, job.at_s, job.intent)
        if not self.worths or self.worths[-1].max_utility != self.max_utility:
            self.worths.append(MostUtility(job.at_s, self.max_utility))
        if not self.states or self.states[-1].state is not job.state:
            self.states.append(StateChange(job.at_s, job.state, job.backlog_rows))

    def _troubled(self, at_s: float, text: str, which: str | None) -> None:
        """One that goes on is one, told as it was last: how often it was tried changes round by round."""
        if text and self.troubles and which == self.trouble_id:
            self.troubles[-1] = Note(self.troubles[-1].at_s, text)
        else:
            noted(self.troubles, at_s, text)
        self.trouble_id = which if text else None

    def part(self, start: int, length: int) -> "_JobColumns":
        """A copy of the cycles from `start` up to number `length`, absent where nothing was added."""
        return replace(
            self,
            utility=_part(self.utility, start, length),
            met=_part(self.met, start, length),
            threads=_part(self.threads, start, length),
            latency_s=_part(self.latency_s, start, length),
            juice=_part(self.juice, start, length),
            recovery_s=_part(self.recovery_s, start, length) if len(self.recovery_s) else self.recovery_s,
        )


def _known(values: Sequence[float | None]) -> list[float]:
    return [nan if value is None else value for value in values]


def _put(column: "array[float]", numbers: Sequence[int], values: Sequence[float]) -> None:
    """The values of these cycles, of which mostly one follows on another."""
    first, last = numbers[0], numbers[-1]
    if last - first == len(numbers) - 1:
        column.extend([nan] * (first - len(column)))
        column.extend(values)
        return
    column.extend([nan] * (last + 1 - len(column)))
    for number, value in zip(numbers, values, strict=True):
        column[number] = value


def _part(column: "array[float]", start: int, length: int) -> "array[float]":
    found = column[start:length]
    found.extend([nan] * (length - start - len(found)))
    return found


def noted(notes: MutableSequence[Note], at_s: float, text: str) -> None:
    """Add a note where the words change."""
    if text != (notes[-1].text if notes else ""):
        notes.append(Note(at_s, text))


@dataclass(slots=True)
class Timelines:
    """The growing columns of one run. Beyond `max_moments` the oldest tenth is let go."""

    max_moments: int = 100_000
    at_s: "array[float]" = field(default_factory=_floats)
    utility: "array[float]" = field(default_factory=_floats)
    max_utility: "array[float]" = field(default_factory=_floats)
    possible_utility: "array[float]" = field(default_factory=_floats)
    _jobs: dict[str, _JobColumns] = field(default_factory=dict)
    _machines: dict[str, tuple[int, Column[float]]] = field(default_factory=dict)

    def add(self, part: RunPart) -> None:
        """Append these cycles."""
        before = len(self.at_s)
        self.at_s.extend(part.at_s)
        self.utility.extend(part.utility)
        self.max_utility.extend(part.max_utility)
        self.possible_utility.extend(part.possible_utility)
        for job in part.jobs:
            columns = self._jobs.get(job.name)
            if columns is None:  # not `setdefault`, which makes columns for every stretch
                columns = self._jobs[job.name] = _JobColumns()
            columns.add(job, before)
        for number, name, cores, load in part.machines:
            column = self._machines[name][1] if name in self._machines else Column(float)
            column.extended(load, before + number)
            self._machines[name] = (cores, column)
        while len(self.at_s) > self.max_moments:
            self._forget(max(1, self.max_moments // 10))

    def jobs(self) -> tuple[JobTimeline, ...]:
        """Every job that was seen, in the order in which they came."""
        length = len(self.at_s)
        return tuple(_timeline(name, columns.part(0, length)) for name, columns in self._jobs.items())

    def machines(self) -> tuple[MachineTimeline, ...]:
        """Every machine that was seen."""
        length = len(self.at_s)
        return tuple(
            MachineTimeline(name, cores, load.part(0, length)) for name, (cores, load) in self._machines.items()
        )

    def _forget(self, count: int) -> None:
        length = len(self.at_s)
        for kept in (self.at_s, self.utility, self.max_utility, self.possible_utility):
            del kept[:count]
        self._jobs = {name: columns.part(count, length) for name, columns in self._jobs.items()}
        self._machines = {name: (cores, load.part(count, length)) for name, (cores, load) in self._machines.items()}


def _timeline(name: str, columns: _JobColumns) -> JobTimeline:
    return JobTimeline(
        name=name,
        intent=columns.intent,
        max_utility=columns.max_utility,
        utility=Column.of(float, columns.utility),
        met=Column.of(bool, columns.met),
        threads=Column.of(int, columns.threads),
        latency_s=Column.of(float, columns.latency_s),
        juice=Column.of(float, columns.juice),
        troubles=tuple(columns.troubles),
        recovery_s=Column.of(float, columns.recovery_s),
        states=tuple(columns.states),
        intents=tuple(columns.intents),
        worths=tuple(columns.worths),
    )
