"""The scale-out engine: jobs of so many executors each, from one pool. It fills the Engine port."""

from collections.abc import Mapping, Sequence

import numpy as np

from penstock.core.levers import WHOLE, Dial, Executors, Shows, Slots
from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.core.seen.figures import MachineFigures, Snapshot
from penstock.engines.lifetime import AlwaysThere
from penstock.engines.sim.recoveries import JobRecovery, Recoveries
from penstock.engines.sim.scaleout.job import RunningJob
from penstock.engines.sim.scaleout.spec import JobFailure, ScaleOutJob
from penstock.errors import ConfigError

NORMAL_S = 5.0  # seconds of arrivals that wait in a job whose latency is normal, at most


class ScaleOutCluster(AlwaysThere):
    """Jobs on a pool of executors. The same seed gives the same run.

    >>> import numpy as np
    >>> job = ScaleOutJob("clicks", {1: 100.0}, np.full(60, 50.0))
    >>> ScaleOutCluster([job], executors=4).observe(60.0).jobs[0].processed_rps
    50.0
    """

    def __init__(
        self, jobs: Sequence[ScaleOutJob], executors: int, failures: Sequence[JobFailure] = (), seed: int = 0
    ) -> None:
        self._jobs = {job.name: RunningJob(job, np.random.default_rng([seed, n])) for n, job in enumerate(jobs)}
        if not jobs or len(self._jobs) < len(jobs):
            raise ConfigError("jobs", [job.name for job in jobs], "give at least one job, and each a name of its own")
        self._executors = executors
        if self.threads_total() > executors:
            raise ConfigError("executors", executors, f"the jobs start with {self.threads_total()} in all")
        for failure in failures:
            if failure.job not in self._jobs:
                raise ConfigError("faults.target", failure.job, f"name a job: {', '.join(self._jobs)}")
        self._failures = sorted(failures, key=lambda failure: failure.at_s)
        self._recoveries = Recoveries()
        self._now = 0
        self._executor_seconds = 0.0

    def observe(self, now: float) -> Snapshot:
        """All jobs at `now`, and the pool as one machine."""
        self.advance_to(now)
        jobs = tuple(job.figures(now) for job in self._jobs.values())
        busy = sum((job.operators[0].busy_share or 0.0) * job.threads for job in jobs)
        pool = MachineFigures("pool", cores=self._executors, load=busy, executors=self.threads_total())
        most = Dial("executors", WHOLE, self._executors, max(1, self.threads_total()), shows=Shows.WHEN_GIVEN)
        return Snapshot(now, jobs, (pool,), max_threads=self._executors, levers=(most,))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Rescale jobs. A step that the pool has no room for is refused whole."""
        return Outcome(tuple(StepOutcome(step, self._apply(step)) for step in steps))

    def advance_to(self, at_s: float) -> None:
        """Let simulated time pass, in whole seconds."""
        while self._now + 1 <= at_s:
            while self._failures and self._failures[0].at_s <= self._now:
                self._fail(self._failures.pop(0))
            for job in self._jobs.values():
                job.live(self._now)
            self._executor_seconds += self.threads_total()
            self._now += 1
            if self._recoveries.found:
                down = [job.well_from_s for job in self._jobs.values()]
                self._recoveries.watch(self._now, down, self._backlog)

    def threads_total(self) -> int:
        """Executors of all jobs."""
        return sum(job.executors for job in self._jobs.values())

    @property
    def thread_seconds(self) -> float:
        """Executors that were held, times how long."""
        return self._executor_seconds

    def recovered(self, targets: Mapping[str, float | None]) -> list[dict[str, object]]:
        """The recoveries so far, as `simulate --json` reports them."""
        return self._recoveries.told(list(self._jobs), targets, 1.0)

    def job(self, name: str) -> RunningJob:
        """The job of that name."""
        return self._jobs[name]

    def _fail(self, failure: JobFailure) -> None:
        job = self._jobs[failure.job]
        number = list(self._jobs).index(failure.job)
        # Recovered is who is back at the newest row, not who is only as late as before: a job that fell behind
        # before it failed has not recovered until that backlog is gone too.
        before = min(job.backlog(self._now), NORMAL_S * job.rate_rps())
        self._recoveries.begin(JobRecovery(number, float(self._now), job.rate_rps(), before))
        job.fail(float(self._now), failure.lost)

    def _backlog(self, number: int) -> float:
        return list(self._jobs.values())[number].backlog(self._now)

    def _apply(self, step: Step) -> str | None:
        wanted: dict[str, int] = {}
        for move in step.moves:
            if isinstance(move, Executors):
                return self._hold(move.after)
            if move.job not in self._jobs:
                return f"there is no job {move.job!r}; nothing was changed"
            if not isinstance(move, Slots):
                return f"{move.job} has one scale-out for all its operators; nothing was changed"
            wanted[move.job] = move.after
        for name, executors in wanted.items():
            spec = self._jobs[name].spec
            if executors < spec.min_executors or executors > (spec.max_executors or executors):
                return f"{name} takes {spec.min_executors} to {spec.max_executors or 'any number of'} executors"
        total = sum(wanted.get(name, job.executors) for name, job in self._jobs.items())
        if total > max(self._executors, self.threads_total()):
            return f"{self._executors} executors are all there are, {total} are wanted; nothing was changed"
        for name, executors in wanted.items():
            if executors != self._jobs[name].executors:
                self._jobs[name].rescale(float(self._now), executors)
        return None

    def _hold(self, executors: int) -> str | None:
        """Another size of the pool; jobs keep what they have."""
        if executors < max(1, self.threads_total()):
            return f"the jobs hold {self.threads_total()} executors, {executors} are too few; nothing was changed"
        self._executors = executors
        return None
