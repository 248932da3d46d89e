"""The engine: lets events happen in order, tells what it sees, and changes shares. Its physics are its own."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.core.seen.figures import Snapshot
from penstock.engines.lifetime import AlwaysThere
from penstock.engines.sim.microbatch import batches, faults
from penstock.engines.sim.microbatch.figures import aged, snapshot_of
from penstock.engines.sim.microbatch.levers import refusal, turn
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchFault, MicroBatchJob
from penstock.engines.sim.microbatch.world import ClusterState
from penstock.errors import ConfigError

# Whom an event concerns depends on its kind; the queue cannot know.
_HANDLERS: dict[str, Callable[[ClusterState, Any], None]] = {
    "start": batches.start_job,
    "end": batches.end_job,
    "trigger": batches.trigger,
    "work": batches.work_done,
    "failure": batches.fail_job,
    "restart": batches.restart_job,
    "loss": faults.lose_machine,
    "return": faults.return_machine,
    "load": faults.add_load,
}


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Where a job's rows are: `arrived` is always the sum of the others."""

    arrived: int
    processed: int
    in_batch: int
    queued: int


class MicroBatchEngine(AlwaysThere):
    """Streaming queries of one application on shared slots; see `penstock.core.ports.Engine`.

    >>> import numpy as np
    >>> from penstock.engines.sim.microbatch.spec import MicroBatchStage
    >>> stage = MicroBatchStage("count", partitions=4, cpu_s_per_row=0.01)
    >>> job = MicroBatchJob("clicks", (stage,), arrivals=np.full(60, 100.0))
    >>> engine = MicroBatchEngine(MicroBatchCluster(slots=4, cores=4), [job])
    >>> engine.observe(60.0).jobs[0].processed_rps
    100.0
    """

    def __init__(
        self, cluster: MicroBatchCluster, jobs: Sequence[MicroBatchJob], faults_to_come: Sequence[MicroBatchFault] = ()
    ) -> None:
        names = [job.name for job in jobs]
        if not names or len(set(names)) != len(names):
            raise ConfigError("jobs", names, "give at least one job, and each a name of its own")
        self._world = ClusterState(cluster, jobs)
        self._sampled_s = -1
        self._news: Snapshot | None = None  # the last, while the link is down
        self._link_losses = sorted(
            (fault.at_s, fault.at_s + fault.for_s) for fault in faults_to_come if fault.kind == "link"
        )
        for job in self._world.jobs:
            self._world.schedule(job.spec.starts_at_s, "start", job)
            if job.spec.ends_at_s < math.inf:
                self._world.schedule(job.spec.ends_at_s, "end", job)
        for fault in faults_to_come:
            faults.schedule_fault(self._world, fault)
        self._run_to(0.0)  # what starts at 0 is there before anybody looks

    def advance_to(self, at_s: float) -> None:
        """Let time pass until `at_s`; what is past already stays so."""
        for lost_s, _ in self._link_losses:
            if self._world.now <= lost_s <= at_s and not self._link_down(math.nextafter(lost_s, -math.inf)):
                self._run_to(lost_s)
                self._news = snapshot_of(self._world)
        self._run_to(at_s)

    def observe(self, now: float) -> Snapshot:
        """All jobs and machines at `now`; old news while the link is down."""
        self.advance_to(now)
        if self._news is not None and self._link_down(self._world.now):
            return aged(self._news, self._world.now)
        return snapshot_of(self._world)

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Turn levers; a step of which one move cannot be done is refused whole."""
        outcomes = tuple(StepOutcome(step, self._apply(step)) for step in steps)
        self._world.settle()
        return Outcome(outcomes)

    def threads_total(self) -> int:
        """Threads of all jobs that are there."""
        return sum(job.threads for job in self._world.jobs if job.present)

    @property
    def slots(self) -> int:
        """Slots of the machines that are there."""
        return self._world.slots

    def rows(self, job: str) -> RowCounts:
        """Where the rows of a job are now."""
        state = self._world.by_name[job]
        arrived = state.arrivals.by(self._world.now)
        return RowCounts(arrived, state.processed, state.opened, arrived - state.processed - state.opened)

    def _run_to(self, at_s: float) -> None:
        while self._sampled_s + 1 <= at_s:
            self._sampled_s += 1
            self._happen_until(float(self._sampled_s))
            self._sample()
        if at_s > self._world.now:
            self._happen_until(at_s)

    def _happen_until(self, at_s: float) -> None:
        world, events = self._world, self._world.events
        while events and events[0][0] <= at_s:
            due_s, _, kind, whom = heapq.heappop(events)
            if kind != "start" or due_s > world.now:
                world.settle()
            world.now = due_s
            _HANDLERS[kind](world, whom)
        world.settle()
        world.now = at_s

    def _sample(self) -> None:
        for job in self._world.jobs:
            if job.present:
                batches.sample_job(self._world, job)
        for machine in self._world.machines:
            machine.sample(self._world.now, self._world.cluster.window_s)

    def _link_down(self, at_s: float) -> bool:
        return any(lost_s <= at_s < found_s for lost_s, found_s in self._link_losses)

    def _apply(self, step: Step) -> str | None:
        """All changes of the step, or none of them and why."""
        if self._link_down(self._world.now):
            return "the cluster does not answer; nothing was changed"
        for move in step.moves:
            error = refusal(self._world, move)
            if error is not None:
                return f"{error}; nothing was changed"
        for move in step.moves:
            turn(self._world, move)
        return None
