"""Timelines: the figures of a run per cycle, in columns that grow by 40 bytes per job and cycle."""

from array import array
from collections import deque
from collections.abc import Iterable, MutableSequence, Sequence
from dataclasses import dataclass, field

from penstock.core.columns import Column
from penstock.core.figures import MachineFigures
from penstock.core.run import JobTimeline, MachineTimeline, MostUtility, Note, asked_latency_s
from penstock.core.states import State, StateChange, met_of, state_of
from penstock.core.view import View

KEPT_TROUBLES = 1000  # of each job


@dataclass(frozen=True, slots=True)
class JobMoment:
    """One job in one cycle: what a report needs of it."""

    name: str
    intent: str
    max_utility: float
    utility: float | None
    met: bool
    threads: int
    latency_s: float | None
    juice: float | None
    trouble: str | None
    state: State
    backlog_rows: float | None = None
    recovery_s: float | None = None
    urgency: float = 1.0  # times its worth that both utilities count for

    @property
    def known_met(self) -> bool | None:
        """Whether it had all it asked for; None where nobody knows, or nothing was asked."""
        return met_of(self.state, self.utility)


@dataclass(frozen=True, slots=True)
class Moment:
    """One cycle: what a report needs of it. Machines come as (name, cores, load)."""

    at_s: float
    utility: float
    max_utility: float
    jobs: Sequence[JobMoment]
    machines: Iterable[tuple[str, int, float | None]]

    @property
    def possible_utility(self) -> float:
        """The maximum of those that were not starting."""
        return sum(job.max_utility for job in self.jobs if job.state is not State.STARTING)


def moment_of(view: View) -> Moment:
    """The view, cut down to what a report needs."""
    jobs = tuple(
        JobMoment(
            name=job.name,
            intent=job.intent.text(),
            max_utility=job.max_utility,
            utility=job.utility,
            met=job.met,
            threads=job.figures.threads,
            latency_s=asked_latency_s(job),
            juice=job.figures.juice,
            trouble=job.figures.trouble,
            state=state_of(job),
            backlog_rows=job.figures.backlog_rows,
            recovery_s=job.recovery_s,
            urgency=job.urgency,
        )
        for job in view.jobs
    )
    return Moment(view.at_s, view.utility, view.max_utility, jobs, (_load(machine) for machine in view.machines))


def _load(machine: MachineFigures) -> tuple[str, int, float | None]:
    return machine.name, machine.cores, machine.load if machine.alive else None


@dataclass(slots=True)
class _JobColumns:
    """One job's columns while they grow."""

    intent: str = ""
    max_utility: float = 0.0
    utility: Column[float] = field(default_factory=lambda: Column(float))
    met: Column[bool] = field(default_factory=lambda: Column(bool))
    threads: Column[int] = field(default_factory=lambda: Column(int))
    latency_s: Column[float] = field(default_factory=lambda: Column(float))
    juice: Column[float] = field(default_factory=lambda: Column(float))
    recovery_s: Column[float] = field(default_factory=lambda: Column(float))
    troubles: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    states: deque[StateChange] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    intents: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))
    worths: deque[MostUtility] = field(default_factory=lambda: deque(maxlen=KEPT_TROUBLES))

    def add(self, job: JobMoment, number: int, at_s: float) -> None:
        rests = job.state is State.RESTING
        self.intent = job.intent
        # In the worth that its tenant stated, whatever it counted for; a tenant at rest is worth what it was before.
        if not rests or not self.max_utility:
            self.max_utility = job.max_utility / job.urgency
        self.utility.extended(None if rests or job.utility is None else job.utility / job.urgency, number)
        self.met.extended(job.known_met, number)
        self.threads.extended(job.threads, number)
        self.latency_s.extended(job.latency_s, number)
        self.juice.extended(job.juice, number)
        if job.recovery_s is not None:  # few jobs have any
            self.recovery_s.extended(job.recovery_s, number)
        noted(self.troubles, at_s, job.trouble or "")
        noted(self.intents, at_s, job.intent)
        if not self.worths or self.worths[-1].max_utility != self.max_utility:
            self.worths.append(MostUtility(at_s, self.max_utility))
        if not self.states or self.states[-1].state is not job.state:
            self.states.append(StateChange(at_s, job.state, job.backlog_rows))

    def part(self, start: int, length: int) -> "_JobColumns":
        return _JobColumns(
            self.intent,
            self.max_utility,
            self.utility.part(start, length),
            self.met.part(start, length),
            self.threads.part(start, length),
            self.latency_s.part(start, length),
            self.juice.part(start, length),
            self.recovery_s.part(start, length) if len(self.recovery_s) else self.recovery_s,
            self.troubles,
            self.states,
            self.intents,
            self.worths,
        )


def noted(notes: MutableSequence[Note], at_s: float, text: str) -> None:
    """Add a note where the words change."""
    if text != (notes[-1].text if notes else ""):
        notes.append(Note(at_s, text))


def _floats() -> "array[float]":
    return array("d")


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

    def add(self, moment: Moment) -> None:
        """Append one cycle."""
        if len(self.at_s) >= self.max_moments:
            self._forget(max(1, self.max_moments // 10))
        number = len(self.at_s)
        self.at_s.append(moment.at_s)
        self.utility.append(moment.utility)
        self.max_utility.append(moment.max_utility)
        self.possible_utility.append(moment.possible_utility)
        for job in moment.jobs:
            columns = self._jobs.get(job.name)
            if columns is None:  # not `setdefault`, which makes columns for every moment
                columns = self._jobs[job.name] = _JobColumns()
            columns.add(job, number, moment.at_s)
        for name, cores, load in moment.machines:
            column = self._machines[name][1] if name in self._machines else Column(float)
            column.extended(load, number)
            self._machines[name] = (cores, column)

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
        utility=columns.utility,
        met=columns.met,
        threads=columns.threads,
        latency_s=columns.latency_s,
        juice=columns.juice,
        troubles=tuple(columns.troubles),
        recovery_s=columns.recovery_s,
        states=tuple(columns.states),
        intents=tuple(columns.intents),
        worths=tuple(columns.worths),
    )
