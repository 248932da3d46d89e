"""Micro-batch scenarios: the cluster they describe, and how their recoveries are timed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from penstock.core.seen.figures import Snapshot
from penstock.engines.sim.microbatch.engine import MicroBatchEngine
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchFault, MicroBatchJob, MicroBatchStage
from penstock.errors import ConfigError
from penstock.planning.registry import DEFAULT
from penstock.simulation.jobs import arrivals_of, named_jobs
from penstock.simulation.schema import BatchPart, FaultPart, JobPart, ScenarioFile


@dataclass(slots=True)
class _Recovery:
    """One job's way back from a failure."""

    job: str
    at_s: float
    rate_rps: float
    waiting_before: int | None = None
    seconds: float | None = None


class MicroBatchSimulation(MicroBatchEngine):
    """The engine, and a watch on how long each failed job takes to be back where it was."""

    def __init__(self, scenario: ScenarioFile, base: Path, seed: int, policy: str) -> None:
        jobs = _jobs(scenario, base, seed)
        rates = {job.name: job.arrivals for job in jobs}
        self._recoveries = [
            _Recovery(str(fault.target), fault.at, float(rates[str(fault.target)][int(fault.at)]))
            for fault in sorted(scenario.faults, key=lambda fault: fault.at)
            if fault.kind == "job" and fault.target in rates
        ]
        self._reached_s = 0.0
        super().__init__(_cluster(scenario, seed, policy), jobs, [_fault(fault) for fault in scenario.faults])

    @property
    def thread_seconds(self) -> float:
        """Slots that were held, times how long: an application keeps all its slots."""
        return self.slots * self._reached_s

    def recovered(self, targets: Mapping[str, float | None]) -> list[dict[str, object]]:
        """The recoveries so far, as `simulate --json` reports them."""
        return [
            {"at": r.at_s, "seconds": r.seconds, "rate": r.rate_rps, "target": targets.get(r.job)}
            for r in self._recoveries
            if r.at_s <= self._reached_s
        ]

    def advance_to(self, at_s: float) -> None:
        """Let time pass; second by second while a job is on its way back."""
        while self._reached_s < at_s:
            watched = [r for r in self._recoveries if r.seconds is None and r.at_s <= self._reached_s + 1.0]
            to = min(at_s, self._reached_s + 1.0) if watched else min(at_s, self._next_failure())
            super().advance_to(to)
            self._reached_s = to
            for recovery in watched:
                self._watch(recovery)

    def observe(self, now: float) -> Snapshot:
        """What the engine sees once it has come to `now`."""
        self.advance_to(now)
        return super().observe(now)

    def _next_failure(self) -> float:
        coming = [r.at_s for r in self._recoveries if r.at_s > self._reached_s + 1.0]
        return min(coming, default=float("inf")) - 1.0

    def _watch(self, recovery: _Recovery) -> None:
        rows = self.rows(recovery.job)
        waiting = rows.queued + rows.in_batch
        if self._reached_s <= recovery.at_s:
            recovery.waiting_before = max(waiting, recovery.waiting_before or 0)
        elif self._reached_s > recovery.at_s + 1.0 and waiting <= (recovery.waiting_before or 0) + recovery.rate_rps:
            recovery.seconds = self._reached_s - recovery.at_s


def scheduling_of(policy: str) -> str:
    """The two baselines are Spark's own scheduling, chosen when an application starts; the others move shares."""
    return policy if policy in ("fifo", "fair") else "governed"


def _cluster(scenario: ScenarioFile, seed: int, policy: str) -> MicroBatchCluster:
    part = scenario.cluster
    return MicroBatchCluster(
        slots=part.slots,
        cores=part.cores * part.machines,
        machines=part.machines,
        scheduling=scheduling_of(policy),
        small_first=policy == DEFAULT,
        context_switch=part.context_switch,
        noise=part.noise,
        seed=seed,
        window_s=part.window,
        executor_memory_mib=part.executor_memory_mib,
    )


def _jobs(scenario: ScenarioFile, base: Path, seed: int) -> list[MicroBatchJob]:
    seconds = int(scenario.duration) + 1
    jobs = []
    for place, (name, number, part) in enumerate(named_jobs(scenario)):
        if part.batch is None:
            raise ConfigError(f"jobs.{number}.batch", None, "a micro-batch scenario needs `batch` for every job")
        arriving = arrivals_of(part.rate, seconds, base, np.random.default_rng([seed, place]), f"jobs.{number}.rate")
        jobs.append(_job(name, part, part.batch, arriving))
    return jobs


def _job(
    name: str, part: JobPart, batch: BatchPart, arriving: "np.ndarray[tuple[int], np.dtype[np.float64]]"
) -> MicroBatchJob:
    stages = tuple(
        MicroBatchStage(stage, how.partitions, how.cpu, how.wait, how.task_overhead)
        for stage, how in batch.stages.items()
    )
    return MicroBatchJob(
        name=name,
        stages=stages,
        arrivals=np.round(arriving),
        selectivity=tuple(how.selectivity for how in batch.stages.values()),
        trigger_s=batch.trigger,
        batch_overhead_s=batch.overhead,
        commit_s=batch.commit,
        max_rows_per_batch=batch.max_rows_per_batch,
        threads=batch.threads,
        min_threads=batch.min_threads,
        max_threads=batch.max_threads,
        starts_at_s=part.starts,
        ends_at_s=float("inf") if part.ends is None else part.ends,
        restart_s=batch.restart,
        memory_mib=batch.memory_mib,
    )


def _fault(part: FaultPart) -> MicroBatchFault:
    target = f"machine-{part.target}" if isinstance(part.target, int) else part.target
    return MicroBatchFault(part.kind, part.at, part.duration, target, part.load)
