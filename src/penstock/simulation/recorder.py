"""Records a simulated run round by round, in columns, for figures, checks and plots."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from penstock.core.cycle import Cycle
from penstock.core.plan import Decision, Verdict
from penstock.core.ports import Memory

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Told:
    """A decision as it was made, with what came of it once that was known."""

    decision: Decision
    verdict: Verdict | None = None
    error: str | None = None


@dataclass(slots=True)
class Recorder:
    """Fills the Store port: it keeps what a run's story and figures need, and no whole views."""

    jobs: tuple[str, ...]
    at_s: list[float] = field(default_factory=list)
    utility: list[list[float]] = field(default_factory=list)
    met: list[list[float]] = field(default_factory=list)
    threads: list[list[float]] = field(default_factory=list)
    latency_s: list[list[float]] = field(default_factory=list)
    juice: list[list[float]] = field(default_factory=list)
    arrival_rps: list[list[float]] = field(default_factory=list)
    max_utility: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    memory_share: list[float] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    notes: list[tuple[float, str]] = field(default_factory=list)

    def append(self, cycle: Cycle) -> None:
        """Keep one cycle."""
        view = cycle.view
        self.at_s.append(cycle.at_s)
        self.max_utility.append(view.max_utility)
        columns = {job.name: job for job in view.jobs}
        rows: list[list[float]] = [[], [], [], [], [], []]
        for name in self.jobs:
            job = columns.get(name)
            if job is None:
                values = (NAN, NAN, NAN, NAN, NAN, NAN)
            else:
                figures = job.figures
                values = (
                    job.utility or 0.0,
                    float(job.met),
                    float(figures.threads),
                    figures.latency.mean_s if figures.latency is not None else NAN,
                    figures.juice if figures.juice is not None else NAN,
                    figures.arrival_rps if figures.arrival_rps is not None else NAN,
                )
            for row, value in zip(rows, values, strict=True):
                row.append(value)
        kept = (self.utility, self.met, self.threads, self.latency_s, self.juice, self.arrival_rps)
        for column, row in zip(kept, rows, strict=True):
            column.append(row)
        alive = [machine for machine in view.machines if machine.alive]
        self.load.append(sum(m.load or 0.0 for m in alive) / max(len(alive), 1))
        self.memory_share.append(sum(m.memory_share or 0.0 for m in alive) / max(len(alive), 1))
        self._tell(cycle)

    def last_memory(self, policy: str, memory_type: type[Memory]) -> Memory | None:
        """Every simulated run starts afresh."""
        return None

    def _tell(self, cycle: Cycle) -> None:
        for verdict in cycle.plan.verdicts:
            for place, told in enumerate(self.told):
                if told.verdict is None and told.decision.at_s == verdict.decided_at_s:
                    self.told[place] = Told(told.decision, verdict, told.error)
                    break
        errors = {outcome.step.job: outcome.error for outcome in cycle.outcome.failed}
        for decision in cycle.plan.decisions:
            failed = [f"{job}: {errors[job]}" for job in decision.jobs if job in errors]
            self.told.append(Told(decision, error="; ".join(failed) or None))
        if cycle.plan.note and (not self.notes or self.notes[-1][1] != cycle.plan.note):
            self.notes.append((cycle.at_s, cycle.plan.note))

    def column(self, name: str) -> NDArray[np.float64]:
        """One of the recorded columns as an array of rounds by jobs."""
        return np.array(getattr(self, name), dtype=float)

    def share(self) -> NDArray[np.float64]:
        """Total utility as a share of what it could be, by round."""
        total = np.nansum(self.column("utility"), axis=1)
        result: NDArray[np.float64] = total / np.maximum(np.array(self.max_utility), 1e-12)
        return result
