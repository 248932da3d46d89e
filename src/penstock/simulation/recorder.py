"""Records a simulated run round by round, in columns, for figures, checks, plots and stories.

The store's own timelines keep more and cost five times as much a round; two simulated days have 17,280 rounds.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.known.prediction import PredictionError
from penstock.core.plan import Verdict
from penstock.core.ports import PolicyMemory, Store
from penstock.core.run import (
    DecisionRecord,
    JobTimeline,
    MachineTimeline,
    Note,
    Run,
    RunInfo,
    as_of,
    records_of,
    with_verdicts,
)
from penstock.core.seen.shares import Pool, pool_of
from penstock.core.seen.states import possible_utility
from penstock.core.seen.view import View

NAN = float("nan")


COLUMNS = (  # by job
    *("utility", "met", "threads", "latency_s", "juice", "recovery_s", "arrival_rps", "backlog_rows"),
    "measured",  # whether there were figures of what it asks for: a comparison counts those without as nothing
)


@dataclass(slots=True)
class SimulationRecorder:
    """Fills the Store port. What `also` names, if anything, is told everything as well."""

    jobs: tuple[str, ...]
    intents: tuple[str, ...]
    max_utilities: tuple[float, ...]
    also: Store | None = None
    at_s: list[float] = field(default_factory=list)
    utility: list["array[float]"] = field(default_factory=list)
    met: list["array[float]"] = field(default_factory=list)
    threads: list["array[float]"] = field(default_factory=list)
    latency_s: list["array[float]"] = field(default_factory=list)
    juice: list["array[float]"] = field(default_factory=list)
    recovery_s: list["array[float]"] = field(default_factory=list)
    arrival_rps: list["array[float]"] = field(default_factory=list)
    backlog_rows: list["array[float]"] = field(default_factory=list)
    measured: list["array[float]"] = field(default_factory=list)
    max_utility: list[float] = field(default_factory=list)
    possible_utility: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    memory_share: list[float] = field(default_factory=list)
    decisions: list[DecisionRecord] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    shortfalls: list[Note] = field(default_factory=list)
    prediction_errors: tuple[PredictionError, ...] = ()
    last_view: View | None = None

    def announce(self, cycle: Cycle) -> None:
        """A simulated controller does not die between deciding and acting; another store may want to know."""
        if self.also is not None:
            self.also.announce(cycle)

    def check_ours(self) -> None:
        """So may it who has the run."""
        if self.also is not None:
            self.also.check_ours()

    def append(self, cycle: Cycle) -> None:
        """Keep one cycle."""
        if self.also is not None:
            self.also.append(cycle)
        view = cycle.view
        self.at_s.append(cycle.at_s)
        self.max_utility.append(view.max_utility)
        self.possible_utility.append(possible_utility(view))
        there = {job.name: job for job in view.jobs}
        rows: list[tuple[float, ...]] = []
        for name in self.jobs:
            job = there.get(name)
            if job is None:
                rows.append((NAN,) * len(COLUMNS))
                continue
            figures = job.figures
            latency = NAN if figures.latency is None else figures.latency.mean_s
            juice = NAN if figures.juice is None else figures.juice
            arrival = NAN if figures.arrival_rps is None else figures.arrival_rps
            recovery = NAN if job.recovery_s is None else job.recovery_s
            backlog = NAN if figures.backlog_rows is None else figures.backlog_rows
            asked = (job.utility or 0.0, NAN if job.intent.rests else float(job.met), float(figures.threads))
            rows.append((*asked, latency, juice, recovery, arrival, backlog, float(job.utility is not None)))
        for column, row in zip(COLUMNS, zip(*rows, strict=True), strict=True):
            getattr(self, column).append(array("d", row))
        alive = [machine for machine in view.machines if machine.alive]
        self.load.append(sum(m.load or 0.0 for m in alive) / max(len(alive), 1))
        self.memory_share.append(sum(m.memory_share or 0.0 for m in alive) / max(len(alive), 1))
        self.decisions.extend(records_of(cycle))
        self.verdicts.extend(cycle.plan.verdicts)
        if cycle.note != (self.notes[-1].text if self.notes else ""):
            self.notes.append(Note(cycle.at_s, cycle.note))
        if cycle.plan.shortfall != (self.shortfalls[-1].text if self.shortfalls else ""):
            self.shortfalls.append(Note(cycle.at_s, cycle.plan.shortfall))
        self.prediction_errors = cycle.plan.errors or self.prediction_errors
        self.last_view = view

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        """Every simulated run starts afresh."""
        return None

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        """None of any run before."""
        return ()

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        """None of any run before."""
        return ()

    def column(self, name: str) -> NDArray[np.float64]:
        """One of the recorded columns as an array: rounds, or rounds by jobs."""
        return np.array(getattr(self, name), dtype=float)

    def share(self) -> NDArray[np.float64]:
        """Total utility as a share of what it could be, by round."""
        total = np.nansum(self.column("utility"), axis=1)
        result: NDArray[np.float64] = total / np.maximum(np.array(self.max_utility), 1e-12)
        return result

    def told(self) -> tuple[DecisionRecord, ...]:
        """Every decision with what came of it."""
        return with_verdicts(self.decisions, self.verdicts)

    def run(self, info: RunInfo, cores: int) -> Run:
        """The run as it is told afterwards; the machines, all alike, are told as one."""
        return Run(
            info=info,
            at_s=self.at_s,
            utility=np.nansum(self.column("utility"), axis=1).tolist(),
            max_utility=self.max_utility,
            jobs=tuple(self._timeline(place) for place in range(len(self.jobs))),
            machines=(MachineTimeline("a machine, on average", cores, self.load),),
            decisions=as_of(self.told(), self.at_s[-1] if self.at_s else 0.0, goes_on=False),
            notes=tuple(self.notes),
            shortfalls=tuple(self.shortfalls),
            prediction_errors=self.prediction_errors,
            pool=Pool() if self.last_view is None else pool_of(self.last_view),
            possible_utility=self.possible_utility,
        )

    def _timeline(self, place: int) -> JobTimeline:
        threads, measured = self._of(self.threads, place), [row[place] > 0 for row in self.measured]
        utility, met = (
            [value if known else None for value, known in zip(self._of(column, place), measured, strict=True)]
            for column in (self.utility, self.met)
        )
        return JobTimeline(
            name=self.jobs[place],
            intent=self.intents[place],
            max_utility=self.max_utilities[place],
            utility=utility,
            met=[None if value is None else value > 0 for value in met],
            threads=[None if value is None else int(value) for value in threads],
            latency_s=self._of(self.latency_s, place),
            juice=self._of(self.juice, place),
            recovery_s=self._of(self.recovery_s, place),
        )

    def _of(self, column: Sequence[Sequence[float]], place: int) -> list[float | None]:
        return [None if row[place] != row[place] else row[place] for row in column]
